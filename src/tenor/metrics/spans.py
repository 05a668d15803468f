"""Scores of entities: predicted spans against gold spans, with bootstrap intervals over sentences.

An entity is correct when its type, its beginning and its end are those of a gold entity, as in conlleval and
in seqeval's default mode. With g gold, p predicted and c correct entities:

    precision = Σ c / Σ p        recall = Σ c / Σ g        F1 = 2 Σ c / (Σ g + Σ p)

summed over sentences. Macro F1 averages the F1 of the types that occur, the F1 of boundaries leaves types
aside, and accuracy is that of tags. A bootstrap draws sentences: their counts are summed anew, so that all
repeats are one product of matrices.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tenor.entities import Entity, lenient_entities
from tenor.errors import TenorError
from tenor.metrics.classes import with_intervals
from tenor.metrics.intervals import Interval, resampled_sums
from tenor.metrics.ratios import ratio

Floats = NDArray[np.float64]
Tags = Sequence[Sequence[str]]


def f1_of_counts(gold: ArrayLike, predicted: ArrayLike, correct: ArrayLike) -> Floats:
    """Return F1 from counts per sentence [..., n], summed over the last axis; 0 where there are none.

    >>> float(f1_of_counts([2, 1], [2, 0], [1, 0]))
    0.4
    """
    g, p, c = (np.asarray(counts, dtype=np.float64).sum(axis=-1) for counts in (gold, predicted, correct))
    return ratio(2 * c, g + p)


@dataclass(frozen=True, slots=True, eq=False)
class SpanCounts:
    """What was counted in each of n sentences; the last axis is gold, predicted, correct."""

    types: tuple[str, ...]
    by_type: NDArray[np.int64]  # [n, types, 3]
    boundaries: NDArray[np.int64]  # [n, 3], types left aside
    tokens: NDArray[np.int64]  # [n, 2]: how many, and how many have the gold tag

    @property
    def entities(self) -> NDArray[np.int64]:
        """Counts over all types [n, 3], as ``f1_of_counts`` takes their columns."""
        counts: NDArray[np.int64] = self.by_type.sum(axis=1)
        return counts


def count_spans(gold: Tags, predicted: Tags) -> SpanCounts:
    """Count gold, predicted and correct entities sentence by sentence.

    >>> count_spans([["B-PER", "O", "B-LOC"]], [["B-PER", "O", "B-ORG"]]).entities.tolist()
    [[2, 2, 1]]
    """
    _check_lengths(gold, predicted)
    true, found = [[set(lenient_entities(tags)) for tags in sequences] for sequences in (gold, predicted)]
    types = sorted({entity.type for entities in (*true, *found) for entity in entities})
    numbers = {kind: number for number, kind in enumerate(types)}
    by_type = np.zeros((len(gold), len(types), 3), dtype=np.int64)
    boundaries = np.zeros((len(gold), 3), dtype=np.int64)
    for row, (g, p) in enumerate(zip(true, found, strict=True)):
        for column, entities in enumerate((g, p, g & p)):
            for entity in entities:
                by_type[row, numbers[entity.type], column] += 1
        spans = _spans(g), _spans(p)
        boundaries[row] = len(spans[0]), len(spans[1]), len(spans[0] & spans[1])
    return SpanCounts(tuple(types), by_type, boundaries, _count_tokens(gold, predicted))


def _spans(entities: Iterable[Entity]) -> set[tuple[int, int]]:
    return {(entity.begin, entity.end) for entity in entities}


def _count_tokens(gold: Tags, predicted: Tags) -> NDArray[np.int64]:
    counts = [
        (len(g), sum(one == two for one, two in zip(g, p, strict=True)))
        for g, p in zip(gold, predicted, strict=True)
    ]
    return np.asarray(counts, dtype=np.int64).reshape(-1, 2)


def _check_lengths(gold: Tags, predicted: Tags) -> None:
    if len(gold) != len(predicted):
        raise TenorError(
            f"There are {len(gold):,} gold sentences and {len(predicted):,} predicted ones; "
            "give the predictions of the very same sentences."
        )
    for number, (g, p) in enumerate(zip(gold, predicted, strict=True), start=1):
        if len(g) != len(p):
            raise TenorError(
                f"Sentence {number:,} has {len(g):,} gold tags and {len(p):,} predicted ones; "
                "one tag per word was expected in both."
            )


def span_figures(gold: Tags, predicted: Tags) -> dict[str, float]:
    """Score predicted tags: precision, recall, f1 (micro), f1_macro, f1_boundary, accuracy (of tags).

    >>> gold, predicted = [["B-PER", "O", "B-LOC", "I-LOC"]], [["B-PER", "O", "B-ORG", "I-ORG"]]
    >>> figures = span_figures(gold, predicted)
    >>> figures["f1"], figures["f1_boundary"], figures["accuracy"]
    (0.5, 1.0, 0.5)
    """
    counts = count_spans(gold, predicted)
    figures = _figures(_columns(counts).sum(axis=0), len(counts.types))
    return {name: float(value) for name, value in figures.items()}


def span_scores(
    gold: Tags, predicted: Tags, *, repeats: int = 1000, level: float = 0.95, seed: int = 0
) -> dict[str, Interval]:
    """Score predicted tags as ``span_figures`` does, each figure with its interval over sentences.

    >>> gold, predicted = [["B-PER", "O"], ["B-LOC", "O"]] * 50, [["B-PER", "O"], ["O", "O"]] * 50
    >>> print(span_scores(gold, predicted)["recall"])
    0.500 [0.400, 0.600]
    """
    counts = count_spans(gold, predicted)
    columns, types = _columns(counts), len(counts.types)
    figures = _figures(columns.sum(axis=0), types)
    if not len(columns):
        return {name: Interval(np.nan, np.nan, np.nan, level) for name in figures}
    return with_intervals(
        figures, _figures(resampled_sums(columns, repeats=repeats, seed=seed), types), level
    )


def type_figures(gold: Tags, predicted: Tags) -> dict[str, dict[str, float]]:
    """Score every type of entity: precision, recall, f1 and support (the number of gold entities).

    >>> type_figures([["B-PER", "B-LOC"]], [["B-PER", "O"]])["LOC"]
    {'precision': 0.0, 'recall': 0.0, 'f1': 0.0, 'support': 1.0}
    """
    counts = count_spans(gold, predicted)
    sums = counts.by_type.sum(axis=0)  # [types, 3]
    figures = _of_counts(sums) | {"support": sums[:, 0]}
    return {
        kind: {name: float(values[number]) for name, values in figures.items()}
        for number, kind in enumerate(counts.types)
    }


def type_scores(
    gold: Tags, predicted: Tags, *, repeats: int = 1000, level: float = 0.95, seed: int = 0
) -> dict[str, dict[str, Interval]]:
    """Score every type of entity: precision, recall and f1, each with its interval over sentences."""
    counts = count_spans(gold, predicted)
    if not counts.types:
        return {}
    flat = counts.by_type.reshape(len(gold), -1)
    drawn = _of_counts(resampled_sums(flat, repeats=repeats, seed=seed).reshape(repeats, -1, 3))
    figures = _of_counts(counts.by_type.sum(axis=0))
    return {
        kind: with_intervals(
            {name: values[number] for name, values in figures.items()},
            {name: values[:, number] for name, values in drawn.items()},
            level,
        )
        for number, kind in enumerate(counts.types)
    }


def _columns(counts: SpanCounts) -> NDArray[np.int64]:
    """Put all counts of a sentence side by side [n, 3 types + 5]."""
    flat = counts.by_type.reshape(len(counts.tokens), 3 * len(counts.types))
    return np.concatenate([flat, counts.boundaries, counts.tokens], axis=1)


def _figures(sums: NDArray[np.generic], types: int) -> dict[str, Floats]:
    """Compute the figures from sums of columns [..., 3 types + 5]."""
    by_type = np.asarray(sums[..., : 3 * types], dtype=np.float64).reshape(*sums.shape[:-1], types, 3)
    occurs = (by_type[..., 0] + by_type[..., 1]) > 0
    f1 = _of_counts(by_type)["f1"]
    return {
        **_of_counts(by_type.sum(axis=-2)),
        "f1_macro": ratio((f1 * occurs).sum(axis=-1), occurs.sum(axis=-1)),
        "f1_boundary": _of_counts(sums[..., -5:-2])["f1"],
        "accuracy": ratio(sums[..., -1], sums[..., -2]),
    }


def _of_counts(counts: ArrayLike) -> dict[str, Floats]:
    """Return precision, recall and F1 of counts [..., 3]."""
    g, p, c = np.moveaxis(np.asarray(counts, dtype=np.float64), -1, 0)
    return {"precision": ratio(c, p), "recall": ratio(c, g), "f1": ratio(2 * c, g + p)}
