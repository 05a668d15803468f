"""The states of a frozen encoder, computed once for every distinct text.

An encoder that is not trained gives the same states for a text in every epoch, so heads on it need no
second pass. States are kept up to a budget of memory; what goes beyond it is computed anew each time. A
change of any weight, seen by torch's count of changes, empties the store.

Shapes: n texts, T tokens, d width.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor, nn

from tenor.encoders.encoder import States
from tenor.layers.packed import Packing
from tenor.text.batching import distinct, forms_of
from tenor.text.tokens import Tokens

Encode = Callable[[Tokens], States]
_Key = tuple[bytes, bytes, tuple[str, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class _Text:
    """One text's part of the states."""

    last: Tensor  # [t, d]
    layers: tuple[Tensor, ...] | None
    pooler: Tensor | None  # [1, d]


class FrozenStates:
    """Keeps states by text; ``most_bytes`` bounds them."""

    def __init__(self, most_bytes: int = 1 << 30) -> None:
        self.most_bytes, self.bytes = most_bytes, 0
        self._texts: dict[_Key, _Text] = {}
        self._made_with: tuple[object, ...] = ()

    def states(
        self,
        encoder: nn.Module,
        tokens: Tokens,
        encode: Encode,
        *,
        layers: bool,
        pooler: bool,
        device: torch.device,
    ) -> States:
        """Return the states of all texts, running ``encode`` on those that are not kept."""
        made_with = (layers, pooler, *(each._version for each in encoder.parameters()))
        if made_with != self._made_with:
            self._texts, self.bytes, self._made_with = {}, 0, made_with
        first, of = distinct(tokens)
        unique = tokens.take(first)
        keys = _keys(unique)
        missing = np.array([at for at, key in enumerate(keys) if key not in self._texts], dtype=np.int64)
        fresh = self._encode(unique, keys, missing, encode)
        texts = [fresh.get(key) or self._texts[key] for key in keys]
        return _joined([texts[number] for number in of.tolist()], Packing(tokens.starts, device))

    def _encode(
        self,
        unique: Tokens,
        keys: list[_Key],
        missing: np.ndarray[tuple[int], np.dtype[np.int64]],
        encode: Encode,
    ) -> dict[_Key, _Text]:
        if not len(missing):
            return {}
        chosen = unique.take(missing)
        parts = _parts(encode(chosen), chosen)
        fresh = dict(zip((keys[at] for at in missing.tolist()), parts, strict=True))
        for key, text in fresh.items():
            size = _bytes(text)
            if self.bytes + size <= self.most_bytes:
                self._texts[key] = text
                self.bytes += size
        return fresh


def _keys(tokens: Tokens) -> list[_Key]:
    ids, segments = tokens.ids, tokens.segments
    return [
        (ids[begin:end].tobytes(), b"" if segments is None else segments[begin:end].tobytes(), forms)
        for (begin, end), forms in zip(pairwise(tokens.starts.tolist()), forms_of(tokens), strict=True)
    ]


def _parts(states: States, tokens: Tokens) -> list[_Text]:
    sizes = tokens.lengths.tolist()
    last = torch.split(states.last, sizes)
    layers = None if states.layers is None else [torch.split(layer, sizes) for layer in states.layers]
    return [
        _Text(
            last[at].clone(),  # a view would keep the states of the whole pass in memory
            None if layers is None else tuple(layer[at].clone() for layer in layers),
            None if states.pooler is None else states.pooler[at : at + 1].clone(),
        )
        for at in range(len(sizes))
    ]


def _bytes(text: _Text) -> int:
    tensors = [text.last, *(text.layers or ()), *([] if text.pooler is None else [text.pooler])]
    return sum(each.numel() * each.element_size() for each in tensors)


def _joined(texts: list[_Text], packing: Packing) -> States:
    layers = None
    if texts and texts[0].layers is not None:
        layers = tuple(torch.cat(each) for each in zip(*(text.layers or () for text in texts), strict=True))
    poolers = [text.pooler for text in texts if text.pooler is not None]
    return States(
        packing, torch.cat([text.last for text in texts]), layers, torch.cat(poolers) if poolers else None
    )
