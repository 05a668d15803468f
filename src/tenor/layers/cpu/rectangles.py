"""Cutting a packed batch into few rectangles with little padding, for attention.

Attention is the one step of a transformer that looks across tokens, so it alone needs texts as rows. Texts
of nearly equal length share a rectangle: one kernel call for all of them, and padding only up to the longest
of the group. A batch that is already sorted by length and holds runs of equal length is only viewed, never
copied.

Shapes: n texts, T tokens, P slots of all rectangles together (P - T of them are padding).
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

Index = NDArray[np.int64]
T = TypeVar("T")

# Texts whose lengths differ by at most this many tokens, or this fraction, share a rectangle. On a CPU,
# training steps on mixed batches are so some 5% faster than without padding or with one rectangle; a GPU
# wants fewer, larger calls.
_SLACK_TOKENS = {"cpu": 8, "cuda": 32}
_SLACK_FRACTION = {"cpu": 0.25, "cuda": 0.5}


@dataclass(frozen=True, slots=True, eq=False)
class Rectangle:
    """``texts`` rows of ``length`` slots, from slot ``first`` on; no ``mask`` when no slot is padding."""

    first: int
    texts: int
    length: int
    mask: Tensor | None  # [texts, 1, 1, length], True where there is a token

    @property
    def last(self) -> int:
        """The slot after its last."""
        return self.first + self.texts * self.length


@dataclass(frozen=True, slots=True, eq=False)
class Rectangles:
    """Where each slot takes its token from, and where each token finds its slot again.

    ``take`` and ``back`` are None when slots are tokens in the same order.
    """

    parts: tuple[Rectangle, ...]
    take: Tensor | None  # [P], the token of each slot; padding repeats a token of its own text
    back: Tensor | None  # [T], the slot of each token
    _once: dict[Hashable, Any] = field(default_factory=dict)

    def once(self, name: Hashable, make: Callable[[], T]) -> T:
        """Return what all layers of a pass work out from the plan alike, made by the first."""
        if name not in self._once:
            self._once[name] = make()
        found: T = self._once[name]
        return found

    @classmethod
    def plan(cls, starts: Index, device: torch.device) -> "Rectangles":
        """Group the texts that begin at ``starts`` [n + 1]."""
        lengths = np.diff(starts)
        order = _order(lengths)
        sizes = lengths[order]
        parts: list[Rectangle] = []
        takes: list[Index] = []
        first = 0
        for begin, end in _runs(sizes, device.type):
            length = int(sizes[begin:end].max())
            steps = np.arange(length)
            # Padding repeats the text's last token: finite numbers, which the mask then leaves out.
            places = np.minimum(steps[None, :], sizes[begin:end, None] - 1)
            takes.append((starts[order[begin:end], None] + places).ravel())
            mask = steps[None, :] < sizes[begin:end, None]
            parts.append(Rectangle(first, end - begin, length, _to_mask(mask, device)))
            first = parts[-1].last
        take = np.concatenate(takes) if takes else np.zeros(0, dtype=np.int64)
        return cls(tuple(parts), *_to_index(take, int(starts[-1]), device))


def _order(lengths: Index) -> Index:
    """Order texts by length, leaving out empty ones, and leaving an order that is sorted as it is."""
    steps = np.diff(lengths)
    if (steps <= 0).all() or (steps >= 0).all():
        return np.flatnonzero(lengths)
    order = np.argsort(-lengths, kind="stable")
    return order[lengths[order] > 0]


def _runs(sizes: Index, device: str) -> list[tuple[int, int]]:
    """Cut sorted sizes where they have drifted too far from the first of the run."""
    slack, fraction = _SLACK_TOKENS.get(device, 32), _SLACK_FRACTION.get(device, 0.5)
    runs: list[tuple[int, int]] = []
    begin = 0
    values = sizes.tolist()
    for place, size in enumerate(values):
        largest = max(size, values[begin])
        if abs(size - values[begin]) > max(slack, fraction * largest):
            runs.append((begin, place))
            begin = place
    return [*runs, (begin, len(values))] if values else []


def _to_mask(mask: NDArray[np.bool_], device: torch.device) -> Tensor | None:
    return None if mask.all() else torch.from_numpy(mask).to(device)[:, None, None, :]


def _to_index(take: Index, tokens: int, device: torch.device) -> tuple[Tensor | None, Tensor | None]:
    if len(take) == tokens and (take == np.arange(tokens)).all():
        return None, None
    back = np.empty(tokens, dtype=np.int64)
    # Written from the last slot to the first, so that a token keeps its own slot and not a repeated one.
    back[take[::-1]] = np.arange(len(take))[::-1]
    return torch.from_numpy(take).to(device), torch.from_numpy(back).to(device)
