"""Labels that are spelled out symbol by symbol, by one LSTM over a whole sentence (Bhargava & Penn, 2020).

At step t the decoder works on word i(t), with c_i = ReLU(W_c h_i + b_c):

    s_t = LSTM([c_{i(t)} ; emb(y_{t-1})], s_{t-1})        P(y_t) = softmax(W_o s_t + b_o)

[SEP], symbol 0, ends every word's label and begins the next one's: after it, i grows by one. The state is not
reset between words, so that a label depends on those before it; without ``history`` it is.

Shapes: W words, n sentences, S symbols of all labels with their [SEP], v kinds of symbols, h decoder size.
"""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from tenor.layers.lstm import LSTMConfig, PackedLSTM
from tenor.layers.packed import Packing

SEP = 0
State = tuple[Tensor, Tensor]  # hidden and cell, [b, h] each


@dataclass(frozen=True, slots=True, eq=False)
class _Hypothesis:
    """A part of a sentence's symbols, and how probable it is."""

    score: float
    word: int
    words: tuple[tuple[int, ...], ...]  # the symbols of the words that are done
    open: tuple[int, ...]  # those of the word at work
    scores: tuple[float, ...]  # log probability of each word
    row: int  # of the state that it continues


class SymbolDecoder(nn.Module):
    """Scores given symbols in training, and spells labels out by greedy or beam search.

    >>> decoder = SymbolDecoder(6, symbols=4, decoder_size=5, longest=3)
    >>> labels, scores = decoder.spell(torch.randn(3, 6), np.array([0, 2, 3]), beam=2)
    >>> len(labels), all(1 <= len(label) <= 3 for label in labels)
    (3, True)
    """

    def __init__(
        self, hidden_size: int, *, symbols: int, decoder_size: int, longest: int, history: bool = True
    ) -> None:
        super().__init__()
        self.longest, self.history = longest, history
        self.combine = nn.Linear(hidden_size, decoder_size)
        self.symbols = nn.Embedding(symbols, decoder_size)
        config = LSTMConfig(input_size=2 * decoder_size, hidden_size=decoder_size, bidirectional=False)
        self.lstm = PackedLSTM(config)
        self.out = nn.Linear(decoder_size, symbols)

    def contexts(self, words: Tensor, further: Tensor | None = None) -> Tensor:
        """Return c [W, h] of words [W, d]; ``further`` [W, h] is added before the non-linearity."""
        combined: Tensor = self.combine(words)
        return functional.relu(combined if further is None else combined + further)

    def log_probabilities(self, contexts: Tensor, targets: NDArray[np.int64], packing: Packing) -> Tensor:
        """Return the log probabilities of all symbols at every step [S, v], told the symbols before it.

        ``targets`` [S] are the symbols of all words in order, each word's ending in [SEP]; ``packing`` says
        which words are a sentence's.
        """
        ends = targets == SEP
        word = np.cumsum(ends) - ends  # i(t): the separators before
        lengths = np.bincount(word, minlength=packing.tokens)
        symbol_starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
        starts = symbol_starts[packing.starts] if self.history else symbol_starts
        before = np.concatenate([np.full(1, SEP), targets[:-1]])
        before[starts[:-1][starts[:-1] < len(targets)]] = SEP
        device = contexts.device
        inputs = torch.cat(
            [
                contexts.index_select(0, torch.from_numpy(word).to(device)),
                self.symbols(torch.from_numpy(before).to(device)),
            ],
            dim=1,
        )
        states = self.lstm(inputs, Packing(starts, device)).last
        logits: Tensor = self.out(states)
        return logits.float().log_softmax(dim=1)

    def spell_contexts(
        self, contexts: Tensor, starts: NDArray[np.int64], *, beam: int
    ) -> tuple[list[tuple[int, ...]], list[float]]:
        """Return the symbols of every word's label, without [SEP], and their log probabilities."""
        labels: list[tuple[int, ...]] = []
        scores: list[float] = []
        bounds = zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
        units = [
            part
            for begin, end in bounds
            for part in ([(begin, end)] if self.history else [(at, at + 1) for at in range(begin, end)])
        ]
        for begin, end in units:
            best = self._search(contexts[begin:end], beam)
            labels += best.words
            scores += best.scores[: len(best.words)]
        return labels, scores

    @torch.no_grad()
    def spell(
        self, words: Tensor, starts: NDArray[np.int64], *, beam: int = 1
    ) -> tuple[list[tuple[int, ...]], list[float]]:
        """Spell the labels of words [W, d] whose sentences begin at ``starts`` [n + 1]."""
        return self.spell_contexts(self.contexts(words), starts, beam=beam)

    @torch.no_grad()
    def _search(self, contexts: Tensor, beam: int) -> _Hypothesis:
        """Return the best symbols of one sentence that a beam finds; at most ``longest`` symbols a word."""
        size = self.out.in_features
        hypotheses = [_Hypothesis(0.0, 0, (), (), (0.0,) if len(contexts) else (), 0)]
        state: State = (contexts.new_zeros(1, size), contexts.new_zeros(1, size))
        for _ in range(len(contexts) * (self.longest + 1)):
            if hypotheses[0].word == len(contexts):  # no other can become more probable than it is
                break
            active = [each for each in hypotheses if each.word < len(contexts)]
            rows = torch.tensor([each.row for each in active], device=contexts.device)
            state, logs = self._step(contexts, active, (state[0][rows], state[1][rows]))
            finished = [each for each in hypotheses if each.word == len(contexts)]
            hypotheses = self._extended(active, logs, finished, beam)
        return hypotheses[0]

    def _step(self, contexts: Tensor, active: list[_Hypothesis], state: State) -> tuple[State, Tensor]:
        """Advance hypotheses by one symbol; what may not be said has a probability of 0."""
        device = contexts.device
        last = torch.tensor([each.open[-1] if each.open else SEP for each in active], device=device)
        word = torch.tensor([each.word for each in active], device=device)
        inputs = torch.cat([contexts.index_select(0, word), self.symbols(last)], dim=1)
        layer = self.lstm.layers[0]
        hidden, cell = torch.lstm_cell(inputs, state, *layer.parameters())
        logs = self.out(hidden).float().log_softmax(dim=1)
        for row, each in enumerate(active):
            if not each.open:
                logs[row, SEP] = -torch.inf  # a label has at least one symbol
            elif len(each.open) >= self.longest:
                logs[row, SEP + 1 :] = -torch.inf
        return (hidden, cell), logs

    def _extended(
        self, active: list[_Hypothesis], logs: Tensor, finished: list[_Hypothesis], beam: int
    ) -> list[_Hypothesis]:
        """Return the best continuations, the best first; those that are done stay among them."""
        totals = logs + torch.tensor([[each.score] for each in active], device=logs.device)
        count = min(beam, totals.numel())
        values, places = totals.flatten().topk(count)
        found = list(finished)
        for value, place in zip(values.tolist(), places.tolist(), strict=True):
            if value == -torch.inf:
                continue
            row, symbol = divmod(place, logs.shape[1])
            found.append(_continued(active[row], symbol, value, row))
        found.sort(key=lambda each: -each.score)
        return found[:beam]


def _continued(before: _Hypothesis, symbol: int, score: float, row: int) -> _Hypothesis:
    """Return a hypothesis with one symbol more."""
    scores = (*before.scores[:-1], before.scores[-1] + score - before.score)
    if symbol != SEP:
        return _Hypothesis(score, before.word, before.words, (*before.open, symbol), scores, row)
    return _Hypothesis(score, before.word + 1, (*before.words, before.open), (), (*scores, 0.0), row)
