"""Every factor of embedding-dimensions reaches what it names: variant, table, tasks, folds, splits."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tenor.recipes.embedding_dimensions import recipe
from tenor.recipes.embedding_dimensions.recipe import RECIPE, run
from tenor.recipes.embedding_dimensions.sentence_tasks import SentenceTask
from tenor.recipes.recipe import Cell
from tenor.words import counting
from tenor.words.dimensions.probe import ProbeConfig
from tenor.words.dimensions.sentences import Averager, pair_features
from tenor.words.postprocess.principal import PrincipalSpace
from word_recipe_data import StubContext, cells_of, random_vectors, write

CELLS = cells_of(RECIPE)


def _cell(variant: str) -> Cell:
    return Cell(name=f"glove-{variant}", title="", settings={"table": "glove-300d", "variant": variant})


def _expected(rows: np.ndarray, variant: str, seed: int) -> np.ndarray:
    """Make a variant of the made-up table of 12 dimensions anew, as its name says."""
    name, _, number = variant.partition("-")
    space = PrincipalSpace.of(rows)
    scores, axes = space.scores(rows), space.axes
    if name == "full":
        return rows
    if name == "random":
        return np.random.default_rng(seed).normal(size=rows.shape)
    if name in ("T", "M", "B"):
        first = {"T": 0, "M": 4, "B": 8}[name]
        return scores[:, first : first + 4]
    if name == "first":
        return scores[:, : int(number)]
    if name == "ppa":
        return scores[:, int(number) :] @ axes[:, int(number) :].T
    # PPA with D = 3, the first dimensions that are left, and PPA again.
    return scores[:, 6 : 3 + int(number)]


def _cosines(rows: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    units = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray((units[pairs[:, 0]] * units[pairs[:, 1]]).sum(axis=1))


@pytest.fixture
def probed(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """List the features, labels and settings of every probe, and call all answers right."""
    given: list[tuple[Any, ...]] = []

    def split(*some: Any) -> np.ndarray:
        given.append(some)
        return np.ones(len(some[2]), dtype=bool)

    def folds(*some: Any) -> np.ndarray:
        given.append(some)
        return np.ones(len(some[0]), dtype=bool)

    monkeypatch.setattr(recipe, "split_outcomes", split)
    monkeypatch.setattr(recipe, "cross_validated", folds)
    return given


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(
    "variant",
    ["full", "T", "M", "B", "first-5", "first-12", "ppa-0", "ppa-2", "ppa-5", "reduced-6", "random"],
)
def test_the_variant_reaches_similarity_sentences_and_syntax(
    variant: str, seed: int, probed: list[Any], tmp_path: Path
) -> None:
    context: Any = StubContext(tmp_path, seed=seed, settings={"folds": 4})
    vectors, (test, *_), tasks, syntax = recipe._made_up(context)
    rows = _expected(vectors.vectors.astype(np.float64), variant, seed)
    outcomes = run(_cell(variant), context).outcomes
    pairs = vectors.checked_indices([word for pair in test.pairs for word in pair]).reshape(-1, 2)
    np.testing.assert_allclose(outcomes[test.name].columns[1], _cosines(rows, pairs), atol=2e-3)
    assert len(probed) == len(tasks) + len(syntax)
    for (train, train_labels, held, labels, config), task in zip(probed, [*tasks, *syntax], strict=True):
        assert config == ProbeConfig(folds=4)
        np.testing.assert_array_equal(np.concatenate([train_labels, labels]), task.labels)
        features = np.concatenate([train, held])
        assert len(train) == task.trained
        first = Averager.of(vectors, task.first if isinstance(task, SentenceTask) else task.texts)(rows)
        second = task.second if isinstance(task, SentenceTask) else None
        expected = first if second is None else pair_features(first, Averager.of(vectors, second)(rows))
        if not variant.startswith("reduced"):  # whose axes are only known up to a rotation
            np.testing.assert_allclose(features, expected, atol=1e-3)
        assert features.shape == expected.shape or variant.startswith("reduced")


@pytest.mark.parametrize(("variant", "size"), [("reduced-4", 4), ("reduced-6", 6), ("reduced-150", 6)])
def test_a_reduction_has_the_dimensions_of_its_name_up_to_half(
    variant: str, size: int, probed: list[Any], tmp_path: Path
) -> None:
    run(_cell(variant), StubContext(tmp_path))  # type: ignore[arg-type]
    assert probed[0][0].shape[1] == size


def test_tasks_without_a_split_are_cross_validated(
    probed: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = recipe._made_up

    def unsplit(context: Any) -> Any:
        vectors, similarity, tasks, _ = made(context)
        return vectors, similarity, [SentenceTask("MR", tasks[0].first, tasks[0].labels)], []

    monkeypatch.setattr(recipe, "_made_up", unsplit)
    outcomes = run(_cell("full"), StubContext(tmp_path)).outcomes  # type: ignore[arg-type]
    features, labels, config = probed[0]
    assert (len(features), len(labels), config.folds) == (200, 200, 5)
    assert len(outcomes["MR"].columns[0]) == 200


def test_single_components_are_probed_on_test_items_and_ranked_from_the_eleventh(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[tuple[Any, ...]] = []

    def outcomes(*some: Any) -> np.ndarray:
        given.append(some)
        accuracy = np.linspace(0.1, 0.9, 12)
        return np.stack([np.arange(60) < share * 60 for share in accuracy])

    monkeypatch.setattr(recipe, "component_outcomes", outcomes)
    context: Any = StubContext(tmp_path)
    vectors, _, _, syntax = recipe._made_up(context)
    made = run(CELLS["glove-components"], context)
    scores = PrincipalSpace.of(vectors.vectors).scores(vectors.vectors)
    for (averaged, labels, train, held), task in zip(given, syntax, strict=True):
        np.testing.assert_allclose(averaged, Averager.of(vectors, task.texts)(scores), atol=1e-6)
        np.testing.assert_array_equal(labels, task.labels)
        assert (list(train), list(held)) == (list(range(140)), list(range(140, 200)))
        assert made.outcomes[f"rank and {task.name}"].columns[0].tolist() == [11, 12]
        assert made.series[task.name]["component"] == list(range(1, 13))


@pytest.mark.parametrize("table", ["glove", "word2vec", "ppmi"])
def test_table_tasks_and_size_of_probing_sets_are_those_of_cell_and_plan(
    table: str,
    word_data: Path,
    word_assets: list[str],
    probed: list[Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(recipe, "read_syntax", lambda _, *, most: (asked.append(most), [])[1])
    trained: list[Any] = []
    monkeypatch.setattr(
        counting, "train_ppmi", lambda _, config: (trained.append(config), random_vectors())[1]
    )
    lines = "".join(f"{number % 2} w{number} w{number + 1}\n" for number in range(30))
    write(word_data / "sentence-cls/custrev.all.gz", lines)
    settings = {"tasks": ["CR"], "probing": 77}
    made = run(CELLS[f"{table}-full"], StubContext(tmp_path, word_data, settings=settings))  # type: ignore[arg-type]
    assert (len(probed), asked, "CR" in made.outcomes) == (1, [77], True)
    assert word_assets == {"glove": ["glove-300d"], "word2vec": ["word2vec-300d"], "ppmi": []}[table]
    assert trained == ([counting.PpmiConfig(vector_size=300)] if table == "ppmi" else [])
