"""Labels that are spelled out symbol by symbol, by one LSTM over a whole sentence (Bhargava & Penn, 2020).

At step t the decoder works on word i(t), with c_i = ReLU(W_c h_i + b_c):

    s_t = LSTM([c_{i(t)} ; emb(y_{t-1})], s_{t-1})        P(y_t) = softmax(W_o s_t + b_o)

[SEP], symbol 0, ends every word's label and begins the next one's: after it, i grows by one. The state is not
reset between words, so that a label depends on those before it; without ``history`` it is. Where labels are
``whole``, each is one symbol and nothing ends it: s_i = LSTM([c_i ; emb(y_{i-1})], s_{i-1}); whole labels
without history are P(y_i) = softmax(W_o c_i + b_o).

Dropout is variational, one mask per sentence, on the embeddings of symbols and on s_t before the softmax, and
on the hidden-to-hidden weights, one mask for the batch; never on c_i.

Shapes: W words, n sentences, S symbols of all labels with their [SEP], v kinds of symbols, h decoder size.
"""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from tenor.layers.locked_dropout import locked_dropout
from tenor.layers.lstm import LSTMConfig, PackedLSTM
from tenor.layers.packed import Packing
from tenor.layers.symbol_search import SEP, Spelled, Speller, best_labels, spell_words

__all__ = ["SEP", "SymbolDecoder"]


class SymbolDecoder(nn.Module):
    """Scores given symbols in training, and spells labels out by greedy or beam search.

    >>> decoder = SymbolDecoder(6, symbols=4, decoder_size=5, longest=3)
    >>> labels, scores = decoder.spell(torch.randn(3, 6), np.array([0, 2, 3]), beam=2)
    >>> len(labels), all(1 <= len(label) <= 3 for label in labels)
    (3, True)
    """

    def __init__(
        self,
        hidden_size: int,
        *,
        symbols: int,
        decoder_size: int,
        longest: int,
        history: bool = True,
        whole: bool = False,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.longest, self.history, self.whole, self.dropout = longest, history, whole, dropout
        self.combine = nn.Linear(hidden_size, decoder_size)
        self.symbols: nn.Embedding | None = None
        self.lstm: PackedLSTM | None = None
        if history or not whole:
            self.symbols = nn.Embedding(symbols, decoder_size)
            self.lstm = PackedLSTM(
                LSTMConfig(
                    input_size=2 * decoder_size,
                    hidden_size=decoder_size,
                    bidirectional=False,
                    weight_dropout=dropout,
                )
            )
        self.out = nn.Linear(decoder_size, symbols)
        self._initialise()

    def _initialise(self) -> None:
        """Draw weights as in the paper: He's for the ReLU, orthogonal recurrent ones, Glorot's for others.

        Embeddings of torch's size would drown what the decoder reads of words, and it would learn for long
        from the symbols before alone.
        """
        nn.init.kaiming_uniform_(self.combine.weight, nonlinearity="relu")
        weights = [] if self.lstm is None else list(self.lstm.named_parameters())
        for name, weight in (*weights, ("out", self.out.weight)):
            if "weight_hh" in name:
                for gate in weight.chunk(4):
                    nn.init.orthogonal_(gate)
            elif weight.dim() > 1:
                nn.init.xavier_uniform_(weight)
            else:
                nn.init.zeros_(weight)
        for bias in (self.combine.bias, self.out.bias):
            nn.init.zeros_(bias)
        if self.symbols is not None:
            nn.init.xavier_uniform_(self.symbols.weight)

    def contexts(self, words: Tensor, further: Tensor | None = None) -> Tensor:
        """Return c [W, h] of words [W, d]; ``further`` [W, h] is added before the non-linearity."""
        combined: Tensor = self.combine(words)
        return functional.relu(combined if further is None else combined + further)

    def log_probabilities(self, contexts: Tensor, targets: NDArray[np.int64], packing: Packing) -> Tensor:
        """Return the log probabilities of all symbols at every step [S, v], told the symbols before it.

        ``targets`` [S] are the symbols of all words in order, each word's ending in [SEP] unless labels are
        whole; ``packing`` says which words are a sentence's.
        """
        word = self.pointers(targets)
        lengths = np.bincount(word, minlength=packing.tokens)
        symbol_starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
        starts = symbol_starts[packing.starts] if self.history else symbol_starts
        sequences = Packing(starts, contexts.device)
        if self.symbols is None or self.lstm is None:
            states = contexts
        else:
            before = np.concatenate([np.full(1, SEP), targets[:-1]])
            before[starts[:-1][starts[:-1] < len(targets)]] = SEP
            embedded = self.symbols(torch.from_numpy(before).to(contexts.device))
            embedded = locked_dropout(embedded, sequences, self.dropout, training=self.training)
            told = contexts.index_select(0, torch.from_numpy(word).to(contexts.device))
            states = self.lstm(torch.cat([told, embedded], dim=1), sequences).last
        states = locked_dropout(states, sequences, self.dropout, training=self.training)
        logits: Tensor = self.out(states)
        return logits.float().log_softmax(dim=1)

    def pointers(self, targets: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the word i(t) of every symbol, counted from 0: the separators before it."""
        if self.whole:
            return np.arange(len(targets))
        ends = (targets == SEP).astype(np.int64)
        pointers: NDArray[np.int64] = np.cumsum(ends) - ends
        return pointers

    @torch.no_grad()
    def spell_contexts(self, contexts: Tensor, starts: NDArray[np.int64], *, beam: int) -> Spelled:
        """Return the symbols of every word's label, without [SEP], and their log probabilities."""
        if self.symbols is None or self.lstm is None:
            return best_labels(self.out(contexts).float())
        speller = Speller.of(
            contexts,
            symbols=self.symbols.weight,
            weights=list(self.lstm.layers[0].parameters()),
            out=self.out,
            longest=1 if self.whole else self.longest,
            whole=self.whole,
        )
        return spell_words(speller, starts if self.history else np.arange(len(contexts) + 1), beam=beam)

    @torch.no_grad()
    def spell(self, words: Tensor, starts: NDArray[np.int64], *, beam: int = 1) -> Spelled:
        """Spell the labels of words [W, d] whose sentences begin at ``starts`` [n + 1]."""
        return self.spell_contexts(self.contexts(words), starts, beam=beam)
