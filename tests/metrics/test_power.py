"""The power calculation against simulations of the very intervals that decide claims."""

import math

import numpy as np
import pytest
from scipy.stats import t

from tenor.metrics.judge import Judge, Spread
from tenor.metrics.outcomes import Outcome
from tenor.metrics.power import half_width, needed
from tenor.metrics.verdicts import Contrast


@pytest.mark.parametrize(("deviation", "item_error", "effect"), [(0.03, 0.004, 0.02), (0.01, 0.004, 0.02)])
def test_the_draws_needed_show_the_effect_four_times_in_five(
    deviation: float, item_error: float, effect: float
) -> None:
    wanted = needed(Spread(draws=5, deviation=deviation, item_error=item_error), effect)
    assert wanted is not None
    assert wanted.draws is not None
    assert wanted.times_items == 1.0
    random = np.random.default_rng(0)

    def share_seen(draws: int) -> float:
        scores = effect + deviation * random.normal(size=(4000, draws))
        means = scores.mean(axis=1) + item_error * random.normal(size=4000)
        between = t.ppf(0.975, draws - 1) * scores.std(axis=1, ddof=1) / math.sqrt(draws)
        return float((means > np.hypot(1.96 * item_error, between)).mean())

    assert share_seen(wanted.draws) > 0.75
    assert share_seen(max(2, wanted.draws // 2)) < 0.75


def test_more_items_are_asked_for_where_the_items_alone_hide_the_effect() -> None:
    wanted = needed(Spread(draws=3, deviation=0.001, item_error=0.02), 0.01)
    assert wanted is not None
    assert wanted.draws is not None
    assert wanted.times_items is not None
    reach = 0.01 / (1 + 0.8416 / 1.96)
    spread = Spread(draws=3, deviation=0.001, item_error=0.02)
    assert half_width(spread, draws=wanted.draws, times_items=wanted.times_items) <= reach
    assert half_width(spread, draws=1000, times_items=wanted.times_items / 2.1) > reach


def test_what_is_not_known_or_never_enough_is_said() -> None:
    assert needed(Spread(draws=1, deviation=math.nan, item_error=0.01), 0.01) is None
    assert needed(Spread(draws=3, deviation=0.1, item_error=0.01), 0.0) is None
    hopeless = needed(Spread(draws=3, deviation=0.5, item_error=0.001), 0.001)
    assert hopeless is not None
    assert hopeless.draws is None
    alone = needed(Spread(draws=0, deviation=math.nan, item_error=0.01), 0.014)
    assert alone is not None
    assert alone.draws == 0
    assert alone.times_items == pytest.approx((2.8016 * 0.01 / 0.014) ** 2, rel=1e-3)


def test_the_spread_of_a_contrast_is_that_of_draws_and_items() -> None:
    random = np.random.default_rng(1)
    right = {seed: random.random(500) < 0.7 + 0.05 * (seed % 2) for seed in range(1, 6)}
    measured = {
        "ours": {seed: {"accuracy": Outcome.of("mean", one, items="dev")} for seed, one in right.items()},
        "known": {None: {"accuracy": Outcome.number(0.5)}},
    }
    contrast = Contrast.difference("ours", "known", metric="accuracy")
    spread = Judge(measured).spread(contrast)
    assert spread is not None
    assert spread.draws == 5
    assert spread.deviation == pytest.approx(np.std([one.mean() for one in right.values()], ddof=1))
    averaged = np.mean(list(right.values()), axis=0)
    assert spread.item_error == pytest.approx(averaged.std() / math.sqrt(500), rel=0.1)
    shared = Judge(measured, draws=lambda cell, seed: seed % 2).spread(contrast)
    assert shared is not None
    assert shared.draws == 2
    assert Judge(measured).spread(Contrast.difference("ours", "other", metric="accuracy")) is None
