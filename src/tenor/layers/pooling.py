"""One vector per text out of one vector per token, as indexed reductions on the flat axis.

A text without tokens gets zeros. Shapes: n texts, T tokens, d width.
"""

from collections.abc import Callable
from typing import Literal

from torch import Tensor

from tenor.errors import TenorError
from tenor.layers.packed import Packing
from tenor.layers.pooling_config import LEARNED_KINDS, POOLING_KINDS, PoolingKind


def pool_sum(states: Tensor, packing: Packing) -> Tensor:
    """Add the tokens [T, d] of each text [n, d]."""
    empty = states.new_zeros(len(packing), *states.shape[1:])
    return empty.index_add(0, packing.text_of, states)


def pool_mean(states: Tensor, packing: Packing) -> Tensor:
    """Average the tokens [T, d] of each text [n, d].

    >>> import numpy as np, torch
    >>> pool_mean(torch.tensor([[1.0], [3.0], [5.0]]), Packing(np.array([0, 2, 3]))).tolist()
    [[2.0], [5.0]]
    """
    return pool_sum(states, packing) / _column(packing.lengths.clamp(min=1), states)


def pool_mean_sqrt(states: Tensor, packing: Packing) -> Tensor:
    """Add the tokens of each text and divide by the square root of their number."""
    return pool_sum(states, packing) / _column(packing.lengths.clamp(min=1), states).sqrt()


def pool_weighted_mean(states: Tensor, packing: Packing) -> Tensor:
    """Average the tokens of each text with weights 1, 2, 3, … from its beginning."""
    totals = packing.lengths * (packing.lengths + 1) // 2
    weighted = states * _column(packing.places + 1, states)
    return pool_sum(weighted, packing) / _column(totals.clamp(min=1), states)


def pool_max(states: Tensor, packing: Packing) -> Tensor:
    """Take the largest value of each dimension over the tokens of each text."""
    return _extreme(states, packing, "amax")


def pool_min(states: Tensor, packing: Packing) -> Tensor:
    """Take the smallest value of each dimension over the tokens of each text."""
    return _extreme(states, packing, "amin")


def pool_token(states: Tensor, packing: Packing, *, token: int = 0) -> Tensor:
    """Take the token at one place of each text, counted from its end if negative.

    A text that is too short gives its nearest token: the last, or the first for a negative place.
    """
    places = packing.lengths + token if token < 0 else packing.lengths.new_full((len(packing),), token)
    places = places.minimum(packing.lengths - 1).clamp(min=0)
    there = packing.lengths > 0
    found = states.index_select(0, (packing.firsts + places)[there])
    return states.new_zeros(len(packing), *states.shape[1:]).index_copy(0, there.nonzero()[:, 0], found)


def pool_last(states: Tensor, packing: Packing) -> Tensor:
    """Take the last token of each text."""
    return pool_token(states, packing, token=-1)


Reduction = Callable[[Tensor, Packing], Tensor]
"""Takes states [T, d] and returns one vector per text [n, d]."""
POOLINGS: dict[str, Reduction] = {
    "cls": pool_token,
    "mean": pool_mean,
    "max": pool_max,
    "min": pool_min,
    "sum": pool_sum,
    "last_token": pool_last,
    "mean_sqrt": pool_mean_sqrt,
    "weighted_mean": pool_weighted_mean,
}


def pool(
    states: Tensor, packing: Packing, kind: PoolingKind, *, token: int = 0, pooler: Tensor | None = None
) -> Tensor:
    """Reduce states [T, d] to one vector per text [n, d]; ``pooler`` is what the encoder's own one gave."""
    if kind == "token":
        return pool_token(states, packing, token=token)
    if kind == "pooler":
        if pooler is None:
            raise TenorError("The checkpoint has no pooler; choose another pooling, such as 'mean' or 'cls'.")
        return pooler
    if kind in LEARNED_KINDS:
        raise ValueError(f"The pooling {kind!r} has weights of its own: it belongs to a head.")
    return POOLINGS[kind](states, packing)


def register(kind: str, reduction: Reduction) -> None:
    """Add a pooling of one's own, for this process: run files and model folders know it then."""
    if kind in POOLING_KINDS and POOLINGS.get(kind) is not reduction:
        raise TenorError(f"There is a pooling {kind!r} already; give yours another name.")
    POOLINGS[kind] = reduction
    if kind not in POOLING_KINDS:
        POOLING_KINDS.append(kind)


def _extreme(states: Tensor, packing: Packing, reduce: Literal["amax", "amin"]) -> Tensor:
    empty = states.new_zeros(len(packing), *states.shape[1:])
    index = packing.text_of.view(-1, *[1] * (states.ndim - 1)).expand_as(states)
    return empty.scatter_reduce(0, index, states, reduce=reduce, include_self=False)


def _column(values: Tensor, states: Tensor) -> Tensor:
    """Shape one number per row so that it multiplies rows, in the precision of the states."""
    return values.to(states.dtype).view(-1, *[1] * (states.ndim - 1))
