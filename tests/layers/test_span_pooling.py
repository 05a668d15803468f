"""Span pooling against a loop over spans in numpy, and the identities of the papers that use it."""

import numpy as np
import pytest
import torch

from tenor.layers.span_pooling import SpanAttention, Spans, pool_spans, span_width

KINDS = ("average", "max", "endpoint", "diff_sum", "coherent")


def some_spans(tokens, count, seed=0):
    random = np.random.default_rng(seed)
    ends = np.sort(random.integers(0, tokens, size=(count, 2)), axis=1)
    return ends[:, 0], ends[:, 1] + 1


def by_hand(states, begin, end, kind):
    inside, first, last = states[begin:end], states[begin], states[end - 1]
    if kind == "average":
        return inside.mean(axis=0)
    if kind == "max":
        return inside.max(axis=0)
    if kind == "endpoint":
        return np.concatenate([first, last])
    if kind == "diff_sum":
        return np.concatenate([last + first, last - first])
    a = round(480 * states.shape[1] / 1024)
    b = states.shape[1] // 2 - a
    product = first[2 * a : 2 * a + b] @ last[2 * a + b :]
    return np.concatenate([first[:a], last[a : 2 * a], [product]])


@pytest.mark.parametrize("kind", KINDS)
def test_each_span_by_itself(kind):
    states = np.random.default_rng(1).standard_normal((20, 32)) - 3  # mostly below 0: no zero may win
    begins, ends = some_spans(20, 15)
    found = pool_spans(torch.from_numpy(states), Spans.from_arrays(begins, ends), kind)
    wanted = [by_hand(states, begin, end, kind) for begin, end in zip(begins, ends, strict=True)]
    np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-12)
    assert found.shape[1] == span_width(kind, 32)


def test_attention_by_hand():
    torch.manual_seed(0)
    states, attention = torch.randn(9, 6), SpanAttention(6)
    torch.nn.init.normal_(attention.score.weight, std=30.0)  # scores that would overflow
    spans = Spans(torch.tensor([0, 3, 8]), torch.tensor([4, 9, 9]))
    for row, begin, end in zip(attention(states, spans), spans.begins, spans.ends, strict=True):
        inside = states[begin:end]
        weights = torch.softmax(inside @ attention.score.weight[0], dim=0)
        torch.testing.assert_close(row, weights @ inside)


def test_attention_begins_as_the_average():
    states, spans = torch.randn(9, 6), Spans(torch.tensor([0, 3]), torch.tensor([4, 9]))
    torch.testing.assert_close(SpanAttention(6)(states, spans), pool_spans(states, spans, "average"))


def test_one_token():
    states, spans = torch.randn(5, 32), Spans(torch.tensor([2]), torch.tensor([3]))
    own = states[2]
    for kind in ("average", "max"):
        assert torch.equal(pool_spans(states, spans, kind)[0], own)
    torch.testing.assert_close(SpanAttention(32)(states, spans)[0], own)
    assert torch.equal(pool_spans(states, spans, "endpoint")[0], torch.cat([own, own]))
    assert torch.equal(pool_spans(states, spans, "diff_sum")[0], torch.cat([2 * own, torch.zeros(32)]))


@pytest.mark.parametrize("kind", [*KINDS, "attention"])
def test_nothing_outside_is_read(kind):
    states, spans = torch.randn(10, 32, requires_grad=True), Spans(torch.tensor([3, 4]), torch.tensor([6, 7]))
    torch.manual_seed(0)
    attention = SpanAttention(32)
    torch.nn.init.normal_(attention.score.weight)

    def pooled(given):
        return attention(given, spans) if kind == "attention" else pool_spans(given, spans, kind)

    out = pooled(states)
    (slope,) = torch.autograd.grad(out.square().sum(), states)
    assert torch.equal(slope[[0, 1, 2, 7, 8, 9]], torch.zeros(6, 32))
    assert slope[3:7].abs().sum() > 0
    moved = states.detach().clone()
    moved[[0, 1, 2, 7, 8, 9]] += 5
    assert torch.equal(pooled(moved), out.detach())


@pytest.mark.parametrize("kind", ["average", "max"])
def test_gradients_are_right(kind):
    states = torch.randn(6, 4, dtype=torch.float64, requires_grad=True)
    spans = Spans(torch.tensor([0, 2, 2]), torch.tensor([3, 6, 3]))
    assert torch.autograd.gradcheck(lambda x: pool_spans(x, spans, kind), states)


def test_no_spans():
    none = torch.zeros(0, dtype=torch.int64)
    for kind in KINDS:
        assert pool_spans(torch.randn(4, 32), Spans(none, none), kind).shape == (0, span_width(kind, 32))


def test_sizes_of_coherent():
    assert [span_width("coherent", width) for width in (256, 1024)] == [241, 961]
