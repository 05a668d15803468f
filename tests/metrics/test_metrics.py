"""Scores and intervals against scikit-learn, scipy and closed forms."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics as reference

from tenor.metrics import binary
from tenor.metrics.correlation import pearson, spearman
from tenor.metrics.intervals import bootstrap

flags = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60)


@given(flags)
@settings(max_examples=60, deadline=None)
def test_binary_scores_equal_scikit_learn(rows):
    truth, told = map(list, zip(*rows, strict=True))
    assert binary.precision(truth, told) == pytest.approx(
        reference.precision_score(truth, told, zero_division=0)
    )
    assert binary.recall(truth, told) == pytest.approx(reference.recall_score(truth, told, zero_division=0))
    assert binary.f1(truth, told) == pytest.approx(reference.f1_score(truth, told, zero_division=0))
    assert binary.accuracy(truth, told) == pytest.approx(reference.accuracy_score(truth, told))


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 6)), min_size=1, max_size=60))
@settings(max_examples=60, deadline=None)
def test_threshold_curve_equals_scikit_learn(rows):
    truth = np.array([row[0] for row in rows])
    scores = np.array([row[1] for row in rows]) / 6
    if not truth.any():
        truth[0] = True  # scikit-learn calls recall 1 there, with a warning
    precision, recall, thresholds = reference.precision_recall_curve(truth, scores)
    curve = binary.threshold_curve(truth, scores)
    assert curve.thresholds[::-1] == pytest.approx(thresholds)
    assert curve.precision[::-1] == pytest.approx(precision[:-1])
    assert curve.recall[::-1] == pytest.approx(recall[:-1])


def test_curve_between_and_beyond_scores():
    truth, scores = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]
    curve = binary.threshold_curve(truth, scores)
    for threshold in (0.95, 0.9, 0.85, 0.75, 0.5, 0.0):
        told = np.array(scores) >= threshold
        expected = [binary.precision(truth, told), binary.recall(truth, told), binary.f1(truth, told)]
        assert curve.at(threshold) == pytest.approx(tuple(map(float, expected)))


def test_correlations_equal_scipy_with_ties():
    generator = np.random.default_rng(3)
    first = generator.integers(0, 6, size=(5, 40)).astype(float)
    second = first + generator.integers(0, 4, size=(5, 40))
    pairs = list(zip(first, second, strict=True))
    assert pearson(first, second) == pytest.approx([stats.pearsonr(*pair)[0] for pair in pairs])
    assert spearman(first, second) == pytest.approx([stats.spearmanr(*pair)[0] for pair in pairs])


def test_correlation_of_a_constant_is_undefined():
    assert np.isnan(pearson([0.1, 0.1, 0.1], [1, 2, 3]))
    assert np.isnan(pearson([], []))


def test_bootstrap_of_a_mean_agrees_with_scipy():
    values = np.random.default_rng(5).normal(size=400)
    ours = bootstrap(lambda column: column.mean(axis=-1), values, repeats=4000, seed=1)
    theirs = stats.bootstrap(
        (values,), np.mean, method="percentile", n_resamples=4000, rng=2
    ).confidence_interval
    assert ours.low == pytest.approx(theirs.low, abs=0.01)
    assert ours.high == pytest.approx(theirs.high, abs=0.01)


def test_bootstrap_is_seeded_and_keeps_columns_together():
    first = np.arange(30.0)
    same = bootstrap(pearson, first, 2 * first, repeats=50, seed=4)
    assert (same.low, same.high) == pytest.approx((1.0, 1.0))
    noisy = first + np.random.default_rng(0).normal(size=30) * 9
    one, again, other = (bootstrap(spearman, first, noisy, repeats=50, seed=seed) for seed in (1, 1, 2))
    assert one == again
    assert (one.low, one.high) != (other.low, other.high)


def test_bootstrap_does_not_depend_on_how_much_is_held_at_once(monkeypatch):
    values = np.random.default_rng(5).normal(size=50)
    mean = lambda column: column.mean(axis=-1)  # noqa: E731
    whole = bootstrap(mean, values, repeats=100, seed=1)
    monkeypatch.setattr("tenor.metrics.intervals._ITEMS_AT_ONCE", 150)
    assert bootstrap(mean, values, repeats=100, seed=1) == whole


def test_bootstrap_of_nothing_and_of_unequal_columns():
    assert np.isnan(bootstrap(pearson, [], []).estimate)
    with pytest.raises(ValueError, match="equally long"):
        bootstrap(pearson, [1.0], [1.0, 2.0])


def test_binary_intervals_equal_those_of_drawing_items():
    generator = np.random.default_rng(2)
    truth = generator.random(300) < 0.4
    told = np.where(generator.random(300) < 0.8, truth, ~truth)
    scores = binary.binary_scores(truth, told, repeats=20_000, seed=1)
    for name in ("precision", "recall", "f1", "accuracy"):
        drawn, counted = bootstrap(getattr(binary, name), truth, told, repeats=4000), getattr(scores, name)
        assert counted.estimate == drawn.estimate
        assert (counted.low, counted.high) == pytest.approx((drawn.low, drawn.high), abs=0.01)


def test_binary_scores_of_nothing():
    assert np.isnan(binary.binary_scores([], []).f1.estimate)
