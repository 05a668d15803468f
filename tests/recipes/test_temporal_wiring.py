"""Every factor of temporal-adversarial reaches the network, the vectors, the texts or the split it names."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from tenor.corpora.corpus import Corpus
from tenor.metrics.outcomes import Outcome
from tenor.recipes.temporal_adversarial import data as data_module
from tenor.recipes.temporal_adversarial import recipe, spaces, tagging
from tenor.recipes.temporal_adversarial.claims import CLAIMS, FREQUENT, PROBE, PROBE_BEFORE, TRIVIAL
from tenor.recipes.temporal_adversarial.data import cut, read_data, unlabelled
from tenor.recipes.temporal_adversarial.figures import permutation_p
from tenor.recipes.temporal_adversarial.made_up import made_up_space
from tenor.recipes.temporal_adversarial.tagging import TemporalTagger, most_frequent_tags, training_settings
from tenor.text.examples import Origin, Pair, TaggedSentence
from word_recipe_data import StubContext, cells_of, write

RECIPE = recipe.RECIPE
CELLS = cells_of(RECIPE)
TINY = RECIPE.plan("tiny").settings
SMALL, FULL = (RECIPE.plan(scale).settings for scale in ("small", "full"))
NETWORKS = [name for name, cell in CELLS.items() if cell.settings["tagger"] == "network"]


def tagger_of(name, folder, **plan):
    context = StubContext(folder, settings={**TINY, **plan})
    cell = CELLS[name].settings
    data = read_data(context, cell["labelled"])
    vectors = spaces.vectors_file(cell["alignment"], context)
    return TemporalTagger(cell, context.settings, data, vectors=vectors, work=folder, seed=1)


@pytest.mark.parametrize("name", NETWORKS)
def test_a_cell_has_its_map_its_discriminator_and_its_languages(name, tmp_path):
    made = tagger_of(name, tmp_path)
    assert (made.map is not None) == (name.startswith("adversarial") or name == "mapped")
    objectives = made.learner().objectives
    domains = {"adversarial": ("en", "es", "et"), "adversarial-en": ("en", "es", "et")}
    domains["adversarial-seen"] = ("en", "es")
    assert [each.domains for each in objectives] == ([domains[name]] if name in domains else [])
    languages = {word[:2] for row in made.data.train for word in row.words}
    assert languages == ({"en"} if name.endswith("-en") else {"en", "es"})
    assert set(made.data.tests) == {"en", "es", "et"}
    frozen = not any(each.requires_grad for each in made.encoder.lstm.parameters())
    assert frozen == (name == "untrained")
    assert not any(each.requires_grad for each in made.encoder.embeddings.parameters())


def test_the_discriminator_has_the_plans_settings_and_reads_mapped_vectors(tmp_path):
    made = tagger_of("adversarial", tmp_path, weight=0.7, every=3, discriminator_size=9, batch_size=5)
    (objective,) = made.learner().objectives
    config = objective.config
    assert (config.weight, config.every, config.hidden_size, config.batch_size) == (0.7, 3, 9, 5)
    assert (config.reads, config.level) == ("embeddings", "word")
    assert objective.discriminator[0].weight.shape == (9, 12)


def test_the_map_is_trained_and_is_what_the_bilstm_reads(tmp_path):
    made = tagger_of("mapped", tmp_path, epochs=1)
    words = ["en:en1", "et:et1"]
    with torch.no_grad():
        vectors = made.encoder.embeddings.of_words(words)
        assert np.allclose(made.features(words), torch.tanh(vectors).numpy(), atol=1e-6)
    assert np.allclose(tagger_of("unaligned", tmp_path / "u").features(words), vectors.numpy())
    made.fit(tmp_path)
    assert not torch.equal(made.map.linear.weight, torch.eye(12))


def test_the_discriminator_changes_the_map(tmp_path):
    maps = []
    for name, weight in (("mapped", 0.0), ("adversarial", 0.0), ("adversarial", 3.0)):
        folder = tmp_path / f"{name}-{weight}"
        made = tagger_of(name, folder, weight=weight, epochs=2, input_dropout=0.0)
        made.fit(folder)
        maps.append(made.map.linear.weight.detach().numpy())
    # Without weight only the rounding of larger passes differs.
    assert np.abs(maps[0] - maps[1]).max() < 0.1 * np.abs(maps[0] - maps[2]).max()


def test_the_vectors_are_those_of_the_alignment(tmp_path):
    tables = {}
    for name in ("unaligned", "strings", "dictionary"):
        made = tagger_of(name, tmp_path / name)
        tables[name] = made.features(["et:et1", "en:en1"])
    assert not np.allclose(tables["unaligned"][0], tables["dictionary"][0])
    assert not np.allclose(tables["strings"][0], tables["dictionary"][0])
    assert all(np.allclose(table[1], tables["unaligned"][1]) for table in tables.values())


def test_sizes_of_the_plan_reach_the_network_and_training():
    for name, plan in (("adversarial", SMALL), ("untrained", FULL)):
        found = training_settings(CELLS[name].settings, plan)
        assert (found.epochs, found.encoder_lr, found.head_lr) == (plan["epochs"], plan["lr"], plan["lr"])
        assert (found.optimizer, found.freeze) == ("adam", "encoder" if name == "untrained" else "none")
    assert (FULL["hidden_size"], FULL["weight"], FULL["every"], FULL["epochs"]) == (128, 0.001, 10, 50)


def test_a_seed_draws_its_train_sentences_and_dev_has_none_of_them(tmp_path):
    def drawn(seed):
        return read_data(StubContext(tmp_path, seed=seed, settings=TINY), ("en", "es"))

    first, again, other = drawn(1), drawn(1), drawn(2)
    assert first.train == again.train != other.train
    assert len(first.train) == 80
    assert {name: len(rows) for name, rows in first.dev.items()} == {"en": 10, "es": 10}
    trained = {row.words for row in first.train}
    assert not trained & {row.words for rows in first.dev.values() for row in rows}
    assert first.tests == other.tests


def test_long_sentences_are_cut_at_full_stops_and_never_in_an_expression():
    words = tuple(f"en:{'.' if n == 40 else n}" for n in range(150))
    tags = tuple("O" if n < 95 else ("B-DATE" if n == 95 else "I-DATE") for n in range(110)) + ("O",) * 40
    pieces = cut(TaggedSentence(words, Origin("a", 1), tags))
    assert [len(piece.words) for piece in pieces] == [41, 54, 55]
    assert sum((piece.words for piece in pieces), ()) == words
    assert sum((piece.tags for piece in pieces), ()) == tags
    assert cut(TaggedSentence(words[:60], Origin("a", 1), tags[:60]))[0].words == words[:60]


def test_texts_without_labels_are_train_sentences_and_all_there_are_of_the_unseen_language(tmp_path):
    context = StubContext(tmp_path, settings=TINY)
    assert len(unlabelled("en", context)) == 60
    assert len(unlabelled("et", context)) == 30
    assert unlabelled("et", context)[0].words == read_data(context, ("en",)).tests["et"][0].words


def test_the_most_frequent_tag_knows_a_word_in_any_language():
    def row(words, tags):
        return TaggedSentence(tuple(words.split()), Origin("a", 1), tuple(tags.split()))

    train = [row("en:1998 en:on", "B-DATE O"), row("es:1998 es:en", "B-DATE O"), row("en:1998", "O")]
    assert most_frequent_tags(train, [row("et:1998 et:On et:mai", "O O O")]) == [["B-DATE", "O", "O"]]


@pytest.mark.parametrize(
    "name", ["unaligned", "mapped", "adversarial", "adversarial-en", FREQUENT, "untrained"]
)
def test_a_cell_scores_what_it_should(name, tmp_path):
    context = StubContext(tmp_path, settings={**TINY, "epochs": 1})
    found = recipe.run(CELLS[name], context)
    kinds = ("strict", "relaxed", "type")
    languages = ("es unseen",) if name.endswith("-en") else ("en", "es", "et")
    expected = {f"{language} {kind}" for language in languages for kind in kinds}
    if name != FREQUENT and not name.endswith("-en"):
        expected.add(PROBE)
    if "map" in CELLS[name].settings:
        expected.add(PROBE_BEFORE)
    assert set(found.outcomes) == expected
    assert set(found.outcomes) <= set(TRIVIAL)
    assert ("dev" in found.extras) == (name != FREQUENT)


def test_the_files_become_rows_of_three_languages(tmp_path, monkeypatch):
    data = tmp_path / "data"
    for language, word in (("en", "May"), ("es", "mayo")):
        for part in ("train", "test"):
            text = f'*!-DCTVALUE="2001-01-01"-!*\tO\t-\n\nx\tO\t-\n{word}\tB-DATE\t2001-05\n'
            write(data / "timex-bio" / "timebank" / language / f"{part}.tsv.gz", text)
    base = "".join(f"a\t0\t{n}\t{word}\tx\t1\t0\n" for n, word in enumerate(["Juba", "mais"]))
    write(data / "timeml-estonian" / "base-segmentation-morph-syntax.gz", base)
    write(data / "timeml-estonian" / "timex-annotation.gz", 'a\t0\t1\t"mais"\tTIMEX DATE XXXX-05\tt1\n')
    write(data / "conll2003" / "eng.train.gz", "Rome NNP I-NP I-LOC\n")
    archive(data / "nltk" / "conll2002.zip", "conll2002/esp.train", "Roma NP B-LOC\n")
    asked = []

    def translated(folder, split):
        asked.append(split)
        return [Pair("A May.", "Un mayo.", Origin("t", n)) for n in range(5)]

    monkeypatch.setattr(data_module, "find", lambda name: tmp_path / name)
    monkeypatch.setattr(Corpus, "read", reads(Corpus.read, translated))
    data_module._read.cache_clear()
    context = StubContext(tmp_path / "work", data=data, settings=SMALL | {"translations": 2})
    found = read_data(context, ("en", "es"))
    assert [row.words for row in found.train] == [("en:x", "en:May"), ("es:x", "es:mayo")]
    assert found.tests["et"][0].words == ("et:Juba", "et:mais")
    assert found.tests["et"][0].tags == ("O", "B-DATE")
    texts = {name: list(data_module.texts_for_vectors(name, context)) for name in ("en", "es", "et")}
    assert texts["en"] == [["x", "may"], ["rome"], ["a", "may", "."], ["a", "may", "."]]
    assert texts["es"] == [["x", "mayo"], ["roma"], ["un", "mayo", "."], ["un", "mayo", "."]]
    assert texts["et"] == [["juba", "mais"]]
    assert asked == ["spa", "spa"]


def archive(path, member, text):
    from zipfile import ZipFile

    path.parent.mkdir(parents=True)
    with ZipFile(path, "w") as file:
        file.writestr(member, text)


def reads(usual, translated):
    def read(self, folder, split):
        return translated(folder, split) if self.name == "tatoeba-more" else usual(self, folder, split)

    return read


def test_p_values_of_a_figure_are_those_of_swapped_sentences():
    def outcome(right):
        ones = np.ones(40)
        return {"en strict": Outcome.of("f1_of_matches", ones, ones, right, right, items="en")}

    ones, zeros = outcome(np.ones(40)), outcome(np.zeros(40))
    found = SimpleNamespace(measured={"a": {1: ones, 2: ones}, "b": {1: zeros}, "same": {1: ones}})
    assert permutation_p(found, "a", "b", "en strict") < 0.01
    assert permutation_p(found, "a", "same", "en strict") == 1.0
    assert permutation_p(found, "a", "c", "en strict") is None


def test_the_plans_hold_all_cells_and_enough_seeds():
    small = RECIPE.plan("small")
    assert small.seeds >= 5
    assert all(cell.seeds(small.seeds) >= 5 for cell in small.cells)
    assert all(cell.weights == ("tatoeba",) for cell in small.cells)
    headline = [claim for claim in CLAIMS if claim.headline]
    assert CLAIMS[: len(headline)] == tuple(headline)
    assert all(claim.smallest <= claim.paper for claim in CLAIMS if isinstance(claim.paper, float))
    assert made_up_space("en").vector_size == TINY["vector_size"]
    assert tagging.LABELS[0] == "O"
    assert len(tagging.LABELS) == 9
