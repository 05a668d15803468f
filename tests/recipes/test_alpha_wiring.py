"""Every factor of alpha-embeddings reaches what it names: model, reference, metric, α, limit, documents.

What is expected of a cell is read from its name, as in ``E-50-ud-F-a-1`` or ``LE-150-0-nF-pI``, never from
its settings.
"""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tenor.metrics.correlation import spearman
from tenor.recipes.alpha_embeddings import classifiers, models, recipe
from tenor.recipes.alpha_embeddings.classifiers import Classified, classify
from tenor.recipes.alpha_embeddings.documents import split
from tenor.recipes.alpha_embeddings.models import Model, made_up, trained
from tenor.recipes.alpha_embeddings.recipe import RECIPE, run
from tenor.recipes.alpha_embeddings.word_tests import made_up_tests
from tenor.text.function_words import ENGLISH
from tenor.words import WordVectors, glove, training
from tenor.words.alpha.choice import GRID, cross_validate
from tenor.words.alpha.family import AlphaFamily
from tenor.words.alpha.metric import in_metric
from tenor.words.alpha.references import data_unigram, model_unigram, uniform
from tenor.words.neighbours import unit_rows
from word_recipe_data import StubContext, cells_of

CELLS = cells_of(RECIPE)
POINT = re.compile(
    r"(sg-)?(?P<kind>E|LE)-(?P<width>\d+)-(?P<reference>0|ud|u)-(?:(?P<norm>F|I)|nF-pI)"
    r"(?:-a(?P<alpha>-?\d)|-t(?P<top>\d)-w|(?P<tuned>-tuned))?"
)
FIXED = [name for name in CELLS if name.split("-")[0] not in ("ag", "mr") and not name.endswith("tuned")]
TUNED = ["E-50-ud-F-tuned", "E-50-0-I-tuned", "E-50-u-nF-pI-tuned"]


def _family(model: Model, reference: str) -> AlphaFamily:
    u, v, counts = model.vectors.vectors, model.vectors.contexts, model.vectors.counts
    assert v is not None
    assert counts is not None
    p0 = {"0": uniform(len(u)), "u": model_unigram(u, v), "ud": data_unigram(counts)}[reference]
    return AlphaFamily(u, v, p0)


def _rows(model: Model, name: str, alpha: float | None = None) -> np.ndarray:
    """Derive the rows of a cell anew from its name, with another α where one is given."""
    point = POINT.fullmatch(name)
    if point is None:  # U-50, U+V-50
        u, v = model.vectors.vectors, model.vectors.contexts
        rows = u + v if "U+V" in name and v is not None else u
        rows = rows @ np.linalg.qr(np.random.default_rng(0).normal(size=(rows.shape[1],) * 2))[0]
        rows = (rows - rows.mean(axis=0)) / rows.std(axis=0)
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))
    family = _family(model, point["reference"])
    if point["kind"] == "LE":
        rows = family.limit(int(point["top"] or 1), weighted=point["top"] is not None)
    else:
        rows = family.embed(float(point["alpha"]) if alpha is None else alpha, scaled=False)
    mixed = point["norm"] is None
    return in_metric(
        rows, family.factor, norm="F" if mixed else point["norm"], product="I" if mixed else None
    )  # type: ignore[arg-type]


def _cosines(rows: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    units = unit_rows(rows.astype(np.float32)).astype(np.float64)
    return np.asarray((units[pairs[:, 0]] * units[pairs[:, 1]]).sum(axis=1))


@pytest.fixture
def context(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StubContext:
    """Take every third word as being of its cluster's majority in place of clustering, which takes long."""
    from tenor.recipes.alpha_embeddings import word_tests

    def majority(units: np.ndarray, words: np.ndarray, categories: np.ndarray, *, seed: int) -> np.ndarray:
        return np.asarray(units[words].sum(axis=1) > 0, dtype=np.float64)

    monkeypatch.setattr(word_tests, "in_majority", majority)
    return StubContext(tmp_path, seed=3)


@pytest.mark.parametrize("name", FIXED)
def test_a_cell_is_the_point_of_its_name(name: str, context: Any) -> None:
    model = made_up(context)
    tests = made_up_tests(model.vectors, context)
    outcomes = run(CELLS[name], context).outcomes
    rows = _rows(model, name)
    for test, (pairs, _) in tests.similarity.items():
        np.testing.assert_allclose(outcomes[test].columns[1], _cosines(rows, pairs), atol=1e-4)
    # Analogies use lengths and products as they are, so that norm and product show.
    np.testing.assert_array_equal(outcomes["Google"].columns[0], tests.right(rows))


def test_norm_and_product_reach_the_rows_that_are_scored(context: Any) -> None:
    model = made_up(context)
    for name in ("E-50-ud-F-a-1", "E-50-ud-I-a-1", "LE-50-0-nF-pI", "LE-50-0-F"):
        rows, _ = recipe._rows(model, CELLS[name].settings)
        np.testing.assert_allclose(rows, _rows(model, name), atol=1e-5)


@pytest.mark.parametrize("name", TUNED)
def test_alpha_is_chosen_without_the_items_that_it_is_scored_on(
    name: str, context: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each set is best at an α of its own, which the other sets would not choose."""
    model = made_up(context)
    rows = {alpha: _rows(model, name, alpha) for alpha in GRID}
    plain = made_up_tests(model.vectors, context)
    best_alone = dict(zip(plain.similarity, (-3.0, 0.4, 2.0), strict=True))
    similarity = {
        test: (pairs, _cosines(rows[best_alone[test]], pairs))
        for test, (pairs, _) in plain.similarity.items()
    }
    tests = replace(plain, similarity=similarity)
    monkeypatch.setattr(recipe, "made_up_tests", lambda *_: tests)
    result = run(CELLS[name], context)
    scores = {
        alpha: {
            test: float(spearman(gold, _cosines(rows[alpha], pairs)))
            for test, (pairs, gold) in similarity.items()
        }
        for alpha in GRID
    }
    for test, (pairs, _) in similarity.items():
        others = [other for other in similarity if other != test]
        best = max(GRID, key=lambda alpha: np.mean([scores[alpha][other] for other in others]))
        assert best != best_alone[test]
        np.testing.assert_allclose(result.outcomes[test].columns[1], _cosines(rows[best], pairs), atol=1e-4)
    right = np.stack([tests.right(rows[alpha]) for alpha in GRID])
    expected = cross_validate(GRID, right, seed=context.seed).items
    np.testing.assert_array_equal(result.outcomes["Google"].columns[0], expected)
    assert (right.max(axis=0) != expected).any()
    assert result.series["curve"]["α"] == list(GRID)


def test_categories_are_scored_by_the_alpha_of_the_other_set(
    context: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "E-50-0-F-tuned"
    outcomes = run(CELLS[name], context).outcomes
    model = made_up(context)
    tests = made_up_tests(model.vectors, context)
    majority = {alpha: tests.majority(_rows(model, name, alpha), seed=3) for alpha in GRID}
    for test, other in (("ap", "bless"), ("bless", "ap")):
        best = max(GRID, key=lambda alpha: (majority[alpha][other].mean(), -abs(alpha - 1.0)))
        np.testing.assert_array_equal(outcomes[f"purity {test}"].columns[0], majority[best][test])


@pytest.mark.parametrize("name", ["E-50-0-I-a1", "E-150-0-I-a1", "sg-E-50-ud-F-a1", "ag-150-ud", "mr-50-0"])
def test_model_and_width_reach_the_training(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Asked(Exception):
        pass

    def train(kind: str, width: int, _: Any) -> Model:
        raise Asked(kind, width)

    monkeypatch.setattr(recipe, "trained", train)
    with pytest.raises(Asked) as asked:
        run(CELLS[name], StubContext(tmp_path, tmp_path))  # type: ignore[arg-type]
    width = 150 if "150" in name else 50
    assert asked.value.args == ("skip-gram" if name.startswith("sg-") else "glove", width)


@pytest.mark.parametrize("kind", ["glove", "skip-gram"])
def test_settings_reach_both_models_and_skip_gram_gets_the_noise_back(
    kind: str, word_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[Any] = []
    for module, name in ((glove, "train_glove"), (training, "train_word2vec")):
        made = getattr(module, name)
        monkeypatch.setattr(
            module,
            name,
            lambda corpus, config, made=made: (given.append((corpus, config)), made(corpus, config))[1],
        )
    context: Any = StubContext(tmp_path, word_data, seed=4, settings={"words": 40, "rounds": 2})
    model = trained(kind, 5, context)
    ((corpus, config),) = given
    assert len(corpus.words) == 40
    assert not set(corpus.words) & ENGLISH
    counts = model.vectors.counts
    assert counts is not None
    if kind == "glove":
        assert config == glove.GloveConfig(vector_size=5, iterations=2, seed=4)
        assert model.vectors.noise_exponent is None
    else:
        assert config == training.Word2VecConfig(vector_size=5, window=10, epochs=5, seed=4)
        assert model.vectors.noise_exponent == 0.75
        np.testing.assert_allclose(model.family("ud", "U").bias, 0.75 * np.log(counts))  # type: ignore[arg-type]
        assert model.family("0", "U").bias is None


def test_the_noise_is_part_of_distributions_and_of_the_models_unigram() -> None:
    rng = np.random.default_rng(0)
    u, v, bias = rng.normal(size=(8, 3)), rng.normal(size=(8, 3)), 0.5 * np.log(np.arange(1, 9))
    vectors = WordVectors([f"w{n}" for n in range(8)], u, np.arange(1, 9), v, noise_exponent=0.5)
    model = Model(vectors)
    family = model.family("u", "U")
    logits = vectors.vectors.astype(np.float64) @ np.asarray(vectors.contexts, dtype=np.float64).T + bias
    joint = np.exp(logits)
    np.testing.assert_allclose(np.exp(family.log_reference), joint.sum(axis=0) / joint.sum(), rtol=1e-5)
    p = joint / joint.sum(axis=1, keepdims=True)
    expected = np.linalg.solve(family.fisher, ((p - joint.sum(axis=0) / joint.sum()) @ np.asarray(v)).T).T
    np.testing.assert_allclose(family.embed(-1.0), expected, rtol=1e-2, atol=1e-3)
    assert model.family("ud", "U+V").parameters.tolist() == (vectors.vectors + vectors.contexts).tolist()
    np.testing.assert_allclose(np.exp(model.family("ud", "U").log_reference), np.arange(1, 9) / 36)


def test_plain_vectors_are_standardised() -> None:
    rng = np.random.default_rng(0)
    vectors = WordVectors(
        list("abcdef"), rng.normal(3, 5, (6, 2)), np.ones(6, dtype=int), rng.normal(size=(6, 2))
    )
    for label in ("U", "U+V"):
        rows = models.Model(vectors).raw(label)
        np.testing.assert_allclose(rows.mean(axis=0), 0, atol=1e-6)
        np.testing.assert_allclose(rows.std(axis=0), 1, atol=1e-6)


def test_plain_vectors_keep_their_cosines_where_axes_have_very_different_variances() -> None:
    rng = np.random.default_rng(0)
    axes = np.geomspace(10, 0.1, 40)  # as the singular vectors of a model
    words = rng.normal(size=(300, 40)) * axes
    vectors = WordVectors([f"w{n}" for n in range(300)], words, np.ones(300, dtype=int), np.zeros((300, 40)))
    centred = unit_rows((words - words.mean(axis=0)).astype(np.float32))
    plain = unit_rows(models.Model(vectors).raw("U+V"))
    whitened = unit_rows((words / words.std(axis=0)).astype(np.float32))
    likeness = [np.corrcoef((rows @ rows.T).ravel(), (centred @ centred.T).ravel())[0, 1]
                for rows in (plain, whitened)]  # fmt: skip
    assert likeness[0] > 0.95
    assert likeness[1] < 0.6


# Documents


@pytest.mark.parametrize("name", [name for name in CELLS if name.startswith(("ag-", "mr-"))])
def test_documents_are_classified_with_the_rows_of_the_cell_and_alpha_by_validation(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context: Any = StubContext(tmp_path, seed=2, settings={"epochs": 7, "document_alphas": [-1.0, 0.0, 1.0]})
    model = made_up(context)
    reference = "0" if name.endswith(("-0", "U+V")) else "ud"
    family = _family(model, reference)
    norm: Any = "I" if name.endswith("U+V") else "F"
    embed = {"LE": [family.limit()], "U+V": [family.embed(1.0, scaled=False)]}
    tuned = [family.embed(alpha, scaled=False) for alpha in (-1.0, 0.0, 1.0)]
    expected = [in_metric(rows, family.factor, norm=norm) for rows in embed.get(name.split("-")[-1], tuned)]
    seen: list[np.ndarray] = []

    def judge(documents: Any, rows: np.ndarray, *, architecture: str, epochs: int, seed: int) -> Classified:
        assert documents.name == {"ag": "AG News", "mr": "MR"}[name[:2]]
        assert (architecture, epochs, seed) == ("bilstm" if "lstm" in name else "linear", 7, 2)
        seen.append(rows)
        gold = np.array([0, 1, 0, 1])
        # The second α is the best on validation, the third on test.
        right = {1: 0, 2: 2, 3: 4}[len(seen)] if len(expected) > 1 else 3
        said = np.where(np.arange(4) < right, gold, 1 - gold)
        return Classified(np.eye(2)[said], gold, {1: 0.2, 2: 0.9, 3: 0.5}[len(seen)])

    monkeypatch.setattr(classifiers, "classify", judge)
    result = run(CELLS[name], context)
    assert len(seen) == len(expected)
    for rows, wanted in zip(seen, expected, strict=True):
        np.testing.assert_allclose(rows, wanted, atol=1e-4)
    metric = {"ag": "AG News", "mr": "MR"}[name[:2]] + (", BiLSTM" if "lstm" in name else "")
    assert result.outcomes[metric].score == (0.5 if len(expected) > 1 else 0.75)


def test_a_classifier_sees_no_test_label_and_keeps_the_weights_of_its_best_epoch() -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(40, 6)).astype(np.float32)
    labels = rng.integers(0, 2, 120)
    documents = split(
        "made up", [rng.integers(0, 30, 3) + 10 * label for label in labels], list(map(str, labels))
    )
    validation, test = documents.rows(1), documents.rows(2)
    documents.classes[validation] = 1 - documents.classes[validation]
    found = classify(documents, rows, architecture="linear", epochs=9, seed=1)
    right = found.right
    documents.classes[test] = 1 - documents.classes[test]
    flipped = classify(documents, rows, architecture="linear", epochs=9, seed=1)
    np.testing.assert_array_equal(found.probabilities, flipped.probabilities)
    np.testing.assert_array_equal(flipped.right, 1 - right)
    assert flipped.validation == found.validation
    # A run that ends with the best epoch has the same weights as one that goes on after it.
    shorter = (
        classify(documents, rows, architecture="linear", epochs=epochs, seed=1) for epochs in range(1, 9)
    )
    best = next(each for each in shorter if each.validation == found.validation)
    np.testing.assert_array_equal(found.probabilities, best.probabilities)
