"""Tables whose gradients live in memory that is used again: the gradients are torch's own."""

import pytest
import torch
from torch import nn
from torch.nn import functional

from tenor.layers.cpu.embedding import Embedding, KeptGradients

ROWS, WIDTH = 50, 8


@pytest.fixture
def tables():
    torch.manual_seed(0)
    plain, ours = nn.Embedding(ROWS, WIDTH), Embedding(ROWS, WIDTH)
    ours.load_state_dict(plain.state_dict())
    return plain, ours


def loss_of(table, seed, shape=(20,)):
    drawn = torch.Generator().manual_seed(seed)
    ids = torch.randint(0, ROWS, shape, generator=drawn)
    return (table(ids) * torch.randn(*shape, WIDTH, generator=drawn)).sum()


def test_gradients_of_several_updates_are_those_of_torch(tables):
    plain, ours = tables
    kept = KeptGradients(ours)
    places = set()
    for seed in range(4):
        for table in tables:
            table.weight.grad = None
        loss_of(plain, seed, (5, 4)).backward()
        total = loss_of(ours, seed, (5, 4))
        with kept:
            total.backward()
        assert torch.equal(ours.weight.grad, plain.weight.grad)
        ours.weight.grad.mul_(0.5)  # as clipping does
        places.add(ours.weight.grad.data_ptr())
    assert len(places) == 1


def test_passes_of_one_update_add_up(tables):
    plain, ours = tables
    kept = KeptGradients(ours)
    for update in range(2):
        for table in tables:
            table.weight.grad = None
        for seed in range(3):
            loss_of(plain, 10 * update + seed).backward()
            total = loss_of(ours, 10 * update + seed)
            with kept:
                total.backward()
        torch.testing.assert_close(ours.weight.grad, plain.weight.grad, rtol=0, atol=1e-6)


def test_a_table_that_is_also_an_output_layer(tables):
    """Two gradients meet in one backward pass, and a second pass adds to what is not the kept memory."""
    plain, ours = tables
    kept = KeptGradients(ours)
    states = torch.randn(3, WIDTH)

    def tied(table, seed):
        return loss_of(table, seed) + functional.linear(states, table.weight).square().sum()

    for update in range(2):
        for table in tables:
            table.weight.grad = None
        for seed in (update, update + 7):
            tied(plain, seed).backward()
            total = tied(ours, seed)
            with kept:
                total.backward()
        torch.testing.assert_close(ours.weight.grad, plain.weight.grad)


def test_two_look_ups_in_one_backward_pass(tables):
    """As objectives make, which run the encoder again: both gradients count, in all passes and updates."""
    plain, ours = tables
    kept = KeptGradients(ours)
    for update in range(3):
        for table in tables:
            table.weight.grad = None
        for seed in (update, update + 5):
            (loss_of(plain, seed) + 10 * loss_of(plain, seed + 20)).backward()
            total = loss_of(ours, seed) + 10 * loss_of(ours, seed + 20)
            with kept:
                total.backward()
        torch.testing.assert_close(ours.weight.grad, plain.weight.grad, rtol=1e-5, atol=1e-5)


def test_a_table_that_is_an_output_layer_in_some_passes_only(tables):
    plain, ours = tables
    ours.tied = True
    kept = KeptGradients(ours)
    for update in range(3):
        for table in tables:
            table.weight.grad = None
        loss_of(plain, update).backward()
        plain.weight.sum().backward()
        total = loss_of(ours, update)
        with kept:
            total.backward()
        with kept:
            ours.weight.sum().backward()
        torch.testing.assert_close(ours.weight.grad, plain.weight.grad)


def test_outside_every_gradient_is_memory_of_its_own(tables):
    plain, ours = tables
    with KeptGradients(ours):
        pass
    found = [torch.autograd.grad(loss_of(ours, seed), ours.weight)[0] for seed in range(3)]
    for seed, gradient in enumerate(found):
        assert torch.equal(gradient, torch.autograd.grad(loss_of(plain, seed), plain.weight)[0])


def test_second_derivatives(tables):
    def penalty(table):
        (gradient,) = torch.autograd.grad(loss_of(table, 1).square(), table.weight, create_graph=True)
        return gradient.square().sum()

    plain, ours = tables
    with KeptGradients(ours):
        penalty(ours).backward()
    penalty(plain).backward()
    torch.testing.assert_close(ours.weight.grad, plain.weight.grad)


def test_without_gradients_it_is_torchs_table(tables):
    plain, ours = tables
    ids = torch.tensor([[3, 3], [0, 1]])
    with torch.no_grad():
        assert torch.equal(ours(ids), plain(ids))
    ours.weight.requires_grad_(False)
    assert ours(ids).grad_fn is None
    assert list(ours.state_dict()) == ["weight"]
