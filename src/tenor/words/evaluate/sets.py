"""The kinds of test sets for word vectors, as plain data."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class SimilaritySet:
    """Pairs of words with the similarity that people gave them."""

    name: str
    pairs: Sequence[tuple[str, str]]
    scores: Sequence[float]


@dataclass(frozen=True, slots=True)
class AnalogySet:
    """Questions a : b = c : d, each of a category; d is the answer."""

    name: str
    questions: Sequence[tuple[str, str, str, str]]
    categories: Sequence[str]


@dataclass(frozen=True, slots=True)
class CategorySet:
    """Words, each of one category."""

    name: str
    words: Sequence[str]
    categories: Sequence[str]


@dataclass(frozen=True, slots=True)
class Group:
    """Words that belong together, and others of which each one alone does not."""

    name: str
    words: Sequence[str]
    outliers: Sequence[str]


@dataclass(frozen=True, slots=True)
class OutlierSet:
    """Groups in which the word that does not belong is to be found."""

    name: str
    groups: Sequence[Group]


@dataclass(frozen=True, slots=True)
class RelationSet:
    """Pairs of words with the name of the relation between them; "random" is none."""

    name: str
    pairs: Sequence[tuple[str, str]]
    relations: Sequence[str]


@dataclass(frozen=True, slots=True)
class Benchmarks:
    """All test sets that were found, and files that cannot be used, with the reason."""

    similarity: list[SimilaritySet] = field(default_factory=list)
    analogies: list[AnalogySet] = field(default_factory=list)
    categories: list[CategorySet] = field(default_factory=list)
    outliers: list[OutlierSet] = field(default_factory=list)
    relations: list[RelationSet] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)

    def words(self) -> Iterator[str]:
        """Yield the words of similarity and analogy sets and of categories."""
        for pairs in self.similarity:
            yield from (word for pair in pairs.pairs for word in pair)
        for questions in self.analogies:
            yield from (word for question in questions.questions for word in question)
        for categories in self.categories:
            yield from categories.words

    def __len__(self) -> int:
        """Count the sets that can be used."""
        kinds = (self.similarity, self.analogies, self.categories, self.outliers, self.relations)
        return sum(len(kind) for kind in kinds)
