"""Word-synchronous beam search for labels that are spelled out symbol by symbol.

All sentences advance together, word by word. Within a word every hypothesis is extended symbol by symbol
until [SEP] ends it; those that are done keep their places among the ``beam`` best, and the next word begins
when all of them are done. Labels of different lengths are thus compared as whole labels, by their log
probabilities without a normalisation by length, and a beam of 1 is greedy decoding. What the LSTM reads of a
word and of a symbol is multiplied with its weights once, before the search.

Shapes: n sentences at work, B beam, v kinds of symbols, h decoder size, W words.
"""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

SEP = 0
"""The symbol that ends a label, and the one before the first."""
Labels = list[tuple[int, ...]]
Spelled = tuple[Labels, list[float]]
"""The symbols of every word's label, and their log probabilities."""


@dataclass(frozen=True, slots=True, eq=False)
class Speller:
    """One step of the decoder: what it reads of words and symbols is projected onto the gates already."""

    word_gates: Tensor  # [W, 4h]
    symbol_gates: Tensor  # [v, 4h]
    recurrent: Tensor  # [4h, h]
    out: nn.Linear
    longest: int
    whole: bool

    @classmethod
    def of(
        cls, contexts: Tensor, *, symbols: Tensor, weights: list[Tensor], out: nn.Linear, longest: int,
        whole: bool,
    ) -> "Speller":  # fmt: skip
        """Project contexts [W, h] and embeddings of symbols [v, h]; ``weights`` are those of an LSTM."""
        inputs, recurrent, bias, other_bias = weights
        size = contexts.shape[1]
        word_gates = functional.linear(contexts.to(inputs.dtype), inputs[:, :size], bias + other_bias)
        return cls(word_gates, functional.linear(symbols, inputs[:, size:]), recurrent, out, longest, whole)

    def step(
        self, words: Tensor, last: Tensor, hidden: Tensor, cell: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return log probabilities [m, v] and the new states [m, h] of m hypotheses."""
        gates = self.word_gates[words] + self.symbol_gates[last]
        gates = torch.addmm(gates, hidden, self.recurrent.t())
        entry, forget, candidate, exit_ = gates.chunk(4, dim=1)  # torch's order
        cell = forget.sigmoid() * cell + entry.sigmoid() * candidate.tanh()
        hidden = exit_.sigmoid() * cell.tanh()
        return self.out(hidden).float().log_softmax(dim=1), hidden, cell


@dataclass(slots=True, eq=False)
class _Beam:
    """The hypotheses of n sentences; all tensors are [n, B, …]."""

    scores: Tensor  # -inf: there is none
    last: Tensor  # the symbol before
    hidden: Tensor
    cell: Tensor
    done: Tensor  # whether the label of the word at work is
    origin: Tensor  # the hypothesis at the end of the word before
    spelled: Tensor  # [n, B, longest], -1 where no symbol is yet

    @classmethod
    def begin(cls, speller: Speller, sentences: int, beam: int) -> "_Beam":
        gates, size = speller.word_gates, speller.recurrent.shape[1]
        shape = (sentences, beam)
        scores = torch.full(shape, -torch.inf, device=gates.device)
        scores[:, 0] = 0.0
        whole = torch.zeros(shape, dtype=torch.int64, device=gates.device)
        return cls(
            scores,
            whole.clone(),
            gates.new_zeros(*shape, size),
            gates.new_zeros(*shape, size),
            whole.bool(),
            whole.clone(),
            whole.new_full((*shape, speller.longest), -1),
        )

    def next_word(self, sentences: int, *, whole: bool) -> None:
        """Begin a word in the first sentences, those that have one."""
        self.scores, self.hidden, self.cell = (
            each[:sentences] for each in (self.scores, self.hidden, self.cell)
        )
        self.last = self.last[:sentences] if whole else torch.full_like(self.last[:sentences], SEP)
        self.done = torch.zeros_like(self.done[:sentences])
        self.origin = torch.arange(self.scores.shape[1], device=self.scores.device).expand(sentences, -1)
        self.spelled = torch.full_like(self.spelled[:sentences], -1)


@dataclass(frozen=True, slots=True, eq=False)
class _Word:
    """What the hypotheses of a word came to, for the way back."""

    spelled: NDArray[np.int64]  # [n, B, longest]
    origin: NDArray[np.int64]  # [n, B]
    scores: NDArray[np.float32]  # [n, B], of this word alone


def spell_words(speller: Speller, starts: NDArray[np.int64], *, beam: int) -> Spelled:
    """Spell the labels of all words; the sentences begin at ``starts`` [n + 1]."""
    lengths = np.diff(starts)
    order = np.argsort(-lengths, kind="stable")  # the longest first: those at work are the first ones
    ranked, firsts = lengths[order], torch.from_numpy(starts[:-1][order])
    firsts = firsts.to(speller.word_gates.device)
    hypotheses = _Beam.begin(speller, len(lengths), beam)
    words: list[_Word] = []
    for place in range(int(ranked[0]) if len(ranked) else 0):
        sentences = int((ranked > place).sum())
        hypotheses.next_word(sentences, whole=speller.whole)
        before = hypotheses.scores
        _spell_word(speller, hypotheses, firsts[:sentences] + place)
        own = hypotheses.scores - before.gather(1, hypotheses.origin)
        words.append(
            _Word(hypotheses.spelled.cpu().numpy(), hypotheses.origin.cpu().numpy(), own.cpu().numpy())
        )
    return _way_back(words, starts, order)


def _spell_word(speller: Speller, beam: _Beam, words: Tensor) -> None:
    """Extend all hypotheses by the label of one word [n] of each sentence, in place."""
    count = beam.scores.shape[1]
    for place in range(1 if speller.whole else speller.longest + 1):
        flat = (~beam.done & beam.scores.isfinite()).flatten().nonzero()[:, 0]  # the hypotheses at work
        if not len(flat):
            return
        hidden, cell = beam.hidden.flatten(0, 1), beam.cell.flatten(0, 1)
        logs, new_hidden, new_cell = speller.step(
            words[flat // count], beam.last.flatten()[flat], hidden[flat], cell[flat]
        )
        if place == 0:
            logs[:, SEP] = -torch.inf  # a label has at least one symbol
        elif place == speller.longest:
            logs[:, SEP + 1 :] = -torch.inf
        totals = logs.new_full((len(hidden), logs.shape[1]), -torch.inf)
        totals[:, SEP] = torch.where(beam.done, beam.scores, -torch.inf).flatten()
        totals[flat] = logs + beam.scores.flatten()[flat, None]
        hidden, cell = hidden.index_copy(0, flat, new_hidden), cell.index_copy(0, flat, new_cell)
        _keep_best(beam, totals, hidden, cell, place, whole=speller.whole)


def _keep_best(beam: _Beam, totals: Tensor, hidden: Tensor, cell: Tensor, place: int, *, whole: bool) -> None:
    """Keep the best of all extensions, whose scores are ``totals`` [n * B, v]."""
    sentences, count = beam.scores.shape
    kinds = totals.shape[1]
    beam.scores, flat = totals.view(sentences, -1).topk(count, dim=1)
    parent, symbol = flat // kinds, flat % kinds
    rows = (parent + count * torch.arange(sentences, device=flat.device)[:, None]).flatten()
    beam.hidden = hidden[rows].view_as(beam.hidden)
    beam.cell = cell[rows].view_as(beam.cell)
    beam.spelled = beam.spelled.flatten(0, 1)[rows].view_as(beam.spelled)
    beam.origin = beam.origin.gather(1, parent)
    beam.last = symbol
    beam.done = beam.done.gather(1, parent) | (symbol == SEP) | whole
    if place < beam.spelled.shape[2]:
        beam.spelled[:, :, place] = torch.where(symbol == SEP, -1, symbol)


def _way_back(words: list[_Word], starts: NDArray[np.int64], order: NDArray[np.int64]) -> Spelled:
    """Follow the best hypothesis of every sentence from its last word to its first."""
    labels: Labels = [()] * int(starts[-1])
    scores = [0.0] * int(starts[-1])
    chosen = np.zeros(len(order), dtype=np.int64)  # hypotheses are sorted: the best one of an end is 0
    for place in range(len(words) - 1, -1, -1):
        word = words[place]
        rows = np.arange(len(word.origin))
        best = chosen[rows]
        for sentence, symbols, score in zip(
            order[rows].tolist(),
            word.spelled[rows, best].tolist(),
            word.scores[rows, best].tolist(),
            strict=True,
        ):
            at = int(starts[sentence]) + place
            labels[at], scores[at] = tuple(symbol for symbol in symbols if symbol >= 0), score
        chosen[rows] = word.origin[rows, best]
    return labels, scores


def best_labels(logits: Tensor) -> Spelled:
    """Return the most probable label of every word by itself, from scores of whole labels [W, v]."""
    logs = logits.log_softmax(dim=1)
    logs[:, SEP] = -torch.inf
    if not len(logs):
        return [], []
    best, label = logs.max(dim=1)
    return [(number,) for number in label.tolist()], best.tolist()
