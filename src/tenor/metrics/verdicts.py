"""Claims and verdicts: what a paper says of two or more systems, in a form that can be wrong.

A claim is a contrast, a direction and the smallest effect of interest. The contrast is a weighted sum of
scores, Σ w · score(cell, metric): two cells against each other, one half of a grid against the other, a
mean over several test sets. ``tenor.metrics.judge`` gives its interval.

With the effect counted in the claimed direction, a claim *holds* when the 95% interval lies above 0 (marked
*small* where the estimate is below the smallest effect of interest), *fails* when it lies below the smallest
effect, and is *undecided* otherwise, or where the variance was not measured: one seed of something that
depends on seeds, or single numbers without items.

Many claims are tested on one page, so some hold by chance alone: ``holm`` says which of them hold when all
are tested together. Its p-values are one-sided and counted from the bootstrap distribution itself: the share
of resamples on which the effect is not in the claimed direction. A normal approximation from the interval's
width would be far too sure with three seeds, whose Student's t has heavy tails. With the 2,000 resamples of a
``Judge`` no p-value is below 0.0005, which serves pages of up to 50 claims.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.metrics.intervals import Interval

Direction = Literal["greater", "less", "same"]
Term = tuple[str, str]
"""A cell and a metric, by name."""


class Verdict(StrEnum):
    """What the interval says of a claim."""

    holds = "holds"
    fails = "fails"
    undecided = "undecided"
    not_run = "not run"


@dataclass(frozen=True, slots=True)
class Contrast:
    """A weighted sum of scores, plus a constant.

    >>> Contrast.difference("shared", "separate", metric="similarity").weights
    {('shared', 'similarity'): 1.0, ('separate', 'similarity'): -1.0}
    """

    weights: Mapping[Term, float]
    offset: float = 0.0

    @classmethod
    def difference(
        cls, first: str | Sequence[str], second: str | Sequence[str], *, metric: str | Sequence[str]
    ) -> "Contrast":
        """Average of the first cells minus average of the second ones, averaged over the metrics."""
        return cls.mean(first, metric=metric).minus(cls.mean(second, metric=metric))

    @classmethod
    def mean(cls, cells: str | Sequence[str], *, metric: str | Sequence[str]) -> "Contrast":
        """Average of some metrics over some cells."""
        terms = [(cell, name) for cell in _many(cells) for name in _many(metric)]
        return cls(_summed((term, 1.0 / len(terms)) for term in terms))

    def minus(self, other: "Contrast") -> "Contrast":
        """Subtract another contrast: of two scores, or of two differences (an interaction)."""
        less = ((term, -weight) for term, weight in other.weights.items())
        return Contrast(_summed([*self.weights.items(), *less]), self.offset - other.offset)

    def times(self, factor: float) -> "Contrast":
        """Count in other units."""
        weights = {term: weight * factor for term, weight in self.weights.items()}
        return Contrast(weights, self.offset * factor)

    @property
    def cells(self) -> tuple[str, ...]:
        """The cells that it needs, in order."""
        return tuple(dict.fromkeys(cell for cell, _ in self.weights))


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A sentence of a paper that can be wrong.

    ``smallest`` is the smallest effect of interest, in the contrast's units. The effect is the contrast less
    ``reference``: 0 to compare two sides, a target to compare a score with it. The direction ``same`` claims
    that the effect stays within ``smallest`` on both sides. A claim without a contrast was not run;
    ``reason`` says why. It is undecided where one of the claims in ``provided`` does not hold, as a claim
    about a model that learned nothing would be.

    >>> claim = Claim(text="Sharing the head helps similarity.", smallest=0.01,
    ...               contrast=Contrast.difference("shared", "separate", metric="similarity"), paper=0.227)
    >>> claim.direction
    'greater'
    """

    text: str
    contrast: Contrast | None = None
    direction: Direction = "greater"
    smallest: float = 0.0
    reference: float = 0.0
    paper: float | str | None = None
    """The paper's own figure for the contrast, in the same units, or what it prints instead."""
    reason: str = ""
    """Why it was not run, or what a reader of the row should know."""
    provided: "tuple[Claim, ...]" = ()
    earlier: "Claim | None" = None
    """The claim as it was set before, by another score or condition: its verdict stays beside the new one."""
    headline: bool = False
    """Whether it is what the paper is about (its abstract, its main table): such claims stand first."""

    def __post_init__(self) -> None:
        if self.smallest < 0 or (self.direction == "same" and self.smallest == 0):
            raise TenorError(f"The claim {self.text!r} needs a smallest effect above 0.")
        if self.contrast is None and not self.reason:
            raise TenorError(
                f"The claim {self.text!r} has neither a contrast nor a reason why it was not run."
            )


Mark = Literal["", "small", "at chance"]


@dataclass(frozen=True, slots=True)
class Judgement:
    """A claim with its interval, in the contrast's own units, and what it says."""

    claim: Claim
    verdict: Verdict
    interval: Interval | None = None
    seeds: int = 0
    """Over how many seeds; 0 where nothing depends on seeds."""
    note: str = ""
    p: float | None = None
    """One-sided p-value of the claimed effect; None where the claim could not be tested."""
    mark: Mark = ""
    """*small*: it holds, and the estimate is below the smallest effect of interest. *at chance*: undecided,
    as neither side is better than a trivial baseline."""
    earlier: "Judgement | None" = None
    """What becomes of the claim as it was set before."""

    @property
    def label(self) -> str:
        """The verdict with its mark, for people.

        >>> Judgement(Claim(text="", reason="–"), Verdict.undecided, mark="at chance").label
        'undecided: at chance'
        """
        return f"{self.verdict.value}: {self.mark}" if self.mark else self.verdict.value


def verdict_of(claim: Claim, interval: Interval) -> tuple[Verdict, Mark]:
    """Say what an interval means for a claim, and how the verdict is marked."""
    low, high = interval.low - claim.reference, interval.high - claim.reference
    estimate = interval.estimate - claim.reference
    if claim.direction == "same":
        if -claim.smallest < low and high < claim.smallest:
            return Verdict.holds, ""
        outside = high <= -claim.smallest or low >= claim.smallest
        return (Verdict.fails if outside else Verdict.undecided), ""
    if claim.direction == "less":
        low, high, estimate = -high, -low, -estimate
    if low > 0:
        return Verdict.holds, "small" if estimate < claim.smallest else ""
    # A smallest effect of 0 is excluded by an interval that ends at 0: there is no effect.
    fails = high < claim.smallest or high <= 0
    return (Verdict.fails if fails else Verdict.undecided), ""


def p_value(claim: Claim, resampled: NDArray[np.float64]) -> float:
    """Return the one-sided p-value of a claim from resampled contrasts: the share that speaks against it.

    A resample more than there is counts against it, so that no p-value is 0. The direction ``same`` is tested
    by two one-sided tests, of which the larger p-value counts.

    >>> p_value(Claim(text="", contrast=Contrast.mean("a", metric="x")), np.array([-1.0, 1.0, 2.0]))
    0.5
    """
    effects = resampled - claim.reference
    if claim.direction == "same":
        against = max(np.sum(effects <= -claim.smallest), np.sum(effects >= claim.smallest))
    else:
        against = np.sum(effects >= 0 if claim.direction == "less" else effects <= 0)
    return (1 + int(against)) / (len(effects) + 1)


def holm(judgements: Sequence[Judgement], *, level: float = 0.025) -> list[bool]:
    """Tell which claims hold still when all tested claims are taken together (Holm's step-down adjustment).

    The smallest of m p-values is compared with level / m, the next with level / (m - 1), and so on until one
    is too large. ``level`` is that of one side of a 95% interval.
    """
    tested = sorted(
        (one.p, place) for place, one in enumerate(judgements) if one.p is not None
    )  # equal p-values in the order of the claims
    adjusted = [False] * len(judgements)
    for rank, (p, place) in enumerate(tested):
        if p > level / (len(tested) - rank):
            break
        adjusted[place] = judgements[place].verdict == Verdict.holds
    return adjusted


def _many(names: str | Sequence[str]) -> Sequence[str]:
    return (names,) if isinstance(names, str) else names


def _summed(terms: Iterable[tuple[Term, float]]) -> dict[Term, float]:
    weights: dict[Term, float] = {}
    for term, weight in terms:
        weights[term] = weights.get(term, 0.0) + weight
    return {term: weight for term, weight in weights.items() if weight}
