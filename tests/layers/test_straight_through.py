"""Straight-through choices: one-hot forward, the soft sample's gradient backward."""

import pytest
import torch
from torch.nn import functional

from tenor.layers.straight_through import gumbel, straight_through


@pytest.mark.parametrize("temperature", [0.5, 1.0, 3.0])
def test_forward_is_one_hot_and_backward_is_that_of_the_soft_sample(temperature):
    torch.manual_seed(0)
    logits, noise, weights = torch.randn(3, 5, 4), gumbel(torch.rand(3, 5, 4)), torch.randn(3, 5, 4)
    hard, soft = logits.clone().requires_grad_(), logits.clone().requires_grad_()
    chosen = straight_through(hard, noise, temperature=temperature)
    assert torch.equal(chosen.detach(), functional.one_hot((logits + noise).argmax(-1), 4).float())
    (chosen * weights).sum().backward()
    (torch.softmax((soft + noise) / temperature, dim=-1) * weights).sum().backward()
    torch.testing.assert_close(hard.grad, soft.grad)
    assert hard.grad.abs().sum() > 0


def test_without_noise_the_most_probable_is_chosen():
    logits = torch.tensor([[0.0, 2.0, 1.0]])
    assert straight_through(logits).tolist() == [[0.0, 1.0, 0.0]]


def test_choices_are_drawn_with_the_probabilities_of_the_logits():
    torch.manual_seed(1)
    logits = torch.tensor([0.5, 0.3, 0.2]).log().expand(20_000, 3)
    shares = straight_through(logits, gumbel(torch.rand(20_000, 3))).mean(dim=0)
    torch.testing.assert_close(shares, torch.tensor([0.5, 0.3, 0.2]), atol=0.015, rtol=0)


def test_gumbel_noise_is_finite_at_both_ends():
    assert torch.isfinite(gumbel(torch.tensor([0.0, 1.0 - 2**-24]))).all()
