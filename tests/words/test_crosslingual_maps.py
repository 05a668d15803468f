"""Maps, retrieval, induction and RCSLS against scipy, plain loops and finite differences."""

import numpy as np
import pytest
from scipy.linalg import fractional_matrix_power, orthogonal_procrustes

from tenor.errors import TenorError
from tenor.words.crosslingual import ranks
from tenor.words.crosslingual.induction import induce
from tenor.words.crosslingual.maps import advanced_map, orthogonal_map
from tenor.words.crosslingual.ranks import gold_ranks
from tenor.words.crosslingual.rcsls import RcslsConfig, loss_and_gradient, rcsls_map
from tenor.words.neighbours import unit_rows

GENERATOR = np.random.default_rng(11)
X = GENERATOR.standard_normal((40, 5))
Z = GENERATOR.standard_normal((40, 5)) + 0.5 * X
ROTATION = np.linalg.qr(GENERATOR.standard_normal((5, 5)))[0]


def exact_units(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_orthogonal_map_is_scipys() -> None:
    expected, _ = orthogonal_procrustes(X, Z)
    assert np.allclose(orthogonal_map(X, Z).source, expected)


def test_orthogonal_map_recovers_a_rotation() -> None:
    assert np.allclose(orthogonal_map(X, X @ ROTATION).source, ROTATION)


@pytest.mark.parametrize(("reweight", "dewhiten"), [(0.5, True), (1.0, False), (0.0, True)])
def test_advanced_map_is_its_steps(reweight: float, dewhiten: bool) -> None:
    """The steps of the method one by one, with matrix powers instead of singular vectors."""
    white_x = fractional_matrix_power(X.T @ X, -0.5)
    white_z = fractional_matrix_power(Z.T @ Z, -0.5)
    left, strength, right = np.linalg.svd((X @ white_x).T @ (Z @ white_z))
    x, z = X @ white_x @ left * strength**reweight, Z @ white_z @ right.T * strength**reweight
    if dewhiten:
        x = x @ left.T @ np.linalg.inv(white_x) @ left
        z = z @ right @ np.linalg.inv(white_z) @ right.T
    maps = advanced_map(X, Z, reweight=reweight, dewhiten=dewhiten)
    assert np.allclose((X @ maps.source) @ (Z @ maps.target).T, x @ z.T)
    assert np.allclose((X @ maps.source) @ (X @ maps.source).T, x @ x.T)


def test_advanced_map_finds_canonical_correlations() -> None:
    maps = advanced_map(X, Z, reweight=0.0, dewhiten=False)
    x, z = X @ maps.source, Z @ maps.target
    assert np.allclose(x.T @ x, np.eye(5), atol=1e-9)
    shared = x.T @ z
    assert np.allclose(shared, np.diag(np.diag(shared)), atol=1e-9)
    assert (np.diff(np.diag(shared)) <= 1e-12).all()


def test_fewer_axes_keep_the_strongest() -> None:
    whole, part = advanced_map(X, Z), advanced_map(X, Z, dim_reduction=2)
    assert part.source.shape == (5, 2)
    assert np.allclose(whole.target[:, :2], part.target)


def test_fewer_pairs_than_dimensions_give_no_nan() -> None:
    maps = advanced_map(X[:3], Z[:3])
    assert np.isfinite(X @ maps.source).all()
    assert np.abs(maps.source).max() < 1e3


def test_maps_refuse_what_cannot_be_mapped() -> None:
    with pytest.raises(TenorError, match="5 dimensions and the target vectors 4"):
        orthogonal_map(X, Z[:, :4])
    with pytest.raises(TenorError, match="seed pairs"):
        advanced_map(X[:0], Z[:0])
    with pytest.raises(TenorError, match="NaN"):
        orthogonal_map(X * np.nan, Z)


def test_gold_ranks_count_the_better_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranks, "_CELLS", 100)  # two rows at a time
    x, z = unit_rows(X), unit_rows(Z)
    gold = [[i, (i + 3) % 40] for i in range(40)]
    order = np.argsort(-(x @ z.T), axis=1)
    expected = [
        min(1 + sum(w not in right for w in row[: list(row).index(g)]) for g in right)
        for row, right in zip(order, gold, strict=True)
    ]
    assert gold_ranks(x, z, gold).tolist() == expected


def test_gold_ranks_of_ties_gain_nothing() -> None:
    same = np.ones((4, 2)) / np.sqrt(2)
    assert gold_ranks(same[:1], same, [[0]]).tolist() == [4]
    assert gold_ranks(same[:1], same, [[0, 1]]).tolist() == [3]


def test_a_constant_penalty_keeps_the_ranking() -> None:
    x, z = unit_rows(X), unit_rows(Z)
    gold = [[i] for i in range(40)]
    assert (gold_ranks(x, z, gold) == gold_ranks(x, z, gold, penalty=np.full(40, 0.3))).all()


def _csls(x: np.ndarray, z: np.ndarray, k: int) -> np.ndarray:
    cosine = x @ z.T
    near_x = np.sort(cosine, axis=1)[:, -k:].mean(axis=1)
    near_z = np.sort(cosine, axis=0)[-k:].mean(axis=0)
    return cosine - near_x[:, None] / 2 - near_z[None] / 2


def test_induction_takes_the_best_by_csls() -> None:
    x, z = unit_rows(X), unit_rows(Z)
    csls = _csls(x, z, 3)
    forward = {(i, int(j)) for i, j in enumerate(csls.argmax(axis=1))}
    backward = {(int(i), j) for j, i in enumerate(csls.argmax(axis=0))}
    pairs = {
        name: set(zip(found.source.tolist(), found.target.tolist(), strict=True))
        for name in ("forward", "mutual", "union")
        for found in [induce(x, z, k=3, direction=name)]  # type: ignore[arg-type]
    }
    assert pairs["forward"] == forward
    assert pairs["mutual"] == forward & backward
    assert pairs["union"] == forward | backward
    assert pairs["mutual"] < pairs["forward"]


def test_stochastic_induction_is_seeded_and_drops() -> None:
    x, z = unit_rows(X), unit_rows(Z)
    one, two = (
        induce(x, z, keep_prob=0.2, generator=np.random.default_rng(5), direction="forward") for _ in "ab"
    )
    assert (one.target == two.target).all()
    assert (one.target != induce(x, z, direction="forward").target).any()


def test_rcsls_gradient_is_the_slope_of_its_loss() -> None:
    x, z = exact_units(X), exact_units(Z)
    w = np.eye(5) + 0.1 * np.random.default_rng(0).standard_normal((5, 5))
    _, gradient = loss_and_gradient(x[:20], z[:20], x, z, w, k=3)
    way = np.random.default_rng(1).standard_normal((5, 5))
    ahead, _ = loss_and_gradient(x[:20], z[:20], x, z, w + 1e-7 * way, k=3)
    behind, _ = loss_and_gradient(x[:20], z[:20], x, z, w - 1e-7 * way, k=3)
    assert np.isclose((ahead - behind) / 2e-7, (gradient * way).sum(), rtol=1e-5)


def test_rcsls_loss_is_the_formula() -> None:
    x, z, k = exact_units(X), exact_units(Z), 3
    w = orthogonal_map(x, z).source
    total = 0.0
    for i in range(20):
        scores = (x[i] @ w) @ z.T
        others = (x @ w) @ z[i]
        total += -2 * scores[i] + np.sort(scores)[-k:].mean() + np.sort(others)[-k:].mean()
    assert np.isclose(loss_and_gradient(x[:20], z[:20], x, z, w, k=k)[0], total / 20)


@pytest.mark.parametrize("spectral", [False, True])
def test_rcsls_lowers_its_loss(spectral: bool) -> None:
    x, z = exact_units(X), exact_units(Z)
    pairs = np.stack([np.arange(20), np.arange(20)], axis=1)
    losses: list[float] = []
    maps = rcsls_map(
        x, z, pairs, config=RcslsConfig(spectral=spectral), progress=lambda _, f: losses.append(f)
    )
    start, _ = loss_and_gradient(x[:20], z[:20], x, z, orthogonal_map(x[:20], z[:20]).source, k=10)
    assert losses[-1] < start
    assert losses == sorted(losses, reverse=True)
    assert (np.linalg.norm(maps.source, 2) <= 1 + 1e-9) == spectral
