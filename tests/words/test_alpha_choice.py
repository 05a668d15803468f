"""Choosing α without the items that are reported."""

import numpy as np
import pytest

from tenor.errors import TenorError
from tenor.words.alpha.choice import GRID, best_alpha, cross_validate, leave_one_out


def test_what_is_chosen_on_a_half_is_never_worse_there_than_the_plain_vectors() -> None:
    assert 1.0 in GRID
    items = np.random.default_rng(0).random((len(GRID), 40))
    half = dict(zip(GRID, items[:, :20].mean(axis=1).tolist(), strict=True))
    assert half[best_alpha(half)] >= half[1.0]


def test_ties_go_to_the_alpha_nearest_to_one() -> None:
    assert best_alpha({alpha: 0.5 for alpha in GRID}) == 1.0


def test_no_item_takes_part_in_the_choice_of_its_own_alpha() -> None:
    alphas = (0.0, 1.0)
    items = np.zeros((2, 9))
    items[0, 4] = 1.0  # only this item speaks for α = 0
    found = cross_validate(alphas, items, folds=3, seed=1)
    assert found.items[4] == 0.0  # so its own fold chose α = 1
    assert sorted(found.chosen) == [0.0, 0.0, 1.0]
    assert found.items.sum() == 0.0


def test_a_set_is_scored_by_the_choice_of_the_others() -> None:
    scores = {0.0: {"a": 1.0, "b": 0.2, "c": 0.2}, 1.0: {"a": 0.0, "b": 0.5, "c": 0.5}}
    assert leave_one_out(scores) == {"a": 1.0, "b": 0.0, "c": 0.0}


def test_too_few_items_are_refused() -> None:
    with pytest.raises(TenorError, match="3 folds of 2 items"):
        cross_validate((0.0,), np.zeros((1, 2)))
    with pytest.raises(TenorError, match="at least two"):
        leave_one_out({0.0: {"a": 1.0}})
    with pytest.raises(TenorError, match="finite"):
        best_alpha({0.0: float("nan")})
