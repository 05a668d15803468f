"""The decoder of labels in torch. Shapes: W words, d hidden size, S symbols, h decoder size."""

from itertools import chain
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tenor.layers.linear import Linear
from tenor.layers.packed import Packing
from tenor.layers.symbol_decoder import SEP, SymbolDecoder
from tenor.tasks.tag.heads.module import Floats, TagHead, split_rows
from tenor.tasks.tag.heads.spelled import spelling, symbols_of
from tenor.tasks.tag.kind import TagSpec
from tenor.text.ragged import Ragged
from tenor.text.word_shapes import SHAPES


class SpelledHead(TagHead):
    """Spells the label of each word, knowing those before it."""

    def __init__(self, spec: TagSpec, hidden_size: int) -> None:
        super().__init__(spec)
        numbers = {symbol: number for number, symbol in enumerate(symbols_of(spec), start=SEP + 1)}
        spelled = [[numbers[symbol] for symbol in label] for label in spelling(spec)]
        self.longest = max(map(len, spelled))
        self._whole = spec.label_units == "whole"
        self._targets = [label if self._whole else [*label, SEP] for label in spelled]
        self.decoder = SymbolDecoder(
            hidden_size,
            symbols=len(numbers) + 1,
            decoder_size=spec.decoder_size,
            longest=self.longest,
            history=spec.history,
            whole=self._whole,
            dropout=spec.decoder_dropout,
        )
        self.shapes = Linear(len(SHAPES), spec.decoder_size, bias=False) if spec.casing else None

    def forward(self, words: Tensor, shapes: Tensor | None) -> Tensor:
        """Return what the decoder reads of each word [W, h]."""
        further = None
        if self.shapes is not None and shapes is not None:
            further = self.shapes(shapes.to(words.device, words.dtype))
        return self.decoder.contexts(words, further)

    def losses(self, output: Any, numbers: Ragged) -> dict[str, Tensor]:
        """Return the negative log-likelihood of the labels' symbols per word; unknown labels do not count."""
        known = numbers.values >= 0
        labels = np.maximum(numbers.values, 0).tolist()
        rows = [self._targets[label] for label in labels]
        targets = np.fromiter(chain.from_iterable(rows), dtype=np.int64)
        if not len(targets):
            return {"loss": output.sum() * 0.0}
        logs = self.decoder.log_probabilities(output, targets, Packing(numbers.starts, output.device))
        chosen = logs.gather(1, torch.from_numpy(targets).to(output.device)[:, None])[:, 0]
        counts = torch.from_numpy(np.repeat(known, [len(row) for row in rows])).to(output.device)
        return {"loss": -(chosen * counts).sum() / max(1, len(labels))}

    def predict(self, output: Any, starts: NDArray[np.int64]) -> list[Floats]:
        """Return the probability and the symbols of every word's label [words, 1 + longest]."""
        labels, scores = self.decoder.spell_contexts(output.detach(), starts, beam=self.spec.beam)
        table = np.full((len(labels), 1 + self.longest), -1.0, dtype=np.float32)
        for row, (label, score) in enumerate(zip(labels, scores, strict=False)):
            table[row, 0] = np.exp(score)
            table[row, 1 : 1 + len(label)] = np.array(label) - SEP - 1
        return split_rows(table, starts)
