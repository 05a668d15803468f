"""`--alpha search`: the whole method decides on held-out pairs, and none is taken without a sure gain."""

from typing import Any

import numpy as np
import pytest

from tenor.errors import TenorError
from tenor.words import WordVectors
from tenor.words.crosslingual import align as align_module
from tenor.words.crosslingual.align import AlignConfig, align
from tenor.words.crosslingual.alpha_search import AlphaSearch
from tenor.words.crosslingual.alpha_trial import NONE, AlphaTrial, finalists, try_alphas
from tenor.words.crosslingual.maps import orthogonal_map
from tenor.words.crosslingual.seed import KnownPairs

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 8)).astype(np.float32)
Z = (X @ np.linalg.qr(RNG.normal(size=(8, 8)))[0] + 0.3 * RNG.normal(size=(90, 8))).astype(np.float32)
SEED = KnownPairs(np.stack([np.arange(60)] * 2, axis=1), 60)


def test_a_gain_within_the_noise_is_no_gain() -> None:
    base = RNG.uniform(0.2, 0.8, 400)
    noise = RNG.normal(0, 0.3, 400)
    trial = AlphaTrial({NONE: base, (0.5, 0.0): base + noise - noise.mean() + 0.01, (0.0, 0.5): base - 0.1})
    assert trial.gain((0.5, 0.0))[0] == pytest.approx(0.01)
    assert trial.best == NONE
    sure = AlphaTrial({**trial.reciprocal, (0.15, 0.15): base + 0.02, (0.25, 0.25): base + 0.03})
    assert sure.best == (0.25, 0.25)


def test_finalists_are_the_best_of_the_search_without_zero() -> None:
    scores = {(0.0, 0.0): 0.9, (0.5, 0.5): 0.8, (0.15, 0.0): 0.8, (-0.5, 0.0): 0.1, (0.25, 0.0): 0.7}
    assert finalists(AlphaSearch((0.0, 0.0), scores, 5)) == [(0.15, 0.0), (0.5, 0.5)]


def test_no_held_out_pair_is_fitted_and_all_are_translated_once() -> None:
    fitted: list[set[int]] = []

    def fit(x: Any, z: Any, pairs: KnownPairs) -> Any:
        fitted.append(set(pairs.pairs[:, 0].tolist()))
        return orthogonal_map(x[pairs.pairs[:, 0]], z[pairs.pairs[:, 1]])

    trial = try_alphas(X, Z, SEED, [(0.15, 0.0)], fit, folds=3)
    assert trial.held_out == 60
    assert [len(some) for some in fitted] == [40] * 6
    assert set.intersection(*fitted[:3]) == set()


def test_a_method_that_cannot_be_fitted_scores_nothing() -> None:
    def fit(x: Any, z: Any, pairs: KnownPairs) -> Any:
        if not np.allclose(x, align_module.prepare(X)):
            raise TenorError("no pair found")
        return orthogonal_map(x[pairs.pairs[:, 0]], z[pairs.pairs[:, 1]])

    trial = try_alphas(X, Z, SEED, [(0.5, 0.0)], fit)
    assert trial.mrr((0.5, 0.0)) == 0.0
    assert trial.best == NONE


@pytest.mark.parametrize("method", ["vecmap-self", "procrustes"])
def test_the_search_tries_the_method_that_is_shipped(method: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    words = [[f"{side}{number}" for number in range(90)] for side in "st"]
    source, target = WordVectors(words[0], X), WordVectors(words[1], Z)
    seed = [(f"s{number}", f"t{number}") for number in range(60)]
    used: list[str] = []
    made = align_module.find_maps
    monkeypatch.setattr(
        align_module, "find_maps", lambda *some: (used.append(some[3].method), made(*some))[1]
    )
    notes: list[str] = []
    report = align(
        source, target, seed, config=AlignConfig(method=method, alpha="search"), note=notes.append
    ).report
    assert used == [method] * 10  # none and two finalists in three folds, and the map itself
    assert report["alpha_search"]["trial"][0]["alpha"] == [0.0, 0.0]
    assert any("With the whole method" in note for note in notes)
    used.clear()
    plain = align(source, target, seed, config=AlignConfig(method=method, alpha="supervised-search")).report
    assert used == [method]
    assert "trial" not in plain["alpha_search"]
