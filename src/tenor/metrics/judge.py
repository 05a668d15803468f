"""The interval of a claim: a bootstrap over test items and over seeds.

- *Items*: in every repeat each set of items is drawn anew with replacement, once for all cells and seeds that
  were measured on it, and every score is computed again on the drawn items, so scores that are no means
  (correlations, F1) are served alike.
- *Seeds*: the contrast differs from seed to seed with a standard deviation s; a repeat adds t · s/√S to the
  mean over S seeds, t from Student's distribution with S - 1 degrees of freedom. Drawing three seeds out of
  three with replacement instead gives 95% intervals that cover the truth in about 80% of all cases, this
  one in 94 to 98% (``tests/metrics/test_verdicts.py`` measures both).

Seeds are paired: the contrast is formed within a seed, over the seeds that all its cells have run. A cell
that does not depend on seeds stands beside each of them. Seeds that share a draw of something else, such as
an encoder that was trained once for two of them, are not independent: they are averaged first, and S counts
the averages.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.metrics.intervals import Interval
from tenor.metrics.outcomes import Outcome
from tenor.metrics.verdicts import Claim, Contrast, Judgement, Verdict, p_value, verdict_of

Floats = NDArray[np.float64]
Seeds = Sequence[int | None]
Measured = Mapping[str, Mapping[int | None, Mapping[str, Outcome]]]
"""cell -> seed (None: does not depend on a seed) -> metric -> outcome."""
Draws = Callable[[str, int], Hashable]
"""cell, seed -> what stands for a draw that seeds of this cell may share; None where they share nothing."""


# Columns of this many resampled items are held at once: they should stay in the processor's cache.
_ITEMS_AT_ONCE = 100_000
# Drawn anew, a handful of items looks far more certain than it is (all alike: an interval without width).
_FEWEST_ITEMS = 10


@dataclass(frozen=True, slots=True)
class Spread:
    """Where the uncertainty of a contrast comes from."""

    draws: int
    """Independent draws: seeds, or what several of them share; 0 where nothing depends on seeds."""
    deviation: float
    """The standard deviation between draws; NaN with one."""
    item_error: float
    """The standard error over the test items of the mean over draws."""


class Judge:
    """Judges claims on what was measured; resampled scores are kept, as many claims look at the same cells.

    >>> right, wrong = Outcome.of("mean", [1] * 80 + [0] * 20, items="dev"), Outcome.number(0.5)
    >>> judge = Judge({"ours": {None: {"accuracy": right}}, "chance": {None: {"accuracy": wrong}}})
    >>> found = judge(Claim(text="ours beats chance", smallest=0.01,
    ...                     contrast=Contrast.difference("ours", "chance", metric="accuracy")))
    >>> print(found.verdict, found.interval)
    holds 0.300 [0.220, 0.370]
    """

    def __init__(
        self,
        measured: Measured,
        *,
        draws: Draws | None = None,
        repeats: int = 2000,
        level: float = 0.95,
        seed: int = 0,
    ) -> None:
        self._measured, self._draws = measured, draws
        self._repeats, self._level, self._seed = repeats, level, seed
        self._resampled: dict[tuple[str, int | None, str], Floats] = {}

    def __call__(self, claim: Claim) -> Judgement:
        """Give a claim's interval and verdict."""
        if claim.contrast is None:
            return Judgement(claim, Verdict.not_run, note=claim.reason)
        missing = [cell for cell in claim.contrast.cells if not self._measured.get(cell)]
        if missing:
            return Judgement(claim, Verdict.not_run, note=f"no result of {_listed(missing)}")
        seeds = self._common_seeds(claim.contrast.cells)
        if not seeds:
            return Judgement(claim, Verdict.not_run, note="its cells have no seed in common")
        if absent := self._absent(claim.contrast, seeds):
            return Judgement(claim, Verdict.not_run, note=f"no {absent}")
        return self._judged(claim, claim.contrast, seeds)

    def interval(self, contrast: Contrast) -> Interval | None:
        """Give the interval of a contrast, None where a part of it was not measured."""
        asked = self(Claim(text="", contrast=contrast))
        return asked.interval

    def spread(self, contrast: Contrast) -> "Spread | None":
        """Part the variance of a contrast into that between draws and that of the items; None where a part of
        it was not measured."""
        if any(not self._measured.get(cell) for cell in contrast.cells):
            return None
        seeds = self._common_seeds(contrast.cells)
        if not seeds or self._absent(contrast, seeds):
            return None
        scores, resampled = self._by_draw(contrast, seeds)
        averaged = resampled.mean(axis=0)
        return Spread(
            draws=len(scores) if seeds != [None] else 0,
            deviation=float(scores.std(ddof=1)) if len(scores) > 1 else float("nan"),
            item_error=float(averaged[~np.isnan(averaged)].std()),
        )

    def _judged(self, claim: Claim, contrast: Contrast, seeds: Seeds) -> Judgement:
        scores, resampled = self._by_draw(contrast, seeds)
        values = self._values(scores, resampled, seeded=seeds != [None])
        interval, undefined = self._interval(scores, values)
        count = 0 if seeds == [None] else len(seeds)
        doubt = _doubt(self._fewest_items(contrast, seeds), min(count, len(scores)))
        if doubt or np.isnan(interval.low):
            note = "; ".join(part for part in (doubt, undefined) if part)
            return Judgement(claim, Verdict.undecided, interval, count, note)
        verdict, mark = verdict_of(claim, interval)
        p = p_value(claim, values[~np.isnan(values)])
        return Judgement(claim, verdict, interval, count, undefined, p, mark)

    def _fewest_items(self, contrast: Contrast, seeds: Seeds) -> int:
        """Return the size of the smallest set of items; 0 where no term has items."""
        outcomes = (self._outcome(cell, seed, metric) for cell, metric in contrast.weights for seed in seeds)
        sizes = [len(one.columns[0]) for one in outcomes if one is not None and one.columns]
        return min(sizes, default=0)

    def _common_seeds(self, cells: Iterable[str]) -> Seeds:
        """Return the seeds that all seeded cells ran, or [None] where no cell depends on a seed."""
        seeded = [set(self._measured[cell]) for cell in cells if None not in self._measured[cell]]
        if not seeded:
            return [None]
        return sorted(seed for seed in set.intersection(*seeded) if seed is not None)

    def _outcome(self, cell: str, seed: int | None, metric: str) -> Outcome | None:
        by_seed = self._measured[cell]
        return by_seed[None if None in by_seed else seed].get(metric)

    def _absent(self, contrast: Contrast, seeds: Seeds) -> str | None:
        for cell, metric in contrast.weights:
            if any(self._outcome(cell, seed, metric) is None for seed in seeds):
                return f"{metric} of {cell}"
        return None

    def _by_draw(self, contrast: Contrast, seeds: Seeds) -> tuple[Floats, Floats]:
        """Return the contrast per seed, or per draw where seeds share one [D], and resampled [D, repeats]."""
        scores, resampled = self._by_seed(contrast, seeds)
        groups = self._groups(contrast.cells, seeds)
        if len(groups) == len(seeds):
            return scores, resampled
        means = [(scores[places].mean(), resampled[places].mean(axis=0)) for places in groups]
        return np.array([one for one, _ in means]), np.stack([many for _, many in means])

    def _groups(self, cells: Iterable[str], seeds: Seeds) -> list[list[int]]:
        """Put the places of seeds together that share a draw in any of the cells."""
        groups: list[tuple[set[Hashable], list[int]]] = []
        for place, seed in enumerate(seeds):
            drawn: set[Hashable] = set()
            if self._draws is not None and seed is not None:
                drawn = {(cell, one) for cell in cells if (one := self._draws(cell, seed)) is not None}
            joined = [group for group in groups if group[0] & drawn]
            groups = [group for group in groups if not group[0] & drawn]
            places = [place for _, before in joined for place in before]
            groups.append((drawn.union(*(known for known, _ in joined)), [*places, place]))
        return [places for _, places in groups]

    def _by_seed(self, contrast: Contrast, seeds: Seeds) -> tuple[Floats, Floats]:
        """Return the contrast per seed [S], and resampled [S, repeats]."""
        scores = np.full(len(seeds), contrast.offset)
        resampled = np.full((len(seeds), self._repeats), contrast.offset)
        lengths: dict[str, int] = {}
        for place, seed in enumerate(seeds):
            for (cell, metric), weight in contrast.weights.items():
                outcome = self._outcome(cell, seed, metric)
                assert outcome is not None  # _absent was asked before
                _same_items(outcome, lengths)
                scores[place] += weight * outcome.score
                resampled[place] += weight * self._on_drawn(cell, seed, metric, outcome)
        return scores, resampled

    def _on_drawn(self, cell: str, seed: int | None, metric: str, outcome: Outcome) -> Floats:
        key = (cell, None if None in self._measured[cell] else seed, metric)
        if key not in self._resampled:
            self._resampled[key] = resample(outcome, repeats=self._repeats, seed=self._seed)
        return self._resampled[key]

    def _values(self, scores: Floats, resampled: Floats, *, seeded: bool) -> Floats:
        """Return the contrast in every repeat: over resampled items, with the variance between seeds."""
        values: Floats = resampled.mean(axis=0)
        if seeded and len(scores) > 1:
            values = values + self._student(len(scores)) * scores.std(ddof=1) / np.sqrt(len(scores))
        return values

    def _interval(self, scores: Floats, values: Floats) -> tuple[Interval, str]:
        kept = values[~np.isnan(values)]
        lost = 1 - len(kept) / len(values)
        tail = (1 - self._level) / 2
        low, high = np.quantile(kept, [tail, 1 - tail]) if len(kept) else (np.nan, np.nan)
        interval = Interval(float(scores.mean()), float(low), float(high), self._level)
        return interval, f"undefined on {lost:.0%} of the resamples" if lost > 0.01 else ""

    def _student(self, seeds: int) -> Floats:
        """Student's t, as evenly spread as possible, in random order: its tails do not hang on the draw."""
        from scipy.stats import t

        spread: Floats = t.ppf((np.arange(self._repeats) + 0.5) / self._repeats, df=seeds - 1)
        return np.random.default_rng([self._seed, seeds]).permutation(spread)


def resample(outcome: Outcome, *, repeats: int, seed: int) -> Floats:
    """Compute an outcome on items drawn with replacement, ``repeats`` times.

    What is drawn depends on the name and number of the items only, so outcomes on the same items are
    resampled together.
    """
    if outcome.statistic is None:
        return np.full(repeats, outcome.score)
    items = len(outcome.columns[0])
    generator = np.random.default_rng([seed, items, crc32(outcome.items.encode())])
    at_once = max(1, min(repeats, _ITEMS_AT_ONCE // items))
    pieces = (min(at_once, repeats - start) for start in range(0, repeats, at_once))
    drawn = (generator.integers(0, items, size=(piece, items), dtype=np.int32) for piece in pieces)
    return np.concatenate([outcome.on(rows) for rows in drawn])


def _same_items(outcome: Outcome, lengths: dict[str, int]) -> None:
    items = len(outcome.columns[0]) if outcome.columns else 0
    if items and lengths.setdefault(outcome.items, items) != items:
        raise TenorError(
            f"The items {outcome.items!r} are {lengths[outcome.items]:,} in one result and {items:,} in "
            "another. Results on different items must name their items differently."
        )


def _doubt(items: int, seeds: int) -> str:
    """Say why the variance was not measured well enough to decide anything, if so."""
    if items == 0 and seeds == 0:
        return "single numbers without items or seeds: no interval can be given"
    if seeds == 1:
        return "one seed: the interval is that of the items alone"
    if 0 < items < _FEWEST_ITEMS:
        return f"only {items} items: too few to draw from"
    return ""


def _listed(names: Sequence[str], most: int = 4) -> str:
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more} more" if more > 0 else "")
