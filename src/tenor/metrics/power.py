"""How many draws and test items would decide a claim: a power calculation from what was measured.

With S draws and k times the test items, the 95% interval of a contrast reaches about

    h(S, k)² = (1.96 · e)² / k + (t(S - 1) · s)² / S

to either side of its mean, where e is the standard error over the items, s the standard deviation between
draws and t(S - 1) the 97.5% quantile of Student's distribution. An effect δ is seen with a probability of 80%
where h(S, k) · (1 + 0.84 / 1.96) ≤ δ. Where the items that there are take up less than half of that (in
squares), they stay as they are, and only draws are asked for; else k is what brings them down to half. The
deviations come from a few draws themselves (from three, s is known within a factor of 0.5 to 6), so that the
figures are orders of magnitude.
"""

import math
from dataclasses import dataclass

from tenor.metrics.judge import Spread

MOST_DRAWS, MOST_TIMES = 1_000, 1_000.0
_BEYOND = 1 + 0.8416 / 1.9600  # from reaching an effect with the mean to reaching it 4 times in 5


@dataclass(frozen=True, slots=True)
class Needed:
    """What would decide a claim; None is more than a thousand."""

    draws: int | None
    """0 where nothing depends on draws."""
    times_items: float | None
    """So many times the test items; 1 where those that there are will do."""


def half_width(spread: Spread, *, draws: int, times_items: float = 1.0) -> float:
    """Return how far a 95% interval would reach to either side."""
    between = 0.0
    if spread.draws:
        between = _student(draws - 1) * spread.deviation / math.sqrt(draws)
    return math.hypot(1.96 * spread.item_error / math.sqrt(times_items), between)


def needed(spread: Spread, effect: float) -> Needed | None:
    """Return how many draws, with how many times the items, would show an effect four times in five.

    None where the deviation between draws was not measured.

    >>> needed(Spread(draws=5, deviation=0.02, item_error=0.001), 0.02)
    Needed(draws=11, times_items=1.0)
    >>> needed(Spread(draws=0, deviation=math.nan, item_error=0.01), 0.014).times_items > 3
    True
    """
    if effect == 0 or (math.isnan(spread.deviation) and spread.draws):
        return None
    reach = abs(effect) / _BEYOND
    share = 0.5 if spread.draws else 1.0
    times = max(1.0, (1.96 * spread.item_error / reach) ** 2 / share)
    if not spread.draws:
        return Needed(0, times if times <= MOST_TIMES else None)
    counts = range(2, MOST_DRAWS + 1)
    enough = (n for n in counts if half_width(spread, draws=n, times_items=times) <= reach)
    return Needed(next(enough, None), times if times <= MOST_TIMES else None)


def _student(freedom: int) -> float:
    from scipy.stats import t

    return float(t.ppf(0.975, df=freedom))
