"""Tables that a tagger of spans has beside its figures: scores by type, and what types are taken for."""

from collections.abc import Sequence

from tenor.metrics.overlaps import NONE, overlap_scores, type_confusion
from tenor.metrics.spans import type_figures, type_scores
from tenor.tasks.score_table import Cell, ScoreTable

Tags = Sequence[Sequence[str]]


def span_tables(gold: Tags, given: Tags) -> tuple[ScoreTable, ...]:
    """Return the scores of every type, overlaps whatever the boundaries, and the confusion of types.

    >>> by_type, _, confusion = span_tables([["B-PER", "O", "B-LOC"]], [["B-PER", "O", "B-PER"]])
    >>> by_type.shown()[1][:4], confusion.shown()[1]
    (['PER', '0.500', '1.000', '0.667'], ['PER', '0', '1', '0'])
    """
    return _by_type(gold, given), _overlaps(gold, given), _confusion(gold, given)


def _by_type(gold: Tags, given: Tags) -> ScoreTable:
    intervals = type_scores(gold, given)
    rows = []
    for kind, figures in type_figures(gold, given).items():
        f1 = intervals[kind]["f1"]
        spread = f"[{f1.low:.3f}, {f1.high:.3f}]"
        rows.append(
            (kind, figures["precision"], figures["recall"], figures["f1"], spread, int(figures["support"]))
        )
    columns = ("type", "precision", "recall", "f1", "95% interval", "gold spans")
    return ScoreTable("By type", columns, tuple(rows))


def _overlaps(gold: Tags, given: Tags) -> ScoreTable:
    scores = overlap_scores(gold, given)
    rows = tuple((name, each.estimate, f"[{each.low:.3f}, {each.high:.3f}]") for name, each in scores.items())
    title = "As in TempEval: boundaries exact (strict), overlapping (relaxed), overlapping with the same type"
    return ScoreTable(title, ("score", "f1", "95% interval"), rows)


def _confusion(gold: Tags, given: Tags) -> ScoreTable:
    counts = type_confusion(gold, given)
    types = sorted({kind for pair in counts for kind in pair} - {NONE})
    names = (*types, NONE)
    rows: list[tuple[Cell, ...]] = [(kind, *[counts[kind, other] for other in names]) for kind in names]
    return ScoreTable("Gold spans and the types predicted for them", ("gold", *names), tuple(rows))
