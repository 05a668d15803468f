"""Probabilities that mean what they say: a slope and offsets between a head's numbers and its probabilities.

Fitted to rows with labels y that the head was not trained on (Platt, 1999; Guo et al., 2017), with z the
head's numbers [n, o]:

    p = softmax(a · z + b),  or for a yes-or-no σ(a · z + b)
    a, b = argmin  Σ -log p_y + ½ ((a - 1)² + ‖b‖²)

The last term keeps both near "as it was" where rows are few. It takes out overconfidence (a < 1), and what
the train rows had too much of (b).
"""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

Floats = NDArray[np.float64]
_LEAST = 1e-7  # a probability of float32 that was rounded to 0 or 1 says no more than this
_LOWEST_SLOPE = 1e-2  # a slope of 0 or below would say that the head has learned nothing


@dataclass(frozen=True, slots=True)
class Calibration:
    """What a head's numbers z become: slope · z + offsets."""

    slope: float
    offsets: tuple[float, ...]


def fit_calibration(probabilities: Floats, labels: NDArray[np.int64], *, outputs: int) -> Calibration:
    """Fit to the probabilities [n, k] of a head with so many outputs: one for a yes-or-no, else k.

    >>> sure = np.array([[0.99, 0.01]] * 10 + [[0.01, 0.99]] * 10)
    >>> right = np.array([0] * 8 + [1] * 2 + [1] * 8 + [0] * 2)
    >>> fitted = fit_calibration(sure, right, outputs=1)
    >>> round(fitted.slope, 1)  # of what is said with 99%, 80% are right
    0.3
    """
    logs = torch.from_numpy(np.log(np.clip(probabilities, _LEAST, 1.0)))
    values = (logs[:, 1:] - logs[:, :1]) if outputs == 1 else logs
    wanted = torch.from_numpy(np.asarray(labels, dtype=np.int64))
    free = torch.cat([torch.ones(1, dtype=torch.float64), torch.zeros(outputs, dtype=torch.float64)])
    free.requires_grad_()
    as_it_was = free.detach().clone()
    steps = torch.optim.LBFGS([free], max_iter=200, tolerance_grad=1e-9, line_search_fn="strong_wolfe")

    def cost() -> Tensor:
        steps.zero_grad()
        logits = free[0] * values + free[1:]
        loss = _surprise(logits, wanted) + 0.5 * (free - as_it_was).square().sum()
        loss.backward()  # type: ignore[no-untyped-call]
        return loss

    steps.step(cost)  # type: ignore[no-untyped-call]
    slope, *offsets = free.detach().tolist()
    return Calibration(slope=max(slope, _LOWEST_SLOPE), offsets=tuple(offsets))


def _surprise(logits: Tensor, labels: Tensor) -> Tensor:
    if logits.shape[1] == 1:
        targets = labels.to(logits.dtype)
        return functional.binary_cross_entropy_with_logits(logits[:, 0], targets, reduction="sum")
    return functional.cross_entropy(logits, labels, reduction="sum")
