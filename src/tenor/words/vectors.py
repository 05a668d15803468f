"""Word vectors: a vocabulary and a vector for each of its words, the one class of this room.

Reading and writing files, neighbours, analogies, post-processing and training are modules of their own; the
methods here only hand over to them, so that a person finds everything on the object.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tenor.errors import TenorError, did_you_mean
from tenor.words.vocabulary import Vocabulary

if TYPE_CHECKING:
    from tenor.text.problems import Problems
    from tenor.words.cells import Cells
    from tenor.words.subwords import Subwords

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Oov = Literal["skip", "error", "zero", "subword"]
Method = Literal["cosine", "csls"]
Analogy = Literal["3cosadd", "3cosmul"]


class WordVectors:
    """Words with their vectors [n, width] and, where training left them, counts [n] and contexts [n, width].

    >>> vectors = WordVectors(["king", "queen", "man"], [[1, 1], [1, -1], [0, 1]])
    >>> len(vectors), vectors.width, "queen" in vectors, vectors.index("man"), vectors["queen"].tolist()
    (3, 2, True, 2, [1.0, -1.0])
    >>> vectors.rows(["man", "ship"], oov="zero").tolist()
    [[0.0, 1.0], [0.0, 0.0]]
    """

    def __init__(
        self,
        words: Sequence[str],
        vectors: ArrayLike,
        counts: ArrayLike | None = None,
        contexts: ArrayLike | None = None,
        *,
        subwords: "Subwords | None" = None,
        name: str = "vectors",
    ) -> None:
        self.words = words if isinstance(words, Vocabulary) else Vocabulary.of(words)
        self.vectors: Floats = _matrix(vectors, len(self.words), "vectors")
        self.counts: Ints | None = None if counts is None else _counts(counts, len(self.words))
        self.contexts: Floats | None = None if contexts is None else _matrix(contexts, len(self), "contexts")
        self.subwords = subwords
        self.name = name

    @classmethod
    def load(
        cls,
        path: str | Path,
        *,
        lower: bool = False,
        limit: int | None = None,
        problems: "Problems | None" = None,
        progress: Callable[[int], None] | None = None,
    ) -> "WordVectors":
        """Read a file of any known format, or an asset by name.

        ``lower`` lower-cases all words; of words that become the same the first stays. ``limit`` reads the
        first so many words. What is wrong with single lines goes to ``problems``; without it, a warning says
        how many there are.
        """
        from tenor.words.reading import load

        return load(path, lower=lower, limit=limit, problems=problems, progress=progress)

    def save(self, path: str | Path) -> None:
        """Write a file: .safetensors is our own format, .txt and .vec word2vec's text, .bin its binary."""
        from tenor.words.writing import save

        save(self, path)

    def __len__(self) -> int:
        return len(self.words)

    def __repr__(self) -> str:
        return f"<WordVectors {self.name!r}: {len(self):,} words, {self.width} numbers>"

    def __contains__(self, word: object) -> bool:
        return word in self.words

    def __getitem__(self, word: str) -> Floats:
        number = self.words.find(word)
        if number is None:
            raise self._unknown(word)
        return cast(Floats, self.vectors[number])

    @property
    def width(self) -> int:
        """The length of a vector."""
        return int(self.vectors.shape[1])

    @cached_property
    def inverse_lengths(self) -> Floats:
        """1 / length of each vector [n], 0 for zeros; worked out once, without a copy of the vectors."""
        from tenor.words.neighbours import inverse_lengths

        return inverse_lengths(self.vectors)

    @cached_property
    def cells(self) -> "Cells":
        """The index of the vectors, made when it is first asked for."""
        from tenor.words.cells import Cells
        from tenor.words.neighbours import unit_rows

        return Cells(unit_rows(self.vectors))

    def index(self, word: str) -> int | None:
        """Return a word's number, or None where it is not there."""
        return self.words.find(word)

    def indices(self, words: Iterable[str]) -> Ints:
        """Return the numbers of many words; -1 stands for a word that is not there."""
        return self.words.find_all(words)

    def rows(self, words: Iterable[str], oov: Oov = "skip") -> Floats:
        """Return the vectors of words [n, width].

        A word without a vector is left out ("skip"), refused ("error"), given zeros ("zero") or, in vectors
        with subwords, made from its pieces ("subword").
        """
        words = list(words)
        numbers = self.indices(words)
        missing = np.flatnonzero(numbers < 0)
        if oov == "skip":
            return np.asarray(self.vectors[numbers[numbers >= 0]])
        if oov == "error" and len(missing):
            raise self._unknown(words[int(missing[0])], len(missing))
        rows = np.asarray(self.vectors[np.maximum(numbers, 0)]) if len(self) else self._zeros(len(words))
        rows[missing] = 0
        if oov == "subword":
            self._fill_from_subwords(rows, words, missing)
        return rows

    def take(self, some: Iterable[str] | ArrayLike) -> "WordVectors":
        """Make vectors of some words, given as words or numbers, in that order; unknown words are refused."""
        numbers = self.numbers(some)
        return WordVectors(
            self.words.take(numbers),
            self.vectors[numbers],
            None if self.counts is None else self.counts[numbers],
            None if self.contexts is None else self.contexts[numbers],
            name=self.name,
        )

    def replace(self, vectors: ArrayLike, *, contexts: ArrayLike | None = None) -> "WordVectors":
        """Give the same words and counts other vectors; context vectors stay only if given anew."""
        return WordVectors(self.words, vectors, self.counts, contexts, name=self.name)

    def unit(self) -> "WordVectors":
        """Scale every vector to length 1; a vector of zeros stays."""
        from tenor.words.neighbours import unit_rows

        return self.replace(unit_rows(self.vectors))

    def neighbours(
        self,
        queries: Sequence[str] | ArrayLike,
        k: int = 10,
        *,
        method: Method = "cosine",
        neighbourhood: int = 10,
        exact: bool = True,
        progress: Callable[[int], None] | None = None,
    ) -> tuple[Ints, Floats]:
        """Find the k nearest words of words or vectors [q, width]: numbers [q, k] and scores [q, k].

        A word is not its own neighbour. With "csls" scores are 2 cos(x, y) - r(x) - r(y), where r is the mean
        cosine to the nearest ``neighbourhood`` vectors. Without ``exact`` cosines are looked for in an index
        (made once), which pays for tens of thousands of questions and misses a few neighbours.
        """
        from tenor.words.neighbours import neighbours

        return neighbours(
            self, queries, k=k, method=method, neighbourhood=neighbourhood, exact=exact, progress=progress
        )

    def analogy(
        self, a: str, b: str, c: str, k: int = 10, *, method: Analogy = "3cosadd"
    ) -> list[tuple[str, float]]:
        """Complete "a is to b as c is to …": the k best other words with their scores."""
        from tenor.words.analogies import analogies

        numbers, scores = analogies(self, self.numbers([a, b, c])[None], k=k, method=method)
        pairs = zip(numbers[0].tolist(), scores[0].tolist(), strict=True)
        return [(self.words[number], score) for number, score in pairs if number >= 0]

    def similarity(self, a: str, b: str) -> float:
        """Return the cosine of two words' vectors; 0 where one of them is zero."""
        x, y = self[a].astype(np.float64), self[b].astype(np.float64)
        lengths = float(np.linalg.norm(x) * np.linalg.norm(y))
        return float(x @ y) / lengths if lengths else 0.0

    def numbers(self, some: Iterable[str] | ArrayLike) -> Ints:
        """Return the numbers of words, or numbers as they are, after a check that all of them are there."""
        given = np.asarray(some if isinstance(some, np.ndarray) else list(cast(Iterable[str], some)))
        if given.size and given.dtype.kind not in "iu":
            words = [str(word) for word in given.tolist()]
            numbers = self.indices(words)
            if np.any(numbers < 0):
                raise self._unknown(words[int(np.argmin(numbers))], int(np.sum(numbers < 0)))
            return numbers
        numbers = given.astype(np.int64)
        if numbers.size and not 0 <= numbers.min() <= numbers.max() < len(self):
            # Negative ones too: -1 is what `indices` gives for a word that is not there.
            raise IndexError(f"word numbers must lie from 0 to {len(self) - 1}")
        return numbers

    def _fill_from_subwords(self, rows: Floats, words: list[str], missing: Ints) -> None:
        if self.subwords is None:
            raise TenorError(
                f"{self.name} has no subwords, from which unknown words could be made; "
                'read a fastText .bin file, or choose oov="zero" or "skip".'
            )
        for row in missing.tolist():
            rows[row] = self.subwords.vector(words[row])

    def _zeros(self, count: int) -> Floats:
        return np.zeros((count, self.width), dtype=np.float32)

    def _unknown(self, word: str, count: int = 1) -> TenorError:
        more = f" (and {count - 1:,} other words)" if count > 1 else ""
        hint = did_you_mean(word, self.words[:2000])
        if word.lower() in self.words:
            hint = f" Did you mean {word.lower()!r}?"
        return TenorError(f"{self.name} has no vector for {word!r}{more}.{hint}")


def intersection(*many: WordVectors) -> list[WordVectors]:
    """Cut several vectors to the words that all of them have, in the order of the first.

    >>> a = WordVectors(["x", "y", "z"], np.eye(3)); b = WordVectors(["z", "x"], np.eye(2))
    >>> [list(part.words) for part in intersection(a, b)]
    [['x', 'z'], ['x', 'z']]
    """
    first, *others = many
    if not others:
        return [first]
    words = list(first.words)
    numbers = [vectors.indices(words) for vectors in others]
    kept = np.flatnonzero(np.all([found >= 0 for found in numbers], axis=0))
    if not len(kept):
        names = ", ".join(f"{vectors.name} ({len(vectors):,} words)" for vectors in many)
        raise TenorError(
            f"No word is in all of {names}; are they of different languages, or is one lower-cased?"
        )
    return [first.take(kept)] + [
        vectors.take(found[kept]) for vectors, found in zip(others, numbers, strict=True)
    ]


def _matrix(values: ArrayLike, rows: int, what: str) -> Floats:
    matrix = np.asarray(values, dtype=np.float32)
    if matrix.ndim != 2 or len(matrix) != rows or (rows and matrix.shape[1] == 0):
        raise TenorError(
            f"There are {rows:,} words, but {what} of the shape {matrix.shape}; one row each is expected."
        )
    return matrix


def _counts(values: ArrayLike, rows: int) -> Ints:
    counts = np.asarray(values, dtype=np.int64)
    if counts.shape != (rows,) or (rows and counts.min() < 0):
        raise TenorError(
            f"There are {rows:,} words, but counts of the shape {counts.shape}; one each, not negative."
        )
    return counts
