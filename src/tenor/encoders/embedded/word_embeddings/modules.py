"""The embeddings of words in torch: distinct words in, one vector each out.

Whatever the words of a batch, each distinct one is looked up, spelled out and hashed once, and its vector is
read by all of its tokens. Shapes: u distinct words, e size of the embedding, C characters or pieces in all.
"""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from tenor.encoders.embedded.word_embeddings.settings import (
    CharacterEmbedding,
    LearnedEmbedding,
    NgramEmbedding,
    PieceEmbedding,
    StaticEmbedding,
    WordEmbedding,
)
from tenor.errors import TenorError
from tenor.layers.cnn import ConvNgrams
from tenor.layers.cpu.embedding import Embedding
from tenor.layers.lstm import LSTMConfig, PackedLSTM
from tenor.layers.packed import Packing
from tenor.layers.pooling import pool_mean
from tenor.words.subwords import ngram_hashes

Index = NDArray[np.int64]
DEVIATION = 0.1  # of random embeddings
_REMEMBERED = 100_000  # words whose spelling is kept ready
_LONGEST = 200  # characters of a word that n-grams and pieces are made of
_BEGIN, _END, _SPECIAL = 1, 2, 3  # of the characters' ids; 0 is a character that was never seen


class WordTable(nn.Module):
    """A row for each word of a vocabulary and one, the first, for all others."""

    def __init__(self, settings: StaticEmbedding | LearnedEmbedding, vocabulary: Sequence[str]) -> None:
        super().__init__()
        assert settings.size is not None
        self.lowercase = isinstance(settings, LearnedEmbedding) and settings.lowercase
        self.table = table(len(vocabulary) + 1, settings.size)
        self.table.weight.requires_grad_(not (isinstance(settings, StaticEmbedding) and settings.freeze))
        self._rows = {word: row for row, word in enumerate(vocabulary, start=1)}

    def rows(self, words: Sequence[str]) -> list[int]:
        """Return the row of each word: as written, else in lower case, else 0."""
        known = self._rows.get
        if self.lowercase:
            return [known(word.lower(), 0) for word in words]
        return [known(word) or known(word.lower(), 0) for word in words]

    def forward(self, words: Sequence[str]) -> Tensor:
        """Return the rows of words [u, e]."""
        rows = torch.tensor(self.rows(words), dtype=torch.int64, device=self.table.weight.device)
        out: Tensor = self.table(rows)
        return out


class NgramTable(nn.Module):
    """Vectors of hashed n-grams, and of whole words where there are any."""

    def __init__(self, settings: NgramEmbedding, vocabulary: Sequence[str]) -> None:
        super().__init__()
        assert settings.size is not None
        self.settings = settings
        self.buckets = table(settings.buckets, settings.size)
        self.words = table(len(vocabulary), settings.size) if vocabulary else None
        self.requires_grad_(not settings.freeze)
        self._rows = {word: row for row, word in enumerate(vocabulary)}

    def forward(self, words: Sequence[str]) -> Tensor:
        """Return a known word's own vector, any other's mean of n-grams [u, e]; zeros where it has none."""
        words = [word.lower() for word in words] if self.settings.lowercase else words
        out = self._of_ngrams(words)
        if self.words is None:
            return out
        places = [place for place, word in enumerate(words) if word in self._rows]
        own = self.words(torch.tensor([self._rows[words[place]] for place in places], dtype=torch.int64))
        return out.index_copy(0, torch.tensor(places, dtype=torch.int64, device=out.device), own)

    def _of_ngrams(self, words: Sequence[str]) -> Tensor:
        spelled = ["" if word in self._rows else word[:_LONGEST] for word in words]
        hashes, of = ngram_hashes(spelled, self.settings.min_n, self.settings.max_n)
        device = self.buckets.weight.device
        vectors = self.buckets(torch.from_numpy((hashes % self.settings.buckets).astype(np.int64)).to(device))
        counts = torch.from_numpy(np.bincount(of, minlength=len(words))).to(device).clamp(min=1)
        empty = vectors.new_zeros(len(words), vectors.shape[1])
        sums: Tensor = empty.index_add(0, torch.from_numpy(of).to(device), vectors)
        return sums / counts[:, None]


class PieceTable(nn.Module):
    """Vectors of the pieces of a tokenizer, whose JSON is the one entry of the vocabulary."""

    def __init__(self, settings: PieceEmbedding, vocabulary: Sequence[str]) -> None:
        super().__init__()
        from tokenizers import Tokenizer

        assert settings.size is not None
        self.settings = settings
        try:
            self._tokenizer = Tokenizer.from_str(vocabulary[0])
        except Exception as error:  # the library raises a bare Exception for any damage
            raise TenorError(f"The vocabulary of pieces cannot be read ({str(error)[:80]}).") from error
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self.table = table(rows_of(self._tokenizer), settings.size)
        self.table.weight.requires_grad_(not settings.freeze)
        self._spelling = _Remembered(self._pieces)

    def forward(self, words: Sequence[str]) -> Tensor:
        """Return the mean of a word's pieces, or the first and the last [u, e]; zeros where it has none."""
        ids, starts = self._spelling(words)
        device = self.table.weight.device
        packing = Packing(starts, device)
        vectors = self.table(torch.from_numpy(ids).to(device))
        if self.settings.pooling == "mean":
            return pool_mean(vectors, packing)
        return _ends(vectors, packing, vectors)

    def _pieces(self, words: list[str]) -> list[Index]:
        words = [word[:_LONGEST].lower() if self.settings.lowercase else word[:_LONGEST] for word in words]
        encodings = self._tokenizer.encode_batch(words, add_special_tokens=False)
        return [np.array(encoding.ids, dtype=np.int64) for encoding in encodings]


class CharacterNetwork(nn.Module):
    """A CNN or an LSTM over the characters of words, with a mark before and after each word."""

    def __init__(self, settings: CharacterEmbedding, vocabulary: Sequence[str]) -> None:
        super().__init__()
        assert settings.size is not None
        self.settings = settings
        self._ids = {character: row for row, character in enumerate(vocabulary, start=_SPECIAL)}
        self.characters = table(len(vocabulary) + _SPECIAL, settings.character_size)
        self.dropout = nn.Dropout(settings.dropout)
        self.cnn: ConvNgrams | None = None
        self.lstm: PackedLSTM | None = None
        if settings.network == "cnn":
            self.cnn = ConvNgrams(settings.character_size, settings.size, (settings.kernel_size,))
        else:
            self.lstm = PackedLSTM(
                LSTMConfig(input_size=settings.character_size, hidden_size=settings.size // 2)
            )
        self._spelling = _Remembered(self._spelled)

    def forward(self, words: Sequence[str]) -> Tensor:
        """Return what the network makes of each word [u, e]."""
        ids, starts = self._spelling(words)
        device = self.characters.weight.device
        packing = Packing(starts, device)
        embedded = self.dropout(self.characters(torch.from_numpy(ids).to(device)))  # [C, character size]
        if self.cnn is not None:
            return self.cnn.max_over_time(self.cnn(embedded, packing), packing)
        assert self.lstm is not None
        forward, backward = self.lstm(embedded, packing).last.chunk(2, dim=1)
        return _ends(backward, packing, forward)

    def _spelled(self, words: list[str]) -> list[Index]:
        known, most = self._ids.get, self.settings.max_characters
        return [
            np.array([_BEGIN, *(known(letter, 0) for letter in word[:most]), _END], dtype=np.int64)
            for word in words
        ]


class _Remembered:
    """Keeps the ids that words are spelled with, and puts those of a batch on one axis."""

    def __init__(self, spell: Callable[[list[str]], list[Index]]) -> None:
        self._spell = spell
        self._known: dict[str, Index] = {}

    def __call__(self, words: Sequence[str]) -> tuple[Index, Index]:
        """Return the ids [C] of words, and where each word's begin [u + 1]."""
        if len(self._known) > _REMEMBERED:
            self._known = {}
        new = [word for word in words if word not in self._known]
        if new:
            self._known.update(zip(new, self._spell(new), strict=True))
        rows = [self._known[word] for word in words]
        starts = np.cumsum([0, *map(len, rows)], dtype=np.int64)
        return np.concatenate([np.zeros(0, dtype=np.int64), *rows]), starts


def _ends(first: Tensor, packing: Packing, last: Tensor) -> Tensor:
    """Put a value of the first and one of the last row of every word side by side; zeros without rows."""
    there = packing.lengths.nonzero()[:, 0]
    begins = packing.firsts[there]
    ends = begins + packing.lengths[there] - 1
    both = torch.cat([first.index_select(0, begins), last.index_select(0, ends)], dim=1)
    return both.new_zeros(len(packing), both.shape[1]).index_copy(0, there, both)


def table(rows: int, size: int) -> Embedding:
    """Return a table of random rows."""
    made = Embedding(rows, size)
    nn.init.normal_(made.weight, std=DEVIATION)
    return made


def rows_of(tokenizer: object) -> int:
    """Return the number of rows that the ids of a tokenizer need."""
    ids: dict[str, int] = tokenizer.get_vocab(with_added_tokens=True)  # type: ignore[attr-defined]
    return max(ids.values(), default=0) + 1


MODULES: dict[type[WordEmbedding], Callable[..., nn.Module]] = {
    StaticEmbedding: WordTable,
    LearnedEmbedding: WordTable,
    NgramEmbedding: NgramTable,
    PieceEmbedding: PieceTable,
    CharacterEmbedding: CharacterNetwork,
}
