"""Planted worlds: maps undo rotations, and a discriminator makes features that serve an unseen language."""

from itertools import product

import numpy as np
import pytest

from tenor.recipes.temporal_adversarial import recipe
from tenor.recipes.temporal_adversarial.data import read_data
from tenor.recipes.temporal_adversarial.made_up import made_up_dictionary, made_up_space
from tenor.recipes.temporal_adversarial.probe import probe, probe_words
from tenor.recipes.temporal_adversarial.spaces import (
    aligned,
    by_co_occurrence,
    ngram_vectors,
    through,
    together,
    vectors_file,
)
from tenor.recipes.temporal_adversarial.tagging import TemporalTagger, outcomes
from tenor.words import WordVectors
from word_recipe_data import StubContext, cells_of

CELLS = cells_of(recipe.RECIPE)
TINY = recipe.RECIPE.plan("tiny").settings
WORLD = {**TINY, "epochs": 20, "train_rows": 60, "dev_rows": 0}
"""All sentences of the made-up languages, until the labelled ones are learned."""


def strict_f1(name, folder, *, seed=1, **settings):
    """Train a cell's tagger in a made-up world: strict F1 by language, and the probe before and after."""
    context = StubContext(folder / f"{name}-{seed}", seed=seed, settings={**WORLD, **settings})
    context.work.mkdir(parents=True)
    cell = CELLS[name].settings
    data = read_data(context, cell["labelled"])
    vectors = vectors_file(cell["alignment"], context)
    tagger = TemporalTagger(cell, context.settings, data, vectors=vectors, work=context.work, seed=seed)
    words = probe_words(data.texts, 80)
    before = probe(tagger.features, words, seed=1).score
    tagger.fit(context.work)
    after = probe(tagger.features, words, seed=1).score
    scores = {
        language: outcomes(language, rows, tagger.tag(rows))[f"{language} strict"].score
        for language, rows in data.tests.items()
    }
    return scores, before, after


def test_a_map_by_dictionary_carries_labels_over_a_planted_rotation(tmp_path):
    plain, _, told = strict_f1("unaligned", tmp_path, kept=0, common=0.0)
    mapped, _, after = strict_f1("dictionary", tmp_path, kept=0, common=0.0)
    assert plain["et"] < 0.4
    assert mapped["et"] > 0.9
    assert min(plain["en"], plain["es"], mapped["en"], mapped["es"]) > 0.9
    assert after < told - 0.3


@pytest.fixture(scope="module")
def worlds(tmp_path_factory):
    """What vectors have in common is turned elsewhere in every language; the rest is the same."""
    folder = tmp_path_factory.mktemp("worlds")
    names = ("unaligned", "mapped", "dictionary", "adversarial")
    return {
        (name, common, seed): strict_f1(name, folder / str(common), seed=seed, kept=6, common=common)
        for name, common, seed in product(names, (1.5, 3.0), (1, 2))
        if common == 3.0 or name in ("unaligned", "adversarial")
    }


@pytest.mark.slow
def test_a_discriminator_and_a_dictionary_serve_an_unseen_language(worlds):
    mean = {
        name: np.mean([worlds[name, 3.0, seed][0]["et"] for seed in (1, 2)])
        for name in ("unaligned", "mapped", "dictionary", "adversarial")
    }
    assert mean["adversarial"] > mean["unaligned"] + 0.03
    assert mean["dictionary"] > mean["unaligned"] + 0.03
    # The map alone learns to read the common part of the labelled languages.
    assert mean["adversarial"] > mean["mapped"] + 0.1


@pytest.mark.slow
def test_a_probe_tells_languages_worse_and_the_labelled_languages_lose_nothing(worlds):
    for seed in (1, 2):
        scores, before, after = worlds["adversarial", 1.5, seed]
        assert after < before - 0.05
        plain, _, _ = worlds["unaligned", 1.5, seed]
        seen = [np.mean([each["en"], each["es"]]) for each in (scores, plain)]
        assert seen[0] > seen[1] - 0.01


@pytest.mark.parametrize("alignment", ["strings", "dictionary"])
def test_maps_are_rotations_that_undo_the_planted_one_and_keep_cosines(alignment):
    pivot, space = made_up_space("en", noise=0.0), made_up_space("et", noise=0.0)
    context = StubContext(None, settings=TINY)
    mapped = aligned("et", space, pivot, alignment, context).vectors
    lengths = np.linalg.norm(space.vectors, axis=1)
    np.testing.assert_allclose(np.linalg.norm(mapped, axis=1), 1.0, atol=1e-5)
    own = (space.vectors @ space.vectors.T) / np.outer(lengths, lengths)
    np.testing.assert_allclose(mapped @ mapped.T, own, atol=1e-5)
    if alignment == "dictionary":  # as many pairs as dimensions and more; few words have one name everywhere
        units = pivot.vectors / np.linalg.norm(pivot.vectors, axis=1, keepdims=True)
        np.testing.assert_allclose(mapped, units, atol=1e-5)
    assert len(made_up_dictionary("et")) > space.vector_size


def test_no_map_leaves_a_space_alone():
    pivot, space = made_up_space("en"), made_up_space("et")
    assert aligned("et", space, pivot, "none", StubContext(None, settings=TINY)) is space


def test_all_languages_in_one_table_of_one_length():
    spaces = {language: made_up_space(language) for language in ("en", "et")}
    table = together(spaces, scale=0.5)
    np.testing.assert_allclose(np.linalg.norm(table.vectors, axis=1), 0.5 * np.sqrt(12), rtol=1e-5)
    assert table["en:en1"] @ table["et:et1"] != table["en:en1"] @ table["en:en1"]
    assert "en:en1" in table
    assert "et:en1" not in table


def test_words_that_stand_beside_the_same_words_are_alike_and_new_ones_have_vectors(tmp_path):
    random = np.random.default_rng(0)
    days, foods = ["monday", "tuesday", "friday"], ["bread", "cheese", "soup"]
    text = []
    for _ in range(300):
        text.append(["they", "left", "on", str(random.choice(days)), "again"])
        text.append(["we", "eat", "fresh", str(random.choice(foods)), "daily"])
    vectors = ngram_vectors(text, ["mondays", "qqq"], folder=tmp_path, size=6, window=2)

    def cosine(one, two):
        return vectors[one] @ vectors[two] / np.linalg.norm(vectors[one]) / np.linalg.norm(vectors[two])

    assert cosine("monday", "friday") > cosine("monday", "soup") + 0.3
    assert cosine("mondays", "friday") > cosine("mondays", "soup") + 0.3
    assert not vectors["qqq"].any()
    assert list(vectors.counts) == sorted(vectors.counts, reverse=True)
    assert not list(tmp_path.iterdir())
    assert isinstance(vectors, WordVectors)


def test_dictionaries_out_of_what_there_is():
    assert through([("Moon", "kuu")], [("kuu", "kuu"), ("kuu", "Kuu"), ("maa", "maa")]) == [("moon", "kuu")]
    pairs = [(["the", "cat"], ["el", "gato"]), (["the", "dog"], ["el", "perro"]), (["a", "cat"], ["gato"])]
    found = dict(by_co_occurrence(pairs * 3))
    assert found == {"the": "el", "cat": "gato", "dog": "perro"}
    assert by_co_occurrence(pairs, least=4) == []


def test_a_probe_is_at_chance_on_noise_and_right_on_a_giveaway():
    words = {language: [f"{language}:{n}" for n in range(300)] for language in ("a", "b", "c")}
    noise = np.random.default_rng(0).normal(size=(900, 8))
    place = {word: n for n, word in enumerate(word for own in words.values() for word in own)}
    blind = probe(lambda own: noise[[place[word] for word in own]], words, seed=1)
    assert len(blind.columns[0]) == 300
    assert abs(blind.score - 1 / 3) < 0.08
    telling = noise.copy()
    telling[:, 0] = np.repeat([-3, 0, 3], 300)
    assert probe(lambda own: telling[[place[word] for word in own]], words, seed=1).score > 0.97


def test_the_words_of_a_probe_are_the_frequent_ones_as_many_of_each():
    texts = {"a": [["x", "x", "y", "z"]], "b": [["u", "v", "v"]]}
    assert probe_words(texts, 5) == {"a": ["x", "y"], "b": ["v", "u"]}
