"""Every factor of probabilistic-sentences reaches the network, the loss, the rows or the tests it names."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tenor
from tenor.encoders.operators.from_scratch import OperatorsFromScratch
from tenor.encoders.table import encoder_type
from tenor.layers.gaussian import entropy
from tenor.recipes.probabilistic_sentences import data, models, recipe, scoring
from tenor.recipes.probabilistic_sentences.baselines import Baseline
from tenor.recipes.probabilistic_sentences.claims import (
    CHARACTERS,
    CLAIMS,
    DELETED,
    ENTAILMENT,
    IDF,
    LENGTH,
    LSTM_GAUSSIAN,
    LSTMAVG,
    NO_PRIOR,
    RANK_MEAN,
    RANK_SUM,
    REPLACED,
    SICK,
    SPREAD,
    STS,
    UNEQUAL,
    WITH_DIRECTION,
    WITH_LENGTH,
    WLO,
    WORDAVG,
    WORDSUM,
)
from tenor.recipes.probabilistic_sentences.modifiers import VAGUE, made_vaguer, modifiers
from tenor.recipes.probabilistic_sentences.words import WordReport, read_words, spread
from tenor.recipes.recipe import Context
from tenor.text.examples import Origin, Pair, TaggedSentence
from tenor.training.operators.api import TASK
from word_recipe_data import cells_of

RECIPE = recipe.RECIPE
TINY = RECIPE.plan("tiny").settings
SMALL = RECIPE.plan("small").settings
ContextOf = Callable[..., Context]


class Stop(Exception):
    """Ends a cell where training would begin."""


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Note down what would be trained, and stop there."""
    given: list[dict[str, Any]] = []

    def train(what: Any, tasks: Any, **settings: Any) -> None:
        given.append({**settings, "task": tasks[TASK]})
        raise Stop

    monkeypatch.setattr(tenor, "train", train)
    return given


def ask(name: str, context: Context) -> None:
    with pytest.raises(Stop):
        recipe.run(cells_of(RECIPE)[name], context)


# What is trained


@pytest.mark.parametrize(
    ("name", "model_type", "head", "margin", "scramble", "prior", "l2"),
    [
        (WLO, "operators", "expected_likelihood", 1.0, 0.4, 0.05, 0.0),
        (NO_PRIOR, "operators", "expected_likelihood", 1.0, 0.4, None, 0.0),
        (WORDAVG, "static", "cosine", 0.4, 0.0, None, 1e-5),
        (WORDSUM, "static", "cosine", 0.4, 0.0, None, 1e-5),
        (LSTMAVG, "lstm", "cosine", 0.4, 0.4, None, 1e-5),
        (LSTM_GAUSSIAN, "lstm", "gaussian", 1.0, 0.4, None, 0.0),
    ],
)
def test_a_cell_trains_what_it_names(
    name: str,
    model_type: str,
    head: str,
    margin: float,
    scramble: float,
    prior: float | None,
    l2: float,
    asked: list[Any],
    context_of: ContextOf,
) -> None:
    ask(name, context_of(TINY))
    (run,) = asked
    task = run["task"]
    assert run["from_scratch"]["model_type"] == model_type
    assert (task["kind"], task["head"], task["margin"], task["scramble"]) == (
        "contrastive", head, margin, scramble,
    )  # fmt: skip
    assert run["objectives"] == (
        {} if prior is None else {"prior": {"method": "operator_prior", "weight": prior}}
    )
    assert run["weight_decay"] == l2
    if model_type == "lstm":
        assert (run["from_scratch"]["bidirectional"], run["from_scratch"]["dropout"]) == (False, 0.0)


@pytest.mark.parametrize("name", [WLO, WORDAVG, LSTMAVG, LSTM_GAUSSIAN])
def test_settings_of_the_scale_reach_training(name: str, asked: list[Any], context_of: ContextOf) -> None:
    changed = {
        "epochs": 7, "batch_size": 11, "mega_batch": 5, "dimensions": 9, "lstm_size": 8, "min_count": 3,
        "pairs": 100, "held_out": 6, "lr": dict.fromkeys(TINY["lr"], 0.5),
    }  # fmt: skip
    ask(name, context_of({**TINY, **changed}, seed=4))
    (run,) = asked
    assert (run["epochs"], run["encoder_lr"], run["head_lr"], run["seed"]) == (7, 0.5, 0.5, 4)
    assert (run["task"]["batch_size"], run["task"]["mega_batch"]) == (11, 5)
    assert (len(run["task"]["dev"]), len(run["task"]["train"])) == (6, 94)
    assert not {*run["task"]["dev"]} & {*run["task"]["train"][:10]}
    assert (run["from_scratch"]["embedding_size"], run["from_scratch"]["min_count"]) == (9, 3)
    assert run["from_scratch"].get("hidden_size") == (8 if "lstm" in name else None)


def test_scrambling_and_l2_of_the_scale_reach_training(asked: list[Any], context_of: ContextOf) -> None:
    context = context_of({**TINY, "scramble": 0.9, "l2": 0.2})
    for name in (WLO, LSTMAVG):
        ask(name, context)
    assert [run["task"]["scramble"] for run in asked] == [0.9, 0.9]
    assert [run["weight_decay"] for run in asked] == [0.0, 0.2]


def test_every_model_has_a_learning_rate_of_its_own(asked: list[Any], context_of: ContextOf) -> None:
    rates = {"wlo": 0.1, "wordavg": 0.2, "lstmavg": 0.3, "lstm_gaussian": 0.4}
    for name in (WLO, NO_PRIOR, WORDAVG, WORDSUM, LSTMAVG, LSTM_GAUSSIAN):
        ask(name, context_of({**TINY, "lr": rates}))
    assert [run["encoder_lr"] for run in asked] == [0.1, 0.1, 0.2, 0.2, 0.3, 0.4]


def test_models_differ_where_seed_prior_or_kind_do_and_sums_are_means(context_of: ContextOf) -> None:
    pairs = data.read_pairs(context_of(TINY))[0]
    made: dict[Any, Path] = {}
    for key in (
        ("wlo", 0.0, 1),
        ("wlo", 0.05, 1),
        ("wlo", 0.05, 2),
        ("wordavg", 0.0, 1),
        ("wordsum", 0.0, 1),
    ):
        made[key] = models.train_model(key[0], pairs, context_of(TINY, seed=key[2]), prior=key[1])
    assert len(set(made.values())) == 4
    assert made["wordavg", 0.0, 1] == made["wordsum", 0.0, 1]


# How texts are scored


TEXTS = ["name3 so1 so2", "name3", "so1 so1 so4 so5"]


def test_operators_are_scored_by_minus_their_entropy_and_gaussians_too(context_of: ContextOf) -> None:
    pairs = data.read_pairs(context_of(TINY))[0]
    for model in ("wlo", "lstm_gaussian"):
        asked = models.Specifier(model, models.train_model(model, pairs, context_of(TINY), prior=0.05))
        vectors, scores = asked.vectors(TEXTS), asked.scores(TEXTS)
        variance = vectors[:, vectors.shape[1] // 2 :]
        assert (variance > 0).all()
        import torch

        entropies = entropy(torch.from_numpy(np.log(variance))).numpy()
        np.testing.assert_allclose(scores - scores[0], entropies[0] - entropies, atol=1e-4)


def test_sums_are_means_times_words_and_rank_texts_of_one_length_alike(context_of: ContextOf) -> None:
    context = context_of(TINY)
    folder = models.train_model("wordavg", data.read_pairs(context)[0], context, prior=0.0)
    mean, total = (models.Specifier(name, folder) for name in ("wordavg", "wordsum"))
    np.testing.assert_allclose(total.scores(TEXTS), mean.scores(TEXTS) * [3, 1, 4])
    np.testing.assert_allclose(mean.scores(TEXTS), np.linalg.norm(mean.vectors(TEXTS), axis=1))
    same = [(" ".join(f"so{(a * b) % 8}" for a in range(4)), f"name{b} so1 so2 so3") for b in range(20)]
    np.testing.assert_array_equal(scoring.direction(mean, same), scoring.direction(total, same))


def test_rules_count_words_and_characters_and_how_rare_words_are() -> None:
    pairs = [("a cat sat", "a cat"), ("a dog", "the dog sat")]
    texts = ["a Cat", "zebra"]
    idf = {"a": math.log(4 / 4), "cat": math.log(4 / 3), "zebra": math.log(4)}
    scores = {rule: Baseline(rule, pairs).scores(texts).tolist() for rule in recipe._RULES}
    assert (scores[LENGTH], scores[CHARACTERS]) == ([2, 1], [4, 5])
    assert scores[IDF] == pytest.approx([idf["a"] + idf["cat"], idf["zebra"]])
    assert scores[RANK_SUM] == [1 + 2, 6]  # a is the most frequent, cat the next; five words are known
    assert scores[RANK_MEAN] == [1.5, 6]


# What is measured


class ByCount:
    """Takes texts with more words in capitals for more specific."""

    def scores(self, texts: list[str]) -> np.ndarray:
        return np.array([sum(word.isupper() for word in text.split()) for text in texts], dtype=float)


def test_the_first_text_should_be_the_more_specific_and_ties_count_half() -> None:
    pairs = [("A B", "a b"), ("a", "A"), ("A", "B"), ("A b c", "a B C")]
    assert scoring.direction(ByCount(), pairs).tolist() == [1, 0, 0.5, 0]


def test_measures_are_of_the_pairs_that_they_name() -> None:
    def labelled(name: str) -> dict[str, list[tuple[str, str]]]:
        return {label: [(f"{name} a", f"{label} b"), (name, f"{label} longer")] for label in data.LABELS}

    tests = data.Tests(
        entailment={"SICK": labelled("s"), "NLI-Watson": labelled("w"), "SNLI hard": labelled("h")},
        vaguer=made_vaguer([SENTENCE], most=1, generator=np.random.default_rng(0)),
        similarity=[Pair("a b", "c", Origin("a", 1), score=1.0)],
    )
    pairs = scoring.measured_pairs(tests)
    firsts = {name: [first for first, _ in found] for name, found in pairs.items()}
    assert firsts[ENTAILMENT] == ["s a", "w a", "h a"]
    assert firsts[SICK] == ["s a"]
    assert firsts[WITH_DIRECTION] == ["w a", "h a"]
    assert len(firsts[UNEQUAL]) == 6
    for label in ("neutral", "contradiction"):
        assert {second for _, second in pairs[f"{label}, equal length"]} == {f"{label} b"}
    for name in (ENTAILMENT, SICK, WITH_DIRECTION, REPLACED):
        assert all(data.count_words(one) == data.count_words(two) for one, two in pairs[name])
    assert all(data.count_words(one) > data.count_words(two) for one, two in pairs[DELETED])


def test_similarity_is_the_correlation_of_cosines_and_length_that_of_scores() -> None:
    vectors = {"a": [1.0, 0.0], "b": [1.0, 1.0], "c": [0.0, 1.0], "d e": [1.0, 0.1]}

    class Known(ByCount):
        def vectors(self, texts: list[str]) -> np.ndarray:
            return np.array([vectors[text] for text in texts])

    graded = [Pair("a", "b", Origin("a", 1), score=3.0), Pair("a", "c", Origin("a", 2), score=1.0),
              Pair("a", "d e", Origin("a", 3), score=5.0)]  # fmt: skip
    tests = data.Tests(entailment={}, vaguer=[], similarity=graded)
    cosines = [1 / math.sqrt(2), 0.0, 1 / math.sqrt(1.01)]
    expected = np.corrcoef([3, 1, 5], cosines)[0, 1]
    assert scoring.similarity_of(Known(), tests).score == pytest.approx(expected, abs=1e-6)


def test_sources_of_pairs_are_those_of_the_scale_less_what_is_measured(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    leak = ("He went there today.", "Today he went there.")
    monkeypatch.setattr(
        data, "tatoeba_paraphrases", lambda: [("A dog ran.", "One dog ran."), leak, ("x", "x")]
    )
    monkeypatch.setattr(data, "_sources", lambda _: {"all": [("Two  dogs.", "Some dogs.")]})
    monkeypatch.setattr(data, "_measured_pairs", lambda _: [("he went there today", "so be it then")])
    folders = tuple(tmp_path / folder.name for folder in data.FOLDERS)
    assert data._pairs(folders, None, every=False)[0] == [("A dog ran.", "One dog ran.")]
    pairs, notes = data._pairs(folders, None, every=True)
    assert pairs == [("Two dogs.", "Some dogs.")]
    assert notes == ("all: 1 pairs, 0 of them measured on and left out.",)


def test_entailment_leaves_out_pairs_of_equal_texts() -> None:
    origin = Origin("a", 1)
    pairs = [Pair("a", "a", origin, "ENTAILMENT"), Pair("a", "b", origin, "ENTAILMENT"),
             Pair("b", "a", origin, "neutral")]  # fmt: skip
    assert data.by_label(pairs) == {"entailment": [("a", "b")], "neutral": [("b", "a")], "contradiction": []}


# Vaguer sentences


SENTENCE = TaggedSentence(
    ("Two", "old", "black", "dogs", "did", "n't", "slowly", "eat", "61", "bones", ",", "Ann", "'s", "."),
    Origin("a", 1),
    ("CD", "JJ", "JJ", "NNS", "VBD", "RB", "RB", "VB", "CD", "NNS", ",", "NNP", "POS", "."),
)


def test_modifiers_are_deleted_or_replaced_by_as_many_vague_words() -> None:
    kinds = [None, "adjective", "adjective", None, None, None, "adverb", None, "number", None]
    assert modifiers(SENTENCE)[:10] == kinds
    (made,) = made_vaguer([SENTENCE], most=5, generator=np.random.default_rng(0))
    assert made.text == "Two old black dogs didn't slowly eat 61 bones, Ann's."
    assert made.deleted == "Two dogs didn't eat bones, Ann's."
    words = made.replaced.split()
    assert words[1] in VAGUE["adjective"]
    assert words[2] in VAGUE["adjective"]
    assert words[5] in VAGUE["adverb"]
    assert words[7] in VAGUE["number"]
    assert [words[place] for place in (0, 3, 4, 6)] == ["Two", "dogs", "didn't", "eat"]


def test_modifiers_of_several_words_are_left_alone() -> None:
    words = ("three-year", "old", "plans", "of", "6.5", "points", "or", "1\\/2", "shares")
    tags = ("JJ", "JJ", "NNS", "IN", "CD", "NNS", "CC", "CD", "NNS")
    (made,) = made_vaguer([TaggedSentence(words, Origin("a", 1), tags)], most=1,
                          generator=np.random.default_rng(0))  # fmt: skip
    assert made.deleted == "three-year plans of 6.5 points or 1\\/2 shares"
    assert data.count_words(made.text) == data.count_words(made.replaced)


def test_sentences_without_modifiers_and_long_ones_are_left_out_and_the_rest_drawn() -> None:
    plain = TaggedSentence(("dogs", "eat"), Origin("a", 1), ("NNS", "VB"))
    vague = TaggedSentence(("other", "dogs"), Origin("a", 2), ("JJ", "NNS"))
    long = TaggedSentence(("old", *["dogs"] * 40), Origin("a", 3), ("JJ", *["NNS"] * 40))
    some = [TaggedSentence(("old", f"dog{n}"), Origin("a", n), ("JJ", "NN")) for n in range(9)]
    first, again, other = (
        made_vaguer([plain, vague, long, *some], most=4, generator=np.random.default_rng(seed))
        for seed in (0, 0, 1)
    )
    assert len(first) == 4
    assert first == again != other
    assert all(each.text.startswith("old dog") for each in first)


# Words


def test_words_are_listed_by_shift_and_entropy(tmp_path: Path) -> None:
    folder = OperatorsFromScratch(embedding_size=2).write(tmp_path / "wlo", ["a the cat terrier"])
    kind = encoder_type("operators")
    encoder, tokenizer = kind.load(folder), kind.tokenizer(folder, max_tokens=None)
    import torch

    values = {"a": (0.1, 0.0), "the": (2.0, 0.01), "cat": (0.2, -1.0), "terrier": (3.0, -4.0)}
    with torch.no_grad():
        encoder.embeddings_log_scale.weight.zero_()  # type: ignore[union-attr, operator]
        for word, (shift, log_scale) in values.items():
            (number,) = tokenizer.tokenize([word]).ids.tolist()
            encoder.embeddings.weight[number] = torch.tensor([shift, 0.0])  # type: ignore[union-attr, operator, index]
            encoder.embeddings_log_scale.weight[number] = log_scale / 2  # type: ignore[union-attr, operator, index]
    kind.save(encoder, folder)
    report = read_words(folder, ["a", "the", "cat", "terrier", "zebra"])
    assert list(report.words) == list(values)
    np.testing.assert_allclose(report.shifts, [0.1, 2.0, 0.2, 3.0], rtol=1e-6)
    np.testing.assert_allclose(report.entropies, [0.0, 0.01, -1.0, -4.0], rtol=1e-6)
    assert report.lists(1) == {
        "small shift, entropy left alone": ["a"],
        "large shift, entropy left alone": ["the"],
        "small shift, entropy taken away": ["cat"],
        "large shift, entropy taken away": ["terrier"],
    }
    table = encoder.embeddings_log_scale.weight.detach().numpy()  # type: ignore[union-attr, operator]
    assert spread(folder) == pytest.approx(table.std(), rel=1e-5)


def test_a_report_of_one_word_has_no_large_shifts() -> None:
    report = WordReport(["a"], np.array([1.0]), np.array([-1.0]))
    assert report.lists()["large shift, entropy taken away"] == []


# The recipe


def test_cells_give_the_metrics_that_claims_name(run_cell: Callable[..., Any]) -> None:
    found = {name: set(run_cell(RECIPE, name, scale="tiny").outcomes) for name in (WLO, WORDAVG, IDF)}
    assert found[WLO] == found[WORDAVG] | {SPREAD}
    assert found[WORDAVG] - found[IDF] == {STS}
    for claim in CLAIMS:
        for cell, metric in claim.contrast.weights if claim.contrast else ():
            assert metric in found[WLO if cell in (WLO, NO_PRIOR) else WORDAVG]
    assert {ENTAILMENT, REPLACED, WITH_LENGTH} <= found[IDF]


def test_made_up_names_become_specific(run_cell: Callable[..., Any]) -> None:
    found = run_cell(RECIPE, WLO, scale="tiny", pairs=600, epochs=8)
    assert found.outcomes[REPLACED].score > 0.8
    names = [taken for word, taken in found.extras["words"].items() if word.startswith("name")]
    filler = [taken for word, taken in found.extras["words"].items() if word.startswith("so")]
    assert np.mean(names) > np.mean(filler)


def test_scales_differ_in_what_they_say() -> None:
    small, full = RECIPE.plan("small"), RECIPE.plan("full")
    assert small.seeds == 5
    assert (small.settings["mega_batch"], full.settings["mega_batch"]) == (2, 20)
    assert (small.settings["sources"], full.settings["sources"]) == (data.COMMAND, data.ALL)
    assert set(small.settings) == set(full.settings) == set(TINY)
    assert small.cell("starter-norm").weights == ("minilm", "tatoeba")
    assert all("tatoeba" in cell.weights for cell in small.cells)
