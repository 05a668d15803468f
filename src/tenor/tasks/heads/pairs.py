"""What a head sees of two vectors u and v, in any combination.

    u, v, diff = u - v, abs = |u - v|, product = u ∗ v,  cosine = u·v / (max(‖u‖, ε) max(‖v‖, ε)),  jaccard

Jaccard is the overlap of the texts' tokens, known before anything is encoded (``tenor.tasks.texts.jaccard``).
Where both texts were encoded as one sequence, ``whole`` is the vector of all of it.
Shapes: n rows, d width.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from tenor.tasks.texts.config import Feature

EPSILON = 1e-8


def cosine(u: Tensor, v: Tensor) -> Tensor:
    """Return the cosine of the vectors in the same rows [n]; 0 where one is all zeros.

    >>> cosine(torch.tensor([[3.0, 4.0], [0.0, 0.0]]), torch.tensor([[6.0, 8.0], [1.0, 0.0]])).tolist()
    [1.0, 0.0]
    """
    lengths = u.norm(dim=-1).clamp(min=EPSILON) * v.norm(dim=-1).clamp(min=EPSILON)
    out: Tensor = (u * v).sum(dim=-1) / lengths
    return out


def pair_features(
    u: Tensor,
    v: Tensor,
    wanted: Sequence[Feature],
    overlap: Tensor | None = None,
    whole: Tensor | None = None,
) -> Tensor:
    """Lay the wanted features side by side; ``overlap`` [n] is Jaccard's, ``whole`` [n, d] of both texts."""
    return torch.cat([_feature(name, u, v, overlap, whole) for name in wanted], dim=-1)


def _feature(name: Feature, u: Tensor, v: Tensor, overlap: Tensor | None, whole: Tensor | None) -> Tensor:
    if name == "whole":
        if whole is None:
            raise ValueError("The feature 'whole' is asked for, but the texts were not encoded jointly.")
        return whole
    if name == "u":
        return u
    if name == "v":
        return v
    if name == "diff":
        return u - v
    if name == "abs":
        return (u - v).abs()
    if name == "product":
        return u * v
    if name == "cosine":
        return cosine(u, v)[:, None]
    if overlap is None:
        raise ValueError("The feature 'jaccard' is asked for, but the batch does not carry it.")
    return overlap.to(u.dtype).view(-1, 1)
