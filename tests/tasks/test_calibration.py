"""Calibrated heads, against a fit by another optimizer and on rows whose truth is known."""

import numpy as np
import pytest
import torch
from scipy.optimize import minimize
from scipy.special import log_softmax

from tenor.tasks.heads.head import TaskHead
from tenor.tasks.table import task_spec
from tenor.tasks.texts.calibration import fit_calibration


def drawn(rows, *, slope, offsets, seed=0):
    """Numbers of a head, and labels drawn from softmax(slope · z + offsets)."""
    generator = np.random.default_rng(seed)
    raw = generator.normal(size=(rows, len(offsets))) * 2
    true = np.exp(log_softmax(slope * raw + np.array(offsets), axis=1))
    return raw, np.array([generator.choice(len(offsets), p=row) for row in true])


def test_the_fit_is_where_another_optimizer_finds_it():
    raw, labels = drawn(300, slope=0.4, offsets=(0.5, 0.0, -1.0))
    shares = np.exp(log_softmax(raw, axis=1))

    def cost(free):
        logs = log_softmax(free[0] * np.log(shares) + free[1:], axis=1)
        return -logs[np.arange(len(labels)), labels].sum() + 0.5 * ((free - [1, 0, 0, 0]) ** 2).sum()

    expected = minimize(cost, [1.0, 0.0, 0.0, 0.0], method="BFGS").x
    found = fit_calibration(shares, labels, outputs=3)
    np.testing.assert_allclose([found.slope, *found.offsets], expected, atol=1e-4)


def test_a_known_slope_and_a_shifted_share_of_labels_are_found():
    raw, labels = drawn(20_000, slope=0.5, offsets=(0.0, -1.0), seed=1)
    yes = 1 / (1 + np.exp(raw[:, 0] - raw[:, 1]))
    found = fit_calibration(np.stack([1 - yes, yes], axis=1), labels, outputs=1)
    assert found.slope == pytest.approx(0.5, abs=0.03)
    assert found.offsets == (pytest.approx(-1.0, abs=0.06),)


def test_few_rows_change_little_and_certain_ones_do_not_overflow():
    shares = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    found = fit_calibration(shares, np.array([0, 1, 1]), outputs=1)
    assert 0 < found.slope < 1
    assert abs(found.offsets[0]) < 3
    none = fit_calibration(np.zeros((0, 2)), np.zeros(0, dtype=np.int64), outputs=2)
    assert (none.slope, none.offsets) == (1.0, (0.0, 0.0))


def test_a_head_that_knows_the_opposite_keeps_its_order():
    raw, labels = drawn(2_000, slope=-2.0, offsets=(0.0, 0.0))
    assert fit_calibration(np.exp(log_softmax(raw, axis=1)), labels, outputs=2).slope > 0


@pytest.mark.parametrize(
    "spec",
    [
        task_spec("classify", labels=("a", "b", "c")),
        task_spec("pair", labels=("0", "1"), head="mlp", features=("abs", "cosine")),
        task_spec("pair", labels=("0", "1"), head="residual", features=("u", "v")),
        task_spec("pair", labels=("0", "1"), head="affine"),
    ],
    ids=lambda spec: f"{spec.kind}-{spec.head}",
)
def test_a_rescaled_head_returns_what_the_fit_says(spec):
    torch.manual_seed(0)
    head = TaskHead(spec, 6, hidden=6).eval()
    sides = [torch.randn(5, 6) for _ in range(1 if spec.kind == "classify" else 2)]
    before = head(sides).detach()
    offsets = [0.3, -0.2, 0.1][: spec.outputs]
    head.rescale(0.7, offsets)
    torch.testing.assert_close(head(sides).detach(), 0.7 * before + torch.tensor(offsets))
    assert not np.allclose(spec.predictions(before.numpy()), spec.predictions(head(sides).detach()))


def test_a_cosine_cannot_be_rescaled():
    with pytest.raises(ValueError, match="cosine has no slope"):
        TaskHead(task_spec("similarity", head="cosine"), 6, hidden=6).rescale(1.0, [0.0])
