"""GloVe by alternating least squares: the loss written out, exact solutions, a planted model."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from tenor.errors import TenorError
from tenor.words.corpus import Corpus
from tenor.words.glove import GloveConfig, balanced, factorise, train_glove

CONFIG = GloveConfig(vector_size=3, iterations=6, ridge=1e-3, x_max=10.0)


@pytest.fixture
def pairs() -> csr_matrix:
    rng = np.random.default_rng(0)
    counts = rng.uniform(0.2, 30, (25, 25)) * (rng.random((25, 25)) < 0.6)
    return csr_matrix(counts + counts.T)


def loss(pairs: csr_matrix, words: np.ndarray, contexts: np.ndarray) -> float:
    counts = pairs.toarray()
    there = counts > 0
    weights = np.minimum(1, (counts / CONFIG.x_max) ** CONFIG.power) * there
    fitted = words[:, :-1] @ contexts[:, :-1].T + words[:, -1:] + contexts[:, -1]
    return float((weights * (fitted - np.log(np.where(there, counts, 1))) ** 2).sum())


def test_the_loss_is_the_formula_and_falls(pairs: csr_matrix) -> None:
    words, contexts, losses = factorise(pairs, CONFIG)
    assert losses[-1] == pytest.approx(loss(pairs, words, contexts), rel=1e-3)
    assert losses == sorted(losses, reverse=True)


def test_no_side_could_be_better_while_the_other_stands_still(pairs: csr_matrix) -> None:
    words, contexts, _ = factorise(pairs, replace(CONFIG, iterations=60))

    def whole(some: np.ndarray) -> float:
        return loss(pairs, words, some) + CONFIG.ridge * float((some[:, :-1] ** 2).sum())

    best = whole(contexts.astype(np.float64))
    rng = np.random.default_rng(3)
    for _ in range(20):
        assert whole(contexts + 3e-2 * rng.standard_normal(contexts.shape)) > best


def test_both_sides_are_given_the_same_lengths() -> None:
    rng = np.random.default_rng(4)
    u, v = 10 * rng.standard_normal((30, 4)), 0.1 * rng.standard_normal((20, 4))
    words, contexts = balanced(u, v)
    assert np.allclose(words @ contexts.T, u @ v.T, atol=1e-4)
    assert np.allclose(words.T @ words, contexts.T @ contexts, atol=1e-4)


def test_a_planted_model_is_found_again() -> None:
    rng = np.random.default_rng(1)
    u, v = rng.standard_normal((2, 40, 3))
    counts = np.exp(u @ v.T * 0.5 + rng.standard_normal((40, 1)) + rng.standard_normal(40))
    words, contexts, losses = factorise(
        csr_matrix(counts), GloveConfig(vector_size=3, iterations=40, ridge=1e-5)
    )
    fitted = words[:, :-1] @ contexts[:, :-1].T + words[:, -1:] + contexts[:, -1]
    assert np.abs(fitted - np.log(counts)).max() < 0.1
    assert losses[-1] < 0.05


def test_a_text_gives_both_matrices_and_counts() -> None:
    ids = np.random.default_rng(0).integers(0, 6, 300).astype(np.int32)
    counts = np.bincount(ids, minlength=6)
    corpus = Corpus(list("abcdef"), counts, ids, np.array([0, 150, 300]))
    done: list[int] = []
    made = train_glove(corpus, GloveConfig(vector_size=2, iterations=2), progress=done.append)
    assert made.vectors.vectors.shape == (6, 2)
    assert made.vectors.contexts is not None
    assert (made.vectors.counts == counts).all()
    assert np.isfinite(made.vectors.vectors).all()
    assert sum(done) == 2 * 2 * 6
    again = train_glove(corpus, GloveConfig(vector_size=2, iterations=2))
    assert (again.vectors.vectors == made.vectors.vectors).all()


def test_bad_settings_and_empty_texts_are_refused() -> None:
    with pytest.raises(TenorError, match="at least 1"):
        GloveConfig(vector_size=0)
    lonely = Corpus(["a"], np.array([1]), np.zeros(1, dtype=np.int32), np.array([0, 1]))
    with pytest.raises(TenorError, match="No two words"):
        train_glove(lonely, GloveConfig(vector_size=1))
