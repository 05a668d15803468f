"""fastText's .bin files: settings, words with counts, and the tables of words and buckets of subwords.

In little-endian order: two int32 (magic and version); twelve int32 of settings and a float64; the dictionary
(int32 sizes, int64 tokens and pruning, then per entry a NUL-ended word, an int64 count and a kind); a byte
for quantised; the input table (int64 rows and columns, float32 numbers): a row per word, then the buckets;
the same again for the output table, which holds the context vectors where negative sampling trained them.

The vector of a known word is the mean of its own row and the buckets of its n-grams.
"""

import struct
from dataclasses import dataclass
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.tensors import Stored, refuse_not_finite
from tenor.words.growable_array import GrowableArray
from tenor.words.subwords import Subwords

MAGIC = struct.pack("<i", 793712314)
_VERSIONS = (11, 12)
_NEGATIVE_SAMPLING, _SUPERVISED = 2, 3
_ENDING = "</s>"  # has no n-grams
_ROWS = 8192


@dataclass(frozen=True, slots=True, eq=False)
class FastText:
    """What a .bin file holds, with the vectors of its words computed."""

    words: list[bytes]
    counts: NDArray[np.int64]
    vectors: NDArray[np.float32]
    contexts: NDArray[np.float32] | None
    subwords: Subwords | None


@dataclass(frozen=True, slots=True)
class _Settings:
    vector_size: int
    loss: int
    model: int
    buckets: int
    min_n: int
    max_n: int


def read_fasttext(stream: IO[bytes], *, name: str) -> FastText:
    """Read a .bin file that `fasttext` (or gensim) wrote; quantised files (.ftz) are refused."""
    reader = _Reader(stream, name)
    settings = _settings(reader)
    words, counts = _dictionary(reader)
    table = _matrix(reader, "input", settings.vector_size)
    if len(table) < len(words):
        raise TenorError(f"{name} is damaged: {len(words):,} words have only {len(table):,} vectors.")
    subwords = None
    if settings.max_n > 0 and settings.buckets > 0 and len(table) > len(words):
        subwords = Subwords(table[len(words) :], min_n=settings.min_n, max_n=settings.max_n)
    vectors = table[: len(words)] if subwords is None else _with_ngrams(table, words, subwords)
    contexts = None
    if settings.loss == _NEGATIVE_SAMPLING and settings.model != _SUPERVISED:
        output = _matrix(reader, "output", settings.vector_size)
        contexts = output if len(output) == len(words) else None
    return FastText(words, counts, vectors, contexts, subwords)


def _settings(reader: "_Reader") -> _Settings:
    version = reader.take("<ii")[1]
    if version not in _VERSIONS:
        raise TenorError(f"{reader.name} is of fastText's format {version}; formats 11 and 12 are read.")
    numbers = reader.take("<12id")
    vector_size, loss, model, buckets, shortest, longest = (
        numbers[position] for position in (0, 6, 7, 8, 9, 10)
    )
    if not 0 < vector_size <= 1 << 16 or buckets < 0 or not 0 <= longest <= 64 or shortest < 0:
        raise TenorError(
            f"{reader.name} is damaged: its settings are out of range ({vector_size} dimensions)."
        )
    # Classifiers of format 11 were written with settings for n-grams that they did not have.
    longest = 0 if version == 11 and model == _SUPERVISED else longest
    return _Settings(vector_size, loss, model, buckets, shortest, longest)


def _dictionary(reader: "_Reader") -> tuple[list[bytes], NDArray[np.int64]]:
    size, words, _, _, pruned = reader.take("<iiiqq")
    if not 0 <= words <= size:
        raise TenorError(f"{reader.name} is damaged: {words:,} of {size:,} entries would be words.")
    if pruned > 0:
        raise TenorError(
            f"{reader.name} is a pruned, quantised file (.ftz), which is not read; use the .bin file."
        )
    entries = [reader.entry() for _ in range(size)]
    counts = np.array([count for _, count in entries[:words]], dtype=np.int64)
    return [word for word, _ in entries[:words]], counts


def _matrix(reader: "_Reader", what: str, vector_size: int) -> NDArray[np.float32]:
    (quantised,) = reader.take("<b")
    if quantised:
        raise TenorError(f"{reader.name} is quantised (.ftz), which is not read; use the .bin file.")
    rows, columns = reader.take("<qq")
    if columns != vector_size or rows < 0:
        raise TenorError(f"{reader.name} is damaged: its {what} table would be {rows:,} x {columns:,}.")
    table = GrowableArray(vector_size)
    for begin in range(0, rows, _ROWS):
        count = min(_ROWS, rows - begin)
        table.extend(
            np.frombuffer(reader.read(4 * vector_size * count), dtype="<f4").reshape(count, vector_size)
        )
    whole = table.finish()
    refuse_not_finite({what: Stored("F32", whole)}, reader.name)
    return whole


def _with_ngrams(table: NDArray[np.float32], words: list[bytes], subwords: Subwords) -> NDArray[np.float32]:
    """Average the row of each word with the buckets of its n-grams, as sparse products of some words."""
    from scipy.sparse import csr_matrix

    vectors = np.empty((len(words), table.shape[1]), dtype=np.float32)
    for begin in range(0, len(words), _ROWS):
        some = [word.decode(errors="replace") for word in words[begin : begin + _ROWS]]
        buckets, of = subwords.buckets(["" if word == _ENDING else word for word in some])
        # fastText gives the end of a sentence no n-grams; an empty word has "<>" only, too short to count.
        kept = np.array([word != _ENDING for word in some])[of] if len(of) else np.empty(0, dtype=bool)
        own = np.arange(len(some))
        rows = np.concatenate([own, of[kept]])
        columns = np.concatenate([begin + own, len(words) + buckets[kept]])
        weights = (1.0 / np.bincount(rows, minlength=len(some)))[rows]
        means: Any = csr_matrix((weights, (rows, columns)), shape=(len(some), len(table))) @ table
        vectors[begin : begin + _ROWS] = means
    return vectors


class _Reader:
    """Takes numbers and words off a stream, and says so when it ends too early."""

    def __init__(self, stream: IO[bytes], name: str) -> None:
        self.stream, self.name = stream, name
        self._ahead, self._position = b"", 0

    def read(self, count: int) -> bytes:
        """Take so many bytes."""
        while len(self._ahead) - self._position < count:
            block = self.stream.read(max(1 << 20, count))
            if not block:
                raise TenorError(f"{self.name} is cut short; get it again.")
            self._ahead, self._position = self._ahead[self._position :] + block, 0
        self._position += count
        return self._ahead[self._position - count : self._position]

    def take(self, format_: str) -> tuple[Any, ...]:
        """Take numbers of a `struct` format."""
        return struct.unpack(format_, self.read(struct.calcsize(format_)))

    def entry(self) -> tuple[bytes, int]:
        """Take a word that ends at NUL, and its count; its kind is passed over."""
        while (end := self._ahead.find(b"\0", self._position)) < 0:
            if len(self._ahead) - self._position > 1 << 16:
                raise TenorError(f"{self.name} is damaged: a word does not end.")
            block = self.stream.read(1 << 20)
            if not block:
                raise TenorError(f"{self.name} is cut short; get it again.")
            self._ahead, self._position = self._ahead[self._position :] + block, 0
        word = self.read(end - self._position)
        self.read(1)
        count, _ = self.take("<qb")
        return word, count
