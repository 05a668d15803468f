"""Attention in training: against a plain loop, torch, numeric gradients, and its mean under dropout."""

import math

import numpy as np
import pytest
import torch
from torch.nn import functional

from tenor.layers.attention import PackedAttention, attend_rectangles
from tenor.layers.cpu import training_attention
from tenor.layers.packed import Packing

MIXES = [[1], [5, 5], [3, 17, 1, 30, 0, 16], [40, 3, 3, 2, 1], [2, 9, 4]]
HEADS = 2


def pack(lengths: list[int]) -> Packing:
    return Packing(np.cumsum([0, *lengths], dtype=np.int64))


def pattern(length: int, head: int) -> torch.Tensor:
    """Which weights of a head are kept, for all texts alike."""
    query, key = torch.meshgrid(torch.arange(length), torch.arange(length), indexing="ij")
    return (7 * query + 3 * key + head) % 5 != 0


def by_pattern(weights: torch.Tensor, share: float) -> tuple[torch.Tensor, float]:
    kept = [pattern(weights.shape[-1], number % HEADS) for number in range(len(weights))]
    return torch.stack(kept), 1 / (1 - share)


def text_by_text(qkv: torch.Tensor, packing: Packing, share: float) -> torch.Tensor:
    out = torch.zeros_like(qkv[:, 0])
    for begin, end in zip(packing.starts, packing.starts[1:], strict=False):
        query, key, value = qkv[begin:end].permute(1, 2, 0, 3)  # each [h, l, e]
        weights = (query @ key.transpose(1, 2) / math.sqrt(query.shape[-1])).softmax(-1)
        kept = torch.stack([pattern(end - begin, head) for head in range(HEADS)])
        out[begin:end] = (weights * kept / (1 - share) @ value).transpose(0, 1)
    return out


@pytest.mark.parametrize("lengths", MIXES)
def test_values_and_gradients_are_those_of_a_plain_loop(monkeypatch, lengths):
    monkeypatch.setattr(training_attention, "kept_places", by_pattern)
    torch.manual_seed(0)
    packing = pack(lengths)
    qkv = torch.randn(packing.tokens, 3, HEADS, 4, dtype=torch.float64, requires_grad=True)
    target = torch.randn(packing.tokens, HEADS, 4, dtype=torch.float64)
    both = [attend_rectangles(qkv, packing, "full", 0.2), text_by_text(qkv, packing, 0.2)]
    torch.testing.assert_close(*both, rtol=0, atol=1e-12)
    gradients = [torch.autograd.grad((out * target).sum(), qkv)[0] for out in both]
    torch.testing.assert_close(*gradients, rtol=0, atol=1e-12)


@pytest.mark.parametrize("lengths", MIXES)
def test_without_dropout_it_is_what_torch_computes(lengths):
    torch.manual_seed(0)
    packing = pack(lengths)
    qkv = torch.randn(packing.tokens, 3, HEADS, 4, dtype=torch.float64, requires_grad=True)
    target = torch.randn(packing.tokens, HEADS, 4, dtype=torch.float64)
    both = [
        training_attention.attend_in_training(qkv, packing.rectangles, 0.0),
        attend_rectangles(qkv, packing, "full", 0.0),
    ]
    torch.testing.assert_close(*both, rtol=0, atol=1e-12)
    gradients = [torch.autograd.grad((out * target).sum(), qkv)[0] for out in both]
    torch.testing.assert_close(*gradients, rtol=0, atol=1e-12)


def test_gradients_are_those_of_small_steps():
    packing = pack([3, 6, 1])
    qkv = torch.randn(10, 3, HEADS, 3, dtype=torch.float64, requires_grad=True)

    def attend(values):
        torch.manual_seed(5)  # the same weights are dropped at each step
        return attend_rectangles(values, packing, "full", 0.3)

    assert torch.autograd.gradcheck(attend, (qkv,))


def test_it_drops_in_the_mean():
    torch.manual_seed(0)
    qkv, packing = torch.randn(9, 3, HEADS, 4), pack([5, 4])
    plain = attend_rectangles(qkv, packing, "full", 0.0)
    mean = torch.stack([attend_rectangles(qkv, packing, "full", 0.2) for _ in range(2000)]).mean(0)
    torch.testing.assert_close(mean, plain, atol=0.06, rtol=0)
    assert functional.mse_loss(attend_rectangles(qkv, packing, "full", 0.2), plain) > 1e-4


def test_a_second_derivative_is_refused():
    torch.manual_seed(0)
    layer, states = PackedAttention(8, heads=2, dropout=0.1).train(), torch.randn(5, 8, requires_grad=True)
    (first,) = torch.autograd.grad(layer(states, pack([3, 2])).sum(), states, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        first.square().sum().backward()
