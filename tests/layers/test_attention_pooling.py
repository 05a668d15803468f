"""Attention poolings against a loop over texts."""

import itertools
import math

import numpy as np
import pytest
import torch

from tenor.layers.attention_pooling import AdditiveAttention, DotAttention, segment_softmax
from tenor.layers.packed import Packing
from tenor.layers.pooling import pool_mean, pool_sum

LENGTHS = [4, 0, 9, 1]


def packing_of(lengths):
    return Packing(np.cumsum([0, *lengths], dtype=np.int64))


def additive(**settings):
    attention = AdditiveAttention(6, **settings)
    torch.nn.init.normal_(attention.score.weight)
    return attention


def dot(**settings):
    attention = DotAttention(6, **settings)
    torch.nn.init.normal_(attention.query)
    return attention


def additive_by_hand(attention, states):
    hidden = torch.tanh(states @ attention.projection.weight.T + attention.projection.bias)
    return hidden @ attention.score.weight[0]


def dot_by_hand(attention, states):
    return states @ attention.query


def scaled_by_hand(attention, states):
    return states @ attention.query / math.sqrt(6)


CASES = {
    "additive": (additive, additive_by_hand),
    "narrow": (lambda: additive(hidden=3), additive_by_hand),
    "dot": (dot, dot_by_hand),
    "scaled": (lambda: dot(scaled=True), scaled_by_hand),
}


@pytest.mark.parametrize("case", CASES)
def test_each_text_by_itself(case):
    torch.manual_seed(0)
    make, by_hand = CASES[case]
    attention, packing = make(), packing_of(LENGTHS)
    states = 3 * torch.randn(packing.tokens, 6)
    pooled, weights = attention(states, packing), attention.weights(states, packing)
    for text, (begin, end) in enumerate(itertools.pairwise(packing.starts)):
        inside = states[begin:end]
        wanted = by_hand(attention, inside).softmax(0)
        torch.testing.assert_close(weights[begin:end], wanted)
        torch.testing.assert_close(pooled[text], wanted @ inside)


@pytest.mark.parametrize("case", CASES)
def test_gradient(case):
    torch.manual_seed(0)
    attention, packing = CASES[case][0]().double(), packing_of([3, 0, 1, 2])
    states = torch.randn(6, 6, dtype=torch.float64, requires_grad=True)

    def pooled(states, *parameters):
        return attention(states, packing)

    assert torch.autograd.gradcheck(pooled, (states, *attention.parameters()))


@pytest.mark.parametrize("case", CASES)
def test_given_weights_are_used_as_they_are(case):
    attention, packing = CASES[case][0](), packing_of(LENGTHS)
    states, weights = torch.randn(packing.tokens, 6), torch.rand(packing.tokens, requires_grad=True)
    found = attention(states, packing, weights)
    torch.testing.assert_close(found, pool_sum(states * weights[:, None], packing))
    found.sum().backward()
    torch.testing.assert_close(weights.grad, states.sum(dim=1))
    own = attention.weights(states, packing)
    torch.testing.assert_close(attention(states, packing, own), attention(states, packing))


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("lengths", [[], [0, 0]])
def test_no_tokens(case, lengths):
    attention, packing = CASES[case][0](), packing_of(lengths)
    assert attention(torch.zeros(0, 6), packing).tolist() == [[0.0] * 6] * len(lengths)


def test_the_dot_product_begins_as_the_mean():
    states, packing = torch.randn(14, 6), packing_of(LENGTHS)
    torch.testing.assert_close(DotAttention(6)(states, packing), pool_mean(states, packing))


def test_large_scores():
    weights = segment_softmax(torch.tensor([1000.0, 0.0, -1000.0, -1001.0]), packing_of([2, 2]))
    odds = math.exp(-1) / (1 + math.exp(-1))
    torch.testing.assert_close(weights, torch.tensor([1.0, 0.0, 1 - odds, odds]))


@pytest.mark.parametrize("case", CASES)
def test_half_precision(case):
    torch.manual_seed(0)
    attention, packing = CASES[case][0](), packing_of(LENGTHS)
    states = torch.randn(packing.tokens, 6)
    exact = attention(states, packing)
    with torch.autocast("cpu", torch.bfloat16):
        assert attention.weights(states, packing).dtype == torch.float32
        torch.testing.assert_close(attention(states, packing), exact, rtol=0.05, atol=0.05)
    torch.testing.assert_close(attention.bfloat16()(states, packing), exact, rtol=0.05, atol=0.05)
