"""Poolings and layer mixes against plain loops over texts."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tenor.errors import TenorError
from tenor.layers.layer_mix import LayerMix, mean_of_last
from tenor.layers.packed import Packing
from tenor.layers.pooling import pool
from tenor.layers.pooling_config import PoolingConfig

NAIVE = {
    "cls": lambda text: text[0],
    "mean": lambda text: text.mean(0),
    "max": lambda text: text.amax(0),
    "min": lambda text: text.amin(0),
    "sum": lambda text: text.sum(0),
    "token": lambda text: text[min(1, len(text) - 1)],
    "last_token": lambda text: text[-1],
    "mean_sqrt": lambda text: text.sum(0) / len(text) ** 0.5,
    "weighted_mean": lambda text: (
        torch.stack([(n + 1) * row for n, row in enumerate(text)]).sum(0) / (len(text) * (len(text) + 1) / 2)
    ),
}


@pytest.mark.parametrize("kind", NAIVE)
@given(lengths=st.lists(st.integers(0, 9), max_size=7), seed=st.integers(0, 99))
@settings(max_examples=20, deadline=None)
def test_pooling_equals_a_loop(kind, lengths, seed):
    packing = Packing(np.cumsum([0, *lengths], dtype=np.int64))
    generator = torch.Generator().manual_seed(seed)
    states = torch.randn(packing.tokens, 3, dtype=torch.float64, generator=generator, requires_grad=True)
    vectors = pool(states, packing, kind, token=1)
    texts = states.split(lengths) if lengths else []
    rows = [NAIVE[kind](text) if len(text) else torch.zeros(3, dtype=torch.float64) for text in texts]
    expected = torch.stack(rows) if rows else torch.zeros(0, 3, dtype=torch.float64)
    torch.testing.assert_close(vectors, expected)
    if packing.tokens:
        weights = torch.randn(len(lengths), 3, dtype=torch.float64, generator=generator)
        gradients = [torch.autograd.grad((out * weights).sum(), states)[0] for out in (vectors, expected)]
        torch.testing.assert_close(*gradients)


def test_token_from_the_end():
    packing = Packing(np.array([0, 3, 4]))
    states = torch.arange(4.0)[:, None]
    assert pool(states, packing, "token", token=-2).tolist() == [[1.0], [3.0]]


def test_pooler_is_what_the_encoder_gave():
    packing, given = Packing(np.array([0, 1])), torch.full((1, 2), 3.0)
    assert pool(torch.zeros(1, 2), packing, "pooler", pooler=given) is given
    with pytest.raises(TenorError, match="no pooler"):
        pool(torch.zeros(1, 1), packing, "pooler")


def test_mean_of_last_four():
    layers = list(torch.randn(7, 5, 3))
    torch.testing.assert_close(mean_of_last(layers), torch.stack(layers[-4:]).mean(0))
    torch.testing.assert_close(mean_of_last(layers[:2]), torch.stack(layers[:2]).mean(0))


@pytest.mark.parametrize("scale", [True, False])
def test_layer_mix_is_a_softmax_average(scale):
    layers = torch.randn(3, 5, 2)
    mix = LayerMix(3, scale=scale)
    torch.testing.assert_close(mix(list(layers)), layers.mean(0))
    mix.weights.data = torch.tensor([0.3, -1.0, 2.0])
    factor = 1.0
    if scale:
        mix.scale.data = torch.tensor(factor := 1.7)
    shares = torch.tensor([0.3, -1.0, 2.0]).exp()
    expected = factor * torch.einsum("l,ltd->td", shares / shares.sum(), layers)
    torch.testing.assert_close(mix(list(layers)), expected)
    mix(list(layers)).sum().backward()
    assert mix.weights.grad.abs().sum() > 0
    with pytest.raises(ValueError, match="3 weights"):
        mix(list(layers[:2]))


@pytest.mark.parametrize("text", ["mean", "cls+max", "token:-3", "sum@last_four", "token:2+mean@mix"])
def test_pooling_is_written_and_read(text):
    assert str(PoolingConfig.parse(text)) == text


@pytest.mark.parametrize("text", ["", "avg", "mean@first", "pooler@mix", "token:x", "mean:2", "mean+"])
def test_unknown_poolings_are_refused(text):
    with pytest.raises(TenorError):
        PoolingConfig.parse(text)
