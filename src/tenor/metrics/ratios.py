"""Ratios of counts, as precision, recall and accuracy are."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def ratio(part: ArrayLike, whole: ArrayLike) -> NDArray[np.float64]:
    """Divide, giving 0 where the whole is 0: the usual convention for precision without any prediction.

    >>> ratio([1, 2, 0], [2, 4, 0]).tolist()
    [0.5, 0.5, 0.0]
    """
    numerator, denominator = np.broadcast_arrays(
        np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    )
    quotient: NDArray[np.float64] = np.zeros(numerator.shape)
    np.divide(numerator, denominator, out=quotient, where=denominator > 0)
    return quotient
