"""Trivial baselines: what needs no training, and what a claim is worth beside it.

A contrast between two sides that are both no better than their trivial baselines (the interval of the
difference includes or lies below 0) says nothing: it is *undecided: at chance*. A gain over a side that is
worse than its trivial baseline is said to be that.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tenor.metrics.judge import Judge, Measured
from tenor.metrics.outcomes import Outcome, constant_answer
from tenor.metrics.verdicts import Contrast, Judgement, Verdict
from tenor.recipes.recipe import CONSTANT, Recipe, Trivial
from tenor.report.tables import figure

Records = Mapping[str, Mapping[int | None, Mapping[str, Any]]]
"""cell -> seed -> what was kept."""
TRIVIAL = "trivial baseline"
"""The name under which baselines that are no cells stand among the cells."""
_LABELLED = ("f1", "f1_macro", "matthews")  # statistics whose first column are classes


def trivial_outcomes(
    recipe: Recipe, measured: Measured, records: Records | None = None
) -> dict[str, Outcome]:
    """Return the baselines that are no cells, by metric: numbers and constant answers.

    Where outcomes do not hold gold labels, the table of confusions among a record's extras does.
    """
    outcomes = {}
    for metric, baseline in recipe.trivial.items():
        if baseline == CONSTANT:
            constant = _constant(metric, measured) or _by_confusions(metric, records or {})
            if constant is not None:
                outcomes[metric] = constant
        elif not isinstance(baseline, str):
            outcomes[metric] = Outcome.number(baseline)
    return outcomes


def against_trivial(judgement: Judgement, contrast: Contrast, trivial: Trivial, judge: Judge) -> Judgement:
    """Mark a judgement whose sides are both at chance, and note a gain over what is worse than trivial."""
    sides = _above(contrast, trivial)
    if judgement.p is None or sides is None:
        return judgement
    intervals = [judge.interval(side) for side in sides]
    first, second = intervals
    if first is None or second is None:
        return judgement
    if first.low <= 0 and second.low <= 0:
        note = _joined(judgement.note, "no side is better than the trivial baseline")
        return replace(judgement, verdict=Verdict.undecided, mark="at chance", note=note)
    beaten = {"greater": second, "less": first}.get(judgement.claim.direction)
    if judgement.verdict == Verdict.holds and beaten is not None and beaten.high < 0:
        note = "a gain over what is worse than the trivial baseline"
        return replace(judgement, note=_joined(judgement.note, note))
    return judgement


def below_untrained(
    contrast: Contrast,
    untrained: Callable[[str], str | None],
    judge: Judge,
    label: Callable[[str], str],
) -> str:
    """Say which cells of a contrast score below their encoder without any training, and by how much.

    >>> worse, plain = Outcome.number(0.7), Outcome.number(0.8)
    >>> judge = Judge({"tuned": {1: {"r": worse}, 2: {"r": worse}}, "plain": {None: {"r": plain}}})
    >>> below_untrained(Contrast.mean("tuned", metric="r"), lambda cell: "plain", judge, str.upper)
    'below no training: TUNED, r (−0.100)'
    """
    told = []
    for cell, metric in contrast.weights:
        other = untrained(cell)
        if other is None or other == cell:
            continue
        interval = judge.interval(Contrast.difference(cell, other, metric=metric))
        if interval is not None and interval.high < 0:
            told.append(f"{label(cell)}, {metric} ({figure(interval.estimate, signed=True)})")
    return f"below no training: {'; '.join(told)}" if told else ""


def _above(contrast: Contrast, trivial: Trivial) -> tuple[Contrast, Contrast] | None:
    """Return how far the two sides of a contrast are above their trivial baselines.

    None where there are no two sides, a metric has no trivial baseline, or the contrast is with the baseline
    itself: then its own interval says all there is.
    """
    cells = {metric: _cell(trivial[metric]) for _, metric in contrast.weights if metric in trivial}
    if any(cells.get(metric) in (None, cell) for cell, metric in contrast.weights):
        return None
    sides = []
    for sign in (1, -1):
        terms = {term: sign * weight for term, weight in contrast.weights.items() if sign * weight > 0}
        total = sum(terms.values())
        if not terms:
            return None
        side = Contrast({term: weight / total for term, weight in terms.items()})
        for (_, metric), weight in terms.items():
            side = side.minus(Contrast({(cells[metric], metric): weight / total}))
        sides.append(side)
    return sides[0], sides[1]


def _cell(baseline: str | float) -> str:
    return baseline if isinstance(baseline, str) and baseline != CONSTANT else TRIVIAL


def _constant(metric: str, measured: Measured) -> Outcome | None:
    """Return the constant answer of the first outcome whose gold labels are known, itself or by its items."""
    outcomes = [outcomes for by_seed in measured.values() for outcomes in by_seed.values()]
    for named in outcomes:
        if metric in named:
            labels = _labels(named, named[metric].items)
            if (constant := constant_answer(named[metric], labels)) is not None:
                return constant
    return None


def _by_confusions(metric: str, records: Records) -> Outcome | None:
    """Return the accuracy of always giving the most frequent class, from a table of gold × answers."""
    for by_seed in records.values():
        for record in by_seed.values():
            extra = record["extras"].get(metric)
            if isinstance(extra, Mapping) and "confusion" in extra:
                classes = [sum(row) for row in extra["confusion"]]
                return Outcome.number(max(classes) / sum(classes))
    return None


def _labels(outcomes: Mapping[str, Outcome], items: str) -> NDArray[np.float64] | None:
    for outcome in outcomes.values():
        if outcome.items == items and outcome.statistic in _LABELLED:
            return outcome.columns[0]
    return None


def _joined(*notes: str) -> str:
    return "; ".join(note for note in notes if note)
