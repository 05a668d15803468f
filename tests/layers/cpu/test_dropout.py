"""Cheap dropout: the right share, an exact mean, and gradients of what is kept."""

import pytest
import torch

from tenor.layers.cpu.dropout import Dropout, dropout


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_the_share_is_right_and_the_mean_stays(share):
    torch.manual_seed(0)
    out = dropout(torch.ones(200_000), share)
    dropped = (out == 0).double().mean().item()
    assert dropped == pytest.approx(share, abs=5 * (share * (1 - share) / 200_000) ** 0.5)
    assert out.mean().item() == pytest.approx(1, abs=0.02)
    # Neighbours come out of one draw: they must not go together.
    pairs = (out[:-1] == 0) & (out[1:] == 0)
    assert pairs.double().mean().item() == pytest.approx(share**2, abs=0.01)


def test_gradients_and_modes():
    values = torch.randn(7, 5, requires_grad=True)
    out = Dropout(0.4)(values)
    out.sum().backward()
    kept = out != 0
    torch.testing.assert_close(values.grad[kept], torch.full((int(kept.sum()),), 1 / 0.6), atol=1e-4, rtol=0)
    assert (values.grad[~kept] == 0).all()
    assert torch.equal(Dropout(0.4).eval()(values), values)
    assert torch.equal(dropout(values, 0.0), values)
    assert (dropout(values, 1.0) == 0).all()
    assert dropout(values, 0.999999).isfinite().all()
    assert dropout(torch.zeros(0, 3), 0.5).shape == (0, 3)


def test_the_seed_decides():
    found = []
    for _ in range(2):
        torch.manual_seed(3)
        found.append(dropout(torch.ones(101), 0.3))
    assert torch.equal(*found)
