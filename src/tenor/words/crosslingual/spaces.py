"""What is done to either language's vectors before any map: nth-order transform, then unit, centre, unit.

Both unit lengths and a mean of zero are what the maps assume (VecMap; Artetxe et al. 2018); the nth-order
transform comes before them (Vulić et al. 2020). α = 0 gives the very spaces that go without it.
"""

import numpy as np

from tenor.errors import TenorError
from tenor.words.neighbours import Floats, unit_rows
from tenor.words.postprocess.nth_order import nth_order
from tenor.words.vectors import WordVectors


def prepare(vectors: Floats, alpha: float = 0.0) -> Floats:
    """Return vectors [n, d] of the order 2α + 1, of length 1 and (before the last scaling) of mean 0."""
    moved = np.asarray(nth_order(vectors, alpha) if alpha else vectors, dtype=np.float32)
    units = unit_rows(moved)
    return unit_rows(units - units.mean(axis=0, dtype=np.float64).astype(np.float32))


def check_spaces(source: WordVectors, target: WordVectors) -> None:
    """Refuse vectors that cannot be aligned, in a sentence."""
    for vectors in (source, target):
        if not len(vectors):
            raise TenorError(f"{vectors.name} has no words.")
        bad = np.flatnonzero(~np.isfinite(vectors.vectors).all(axis=1))
        if len(bad):
            raise TenorError(
                f"{vectors.name}: {len(bad):,} vectors hold NaN or infinity, the first that of "
                f"{vectors.words[int(bad[0])]!r}; drop or mend them first."
            )
        if not vectors.vectors.any():
            raise TenorError(f"{vectors.name}: all vectors are zero, so there is nothing to align.")
    if source.width != target.width:
        raise TenorError(
            f"{source.name} has {source.width} dimensions and {target.name} has {target.width}; aligning "
            "needs as many on both sides. Reduce the wider one first: "
            f"tenor words postprocess FILE --method whiten --components {min(source.width, target.width)}"
        )
