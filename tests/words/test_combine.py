"""Geometric meta-embeddings, against naive n × n formulas, perturbation, and two iterative solvers."""

import numpy as np
import pytest
import torch

from tenor.errors import TenorError
from tenor.words.combine import combining
from tenor.words.combine.combining import (
    CombineConfig,
    align,
    combine,
    meta_embed,
    normalised,
    self_retrieval,
)
from tenor.words.combine.geometric import Alignment, Grams, objective, procrustes, ridge, solve, square_root
from tenor.words.combine.overlap import ONE_LANGUAGE, frequent_overlap
from tenor.words.combine.riemannian import descend
from tenor.words.vectors import WordVectors


def _sources(words: int = 120, width: int = 6, count: int = 2, seed: int = 0, unit: bool = True) -> list:
    """Make sources that show the same hidden vectors, each through a map and noise of its own."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=(words, width)) * np.linspace(2.0, 0.3, width)
    made = [
        hidden @ rng.normal(size=(width, width)) + 0.2 * rng.normal(size=(words, width)) for _ in range(count)
    ]
    return [one / np.linalg.norm(one, axis=1, keepdims=True) for one in made] if unit else made


def _cosines(rows: np.ndarray) -> np.ndarray:
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return rows @ rows.T


def _random_rotation(width: int, seed: int) -> np.ndarray:
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(width, width)))[0]


def _meta(tables: list, method: str = "geo-avg", c: float = 1.0) -> np.ndarray:
    aligned = align(Grams.of(tables), c=c) if method.startswith("geo") else None
    return meta_embed(tables, aligned, CombineConfig(method=method)).astype(np.float64)


@pytest.mark.parametrize("method", ["avg", "conc"])
def test_identity_gives_the_plain_methods(method: str) -> None:
    tables = _sources()
    identity = Alignment((np.eye(6), np.eye(6)), np.eye(6), 0.0, 1.0)
    config = CombineConfig(method=f"geo-{method}")
    plain = np.mean(tables, axis=0) if method == "avg" else np.concatenate(tables, axis=1)
    np.testing.assert_allclose(meta_embed(tables, identity, config), plain, atol=1e-6)
    np.testing.assert_allclose(meta_embed(tables, None, CombineConfig(method=method)), plain, atol=1e-6)


def test_the_solution_is_orthogonal_positive_and_solves_the_equation() -> None:
    tables = _sources(unit=False)
    grams = Grams.of(tables)
    found = solve(grams, c=3.0)
    for rotation in found.rotations:
        np.testing.assert_allclose(rotation @ rotation.T, np.eye(6), atol=1e-8)
    np.testing.assert_array_equal(found.metric, found.metric.T)
    assert np.linalg.eigvalsh(found.metric).min() > 0
    root = square_root(found.metric)
    np.testing.assert_allclose(root @ root, found.metric, atol=1e-10)
    w = found.rotations[0].T @ found.metric @ found.rotations[1]
    np.testing.assert_allclose(w, ridge(*grams.own, grams.cross[0, 1], 3.0), atol=1e-8)
    residue = grams.own[0] @ w @ grams.own[1] + 3.0 * w - grams.cross[0, 1]
    assert np.abs(residue).max() < 1e-8 * np.abs(grams.cross[0, 1]).max()


def test_the_objective_equals_the_naive_one() -> None:
    x, z = _sources(words=40, unit=False)
    u, v = _random_rotation(6, 1), _random_rotation(6, 2)
    half = np.random.default_rng(3).normal(size=(6, 6))
    metric = half @ half.T + np.eye(6)
    naive = np.sum((x @ u.T @ metric @ v @ z.T - np.eye(40)) ** 2) + 7.0 * np.sum(metric**2)
    np.testing.assert_allclose(objective(Grams.of([x, z]), (u, v), metric, 7.0), naive, rtol=1e-10)


def test_a_kronecker_solve_gives_the_same() -> None:
    """G_x W G_z + C W = K as one linear system of d² unknowns."""
    grams = Grams.of(_sources(unit=False))
    system = np.kron(grams.own[0], grams.own[1]) + 2.0 * np.eye(36)
    expected = np.linalg.solve(system, grams.cross[0, 1].ravel()).reshape(6, 6)
    np.testing.assert_allclose(ridge(*grams.own, grams.cross[0, 1], 2.0), expected, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_every_perturbation_is_worse(seed: int) -> None:
    grams = Grams.of(_sources())
    best = solve(grams, c=1.0)
    rng = np.random.default_rng(seed)
    skew = rng.normal(size=(6, 6)) * 0.05
    turned = best.rotations[0] @ np.linalg.qr(np.eye(6) + skew - skew.T)[0]
    assert objective(grams, (turned, best.rotations[1]), best.metric, 1.0) > best.objective
    noise = rng.normal(size=(6, 6)) * 0.02 * best.metric.max()
    assert objective(grams, best.rotations, best.metric + noise + noise.T, 1.0) > best.objective


@pytest.mark.parametrize("seed", range(3))
def test_the_iterative_solver_reaches_the_exact_one(seed: int) -> None:
    grams = Grams.of(_sources(seed=seed))
    exact, iterated = solve(grams, c=1.0), descend(grams, c=1.0, steps=1500, tolerance=1e-10)
    assert iterated.steps > 5
    assert exact.objective <= iterated.objective + 1e-9 < exact.objective * 1.001
    for rotation in iterated.rotations:
        np.testing.assert_allclose(rotation @ rotation.T, np.eye(6), atol=1e-8)
    assert np.linalg.eigvalsh(iterated.metric).min() > 0


def test_geoopt_reaches_the_exact_one() -> None:
    """An independent Riemannian solver, Adam on the manifolds of geoopt, ends within 0.1%."""
    geoopt = pytest.importorskip("geoopt")
    torch.manual_seed(0)
    grams = Grams.of(_sources(words=60, width=4, seed=2))
    exact = solve(grams, c=1.0)
    start = procrustes(grams)
    u, v = (
        geoopt.ManifoldParameter(torch.tensor(rotation), manifold=geoopt.EuclideanStiefel())
        for rotation in start.rotations
    )
    metric = geoopt.ManifoldParameter(
        torch.eye(4, dtype=torch.float64) * 0.05, manifold=geoopt.SymmetricPositiveDefinite()
    )
    g_x, g_z, cross = (torch.tensor(part) for part in (*grams.own, grams.cross[0, 1]))
    optimizer = geoopt.optim.RiemannianAdam([u, v, metric], lr=0.02)
    for step in range(600):
        for group in optimizer.param_groups:
            group["lr"] = 0.02 * (1 - step / 600)
        optimizer.zero_grad()
        w = u.T @ metric @ v
        cost = ((g_x @ w @ g_z) * w).sum() - 2 * (w * cross).sum() + grams.words + (w * w).sum()
        cost.backward()
        optimizer.step()
    assert exact.objective <= cost.item() + 1e-9 < exact.objective * 1.001


@pytest.mark.parametrize("method", ["geo-avg", "geo-conc"])
def test_a_joint_rotation_of_the_latent_space_changes_no_cosine(method: str) -> None:
    tables = _sources()
    found = solve(Grams.of(tables), c=1.0)
    turn = _random_rotation(6, 4)
    other = Alignment(
        tuple(turn @ one for one in found.rotations), turn @ found.metric @ turn.T, found.objective, 1.0
    )
    config = CombineConfig(method=method)
    first, second = (_cosines(meta_embed(tables, one, config)) for one in (found, other))
    np.testing.assert_allclose(first, second, atol=1e-5)


@pytest.mark.parametrize("steps", [("none",), ("unit",), ("centre",)], ids="-".join)
@pytest.mark.parametrize("method", ["avg", "conc", "geo-avg", "geo-conc"])
def test_only_plain_averages_mind_a_rotation_of_one_source(method: str, steps: tuple) -> None:
    x, z = _sources(unit=False)
    turn = _random_rotation(6, 5)
    plain = [normalised(one, steps) for one in (x, z)]
    turned = [normalised(one, steps) for one in (x, z @ turn)]
    change = np.abs(_cosines(_meta(plain, method)) - _cosines(_meta(turned, method))).max()
    assert change > 0.05 if method == "avg" else change < 1e-4


def test_minus_and_permuted_sources_do_no_harm() -> None:
    x = _sources(count=1)[0]
    permuted = x[:, np.random.default_rng(0).permutation(6)]
    same = _cosines(_meta([x, x]))
    for other in (-x, permuted):
        np.testing.assert_allclose(_cosines(_meta([x, other])), same, atol=1e-4)
    assert not _meta([x, -x], "avg").any()
    assert np.abs(_cosines(_meta([x, permuted], "avg")) - _cosines(x)).max() > 0.05


def test_three_sources_share_one_metric_and_improve_on_the_start() -> None:
    tables = _sources(count=3, seed=6)
    grams = Grams.of(tables)
    start, found = descend(grams, c=1.0, steps=1), descend(grams, c=1.0, steps=400)
    assert found.objective < start.objective
    assert len(found.rotations) == 3
    cold = descend(grams, c=1.0, steps=3000, tolerance=1e-10, warm=False)
    assert found.objective < cold.objective * 1.005
    assert _meta(tables, "geo-conc").shape == (120, 18)


def test_the_slope_of_the_iterative_solver_is_that_of_finite_differences() -> None:
    from tenor.words.combine import riemannian

    grams = Grams.of(_sources(count=3, width=4))
    rotations = [_random_rotation(4, seed) for seed in range(3)]
    half = np.random.default_rng(3).normal(size=(4, 4))
    point = riemannian._Point(rotations, half @ half.T + np.eye(4))
    root = square_root(point.metric)
    rng = np.random.default_rng(9)
    turns = [one - one.T for one in rng.normal(size=(3, 4, 4))]
    stretch = rng.normal(size=(4, 4))
    direction = riemannian._Direction(turns, stretch + stretch.T)
    small = 1e-6
    ahead, behind = (riemannian._moved(point, root, direction, step) for step in (small, -small))
    values = [objective(grams, one.rotations, one.metric, 2.0) for one in (ahead, behind)]
    expected = (values[0] - values[1]) / (2 * small)
    np.testing.assert_allclose(riemannian._slope(grams, point, root, 2.0).dot(direction), expected, rtol=1e-5)


def test_unequal_widths_are_padded() -> None:
    x, z = _sources(width=6)
    found = solve(Grams.of([x, z[:, :4]]), c=1.0)
    assert np.isfinite(found.objective)
    assert np.linalg.eigvalsh(found.metric).min() > 0
    assert np.isfinite(_meta([x, z[:, :4]])).all()


def _vectors(name: str, words: list[str], rows: np.ndarray) -> WordVectors:
    return WordVectors(words, rows, name=name)


def test_combine_takes_the_common_words_and_chooses_c() -> None:
    x, z = _sources(words=300)
    names = [f"w{number}" for number in range(300)]
    first = _vectors("a", names[:280], x[:280])
    second = _vectors("b", names[20:][::-1], z[20:][::-1])
    combined = combine([first, second])
    assert list(combined.vectors.words) == names[20:280]
    assert combined.alignment is not None
    assert combined.alignment.c in combined.retrieval_by_c
    assert combined.retrieval_by_c[combined.alignment.c] == max(combined.retrieval_by_c.values())
    tables = [normalised(one[20:280].astype("f4"), ("unit",)) for one in (x, z)]
    direct = _meta(tables, c=combined.alignment.c)
    np.testing.assert_allclose(_cosines(combined.vectors.vectors), _cosines(direct), atol=1e-4)


def test_self_retrieval_prefers_little_regularisation_on_clean_sources() -> None:
    tables = _sources(words=400)
    shares = self_retrieval(tables, c_grid=(1.0, 1e6))
    assert shares[1.0] > shares[1e6]


def test_zero_vectors_give_no_nan() -> None:
    x, z = _sources()
    x[3] = z[3] = 0
    names = [f"w{number}" for number in range(len(x))]
    for method in ("avg", "conc", "geo-avg", "geo-conc", "rotate-avg"):
        made = combine(
            [_vectors("a", names, x), _vectors("b", names, z)], CombineConfig(method=method, c=1.0)
        )
        assert np.isfinite(made.vectors.vectors).all()
        assert not made.vectors.vectors[3].any()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("nan", "NaN"),
        ("zero", "zero"),
        ("words", "No word is in all"),
        ("one", "two sources"),
        ("c", "C must be"),
    ],
)
def test_bad_input_is_told(change: str, message: str) -> None:
    x, z = _sources(words=20)
    names, others = [f"w{number}" for number in range(20)], [f"w{number}" for number in range(20)]
    if change == "nan":
        z[4, 1] = np.nan
    elif change == "zero":
        z[:] = 0
    elif change == "words":
        others = [f"v{number}" for number in range(20)]
    sources = [_vectors("a", names, x), _vectors("b", others, z)][: 1 if change == "one" else 2]
    with pytest.raises(TenorError, match=message):
        combine(sources, CombineConfig(c=-1.0 if change == "c" else 1.0))


def test_the_grid_goes_on_until_the_best_c_lies_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    shares = {1e4: 0.5, 1e5: 0.6, 1e6: 0.7, 1e7: 0.65}
    asked: list[tuple[float, ...]] = []

    def retrieval(
        _: object, *, c_grid: tuple[float, ...] = combining.C_GRID, seed: int
    ) -> dict[float, float]:
        asked.append(c_grid)
        return {c: shares.get(c, 0.1) for c in c_grid}

    monkeypatch.setattr(combining, "self_retrieval", retrieval)
    found = combining.retrieval_by_c([])
    assert asked[1:] == [(1e5,), (1e6,), (1e7,)]
    assert combining.best_c(found) == 1e6
    monkeypatch.setitem(shares, 1e7, 0.9)
    shares |= {1e8: 0.95, 1e9: 1.0}
    assert max(combining.retrieval_by_c([])) == 1e8  # there is an end to it


def test_tables_of_two_languages_share_few_frequent_words() -> None:
    english = [f"en{number}" for number in range(3000)]
    german = [f"de{number}" for number in range(3000)]
    german[1200:1300] = english[:100]  # names and numbers
    made = [
        WordVectors(words, np.ones((3000, 1))) for words in (english, german, english[500:] + german[:500])
    ]
    assert frequent_overlap(made[:2]) == pytest.approx(0.1)
    assert frequent_overlap([made[0], made[0]]) == 1.0
    assert frequent_overlap(made) < ONE_LANGUAGE < frequent_overlap([made[0], made[2]])
