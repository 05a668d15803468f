"""Heads fitted in closed form: the same as scikit-learn's, and what is chosen of few or lopsided rows."""

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression

from task_battery import network_of
from tenor.tasks.table import task_config
from tenor.tasks.texts.logistic import _Problem, fit_logistic
from tenor.text.examples import Origin, Sentence


def blobs(counts, *, apart=1.0, seed=0):
    """Return points around one corner for each class."""
    generator, rows = np.random.default_rng(seed), []
    for number, count in enumerate(counts):
        rows += [apart * np.eye(8)[number] + generator.normal(size=8) for _ in range(count)]
    return np.array(rows), np.repeat(np.arange(len(counts)), counts)


@pytest.mark.parametrize("weighted", [True, False])
def test_three_classes_are_fitted_as_scikit_learn_does(weighted):
    x, y = blobs((30, 20, 10))
    fit = fit_logistic(x, y, outputs=3, balanced=weighted)
    scale = np.linalg.norm(x, axis=1).mean()
    kind = "balanced" if weighted else None
    other = LogisticRegression(C=fit.strength, class_weight=kind, tol=1e-8, max_iter=5000).fit(x / scale, y)
    ours = x @ fit.weight.T + fit.bias
    theirs = other.decision_function(x / scale)
    # Softmax does not change when all logits move together.
    centred = ours - ours.mean(axis=1, keepdims=True), theirs - theirs.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(*centred, atol=2e-3)


def test_one_output_is_a_yes_or_no():
    x, y = blobs((30, 30))
    fit = fit_logistic(x, y, outputs=1)
    scale = np.linalg.norm(x, axis=1).mean()
    other = LogisticRegression(C=fit.strength, tol=1e-8, max_iter=5000).fit(x / scale, y)
    np.testing.assert_allclose(
        (x @ fit.weight.T + fit.bias)[:, 0], other.decision_function(x / scale), atol=2e-3
    )


def test_labels_that_hold_at_once_are_fitted_each_by_itself():
    x, _ = blobs((60,))
    y = (x[:, :3] > 0.5).astype(np.int64)
    fit = fit_logistic(x, y, outputs=3)
    assert (((x @ fit.weight.T + fit.bias) > 0) == y).mean() > 0.9


def test_few_lopsided_rows_do_not_all_get_the_most_frequent_class():
    x, y = blobs((12, 2), apart=3.0)
    fit = fit_logistic(x, y, outputs=2)
    assert fit.balanced
    assert ((x @ fit.weight.T + fit.bias).argmax(axis=1) == y).mean() == 1.0


def test_many_lopsided_rows_that_cannot_be_told_apart_keep_their_share():
    x, y = blobs((570, 30), apart=0.0)
    fit = fit_logistic(x, y, outputs=2)
    assert not fit.balanced
    assert ((x @ fit.weight.T + fit.bias).argmax(axis=1) == y).mean() > 0.9


def test_the_same_rows_give_the_same_weights():
    x, y = blobs((40, 40))
    one, two = fit_logistic(x, y, outputs=2), fit_logistic(x, y, outputs=2)
    assert (one.weight == two.weight).all()


def test_a_fold_is_scored_by_what_the_other_rows_say():
    x, y = blobs((20, 20), apart=6.0)
    learned, scored = np.arange(0, 40, 2), np.arange(1, 40, 2)
    y[scored] = 1 - y[scored]  # the rows that are scored say the opposite
    problem = _Problem(torch.from_numpy(x), y, 2)
    assert problem.accuracy(learned, scored, 10.0, True) == 0.0
    assert problem.accuracy(learned, learned, 10.0, True) == 1.0


def test_no_row_is_on_both_sides_of_a_fold_and_every_row_is_scored_once():
    x, y = blobs((30, 17))
    folds = _Problem(torch.from_numpy(x), y, 2).folds(np.random.default_rng(0))
    for learned, scored in folds:
        assert sorted([*learned, *scored]) == list(range(47))
    assert sorted(np.concatenate([scored for _, scored in folds])) == list(range(47))


def test_every_fold_has_its_part_of_each_class():
    x, y = blobs((40, 20, 4))
    for seed in range(5):
        folds = _Problem(torch.from_numpy(x), y, 3).folds(np.random.default_rng(seed))
        assert [np.bincount(y[scored]).tolist() for _, scored in folds] == [[10, 5, 1]] * 4


@pytest.mark.parametrize("weight", [None, "balanced"])
def test_a_task_with_balanced_classes_is_fitted_so_even_where_it_costs_accuracy(tiny_folder, weight):
    x, y = blobs((570, 30), apart=0.0)
    examples = [Sentence("the cat", Origin("a", row), "ab"[label]) for row, label in enumerate(y)]
    settings = {} if weight is None else {"class_weight": weight}
    network = network_of(tiny_folder, {"t": task_config("classify", **settings)}, examples={"t": examples})
    told = network.task("t").fit(np.tile(x, 4).astype(np.float32), y)  # as wide as the encoder
    assert ("classes weighted equally" in told) is (weight == "balanced")
