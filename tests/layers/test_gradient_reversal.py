"""Gradient reversal: nothing happens forward, and backward the gradient is turned round and weighed."""

import numpy as np
import pytest
import torch

from tenor.layers.gradient_reversal import reverse_gradient


def test_forward_is_the_identity():
    values = torch.randn(5, 3)
    assert torch.equal(reverse_gradient(values, 0.3), values)


@pytest.mark.parametrize("weight", [0.0, 0.001, 2.5])
def test_backward_is_minus_the_weight_times_the_gradient_by_finite_differences(weight):
    generator = np.random.default_rng(3)
    point, matrix = generator.standard_normal(6), generator.standard_normal((6, 6))

    def loss(at):
        return torch.sin(torch.as_tensor(matrix) @ at).pow(2).sum()

    values = torch.tensor(point, requires_grad=True)
    loss(reverse_gradient(values, weight)).backward()
    slope = []
    for place in range(6):
        step = np.zeros(6)
        step[place] = 1e-6
        slope.append(float(loss(torch.as_tensor(point + step)) - loss(torch.as_tensor(point - step))) / 2e-6)
    found = np.zeros(6) if values.grad is None else values.grad.numpy()
    np.testing.assert_allclose(found, -weight * np.array(slope), rtol=1e-6, atol=1e-9)


def test_what_lies_above_learns_as_without_it():
    layer = torch.nn.Linear(3, 2)
    values = torch.randn(4, 3, requires_grad=True)
    layer(reverse_gradient(values, 7.0)).square().sum().backward()
    turned, layer.weight.grad = layer.weight.grad.clone(), None
    layer(values).square().sum().backward()
    torch.testing.assert_close(turned, layer.weight.grad)
