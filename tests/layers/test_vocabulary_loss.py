"""The loss over a vocabulary: torch's own values and gradients, in any number of portions."""

import pytest
import torch
from torch.nn import functional

from tenor.layers import vocabulary_loss as module
from tenor.layers.vocabulary_loss import vocabulary_loss

VOCABULARY = 11


def inputs(count, *, dtype=torch.float64):
    torch.manual_seed(count)
    hidden, words, bias = (torch.randn(*shape, dtype=dtype) for shape in ((count, 5), (VOCABULARY, 5), (11,)))
    for each in (hidden, words, bias):
        each.requires_grad_()
    return hidden, words, bias, torch.arange(count) * 7 % VOCABULARY


def plain(hidden, words, bias, labels):
    return functional.cross_entropy(functional.linear(hidden, words, bias), labels, reduction="none")


@pytest.mark.parametrize("portion", [1, VOCABULARY * 3, 1 << 19])
@pytest.mark.parametrize("count", [0, 1, 3, 8])
def test_values_and_gradients_are_torchs(monkeypatch, portion, count):
    monkeypatch.setattr(module, "_NUMBERS", portion)
    *given, labels = inputs(count)
    weights = torch.linspace(-1, 2, count, dtype=torch.float64)
    both = [loss(*given, labels) for loss in (vocabulary_loss, plain)]
    torch.testing.assert_close(*both, rtol=0, atol=1e-12)
    gradients = [torch.autograd.grad((each * weights).sum(), given) for each in both]
    torch.testing.assert_close(*gradients, rtol=0, atol=1e-12)


def test_gradients_are_those_of_small_steps():
    *given, labels = inputs(4)
    assert torch.autograd.gradcheck(lambda *each: vocabulary_loss(*each, labels), given)


def test_what_is_not_learned_gets_no_gradient():
    hidden, words, bias, labels = inputs(4)
    vocabulary_loss(hidden, words.detach(), bias.detach(), labels).sum().backward()
    assert words.grad is None
    assert bias.grad is None
    (expected,) = torch.autograd.grad(plain(hidden, words, bias, labels).sum(), hidden)
    torch.testing.assert_close(hidden.grad, expected, rtol=0, atol=1e-12)


def test_under_autocast_products_are_coarse_and_gradients_whole():
    *given, labels = inputs(64, dtype=torch.float32)
    exact = vocabulary_loss(*given, labels)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        coarse = vocabulary_loss(*given, labels)
    assert coarse.dtype == torch.float32
    assert not torch.equal(coarse, exact)
    torch.testing.assert_close(coarse, exact, rtol=0.03, atol=0.05)
    gradients = [torch.autograd.grad(each.mean(), given) for each in (coarse, exact)]
    assert {each.dtype for each in gradients[0]} == {torch.float32}
    torch.testing.assert_close(*gradients, rtol=0.05, atol=0.005)


def test_a_hopeless_guess_has_a_finite_loss():
    scores = torch.tensor([[1000.0, 0.0]])
    loss = vocabulary_loss(scores, torch.eye(2), torch.zeros(2), torch.tensor([1]))
    assert loss.item() == 1000.0


def test_a_second_derivative_is_refused():
    hidden, words, bias, labels = inputs(3)
    total = vocabulary_loss(hidden, words, bias, labels).square().sum()
    (first,) = torch.autograd.grad(total, hidden, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        first.square().sum().backward()
