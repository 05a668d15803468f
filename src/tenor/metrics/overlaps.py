"""Scores of TempEval-3: strict, relaxed and type F1 of spans; and the accuracy on labels never trained on.

    strict    the span is a gold span
    relaxed   the span overlaps a gold span by at least one word
    type      it overlaps a gold span of the same type

Precision divides by all predicted spans, recall by all gold spans, summed over sentences.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tenor.entities import Entity, lenient_entities
from tenor.errors import TenorError
from tenor.metrics.intervals import Interval
from tenor.metrics.of_sums import scores_of_sums
from tenor.metrics.ratios import ratio

Tags = Sequence[Sequence[str]]
KINDS = ("strict", "relaxed", "type")
NONE = "(none)"


def count_overlaps(gold: Tags, predicted: Tags) -> NDArray[np.int64]:
    """Count in each sentence gold and predicted spans, and those that match in each way [n, 2 + 2 · 3].

    Columns: gold, predicted, then of strict, relaxed and type: predicted that match, gold that are matched.

    >>> count_overlaps([["B-DATE", "I-DATE", "O"]], [["B-TIME", "O", "O"]]).tolist()
    [[1, 1, 0, 0, 1, 1, 0, 0]]
    """
    if len(gold) != len(predicted):
        raise TenorError(f"There are {len(gold):,} gold sentences and {len(predicted):,} predicted ones.")
    rows = [_row(lenient_entities(g), lenient_entities(p)) for g, p in zip(gold, predicted, strict=True)]
    return np.array(rows, dtype=np.int64).reshape(-1, 2 + 2 * len(KINDS))


def _row(gold: list[Entity], predicted: list[Entity]) -> list[int]:
    counts = [len(gold), len(predicted)]
    for kind in KINDS:
        counts.append(sum(any(_match(p, g, kind) for g in gold) for p in predicted))
        counts.append(sum(any(_match(p, g, kind) for p in predicted) for g in gold))
    return counts


def _match(one: Entity, two: Entity, kind: str) -> bool:
    if kind == "strict":
        return (one.begin, one.end) == (two.begin, two.end)
    overlaps = one.begin < two.end and two.begin < one.end
    return overlaps and (kind == "relaxed" or one.type == two.type)


def f1_of_matches(
    gold: ArrayLike, predicted: ArrayLike, matching: ArrayLike, matched: ArrayLike
) -> NDArray[np.float64]:
    """Return the F1 of counts by sentence [..., n]: predicted that match, and gold that are matched.

    >>> float(f1_of_matches([1, 1], [2, 0], [2, 0], [1, 0]))
    0.6666666666666666
    """
    columns = (gold, predicted, matching, matched)
    sums = [np.asarray(column, dtype=np.float64).sum(axis=-1) for column in columns]
    precision, recall = ratio(sums[2], sums[1]), ratio(sums[3], sums[0])
    return ratio(2 * precision * recall, precision + recall)


def overlap_scores(
    gold: Tags, predicted: Tags, *, repeats: int = 1000, level: float = 0.95, seed: int = 0
) -> dict[str, Interval]:
    """Return strict, relaxed and type F1 with their intervals over sentences.

    >>> scores = overlap_scores([["B-DATE", "I-DATE"]], [["B-DATE", "O"]])
    >>> scores["f1_strict"].estimate, scores["f1_relaxed"].estimate
    (0.0, 1.0)
    """
    return scores_of_sums(_figures, count_overlaps(gold, predicted), repeats=repeats, level=level, seed=seed)


def _figures(sums: NDArray[np.float64]) -> dict[str, Any]:
    figures = {}
    for number, kind in enumerate(KINDS):
        columns = (0, 1, 2 + 2 * number, 3 + 2 * number)
        figures[f"f1_{kind}"] = f1_of_matches(*(sums[..., column, None] for column in columns))
    return figures


def type_confusion(gold: Tags, predicted: Tags) -> Counter[tuple[str, str]]:
    """Count what gold spans are taken for: the type of the span that overlaps most, or ``NONE``.

    Predicted spans that overlap no gold span are counted as those of the gold type ``NONE``.

    >>> sorted(type_confusion([["B-PER", "O", "B-LOC"]], [["B-ORG", "B-PER", "O"]]).items())
    [(('(none)', 'PER'), 1), (('LOC', '(none)'), 1), (('PER', 'ORG'), 1)]
    """
    counts: Counter[tuple[str, str]] = Counter()
    for g, p in zip(gold, predicted, strict=True):
        true, given = lenient_entities(g), lenient_entities(p)
        for one in true:
            best = max(given, key=lambda two: (_shared(one, two), one.type == two.type), default=None)
            counts[one.type, best.type if best is not None and _shared(one, best) else NONE] += 1
        counts.update((NONE, two.type) for two in given if not any(_shared(one, two) for one in true))
    return counts


def _shared(one: Entity, two: Entity) -> int:
    """Return how many words two spans share."""
    return max(0, min(one.end, two.end) - max(one.begin, two.begin))


def unseen_accuracy(gold: Tags, predicted: Tags, seen: Collection[str]) -> tuple[float, int]:
    """Return the accuracy on words whose gold label was not ``seen`` in training, and their number.

    >>> unseen_accuracy([["N", "N/N"]], [["N", "N"]], {"N"})
    (0.0, 1)
    """
    pairs = [
        (one, two)
        for g, p in zip(gold, predicted, strict=True)
        for one, two in zip(g, p, strict=True)
        if one not in seen
    ]
    right = sum(one == two for one, two in pairs)
    return (right / len(pairs) if pairs else float("nan")), len(pairs)
