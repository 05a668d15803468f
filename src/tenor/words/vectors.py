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
    from tenor.words.subwords import Subwords

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Oov = Literal["skip", "error", "zero", "subword"]
Method = Literal["cosine", "csls"]
Analogy = Literal["3cosadd", "3cosmul"]


class WordVectors:
    """Words with their vectors [n, d] and, where training kept them, counts [n] and context vectors [n, d].

    >>> vectors = WordVectors(["king", "queen", "man"], [[1, 1], [1, -1], [0, 1]])
    >>> len(vectors), vectors.vector_size, "queen" in vectors, vectors.index("man"), vectors["queen"].tolist()
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
        noise_exponent: float | None = None,
        name: str = "vectors",
    ) -> None:
        self.words = words if isinstance(words, Vocabulary) else Vocabulary.of(words)
        self.vectors: Floats = _matrix(vectors, len(self.words), "vectors")
        self.counts: Ints | None = None if counts is None else _counts(counts, len(self.words))
        self.contexts: Floats | None = None if contexts is None else _matrix(contexts, len(self), "contexts")
        self.subwords = subwords
        self.noise_exponent = noise_exponent
        """Of the counts in the noise that products with contexts leave out; see ``words/alpha/noise.py``."""
        self.name = name

    @classmethod
    def load(
        cls,
        path: str | Path,
        *,
        lowercase: bool = False,
        limit: int | None = None,
        problems: "Problems | None" = None,
        progress: Callable[[int], None] | None = None,
    ) -> "WordVectors":
        """Read a file of any known format, or an asset by name.

        ``lowercase`` lower-cases all words; of words that become the same the first stays. ``limit`` reads
        only the first so many words. Bad lines are added to ``problems``; without it, a warning counts them.
        """
        from tenor.words.reading import load

        return load(path, lowercase=lowercase, limit=limit, problems=problems, progress=progress)

    def save(self, path: str | Path) -> None:
        """Write a file: .safetensors is our own format, .txt and .vec word2vec's text, .bin its binary."""
        from tenor.words.writing import save

        save(self, path)

    def __len__(self) -> int:
        return len(self.words)

    def __repr__(self) -> str:
        return f"<WordVectors {self.name!r}: {len(self):,} words, {self.vector_size} dimensions>"

    def __contains__(self, word: object) -> bool:
        return word in self.words

    def __getitem__(self, word: str) -> Floats:
        index = self.words.find(word)
        if index is None:
            raise self._unknown(word)
        return cast(Floats, self.vectors[index])

    @property
    def vector_size(self) -> int:
        """The number of dimensions."""
        return int(self.vectors.shape[1])

    @cached_property
    def inverse_norms(self) -> Floats:
        """1 / norm of each vector [n], 0 for zeros; computed once, without a copy of the vectors."""
        from tenor.words.neighbours import inverse_norms

        return inverse_norms(self.vectors)

    def index(self, word: str) -> int | None:
        """Return a word's index, or None where it is not in the vocabulary."""
        return self.words.find(word)

    def indices(self, words: Iterable[str], *, or_lowercase: bool = False) -> Ints:
        """Return the indices of many words; -1 for a word that is not in the vocabulary.

        With ``or_lowercase`` a word that is not there as it is written is looked up in lower case.
        """
        words = list(words)
        indices = self.words.find_all(words)
        if or_lowercase and len(missing := np.flatnonzero(indices < 0)):
            indices[missing] = self.words.find_all(words[row].lower() for row in missing.tolist())
        return indices

    def rows(self, words: Iterable[str], oov: Oov = "skip") -> Floats:
        """Return the vectors of words [n, d].

        A word without a vector is left out ("skip"), refused ("error"), given zeros ("zero") or, in vectors
        with subwords, made from its character n-grams ("subword").
        """
        words = list(words)
        indices = self.indices(words)
        missing = np.flatnonzero(indices < 0)
        if oov == "skip":
            return np.asarray(self.vectors[indices[indices >= 0]])
        if oov == "error" and len(missing):
            raise self._unknown(words[int(missing[0])], len(missing))
        rows = np.asarray(self.vectors[np.maximum(indices, 0)]) if len(self) else self._zeros(len(words))
        rows[missing] = 0
        if oov == "subword":
            self._fill_from_subwords(rows, words, missing)
        return rows

    def with_subwords_for(self, words: Iterable[str]) -> "WordVectors":
        """Add vectors, made from character n-grams, for those of some words that have none.

        A word that is there in lower case gets none. Words without any n-gram stay unknown.
        """
        if self.subwords is None:
            raise TenorError(
                f"{self.name} has no subwords, from which vectors of unknown words could be made; "
                "a fastText .bin file has them."
            )
        listed = list(dict.fromkeys(words))
        unknown = [
            listed[row] for row in np.flatnonzero(self.indices(listed, or_lowercase=True) < 0).tolist()
        ]
        rows = self.subwords.vectors(unknown) if unknown else self._zeros(0)
        kept = np.flatnonzero(rows.any(axis=1)).tolist()
        if not kept:
            return self
        added = [unknown[row] for row in kept]
        counts = None if self.counts is None else np.concatenate([self.counts, np.zeros(len(kept), np.int64)])
        return WordVectors(
            [*self.words, *added],
            np.concatenate([self.vectors, rows[kept]]),
            counts,
            subwords=self.subwords,
            name=self.name,
        )

    def take(self, some: Iterable[str] | ArrayLike) -> "WordVectors":
        """Return the vectors of some words, given as words or indices; unknown words are refused."""
        indices = self.checked_indices(some)
        return WordVectors(
            self.words.take(indices),
            self.vectors[indices],
            None if self.counts is None else self.counts[indices],
            None if self.contexts is None else self.contexts[indices],
            noise_exponent=self.noise_exponent,
            name=self.name,
        )

    def replace(self, vectors: ArrayLike, *, contexts: ArrayLike | None = None) -> "WordVectors":
        """Give the same words and counts other vectors; context vectors stay only if given anew."""
        return WordVectors(self.words, vectors, self.counts, contexts, name=self.name)

    def unit(self) -> "WordVectors":
        """Scale every vector to unit length; a vector of zeros stays."""
        from tenor.words.neighbours import unit_rows

        return self.replace(unit_rows(self.vectors))

    def neighbours(
        self,
        queries: Sequence[str] | ArrayLike,
        k: int = 10,
        *,
        method: Method = "cosine",
        csls_k: int = 10,
        progress: Callable[[int], None] | None = None,
    ) -> tuple[Ints, Floats]:
        """Find the k nearest neighbours of words or vectors [q, d]: indices [q, k] and scores [q, k].

        A word is not its own neighbour. With "csls" scores are 2 cos(x, y) - r(x) - r(y), where r is the mean
        cosine to the nearest ``csls_k`` vectors.
        """
        from tenor.words.neighbours import neighbours

        return neighbours(self, queries, k=k, method=method, csls_k=csls_k, progress=progress)

    def analogy(
        self, a: str, b: str, c: str, k: int = 10, *, method: Analogy = "3cosadd"
    ) -> list[tuple[str, float]]:
        """Answer "a is to b as c is to …": the k best other words with their scores."""
        from tenor.words.analogies import analogies

        indices, scores = analogies(self, self.checked_indices([a, b, c])[None], k=k, method=method)
        pairs = zip(indices[0].tolist(), scores[0].tolist(), strict=True)
        return [(self.words[index], score) for index, score in pairs if index >= 0]

    def similarity(self, a: str, b: str) -> float:
        """Return the cosine similarity of two words; 0 where a vector is zero."""
        x, y = self[a].astype(np.float64), self[b].astype(np.float64)
        lengths = float(np.linalg.norm(x) * np.linalg.norm(y))
        return float(x @ y) / lengths if lengths else 0.0

    def checked_indices(self, some: Iterable[str] | ArrayLike) -> Ints:
        """Return the indices of words, or indices as they are; an unknown word or index is refused."""
        given = np.asarray(some if isinstance(some, np.ndarray) else list(cast(Iterable[str], some)))
        if given.size and given.dtype.kind not in "iu":
            words = [str(word) for word in given.tolist()]
            indices = self.indices(words)
            if np.any(indices < 0):
                raise self._unknown(words[int(np.argmin(indices))], int(np.sum(indices < 0)))
            return indices
        indices = given.astype(np.int64)
        if indices.size and not 0 <= indices.min() <= indices.max() < len(self):
            # Negative ones too: -1 is what `indices` gives for a word that is not there.
            raise IndexError(f"word indices must lie from 0 to {len(self) - 1}")
        return indices

    def _fill_from_subwords(self, rows: Floats, words: list[str], missing: Ints) -> None:
        if self.subwords is None:
            raise TenorError(
                f"{self.name} has no subwords, from which vectors of unknown words could be made; "
                'read a fastText .bin file, or choose oov="zero" or "skip".'
            )
        for row in missing.tolist():
            rows[row] = self.subwords.vector(words[row])

    def _zeros(self, count: int) -> Floats:
        return np.zeros((count, self.vector_size), dtype=np.float32)

    def _unknown(self, word: str, count: int = 1) -> TenorError:
        more = f" (and {count - 1:,} other words)" if count > 1 else ""
        hint = did_you_mean(word, self.words[:2000])
        if word.lower() in self.words:
            hint = f" Did you mean {word.lower()!r}?"
        return TenorError(f"{self.name} has no vector for {word!r}{more}.{hint}")


def intersection(*many: WordVectors) -> list[WordVectors]:
    """Restrict several vectors to their common vocabulary, in the order of the first.

    >>> a = WordVectors(["x", "y", "z"], np.eye(3)); b = WordVectors(["z", "x"], np.eye(2))
    >>> [list(part.words) for part in intersection(a, b)]
    [['x', 'z'], ['x', 'z']]
    """
    first, *others = many
    if not others:
        return [first]
    words = list(first.words)
    indices = [vectors.indices(words) for vectors in others]
    kept = np.flatnonzero(np.all([each >= 0 for each in indices], axis=0))
    if not len(kept):
        names = ", ".join(f"{vectors.name} ({len(vectors):,} words)" for vectors in many)
        raise TenorError(
            f"No word is in all of {names}; are they of different languages, or is one lower-cased?"
        )
    return [first.take(kept)] + [
        vectors.take(each[kept]) for vectors, each in zip(others, indices, strict=True)
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
