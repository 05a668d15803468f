"""Every factor of nth-order-bli reaches what it names: method, exponents, seed, vectors, scores."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tenor.corpora.static_vectors import FILES
from tenor.recipes.nth_order_bli import recipe
from tenor.recipes.nth_order_bli.recipe import PAIRS, RECIPE, run
from tenor.words.crosslingual.align import AlignConfig, Aligned
from tenor.words.crosslingual.lexicon_scores import LexiconScore, score_lexicon
from tenor.words.crosslingual.seed import KnownPairs
from tenor.words.crosslingual.self_learning import SelfLearningConfig
from word_recipe_data import StubContext, cells_of, random_vectors, write

CELLS = cells_of(RECIPE)
METHODS = {"sup": "vecmap", "self": "vecmap-self", "rcsls": "rcsls", "turn": "procrustes", "halves": "vecmap"}
ALPHAS: dict[str, Any] = {
    "post": (-0.25, 0.15), "white": (-0.5, -0.5), "both": (-0.25, -0.25), "swapped": (0.15, -0.25),
    "search": "supervised-search",
}  # fmt: skip
LEARNING: dict[str, dict[str, Any]] = {
    "union": {"direction": "union"},
    "keep": {"keep_seed": True},
    "stochastic": {"stochastic": True, "patience": 10},
}
SIZES = {"5k": 20, "1k": 8, "500": 4}


@pytest.fixture
def aligned(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Leave the spaces as they are in place of aligning, and list what was to be aligned, and how."""
    given: list[Any] = []

    def align(source: Any, target: Any, seed: Any, *, config: AlignConfig) -> Aligned:
        given.append((source, target, seed, config))
        search = {"mrr": 0.5, "mrr_at_zero": 0.4}
        return Aligned(source, target, {"alpha": [0.0, 0.0], "alpha_search": search, "seed_pairs": len(seed)})

    monkeypatch.setattr(recipe, "align", align)
    return given


@pytest.fixture
def scored(monkeypatch: pytest.MonkeyPatch) -> list[KnownPairs]:
    """Rank every translation first in place of scoring, and list the pairs that were to be tested."""
    given: list[KnownPairs] = []

    def score(source: Any, target: Any, test: KnownPairs, *, retrieval: Any) -> LexiconScore:
        given.append(test)
        return LexiconScore(np.ones(len(test), dtype=np.int64), test.total, len(test), retrieval)

    monkeypatch.setattr(recipe, "score_lexicon", score)
    return given


@pytest.fixture
def dictionaries(word_data: Path, tmp_path: Path) -> Path:
    """Write the vectors of four languages and the dictionaries of their pairs."""
    (word_data / "static-emb").mkdir()
    for seed, file in enumerate(FILES.values()):
        random_vectors(seed, counts=False).save(tmp_path / "v.vec")
        (word_data / "static-emb" / file).write_bytes((tmp_path / "v.vec").read_bytes())
    for pair in PAIRS:
        parts = {f"train.freq.{size}": range(count) for size, count in SIZES.items()}
        for part, words in {**parts, "test.freq.2k": range(10, 60)}.items():
            path = word_data / "bli-xling-eval" / pair / f"yacle.{part}.{pair}.tsv"
            write(path, "".join(f"W{word}\tw{word}\n" for word in words))
    return word_data


@pytest.mark.parametrize("name", list(CELLS))
def test_settings_reach_the_alignment(
    name: str, aligned: list[Any], scored: list[KnownPairs], tmp_path: Path
) -> None:
    run(CELLS[name], StubContext(tmp_path))  # type: ignore[arg-type]
    *first, last = name.removeprefix("web-").split("-")
    learning = SelfLearningConfig(**LEARNING.get(last, {}))
    alpha = ALPHAS.get(last, (0.0, 0.0))
    expected = AlignConfig(method=METHODS[first[0]], alpha=alpha, self_learning=learning)  # type: ignore[arg-type]
    assert [config for *_, config in aligned] == [expected] * len(aligned)
    one_pair = name.startswith(("web-", "halves-"))
    assert len(aligned) == (1 if one_pair else len(PAIRS))


def test_settings_of_the_plan_reach_self_learning(aligned: list[Any], tmp_path: Path) -> None:
    settings = {"words": 70, "least_gain": 0.5}
    run(CELLS["self-5k-base"], StubContext(tmp_path, settings=settings))  # type: ignore[arg-type]
    assert aligned[0][3].self_learning == SelfLearningConfig(vocabulary_cutoff=70, threshold=0.5)


@pytest.mark.parametrize("size", list(SIZES))
@pytest.mark.parametrize("pretrained", [False, True])
def test_the_seed_has_the_size_of_the_cell_and_vectors_are_those_of_its_languages(
    size: str,
    pretrained: bool,
    dictionaries: Path,
    word_assets: list[str],
    aligned: list[Any],
    tmp_path: Path,
) -> None:
    if pretrained and size == "500":
        return  # there is no such cell
    name = f"{'web-' if pretrained else ''}sup-{size}-base"
    outcomes = run(CELLS[name], StubContext(tmp_path, dictionaries)).outcomes  # type: ignore[arg-type]
    assert {len(seed) for _, _, seed, _ in aligned} == {SIZES[size]}
    assert word_assets == (["glove-300d", "french-300d"] if pretrained else [])
    languages = list(FILES)
    if not pretrained:
        for pair, (source, target, *_) in zip(PAIRS, aligned, strict=True):
            for made, language in zip((source, target), pair.split("-"), strict=True):
                expected = random_vectors(languages.index(language)).vectors
                np.testing.assert_allclose(made.vectors, expected, rtol=1e-6)
    # Words of the largest seed are never tested, whatever the cell's size.
    assert len(outcomes["all words"].columns[0]) == 40 * len(aligned)


def test_scores_are_of_the_retrieval_and_rank_of_their_names(aligned: list[Any], tmp_path: Path) -> None:
    context: Any = StubContext(tmp_path)
    outcomes = run(CELLS["sup-5k-base"], context).outcomes
    made = [recipe.made_up(pair, context) for pair in PAIRS]
    ranks = {
        retrieval: [
            score_lexicon(each.source.vectors, each.target.vectors, each.test, retrieval=retrieval).ranks  # type: ignore[arg-type]
            for each in made
        ]
        for retrieval in ("cosine", "csls")
    }
    cosine, csls = (np.concatenate(ranks[retrieval]) for retrieval in ("cosine", "csls"))
    assert (cosine != csls).any()
    expected = {"all words": 1 / cosine, "all words, CSLS": 1 / csls, "P@1": cosine <= 1, "P@5": cosine <= 5}
    for name, column in expected.items():
        np.testing.assert_allclose(outcomes[name].columns[0], column)
    for pair, each in zip(PAIRS, ranks["cosine"], strict=True):
        np.testing.assert_allclose(outcomes[pair].columns[0], 1 / each)


def test_halves_are_of_the_power_of_their_name_and_test_no_seed_word(
    word_data: Path,
    aligned: list[Any],
    scored: list[KnownPairs],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from tenor.words import counting

    words = [f"w{number}" for number in range(3000)]
    tables = [random_vectors(seed, words=words, counts=False) for seed in range(2)]
    trained: list[Any] = []
    monkeypatch.setattr(
        counting, "train_ppmi", lambda _, config: (trained.append(config), tables[len(trained) % 2])[1]
    )
    made = {}
    for power in ("root", "US"):
        context: Any = StubContext(tmp_path / power, word_data, seed=3)
        context.work.mkdir()
        outcomes = run(CELLS[f"halves-{power}-base"], context).outcomes
        made[power], seed = aligned[-1][0].vectors, aligned[-1][2]
        assert (len(seed), len(outcomes["halves"].columns[0])) == (1000, 1500)
        assert not {word for word, _ in seed} & {words[row] for row in scored[-1].pairs[:, 0].tolist()}
    assert trained == [counting.PpmiConfig(vector_size=100)] * 4
    np.testing.assert_allclose(made["US"], made["root"] * np.linalg.norm(made["root"], axis=0), rtol=1e-5)
