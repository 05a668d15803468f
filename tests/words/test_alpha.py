"""Alpha embeddings against the formulas written out word by word, in double precision."""

import numpy as np
import pytest

from tenor.errors import TenorError
from tenor.words.alpha import family as family_module
from tenor.words.alpha.family import AlphaFamily, log_ratios, weighted_sums
from tenor.words.alpha.metric import closest_by_difference, in_metric
from tenor.words.alpha.references import data_unigram, model_unigram, uniform

N, D = 30, 4
GENERATOR = np.random.default_rng(7)
U, V = GENERATOR.standard_normal((N, D)), GENERATOR.standard_normal((N, D))
COUNTS = GENERATOR.integers(1, 100, N)
REFERENCES = {"0": uniform(N), "u": model_unigram(U, V), "ud": data_unigram(COUNTS)}


def distribution(x: np.ndarray) -> np.ndarray:
    weights = np.exp(V @ x)
    return weights / weights.sum()


def written_out(x: np.ndarray, p0: np.ndarray, alpha: float) -> np.ndarray:
    p = distribution(x)
    centred = V - p0 @ V
    fisher = sum(p0[c] * np.outer(centred[c], centred[c]) for c in range(N))
    if alpha == 1:
        weights = p0 * (np.log(p) - np.log(p0))
    else:
        weights = p0 * 2 / (1 - alpha) * ((p / p0) ** ((1 - alpha) / 2) - 1)
    return np.linalg.solve(fisher, weights @ centred)


@pytest.mark.parametrize("reference", ["0", "u", "ud"])
@pytest.mark.parametrize("label", ["U", "U+V"])
@pytest.mark.parametrize("alpha", [-5.0, -1.0, 0.0, 0.9, 1.0, 1.8, 3.0])
def test_embeddings_are_the_formula(reference: str, label: str, alpha: float) -> None:
    p0 = REFERENCES[reference]
    rows = U + V if label == "U+V" else U
    expected = np.stack([written_out(x, p0, alpha) for x in rows])
    found = AlphaFamily(U, V, p0, label=label).embed(alpha)  # type: ignore[arg-type]
    assert np.allclose(found, expected, rtol=1e-8, atol=1e-10)
    directions = AlphaFamily(U, V, p0, label=label).embed(alpha, scaled=False)  # type: ignore[arg-type]
    cosines = (
        (directions * expected).sum(1) / np.linalg.norm(directions, axis=1) / np.linalg.norm(expected, axis=1)
    )
    assert np.allclose(cosines, 1.0)  # the sign of 1 − α is kept


def test_alpha_one_with_the_uniform_reference_gives_the_vectors_back() -> None:
    assert np.abs(AlphaFamily(U, V, uniform(N), label="U").embed(1.0) - U).max() < 1e-10


@pytest.mark.parametrize("reference", ["u", "ud"])
def test_alpha_one_keeps_differences_whatever_the_reference(reference: str) -> None:
    found = AlphaFamily(U, V, REFERENCES[reference], label="U").embed(1.0)
    assert np.allclose(found[3] - found[8], U[3] - U[8])


@pytest.mark.parametrize("alpha", [-3.0, 0.0, 1.0, 1.0005, 2.0])
def test_the_reference_itself_lies_at_zero(alpha: float) -> None:
    found = AlphaFamily(U, V, distribution(U[5]), label="U")
    assert np.abs(found.embed(alpha)[5]).max() < 1e-12
    if alpha == 1.0:
        assert np.allclose(found.embed(1.0), U - U[5])


def test_alpha_minus_one_is_the_difference_of_means() -> None:
    p0 = REFERENCES["ud"]
    made = AlphaFamily(U, V, p0, label="U")
    expected = np.stack([np.linalg.solve(made.fisher, (distribution(x) - p0) @ V) for x in U])
    assert np.allclose(made.embed(-1.0), expected)


@pytest.mark.parametrize("alpha", [0.999999, 0.9999999, 1.000001, 0.9995, 0.998])
def test_it_is_continuous_at_one(alpha: float) -> None:
    made = AlphaFamily(U, V, REFERENCES["ud"], label="U+V")
    assert np.abs(made.embed(alpha) - made.embed(1.0)).max() < 60 * abs(1 - alpha) + 1e-9


def test_centred_contexts_and_the_fisher_matrix() -> None:
    p0 = REFERENCES["u"]
    made = AlphaFamily(U, V, p0)
    assert np.abs(p0 @ made.centred).max() < 1e-14
    assert np.allclose(made.fisher, np.cov(V.T, aweights=p0, ddof=0))
    assert np.allclose(made.factor @ made.factor.T, made.fisher)
    assert np.linalg.eigvalsh(made.fisher).min() > 0


def test_the_fisher_cosine_is_the_plain_one_after_the_factor() -> None:
    made = AlphaFamily(U, V, REFERENCES["ud"])
    w = made.embed(-1.0)
    product = w @ made.fisher @ w.T
    lengths = np.sqrt(np.diag(product))
    rows = in_metric(w, made.factor, norm="F")
    assert np.allclose(rows @ rows.T, product / np.outer(lengths, lengths))
    mixed = in_metric(w, made.factor, norm="F", product="I")
    assert np.allclose(mixed @ mixed.T, w @ w.T / np.outer(lengths, lengths))


@pytest.mark.parametrize("reference", ["0", "u", "ud"])
def test_directions_tend_to_the_limit_embedding(reference: str) -> None:
    made = AlphaFamily(U, V, REFERENCES[reference])
    limit = in_metric(made.limit(), made.factor)
    far = in_metric(made.embed(-1e5, scaled=False), made.factor)
    near = in_metric(made.embed(-3.0, scaled=False), made.factor)
    assert np.isfinite(far).all()
    assert ((far * limit).sum(1) > 1 - 1e-6).all()
    assert (near * limit).sum(1).mean() < 0.999


def test_limit_embeddings_of_several_contexts() -> None:
    p0 = REFERENCES["ud"]
    made = AlphaFamily(U, V, p0, label="U")
    for weighted in (False, True):
        found = made.limit(3, weighted=weighted)
        for word in (0, 11):
            ratio = distribution(U[word]) / p0
            best = np.argsort(-ratio)[:3]
            weights = ratio[best] if weighted else np.ones(3)
            expected = np.linalg.solve(made.fisher, weights @ made.centred[best] / weights.sum())
            assert np.allclose(found[word], expected)
    best, _ = made.best_contexts()
    same = [(a, b) for a in range(N) for b in range(a) if best[a, 0] == best[b, 0]]
    assert same
    assert all((made.limit()[a] == made.limit()[b]).all() for a, b in same)


@pytest.mark.parametrize("alpha", [-2.0, 0.5, 1.0, 2.5])
def test_shifting_all_contexts_changes_nothing(alpha: float) -> None:
    p0 = REFERENCES["ud"]
    here = AlphaFamily(U, V, p0, label="U").embed(alpha)
    there = AlphaFamily(U, V + np.array([1.0, -2.0, 0.5, 3.0]), p0, label="U").embed(alpha)
    assert np.allclose(here, there)


def test_a_constant_added_to_a_words_logits_changes_nothing() -> None:
    log_p0 = np.log(REFERENCES["ud"])
    logits = U[:2] @ V.T
    here, there = (log_ratios(logits + shift, log_p0) for shift in (0.0, 7.0))
    assert np.allclose(here, there)
    centred = V - REFERENCES["ud"] @ V
    assert np.allclose(
        *(weighted_sums(ratios, log_p0, centred, 0.3, scaled=True) for ratios in (here, there))
    )


def test_blocks_bias_and_single_precision(monkeypatch: pytest.MonkeyPatch) -> None:
    p0 = REFERENCES["ud"]
    whole = AlphaFamily(U, V, p0).embed(-1.0)
    monkeypatch.setattr(family_module, "_CELLS", 4 * N)
    some = AlphaFamily(U, V, p0)
    assert np.allclose(some.embed(-1.0), whole)
    assert np.allclose(AlphaFamily(U, V, p0, bias=np.full(N, 3.0)).embed(-1.0), whole)
    single = AlphaFamily(U.astype(np.float32), V.astype(np.float32), p0).embed(-1.0)
    assert single.dtype == np.float32
    assert np.allclose(single, whole, rtol=1e-3, atol=1e-3)


def test_model_unigram_is_the_marginal_of_the_joint() -> None:
    joint = np.exp(U @ V.T)
    assert np.allclose(model_unigram(U, V), joint.sum(axis=0) / joint.sum())


def test_analogies_by_difference() -> None:
    made = AlphaFamily(U, V, REFERENCES["u"])
    rows = in_metric(made.embed(0.0), made.factor, norm="F", product="I")
    questions = GENERATOR.integers(0, N, (12, 3))
    answers = closest_by_difference(rows, questions, block=5)
    for (a, b, c), answer in zip(questions, answers, strict=True):
        distances = [
            np.inf if d in (a, b, c) else np.linalg.norm(rows[b] - rows[a] - rows[d] + rows[c])
            for d in range(N)
        ]
        assert answer == int(np.argmin(distances))


def test_lengths_that_cannot_be_written_are_refused() -> None:
    made = AlphaFamily(U, V, REFERENCES["ud"])
    with pytest.raises(TenorError, match="blows up"):
        made.embed(-2000.0)
    assert np.isfinite(made.embed(-2000.0, scaled=False)).all()
    with pytest.raises(TenorError, match="finite"):
        made.embed(float("nan"))


def test_a_flat_fisher_matrix_gets_a_ridge() -> None:
    flat = V.copy()
    flat[:, 1] = 1.0  # after centring no context differs here
    assert np.isfinite(AlphaFamily(U, flat, uniform(N), label="U").embed(0.0)).all()


@pytest.mark.parametrize(
    ("words", "contexts", "reference", "label"),
    [
        (U * np.nan, V, uniform(N), "U"),
        (U, V[:, :3], uniform(N), "U"),
        (U[:5], V, uniform(N), "U+V"),
        (U, V, uniform(N) * 2, "U"),
        (U, V, np.eye(1, N)[0], "U"),
        (U, V, uniform(N), "V"),
    ],
    ids=["nan", "width", "rows", "sum", "zero", "label"],
)
def test_bad_models_are_refused(
    words: np.ndarray, contexts: np.ndarray, reference: np.ndarray, label: str
) -> None:
    with pytest.raises(TenorError):
        AlphaFamily(words, contexts, reference, label=label)  # type: ignore[arg-type]


def test_words_without_counts_are_refused() -> None:
    with pytest.raises(TenorError, match="1 of 3 words have no count"):
        data_unigram(np.array([3, 0, 1]))
