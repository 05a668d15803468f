"""The network of the learned aligner, run by numpy alone: link probabilities from a view of two texts.

Words enter through two projections: p, whose products and differences are a learned likeness of two words,
and q, the kind of each word. With x a cell of the grid, the cells begin as

    h = act(W [x, p_i ⊙ p_j, |p_i − p_j|, tanh q_i, tanh q_j])

and pass through residual blocks that see the eight cells around and the strongest of their row and column,

    h ← h + act(conv3×3(h) + R max_j h + C max_i h)

before a last linear map gives the logit of a link; act(x) = x · sigmoid(x). All that a word may be linked to
is thus weighed together. The mean over both orders of the texts makes the result the same for either order.
:mod:`tenor.training.aligner.network` holds the same network in torch, by the same names of weights.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tenor.use.align.learned.grid import Halves, View
from tenor.use.align.words import Floats

Weights = Mapping[str, Floats]  # linear maps are [out, in], convolutions [out, in, 3, 3]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """The sizes of a network."""

    features: int  # of a cell of the grid
    inputs: int  # of a word
    likeness: int = 32  # of p
    kinds: int = 12  # of q
    channels: int = 40  # of a cell inside
    blocks: int = 3

    def weights(self) -> dict[str, tuple[int, ...]]:
        """Return the shape of every weight by its name."""
        inside = self.channels
        maps: dict[str, tuple[int, ...]] = {
            "likeness": (self.likeness, self.inputs),
            "kinds": (self.kinds, self.inputs),
            "cells": (inside, self.features),
            "products": (inside, self.likeness),
            "differences": (inside, self.likeness),
            "first_kinds": (inside, self.kinds),
            "second_kinds": (inside, self.kinds),
            "out": (1, inside),
        }
        for block in range(self.blocks):
            maps[f"around.{block}"] = (inside, inside, 3, 3)
            maps[f"rows.{block}"] = maps[f"columns.{block}"] = (inside, inside)
        shapes = {f"{name}.weight": shape for name, shape in maps.items()}
        with_bias = ("likeness", "kinds", "cells", "out", *(f"around.{n}" for n in range(self.blocks)))
        return shapes | {f"{name}.bias": maps[name][:1] for name in with_bias}


def link_probabilities(weights: Weights, seen: View) -> Floats:
    """Return the probabilities [n, m] of links, the same for either order of the texts."""
    logits = (link_logits(weights, seen) + link_logits(weights, seen.swapped()).T) / 2
    return _sigmoid(np.asarray(logits, dtype=np.float32))


def link_logits(weights: Weights, seen: View) -> Floats:
    """Return the logits [n, m] of links for the texts in the order given."""
    hidden = _cells(weights, seen)  # [n, m, c]
    block = 0
    while f"around.{block}.weight" in weights:
        found = convolved(hidden, weights[f"around.{block}.weight"]) + weights[f"around.{block}.bias"]
        found += (hidden.max(axis=1) @ weights[f"rows.{block}.weight"].T)[:, None]
        found += (hidden.max(axis=0) @ weights[f"columns.{block}.weight"].T)[None]
        hidden += _act(found)
        block += 1
    return np.asarray((hidden @ weights["out.weight"].T + weights["out.bias"])[:, :, 0], dtype=np.float32)


def convolved(cells: Floats, kernel: Floats) -> Floats:
    """Convolve cells [n, m, c] with a kernel [o, c, 3, 3], zeros around: [n, m, o].

    >>> cells = np.ones((2, 2, 1), dtype=np.float32)
    >>> convolved(cells, np.ones((1, 1, 3, 3), dtype=np.float32))[:, :, 0].tolist()
    [[4.0, 4.0], [4.0, 4.0]]
    """
    n, m, c = cells.shape
    framed = np.pad(cells, ((1, 1), (1, 1), (0, 0)))
    around = [framed[row : row + n, column : column + m] for row in range(3) for column in range(3)]
    flat = np.concatenate(around, axis=2).reshape(n * m, 9 * c)
    return np.asarray(flat @ kernel.transpose(2, 3, 1, 0).reshape(9 * c, -1), dtype=np.float32).reshape(
        n, m, -1
    )


def _cells(weights: Weights, seen: View) -> Floats:
    def linear(name: str, x: Floats | Halves) -> Floats:
        found = x @ weights[f"{name}.weight"].T
        return np.asarray(found, dtype=np.float32)

    one, two = (linear("likeness", side) + weights["likeness.bias"] for side in (seen.first, seen.second))
    kinds = [np.tanh(linear("kinds", side) + weights["kinds.bias"]) for side in (seen.first, seen.second)]
    total = linear("cells", seen.grid) + weights["cells.bias"]
    total += linear("products", one[:, None] * two[None])
    total += linear("differences", np.abs(one[:, None] - two[None]))
    total += linear("first_kinds", kinds[0])[:, None]
    total += linear("second_kinds", kinds[1])[None]
    return _act(total)


def _act(x: Floats) -> Floats:
    return x * _sigmoid(x)


def _sigmoid(x: Floats) -> Floats:
    # Beyond ±60 it is 0 or 1 in float32, and the exponential would overflow.
    return np.asarray(1 / (1 + np.exp(-np.clip(x, -60, 60))), dtype=np.float32)
