"""Scores of tagged words, and the tagger that every other has to beat: the most frequent tag of each word."""

from collections import Counter
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from tenor.metrics.outcomes import Outcome
from tenor.metrics.spans import count_spans


class TagTarget(Protocol):
    """A task whose tags are scored."""

    @property
    def name(self) -> str:
        """The name of its test sentences."""

    @property
    def spans(self) -> bool:
        """Whether tags are those of entities; else parts of speech."""


class TaggedWords(Protocol):
    """A sentence with the tag of each word."""

    @property
    def words(self) -> tuple[str, ...]:
        """Its words."""

    @property
    def tags(self) -> tuple[str, ...]:
        """The tag of each word."""


def outcome(target: TagTarget, rows: Sequence[TaggedWords], predicted: Sequence[Sequence[str]]) -> Outcome:
    """Score tags by entity F1, or by accuracy, which is the F1 of words that all are tagged."""
    gold = [list(row.tags) for row in rows]
    if target.spans:
        columns = count_spans(gold, predicted).entities
    else:
        words = [len(tags) for tags in gold]
        right = [sum(map(str.__eq__, *pair)) for pair in zip(gold, predicted, strict=True)]
        columns = np.array([words, words, right]).T
    return Outcome.of("f1_of_counts", *columns.T, items=target.name)


def most_frequent_tags(train: Sequence[TaggedWords], rows: Sequence[TaggedWords]) -> list[list[str]]:
    """Give each word the tag that it had most often, an unknown one the most frequent tag of all."""
    by_word: dict[str, Counter[str]] = {}
    for row in train:
        for word, tag in zip(row.words, row.tags, strict=True):
            by_word.setdefault(word, Counter())[tag] += 1
    overall = sum(by_word.values(), Counter()).most_common(1)[0][0]
    best = {word: tags.most_common(1)[0][0] for word, tags in by_word.items()}
    return [[best.get(word, overall) for word in row.words] for row in rows]
