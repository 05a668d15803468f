"""Packed batches: many texts on one flat token axis, and the way to a rectangle and back.

n texts with T tokens in all are tensors of T rows and n + 1 starts, so that linear layers, LayerNorm and
activations never see padding. Whatever needs a row per text (LSTM, CNN, CRF, biaffine scores, decoders) uses
the one pair ``to_padded`` / ``from_padded``; both are differentiable. Attention has its own, cheaper
rectangles.

Shapes: n texts, T tokens, L tokens in the longest text.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tenor.layers.cpu.rectangles import Rectangles

AttentionKind = Literal["full", "causal"]


class FlatTokens(Protocol):
    """What a batch is built from: ``tenor.text.tokens.Tokens``, or anything of its form."""

    @property
    def ids(self) -> NDArray[np.int32]: ...  # noqa: D102
    @property
    def starts(self) -> NDArray[np.int64]: ...  # noqa: D102
    @property
    def segments(self) -> NDArray[np.int32] | None: ...  # noqa: D102
    @property
    def words(self) -> NDArray[np.int32] | None: ...  # noqa: D102
    @property
    def forms(self) -> NDArray[np.object_] | None: ...  # noqa: D102


class Packing:
    """Where each text begins on the flat axis, and what follows from that; indexes are made when needed.

    >>> packing = Packing(np.array([0, 3, 5]))
    >>> packing.to_padded(torch.arange(5), fill=-1)
    tensor([[ 0,  1,  2],
            [ 3,  4, -1]])
    """

    def __init__(self, starts: NDArray[np.int64], device: torch.device | str = "cpu") -> None:
        self.starts = np.asarray(starts, dtype=np.int64)  # [n + 1], kept on the CPU for planning
        self.device = torch.device(device)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def tokens(self) -> int:
        """The number T of tokens."""
        return int(self.starts[-1])

    @cached_property
    def longest(self) -> int:
        """The length L of the longest text."""
        return int(np.diff(self.starts).max(initial=0))

    @cached_property
    def lengths(self) -> Tensor:
        """The number of tokens of each text [n]."""
        return torch.from_numpy(np.diff(self.starts)).to(self.device)

    @cached_property
    def firsts(self) -> Tensor:
        """The place of each text's first token on the flat axis [n]."""
        return torch.from_numpy(self.starts[:-1].copy()).to(self.device)

    @cached_property
    def text_of(self) -> Tensor:
        """The text that each token belongs to [T]."""
        return torch.from_numpy(np.repeat(np.arange(len(self)), np.diff(self.starts))).to(self.device)

    @cached_property
    def places(self) -> Tensor:
        """The place of each token within its text [T]."""
        lengths = np.diff(self.starts)
        return torch.from_numpy(np.arange(self.tokens) - np.repeat(self.starts[:-1], lengths)).to(self.device)

    @cached_property
    def mask(self) -> Tensor:
        """Where the rectangle holds a token [n, L]."""
        return torch.arange(self.longest, device=self.device)[None, :] < self.lengths[:, None]

    @cached_property
    def bounds(self) -> Tensor:
        """The starts as the variable-length kernels want them, int32 on the device [n + 1]."""
        return torch.from_numpy(self.starts.astype(np.int32)).to(self.device)

    @cached_property
    def rectangles(self) -> Rectangles:
        """The rectangles of nearly equal lengths that attention works on."""
        return Rectangles.plan(self.starts, self.device)

    def to_padded(self, values: Tensor, *, fill: float = 0.0) -> Tensor:
        """Lay values [T, …] out as one row per text [n, L, …], with ``fill`` where there is no token."""
        rows = values.new_full((len(self) * self.longest, *values.shape[1:]), fill)
        return rows.index_copy(0, self._slots, values).view(len(self), self.longest, *values.shape[1:])

    def from_padded(self, rows: Tensor) -> Tensor:
        """Take the tokens' values [T, …] out of one row per text [n, L, …]."""
        return rows.flatten(0, 1).index_select(0, self._slots)

    @cached_property
    def _slots(self) -> Tensor:
        return self.text_of * self.longest + self.places


@dataclass(frozen=True, eq=False)
class PackedBatch:
    """One pass's input: token ids, or the word embeddings in their place, and what the encoder adds to them.

    >>> batch = PackedBatch.from_lists([[101, 7, 102], [101, 102]])
    >>> len(batch), batch.positions.tolist()
    (2, [0, 1, 2, 0, 1])
    """

    packing: Packing
    ids: Tensor | None = None  # [T]
    embeddings: Tensor | None = None  # [T, d], in place of the ids' look-up, for inner loops
    segments: Tensor | None = None  # [T], all 0 when None
    given_positions: Tensor | None = None  # [T], places within the text when None
    words: Tensor | None = None  # [T], the word of each piece, -1 where none
    forms: NDArray[np.object_] | None = None  # [T], the tokens as written, for encoders that read spellings
    attention: AttentionKind = "full"

    def __len__(self) -> int:
        return len(self.packing)

    @property
    def positions(self) -> Tensor:
        """The position of each token [T]."""
        return self.packing.places if self.given_positions is None else self.given_positions

    @classmethod
    def from_tokens(
        cls, tokens: FlatTokens, device: torch.device | str = "cpu", *, attention: AttentionKind = "full"
    ) -> "PackedBatch":
        """Build from tokenised texts."""
        return cls(
            Packing(tokens.starts, device),
            ids=_on_device(tokens.ids, device),
            segments=_on_device(tokens.segments, device),
            words=_on_device(tokens.words, device),
            forms=tokens.forms,
            attention=attention,
        )

    @classmethod
    def from_lists(cls, ids: list[list[int]], device: torch.device | str = "cpu") -> "PackedBatch":
        """Build from one list of ids per text."""
        starts = np.cumsum([0, *(len(row) for row in ids)], dtype=np.int64)
        flat = torch.tensor([token for row in ids for token in row], dtype=torch.int64, device=device)
        return cls(Packing(starts, device), ids=flat)

    def with_embeddings(self, embeddings: Tensor) -> "PackedBatch":
        """Return the same batch with word embeddings [T, d] in place of ids."""
        return replace(self, embeddings=embeddings)

    def with_segments(self, segments: Tensor | None) -> "PackedBatch":
        """Return the same batch with the given segment of each token [T]."""
        return replace(self, segments=segments)

    def to_padded(self, values: Tensor, *, fill: float = 0.0) -> Tensor:
        """See ``Packing.to_padded``."""
        return self.packing.to_padded(values, fill=fill)

    def from_padded(self, rows: Tensor) -> Tensor:
        """See ``Packing.from_padded``."""
        return self.packing.from_padded(rows)


def _on_device(values: NDArray[np.int32] | None, device: torch.device | str) -> Tensor | None:
    return None if values is None else torch.from_numpy(values.astype(np.int64)).to(device)
