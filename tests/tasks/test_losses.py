"""Losses against scikit-learn, plain loops and closed forms."""

import math

import numpy as np
import pytest
import torch
from sklearn.metrics import log_loss

from tenor.tasks import losses


def test_cross_entropy_is_that_of_scikit_learn():
    random = np.random.default_rng(0)
    logits, labels = random.normal(size=(20, 4)), random.integers(0, 4, 20)
    probabilities = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    found = losses.cross_entropy(torch.from_numpy(logits), torch.from_numpy(labels))
    assert found.item() == pytest.approx(log_loss(labels, probabilities, labels=range(4)))


def test_class_weights_multiply_rows_and_smoothing_spreads_the_target():
    logits, labels = torch.randn(6, 3), torch.tensor([0, 1, 2, 0, 0, 1])
    weights = torch.tensor([0.5, 1.0, 3.0])
    rows = -logits.log_softmax(dim=1)[torch.arange(6), labels]
    found = losses.cross_entropy(logits, labels, weights=weights)
    torch.testing.assert_close(found, (weights[labels] * rows).mean())
    smooth = 0.9 * torch.eye(3)[labels] + 0.1 / 3
    expected = -(smooth * logits.log_softmax(dim=1)).sum(dim=1).mean()
    torch.testing.assert_close(losses.cross_entropy(logits, labels, label_smoothing=0.1), expected)


def test_binary_is_that_of_scikit_learn():
    random = np.random.default_rng(0)
    logits, labels = random.normal(size=20), random.integers(0, 2, 20)
    found = losses.binary(torch.from_numpy(logits), torch.from_numpy(labels))
    assert found.item() == pytest.approx(log_loss(labels, 1 / (1 + np.exp(-logits))))
    several = losses.binary(torch.zeros(3, 4), torch.randint(0, 2, (3, 4)))
    assert several.item() == pytest.approx(math.log(2))
    weighted = losses.binary(torch.zeros(4), torch.tensor([0, 0, 0, 1]), weights=torch.tensor([2 / 3, 2.0]))
    assert weighted.item() == pytest.approx(math.log(2))


def test_cosent_against_a_loop():
    scores, gold = torch.randn(8), torch.tensor([0.0, 1.0, 1.0, 0.5, 0.2, 0.2, 0.9, 0.0])
    total = 1.0
    for i in range(8):
        for j in range(8):
            if gold[i] < gold[j]:
                total += math.exp((scores[i] - scores[j]).item() / 0.5)
    assert losses.cosent(scores, gold, temperature=0.5).item() == pytest.approx(math.log(total), rel=1e-5)
    assert losses.cosent(scores[:1], gold[:1]).item() == 0  # one row has no order
    assert losses.cosent(scores, torch.zeros(8)).item() == 0


def test_in_batch_against_a_loop():
    queries, candidates = torch.randn(3, 5), torch.randn(6, 5)
    hidden = torch.zeros(3, 6, dtype=torch.bool)
    hidden[0, 4] = True
    total = 0.0
    for i in range(3):
        cosines = [torch.cosine_similarity(queries[i], candidate, dim=0).item() for candidate in candidates]
        weights = [math.exp(value / 0.1) for j, value in enumerate(cosines) if not hidden[i, j]]
        total -= math.log(math.exp(cosines[i] / 0.1) / sum(weights))
    found = losses.in_batch(queries, candidates, hidden=hidden, temperature=0.1)
    assert found.item() == pytest.approx(total / 3, rel=1e-5)
