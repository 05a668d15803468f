"""Normalisation of either language's vectors before any map: nth-order transform, then unit, centre, unit.

The maps assume unit vectors with a mean of zero (VecMap; Artetxe et al. 2018); the nth-order
transform comes before them (Vulić et al. 2020). α = 0 gives the very spaces that go without it.
"""

import numpy as np

from tenor.errors import TenorError
from tenor.words.neighbours import Floats, unit_rows
from tenor.words.postprocess.nth_order import nth_order
from tenor.words.vectors import WordVectors


def prepare(vectors: Floats, alpha: float = 0.0) -> Floats:
    """Return vectors [n, d] of the order 2α + 1, of unit length and (before the last scaling) of mean 0."""
    moved = np.asarray(nth_order(vectors, alpha) if alpha else vectors, dtype=np.float32)
    units = unit_rows(moved)
    return unit_rows(units - units.mean(axis=0, dtype=np.float64).astype(np.float32))


def check_spaces(source: WordVectors, target: WordVectors) -> None:
    """Refuse vectors that cannot be aligned."""
    for vectors in (source, target):
        if not len(vectors):
            raise TenorError(f"{vectors.name} has no words.")
        bad = np.flatnonzero(~np.isfinite(vectors.vectors).all(axis=1))
        if len(bad):
            raise TenorError(
                f"{vectors.name}: {len(bad):,} vectors hold NaN or infinity, the first that of "
                f"{vectors.words[int(bad[0])]!r}; drop or correct them first."
            )
        if not vectors.vectors.any():
            raise TenorError(f"{vectors.name}: all vectors are zero, so there is nothing to align.")
    here, there = source.vector_size, target.vector_size
    if here != there:
        raise TenorError(
            f"{source.name} has {here} dimensions and {target.name} has {there}; aligning needs as many on "
            "both sides. Reduce the larger one first: "
            f"tenor words postprocess FILE --method pca --components {min(here, there)}"
        )
