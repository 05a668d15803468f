"""Every factor of geometric-meta-embeddings reaches what it names: method, C, solver, sources, items."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tenor.corpora.static_vectors import FILES
from tenor.recipes.geometric_meta_embeddings import recipe
from tenor.recipes.geometric_meta_embeddings.recipe import RECIPE, run
from tenor.recipes.word_sets import cosine_score
from tenor.words.combine import CombineConfig, Combined
from word_recipe_data import WORDS, StubContext, cells_of, random_vectors

CELLS = cells_of(RECIPE)
# The part of a name after the group -> the settings that it stands for.
SETTINGS: dict[str, dict[str, Any]] = {
    **{
        method: {"method": method}
        for method in ("avg", "conc", "geo-avg", "geo-conc", "rotate-avg", "rotate-conc")
    },
    **{f"geo-avg-c{c}": {"method": "geo-avg", "c": float(c)} for c in (1, 50, 1000, 10000, 100000)},
    "geo-avg-raw": {"method": "geo-avg", "unit_latent": False},
    "geo-avg-none": {"method": "geo-avg", "normalize": ("none",)},
    "geo-avg-centred": {"method": "geo-avg", "normalize": ("unit", "centre")},
    "avg-centred": {"method": "avg", "normalize": ("unit", "centre")},
    "geo-avg-cg": {"method": "geo-avg", "c": 50.0, "solver": "riemannian"},
}
GROUPS = {
    "gw": ["glove-300d", "word2vec-300d"],
    "bn": [],
    "gwb": ["glove-300d", "word2vec-300d"],
}


@pytest.fixture
def combined(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, CombineConfig]]:
    """Take the first source in place of the meta-embedding, and list what was to be combined, and how."""
    given: list[tuple[Any, CombineConfig]] = []

    def combine(sources: Any, config: CombineConfig) -> Combined:
        given.append((sources, config))
        return Combined(sources[0], None, tuple(len(source) for source in sources))

    monkeypatch.setattr(recipe, "combine", combine)
    return given


@pytest.mark.parametrize("name", [name for name in CELLS if "source" not in name])
def test_settings_reach_the_method(name: str, combined: list[Any], tmp_path: Path) -> None:
    run(CELLS[name], StubContext(tmp_path))  # type: ignore[arg-type]
    assert [config for _, config in combined] == [CombineConfig(**SETTINGS[name.partition("-")[2]])]


@pytest.mark.parametrize("number", [0, 1])
def test_a_source_alone_is_scored_alone(number: int, tmp_path: Path) -> None:
    context: Any = StubContext(tmp_path)
    sources, (test, *_), _ = recipe._made_up(context)
    outcome = run(CELLS[f"gw-source-{number + 1}"], context).outcomes[test.name]
    pairs = sources[number].checked_indices([word for pair in test.pairs for word in pair]).reshape(-1, 2)
    expected = cosine_score(sources[number].vectors)(pairs[:, 0], pairs[:, 1])
    np.testing.assert_allclose(outcome.columns[1], expected, atol=1e-6)


@pytest.mark.parametrize("group", list(GROUPS))
def test_a_group_has_its_sources_and_all_are_cut_to_their_common_words(
    group: str,
    word_data: Path,
    word_assets: list[str],
    combined: list[Any],
    tmp_path: Path,
) -> None:
    files = [FILES[source] for source in recipe._GROUPS[group] if source in FILES]
    (word_data / "static-emb").mkdir()
    for seed, file in enumerate(files):  # the second file has fewer words
        random_vectors(seed, words=WORDS[: 60 - 10 * seed], counts=False).save(tmp_path / "v.vec")
        (word_data / "static-emb" / file).write_bytes((tmp_path / "v.vec").read_bytes())
    for settings, questions in (({}, None), ({"questions": 5}, 5)):
        word_assets.clear()
        context: Any = StubContext(tmp_path, word_data, settings=settings)
        outcomes = run(CELLS[f"{group}-geo-avg"], context).outcomes
        assert word_assets == GROUPS[group]
        sources, _ = combined.pop()
        common = 50 if group == "bn" else 60
        assert [len(source) for source in sources] == [common] * len(recipe._GROUPS[group])
        if questions is not None:
            assert len(outcomes["Google"].columns[0]) == len(outcomes["MSR"].columns[0]) == questions
    # A source alone is scored on the very same pairs as the combinations of its group.
    alone = run(CELLS[f"{group}-source-1"], context).outcomes
    assert {name: one.items for name, one in alone.items()} == {
        name: one.items for name, one in outcomes.items()
    }
