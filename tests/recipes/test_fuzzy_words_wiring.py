"""Every factor of fuzzy-words reaches what it names: the vectors, the reading, the items."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tenor.corpora.word_benchmarks import read_similarity
from tenor.recipes.fuzzy_words.recipe import RECIPE, run
from tenor.recipes.word_sets import known_pairs
from tenor.words import training
from tenor.words.analogies import analogies
from tenor.words.fuzzy import FuzzyWords, sets
from tenor.words.fuzzy.readouts import analogies as fuzzy_analogies
from word_recipe_data import SEMANTIC, STOP_WORDS, StubContext, cells_of, random_vectors

CELLS = cells_of(RECIPE)
READINGS: dict[str, tuple[str, bool, Any]] = {
    "KL": ("column", False, sets.kl_bernoulli),
    "cross-entropy": ("column", False, sets.cross_entropy),
    "KL as printed": ("column", False, sets.kl_paper),
    "KL, unit": ("column", True, sets.kl_bernoulli),
    "KL, rows": ("row", False, sets.kl_bernoulli),
    "cross-entropy, rows": ("row", False, sets.cross_entropy),
    "KL, rows, unit": ("row", True, sets.kl_bernoulli),
}


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Take random vectors in place of training, and list the settings."""
    given: list[Any] = []
    monkeypatch.setattr(
        training, "train_word2vec", lambda _, config: (given.append(config), random_vectors())[1]
    )
    return given


@pytest.mark.parametrize("name", [name for name in CELLS if name.startswith("skip-gram")])
@pytest.mark.parametrize("seed", [1, 2])
def test_width_and_seed_reach_the_training(
    name: str,
    seed: int,
    word_data: Path,
    trained: list[Any],
    tmp_path: Path,
) -> None:
    run(CELLS[name], StubContext(tmp_path, word_data, seed=seed))  # type: ignore[arg-type]
    width = int(name.removeprefix("skip-gram-"))
    assert trained == [training.Word2VecConfig(vector_size=width, seed=seed)]


@pytest.mark.parametrize("name", ["word2vec-300d", "glove-300d"])
def test_the_asset_of_a_cell_is_opened(
    name: str, word_data: Path, word_assets: list[str], tmp_path: Path
) -> None:
    run(CELLS[name], StubContext(tmp_path, word_data))  # type: ignore[arg-type]
    assert word_assets == [name]


def test_every_reading_is_the_one_of_its_name(word_data: Path, trained: list[Any], tmp_path: Path) -> None:
    outcomes = run(CELLS["skip-gram-50"], StubContext(tmp_path, word_data)).outcomes  # type: ignore[arg-type]
    table = random_vectors().vectors.astype(np.float64)
    units = table / np.linalg.norm(table, axis=1, keepdims=True)
    for test in read_similarity(word_data / "word-benchmarks", ("SimLex-999", "MTurk-771")):
        first, second, gold = known_pairs(random_vectors(), test)
        cosine = outcomes[f"{test.name}: cosine"]
        np.testing.assert_allclose(cosine.columns[1], (units[first] * units[second]).sum(axis=1), atol=1e-6)
        for name, (axis, normalize, distance) in READINGS.items():
            features = sets.feature_probabilities(units if normalize else table, axis=axis)  # type: ignore[arg-type]
            made = outcomes[f"{test.name}: {name}"]
            np.testing.assert_allclose(made.columns[0], gold)
            np.testing.assert_allclose(
                made.columns[1], -distance(features[first], features[second]), atol=1e-6
            )
    assert {name.split(": ")[1] for name in outcomes if name.startswith("SimLex")} == {"cosine", *READINGS}


def test_analogies_are_answered_by_the_way_of_their_name(
    word_data: Path,
    trained: list[Any],
    tmp_path: Path,
) -> None:
    from tenor.corpora.word_benchmarks import read_analogies
    from tenor.recipes.word_sets import known_questions

    outcomes = run(CELLS["skip-gram-50"], StubContext(tmp_path, word_data)).outcomes  # type: ignore[arg-type]
    questions, _ = known_questions(
        random_vectors(), read_analogies(word_data / "word-benchmarks", ("Google",))[0]
    )
    ways = {
        "3CosAdd": analogies(random_vectors(), questions[:, :3])[0],
        "sets": fuzzy_analogies(FuzzyWords.of(random_vectors()), questions[:, :3])[0],
        "sets, rows": fuzzy_analogies(FuzzyWords.of(random_vectors(), axis="row"), questions[:, :3])[0],
        "sets, unit": fuzzy_analogies(FuzzyWords.of(random_vectors(), normalize=True), questions[:, :3])[0],
    }
    for name, answers in ways.items():
        right = answers[:, 0] == questions[:, 3]
        for part, chosen in (
            ("all", slice(None)),
            ("semantic", slice(0, SEMANTIC)),
            ("syntactic", slice(SEMANTIC, None)),
        ):
            np.testing.assert_array_equal(outcomes[f"analogies, {part}: {name}"].columns[0], right[chosen])


def test_answers_differ_between_the_ways(
    word_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Random questions are seldom right, so what is asked of each way is recorded instead."""
    from tenor.recipes.fuzzy_words import recipe

    asked: list[tuple[str, float]] = []
    made = recipe.fuzzy_analogies

    def record(fuzzy: FuzzyWords, questions: np.ndarray) -> Any:
        asked.append((fuzzy.axis, round(float(fuzzy.features.max()), 6)))
        return made(fuzzy, questions)

    monkeypatch.setattr(recipe, "fuzzy_analogies", record)
    monkeypatch.setattr(training, "train_word2vec", lambda *_: random_vectors())
    run(CELLS["skip-gram-50"], StubContext(tmp_path, word_data))  # type: ignore[arg-type]
    expected = [FuzzyWords.of(random_vectors(), **how) for how in ({}, {"axis": "row"}, {"normalize": True})]  # type: ignore[arg-type]
    assert asked == [(each.axis, round(float(each.features.max()), 6)) for each in expected]


@pytest.mark.parametrize("most", [None, 10])
def test_so_many_questions_are_asked_as_the_plan_says(
    most: int | None,
    word_data: Path,
    trained: list[Any],
    tmp_path: Path,
) -> None:
    settings = {} if most is None else {"questions": most}
    outcomes = run(CELLS["skip-gram-50"], StubContext(tmp_path, word_data, settings=settings)).outcomes  # type: ignore[arg-type]
    assert len(outcomes["analogies, all: sets"].columns[0]) == (most or 36)


def test_function_words_are_ranked_by_row_entropy_and_by_frequency(
    word_data: Path,
    trained: list[Any],
    tmp_path: Path,
) -> None:
    outcomes = run(CELLS["skip-gram-50"], StubContext(tmp_path, word_data)).outcomes  # type: ignore[arg-type]
    table = random_vectors()
    assert table.counts is not None
    frequent = np.flatnonzero(table.counts >= 100)
    entropies = sets.entropy(sets.feature_probabilities(table.vectors, axis="row"))[frequent]
    orders = {"entropy": frequent[np.argsort(-entropies)], "frequency": frequent}
    for top in (15, 30, 50):
        for name, order in orders.items():
            flags = [table.words[int(index)] in STOP_WORDS for index in order[:top]]
            np.testing.assert_array_equal(outcomes[f"function words: {name}, top {top}"].columns[0], flags)
    every = outcomes["function words: all frequent words"].columns[0]
    assert (len(every), every.sum()) == (len(frequent), len(STOP_WORDS))
