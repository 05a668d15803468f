"""Scores of classes and of sets of labels, against scikit-learn."""

import numpy as np
import pytest
from sklearn import metrics as sk

from tenor.metrics.classes import class_figures, class_scores, confusion, label_scores
from tenor.metrics.intervals import bootstrap


@pytest.mark.parametrize("classes", [2, 3, 7])
@pytest.mark.parametrize("seed", range(4))
def test_every_figure_is_that_of_scikit_learn(classes, seed):
    random = np.random.default_rng(seed)
    truth, told = random.integers(0, classes, (2, 60))
    if seed == 3:
        told[:] = 0  # one class only
    table = confusion(truth, told, classes)
    np.testing.assert_array_equal(table, sk.confusion_matrix(truth, told, labels=range(classes)))
    found = class_figures(table)
    expected = {
        "accuracy": sk.accuracy_score(truth, told),
        "f1_macro": sk.f1_score(truth, told, average="macro"),
        "f1_micro": sk.f1_score(truth, told, average="micro"),
        "matthews": sk.matthews_corrcoef(truth, told),
    }
    if classes == 2:
        expected |= {
            "f1": sk.f1_score(truth, told, zero_division=0),
            "precision": sk.precision_score(truth, told, zero_division=0),
            "recall": sk.recall_score(truth, told, zero_division=0),
        }
    assert {name: float(value) for name, value in found.items()} == pytest.approx(expected)


def test_intervals_are_those_of_drawing_items():
    random = np.random.default_rng(0)
    truth = random.integers(0, 3, 300)
    told = np.where(random.random(300) < 0.7, truth, random.integers(0, 3, 300))
    found = class_scores(truth, told, 3, repeats=4000, seed=1)
    items = bootstrap(lambda a, b: (a == b).mean(axis=-1), truth, told, repeats=4000, seed=2)
    assert found["accuracy"].estimate == items.estimate
    assert found["accuracy"].low == pytest.approx(items.low, abs=0.01)
    assert found["accuracy"].high == pytest.approx(items.high, abs=0.01)
    for score in found.values():
        assert score.low <= score.estimate <= score.high


@pytest.mark.parametrize("seed", range(3))
def test_sets_of_labels_are_scored_as_scikit_learn_does(seed):
    random = np.random.default_rng(seed)
    truth, told = random.random((2, 80, 5)) < 0.3
    found = label_scores(truth, told, repeats=200)
    assert found["accuracy"].estimate == pytest.approx(sk.accuracy_score(truth, told))
    for kind in ("micro", "macro"):
        expected = sk.f1_score(truth, told, average=kind, zero_division=0)
        assert found[f"f1_{kind}"].estimate == pytest.approx(expected)
        assert found[f"f1_{kind}"].low < expected < found[f"f1_{kind}"].high


def test_nothing_and_one_item():
    assert np.isnan(class_scores([], [], 3)["accuracy"].estimate)
    assert np.isnan(label_scores(np.zeros((0, 2)), np.zeros((0, 2)))["accuracy"].estimate)
    one = class_scores([1], [1], 2)["accuracy"]
    assert (one.estimate, one.low, one.high) == (1, 1, 1)
