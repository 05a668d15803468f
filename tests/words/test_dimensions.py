"""Averaged sentences and linear probes."""

import numpy as np
import pytest

from tenor.errors import TenorError
from tenor.words.dimensions.probe import ProbeConfig, component_outcomes, cross_validated, split_outcomes
from tenor.words.dimensions.sentences import Averager, pair_features
from tenor.words.vectors import WordVectors


def _problem(items: int = 300, width: int = 8, classes: int = 3, seed: int = 0) -> tuple:
    rng = np.random.default_rng(seed)
    labels = np.arange(items) % classes
    centres = rng.normal(size=(classes, width)) * 1.5
    return centres[labels] + rng.normal(size=(items, width)), labels


def test_an_average_is_that_of_its_words() -> None:
    rng = np.random.default_rng(0)
    names = ["the", "Cat", "cat", "sat", "mat"]
    vectors = WordVectors(names, rng.normal(size=(5, 4)))
    made = Averager.of(vectors, ["The Cat sat", "zebra", "", "cat cat mat unknown"])
    rows = made(vectors.vectors)
    expected = np.mean([vectors["the"], vectors["Cat"], vectors["sat"]], axis=0)
    np.testing.assert_allclose(rows[0], expected, rtol=1e-6)
    np.testing.assert_array_equal(rows[1:3], 0)
    np.testing.assert_allclose(rows[3], (2 * vectors["cat"] + vectors["mat"]) / 3, rtol=1e-6)
    assert made.coverage == pytest.approx(6 / 8)


def test_pair_features_are_symmetric() -> None:
    a, b = np.random.default_rng(0).normal(size=(2, 5, 3))
    np.testing.assert_array_equal(pair_features(a, b), pair_features(b, a))
    assert pair_features(a, b).shape == (5, 6)


def test_a_probe_is_deterministic_and_far_above_chance() -> None:
    features, labels = _problem()
    config = ProbeConfig(folds=3)
    first, second = (cross_validated(features, labels, config) for _ in range(2))
    np.testing.assert_array_equal(first, second)
    assert first.mean() > 0.7
    shuffled = np.random.default_rng(1).permutation(labels)
    assert cross_validated(features, shuffled, config).mean() < 0.5


def test_scale_and_rotation_of_features_do_not_matter() -> None:
    features, labels = _problem()
    turn = np.linalg.qr(np.random.default_rng(2).normal(size=(8, 8)))[0]
    config = ProbeConfig(folds=3)
    plain = cross_validated(features, labels, config)
    assert (plain == cross_validated(features * 1e-3, labels, config)).mean() > 0.99
    assert (plain == cross_validated(features @ turn, labels, config)).mean() > 0.99


def test_outcomes_equal_scikit_learn() -> None:
    from sklearn.linear_model import LogisticRegression

    features, labels = _problem()
    train, test = slice(0, 200), slice(200, None)
    right = split_outcomes(features[train], labels[train], features[test], labels[test], ProbeConfig((1.0,)))
    # Not centred: the intercept is not regularised, so the optimum is the same.
    size = np.sqrt(np.mean((features[train] - features[train].mean(axis=0)) ** 2))
    model = LogisticRegression(C=1.0, max_iter=2000, tol=1e-6).fit(features[train] / size, labels[train])
    np.testing.assert_array_equal(right, model.predict(features[test] / size) == labels[test])


def test_the_component_that_knows_is_found() -> None:
    rng = np.random.default_rng(0)
    labels = np.arange(200) % 2
    scores = rng.normal(size=(200, 4)) * [10.0, 1.0, 0.1, 0.01]
    scores[:, 3] += labels * 0.05
    outcomes = component_outcomes(scores, labels, np.arange(100), np.arange(100, 200))
    accuracies = outcomes.mean(axis=1)
    assert outcomes.shape == (4, 100)
    assert accuracies[3] > 0.9
    assert (accuracies[:3] < 0.7).all()


def test_bad_labels_are_told() -> None:
    features, labels = _problem(30)
    with pytest.raises(TenorError, match="same label"):
        cross_validated(features, np.zeros(30), ProbeConfig())
    with pytest.raises(TenorError, match="shape"):
        cross_validated(features, labels[:20], ProbeConfig())
    rare = labels.copy()
    rare[rare == 2] = 1
    rare[:2] = 2
    with pytest.raises(TenorError, match="rarest class"):
        cross_validated(features, rare, ProbeConfig())
