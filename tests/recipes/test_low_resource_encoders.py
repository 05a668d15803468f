"""Low-resource encoders: exact sizes, and every factor of the grid reaches what it names."""

import gzip
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import tenor
from tenor.metrics.outcomes import Outcome
from tenor.recipes.low_resource_encoders import data as data_module
from tenor.recipes.low_resource_encoders import pretraining, recipe, tagging
from tenor.recipes.low_resource_encoders.claims import (
    ALL_LANGUAGES,
    FACTORS,
    FREQUENT,
    LOSS_DROP,
    MEAN_NER,
    SCORES,
)
from tenor.recipes.low_resource_encoders.data import (
    LANGUAGES,
    NER_LANGUAGES,
    POS_LANGUAGES,
    TARGETS,
    Labelled,
    read_rows,
    read_text,
)
from tenor.recipes.low_resource_encoders.factor_design import label_rows, text_shares
from tenor.recipes.low_resource_encoders.factors import (
    coefficient_name,
    factor_outcomes,
    factors_of,
    fits,
    vocabulary_test,
)
from tenor.recipes.low_resource_encoders.wiki_size import BINS, bin_edges, text_size, wiki_size
from tenor.recipes.recipe import CellResult, Context
from tenor.recipes.word_tags import most_frequent_tags
from tenor.text.tokenizer import Tokenizer

RECIPE = recipe.RECIPE
TINY = RECIPE.plan("tiny").settings
CELLS = {cell.name: cell for cell in RECIPE.plan("tiny").cells}
PIDGIN, AFRIKAANS, PARSE = TARGETS["NER pcm"], TARGETS["POS af"], TARGETS["parse af"]
ContextOf = Callable[..., Context]


class Stop(Exception):
    """Ends a cell where training would begin."""


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Note down what would be trained, and stop there."""
    given: list[dict[str, Any]] = []

    def train(what: Any, tasks: Any, **settings: Any) -> None:
        given.append({"what": Path(what), "tasks": tasks, **settings})
        raise Stop

    monkeypatch.setattr(tenor, "train", train)
    return given


def ask(name: str, context: Context, target: str = "POS af") -> Any:
    """Run a cell up to its first training."""
    cell = CELLS[name]
    asked_of = type(cell)(name=name, settings={**cell.settings, "targets": [target]})
    with pytest.raises(Stop):
        RECIPE.run(asked_of, context)


# WikiSize


def test_wiki_sizes_of_the_paper() -> None:
    assert wiki_size(15.5 * 1024) == 14
    assert wiki_size(10) == 3
    edges = [round(bin_edges(size)[0] / 1024, 3) for size in range(3, 15)] + [
        round(bin_edges(14)[1] / 1024, 3)
    ]
    assert edges == [
        0.006,
        0.011,
        0.022,
        0.044,
        0.088,
        0.177,
        0.354,
        0.707,
        1.414,
        2.828,
        5.657,
        11.314,
        22.627,
    ]
    for size in range(3, 15):
        low, high = bin_edges(size)
        assert wiki_size(1.001 * low) == wiki_size(0.999 * high) == size
        assert high == pytest.approx(bin_edges(size + 1)[0])


def test_every_language_is_in_one_bin() -> None:
    named = [language for languages in BINS.values() for language in languages.split()]
    assert len(named) == len(set(named)) == 99
    assert set(BINS) == {*range(3, 13), 14}


def test_the_size_of_a_text_is_that_of_its_compression() -> None:
    text = [("a", "b"), ("c",)] * 5000
    megabytes = len(gzip.compress("\n".join(" ".join(words) for words in text).encode(), mtime=0)) / 2**20
    assert text_size(text) == pytest.approx(math.log2(megabytes))
    random = np.random.default_rng(0)
    words = [tuple(f"{n:x}" for n in random.integers(0, 2**40, 50)) for _ in range(400)]
    assert text_size(words) - text_size(words[:200]) == pytest.approx(1, abs=0.02)


# Pre-training


@pytest.mark.parametrize(
    ("name", "languages"),
    [("mono", "af"), ("related", "af nl"), ("unrelated", "af es"), ("multi", " ".join(LANGUAGES))],
)
def test_a_cell_pre_trains_on_the_texts_of_its_languages(
    name: str, languages: str, asked: list[Any], context_of: ContextOf
) -> None:
    context = context_of(TINY)
    ask(name, context)
    tasks = asked[0]["tasks"]
    assert list(tasks) == languages.split()
    first = next(iter(tasks))
    for language, task in tasks.items():
        share = text_shares(1, LANGUAGES)[language] if name == "multi" else 1.0
        words = sum(read_text(language, context, share=share), ())
        kept = f"{task['train'][0]['text']} {task['dev'][0]['text']}".split()
        assert sorted(kept) == sorted(words)
        assert task["mlm_selection"] == "inverse_sqrt_frequency"
        assert task.get("share_head_with") == (None if language == first else first)
    assert asked[0]["task_sampling"] == "uniform"
    assert asked[0]["steps"] == (7 if name == "multi" else 5)
    pieces = Tokenizer.load(asked[0]["what"]).size
    assert (60 < pieces <= 130) if name == "multi" else pieces <= 60


def test_random_initialisation_is_where_the_language_alone_begins(
    asked: list[Any], context_of: ContextOf
) -> None:
    context = context_of(TINY)
    ask("mono", context)
    ask("random", context)
    assert asked[0]["what"] == asked[1]["what"]
    assert [next(iter(each["tasks"].values()))["kind"] for each in asked] == ["mlm", "tag"]


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("mono-half-layers", {"num_hidden_layers": 1}),
        ("mono-small-vocabulary", {"vocab_size": 40}),
        ("mono-short", {"max_position_embeddings": 12}),
        ("mono-uniform-masking", {}),
    ],
)
def test_variants_change_the_encoder_or_the_masking(
    name: str, changed: dict[str, int], asked: list[Any], context_of: ContextOf
) -> None:
    from tenor.files import read_json

    context = context_of(TINY)
    ask("mono", context)
    ask(name, context)
    usual, own = (read_json(each["what"] / "config.json") for each in asked)
    assert {key for key in usual if usual[key] != own[key]} == set(changed)
    assert {key: own[key] for key in changed} == changed
    masking = [each["tasks"]["af"]["mlm_selection"] for each in asked]
    assert (masking[0] != masking[1]) == (name == "mono-uniform-masking")
    batches = [each["tasks"]["af"]["batch_size"] for each in asked]
    assert batches == [4, 8 if name == "mono-short" else 4]


@pytest.mark.parametrize(
    ("key", "value", "of"),
    [
        ("lr", 0.5, "encoder_lr"), ("lr", 0.5, "head_lr"), ("schedule", "inverse_sqrt", "schedule"),
        ("dropout", 0.25, "dropout"), ("evaluations", 1, "eval_steps"),
    ],
)  # fmt: skip
def test_settings_of_pre_training_reach_it(
    key: str, value: Any, of: str, asked: list[Any], context_of: ContextOf
) -> None:
    settings = {**TINY, "pretraining": {**TINY["pretraining"], key: value}}
    ask("mono", context_of(settings))
    assert asked[0][of] == (TINY["steps"] if key == "evaluations" else value)


def test_sizes_of_pre_training_reach_the_encoder(asked: list[Any], context_of: ContextOf) -> None:
    from tenor.files import read_json

    own = {"hidden_size": 12, "num_layers": 3, "num_heads": 3}
    ask("mono", context_of({**TINY, "pretraining": {**TINY["pretraining"], **own}}))
    config = read_json(asked[0]["what"] / "config.json")
    assert (config["hidden_size"], config["num_hidden_layers"], config["num_attention_heads"]) == (12, 3, 3)


def test_the_vocabulary_is_a_unigram_one_of_both_languages_alike(context_of: ContextOf) -> None:
    context = context_of(TINY)
    folder = pretraining.new_encoder(pretraining.pretraining_of("related", AFRIKAANS, {}, context), context)
    tokenizer = Tokenizer.load(folder)
    assert type(tokenizer._backend.model).__name__ == "Unigram"
    assert tokenizer.size <= TINY["pretraining"]["vocab_size"]
    long, short = [("a", "b")] * 5, [("c",)] * 3
    assert pretraining.vocabulary_texts([long, short]) == ["a b"] * 3 + ["c"] * 3
    assert len(pretraining.vocabulary_texts([long, short, short])) == 11


def test_streams_hold_every_sentence_once() -> None:
    text = [(f"w{number}", ".") for number in range(45)]
    train, dev = pretraining.streams(text)
    assert dev == "w19 . w39 ."
    assert len(train.split()) == 2 * 43
    assert pretraining.streams(text[:2]) == ("w0 .", "w1 .")


def test_texts_end_at_their_number_of_words(context_of: ContextOf) -> None:
    context = context_of({**TINY, "text_words": 100})
    assert sum(map(len, read_text("af", context))) == 96
    assert sum(map(len, read_text("af", context, share=0.5))) == 48
    assert read_text("af", context, share=0.5) == read_text("af", context)[:6]
    whole = context_of({**TINY, "text_words": 10**6})  # a share is of what there is
    assert sum(map(len, read_text("af", whole, share=0.25))) == 0.25 * sum(map(len, read_text("af", whole)))


def test_pre_training_lowers_the_loss_of_held_out_text(context_of: ContextOf) -> None:
    settings = {**TINY, "steps": 60, "pretraining": {**TINY["pretraining"], "lr": 0.01, "batch_size": 16}}
    context = context_of(settings)
    run = pretraining.pretrained(pretraining.pretraining_of("related", AFRIKAANS, {}, context), context)
    steps, perplexities = pretraining.losses(run, "nl")
    assert steps == [12, 24, 36, 48, 60]
    assert perplexities[-1] < 0.9 * perplexities[0]
    final = pretraining.final_perplexity(run, "nl")  # of the checkpoint that is best for both languages
    assert any(final == pytest.approx(each, rel=1e-3) for each in perplexities)
    assert (run / "model" / "model.safetensors").is_file()


# Fine-tuning


@pytest.mark.parametrize(
    ("key", "of"), [("encoder_lr", "encoder_lr"), ("head_lr", "head_lr"), ("tuning_steps", "steps")]
)
def test_settings_of_fine_tuning_reach_it(key: str, of: str, asked: list[Any], context_of: ContextOf) -> None:
    value = {"NER": 5, "POS": 7, "parse": 9} if key == "tuning_steps" else 7
    ask("random", context_of({**TINY, key: value}))
    assert asked[0][of] == 7
    assert asked[0]["freeze"] == "none"
    assert (asked[0]["schedule"], asked[0]["warmup"]) == ("linear", 0.1)


def test_tasks_of_targets() -> None:
    rows = [Labelled(("a", "b"), ("B-X", "O"), (2, 0), ("dep", "root"))]
    ner, pos, parse = (tagging.task_table(each, rows, TINY) for each in (PIDGIN, AFRIKAANS, PARSE))
    assert (ner["kind"], ner["head"], ner["decoding"], ner["subwords"]) == (
        "tag",
        "softmax",
        "retype",
        "first",
    )
    assert (pos["scheme"], "decoding" in pos) == ("plain", False)
    assert (parse["kind"], parse["arc_size"], parse["relation_size"]) == ("parse", 8, 4)
    assert parse["train"] == [{"words": ["a", "b"], "heads": [2, 0], "relations": ["dep", "root"]}]
    assert tagging.task_table(PIDGIN, rows, {**TINY, "repair": "split"})["decoding"] == "split"
    assert tagging.task_table(PARSE, rows, {**TINY, "subwords": "mean"})["subwords"] == "mean"
    assert tagging.task_table(PARSE, rows, {**TINY, "dropout": 0.3})["dropout"] == 0.3
    assert tagging.task_table(PARSE, rows, {**TINY, "tuning_batch_size": 3})["batch_size"] == 3


def test_seeds_draw_rows_and_weights_and_never_the_test(asked: list[Any], context_of: ContextOf) -> None:
    for seed in (1, 2):
        ask("random", context_of(TINY, seed=seed))
    assert [each["seed"] for each in asked] == [1, 2]
    rows = [each["tasks"]["task"]["train"] for each in asked]
    assert rows[0] != rows[1]
    assert len(rows[0]) == TINY["train_rows"]
    first, second = (read_rows(AFRIKAANS, "test", context_of(TINY, seed=seed)) for seed in (1, 2))
    assert first == second
    assert len(first) == TINY["test_rows"]
    weights = [(each["what"] / "model.safetensors").read_bytes() for each in asked]
    assert weights[0] != weights[1]


def test_attachment_counts_words_that_are_no_punctuation() -> None:
    rows = [
        Labelled(("a", "b", "."), ("NOUN", "VERB", "PUNCT"), (2, 0, 2), ("nsubj", "root", "punct")),
        Labelled(("c",), ("NOUN",), (0,), ("root",)),
    ]
    given = [((2, 0, 1), ("obj", "root", "punct")), ((0,), ("root",))]
    for ignored, uas, las in ((True, 1, 2 / 3), (False, 3 / 4, 2 / 4)):
        scores = tagging.parse_outcomes(PARSE, rows, given, ignore_punct=ignored)
        assert scores["UAS af"].score == pytest.approx(uas)
        assert scores["LAS af"].score == pytest.approx(las)
    gold = [(row.heads, row.relations) for row in rows]
    perfect = tagging.parse_outcomes(PARSE, rows, gold, ignore_punct=True)
    assert [each.score for each in perfect.values()] == [1, 1]


def test_a_parser_and_a_tagger_learn_made_up_rows(context_of: ContextOf) -> None:
    context = context_of(
        {
            **TINY,
            "train_rows": 60,
            "tuning_steps": {"POS": 60, "parse": 60},
            "encoder_lr": 0.01,
            "head_lr": 0.01,
        }
    )
    encoder = pretraining.new_encoder(pretraining.pretraining_of("mono", PARSE, {}, context), context)
    trees = tagging.fine_tuned(PARSE, encoder, context)
    assert set(trees) == {"UAS af", "LAS af"}
    assert trees["UAS af"].score >= trees["LAS af"].score > 0.4
    assert tagging.fine_tuned(AFRIKAANS, encoder, context)["POS af"].score > 0.5


def test_the_tree_without_a_parser() -> None:
    train = [Labelled(("the", "dog", "sleeps"), ("DET", "NOUN", "VERB"), (2, 3, 0), ("det", "nsubj", "root"))]
    rows = [
        Labelled(("dog", "the", "dog"), ("NOUN",) * 3),
        Labelled(("new",), ("X",)),
    ]
    assert most_frequent_tags(train, rows)[0] == ["NOUN", "DET", "NOUN"]
    heads, relations = tagging.nearest_trees(train, rows)[0]
    assert list(heads) == [2, 3, 0]  # the last would hang on a word behind the end
    assert list(relations) == ["nsubj", "det", "nsubj"]
    assert list(tagging.nearest_trees(train, rows)[1][0]) == [0]


def test_the_baselines_are_those_of_the_drawn_rows(context_of: ContextOf) -> None:
    context = context_of(TINY)
    found = RECIPE.run(CELLS[FREQUENT], context).outcomes
    assert set(SCORES) <= set(found)
    train, test = (read_rows(AFRIKAANS, part, context) for part in ("train", "test"))  # type: ignore[arg-type]
    right = [
        gold == given
        for row, tags in zip(test, most_frequent_tags(train, test), strict=True)
        for gold, given in zip(row.tags, tags, strict=True)
    ]
    assert found["POS af"].score == pytest.approx(np.mean(right))


# Factors over languages


def test_sizes_of_text_and_labels_are_drawn_apart_and_anew_for_every_seed() -> None:
    pairs = []
    for seed in range(1, 201):
        shares, rows = text_shares(seed, LANGUAGES), label_rows(seed, "NER", 800)
        assert set(shares.values()) == {1, 0.5, 0.25, 0.125}
        assert sorted(set(rows.values())) == [100, 200, 400, 800]
        assert shares["af"] == shares["pcm"] == shares["lug"] == 1
        pairs += [
            (math.log2(shares[target.language]), math.log2(count))
            for target, count in rows.items()
            if target.language not in ("pcm", "lug")
        ]
    assert len(set(map(str, (text_shares(seed, LANGUAGES) for seed in range(20))))) > 15
    assert abs(stats.pearsonr(*np.array(pairs).T).statistic) < 0.05
    assert [target.language for target in label_rows(1, "POS", 8)] == list(POS_LANGUAGES)


def test_languages_are_tuned_with_what_is_drawn_for_them(
    context_of: ContextOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    tuned: list[tuple[str, int]] = []

    def fine_tuned(target: Any, encoder: Path, context: Context, *, rows: int) -> dict[str, Outcome]:
        tuned.append((target.name, rows))
        return {target.name: Outcome.number(0.5)}

    monkeypatch.setattr(recipe, "fine_tuned", fine_tuned)
    monkeypatch.setattr(recipe, "pretrained", lambda *_: Path("run"))
    context = context_of({**TINY, "factor_rows": 40}, seed=2)
    found = RECIPE.run(CELLS[ALL_LANGUAGES], context)
    drawn = {target.name: rows for task in ("NER", "POS") for target, rows in label_rows(2, task, 40).items()}
    assert dict(tuned) == drawn
    assert len(tuned) == len(NER_LANGUAGES) + len(POS_LANGUAGES)
    points = found.extras["points"]
    for point in points:
        rows = drawn[f"{point['task']} {point['language']}"]
        assert point["sentences"] == rows
        share = text_shares(2, LANGUAGES)[point["language"]]
        assert point["text"] == text_size(read_text(point["language"], context, share=share))
        assert 0 < point["words"] <= 8 * rows
        assert 0 < point["baseline"] <= 1
    assert found.outcomes[MEAN_NER].score == 0.5
    object.__setattr__(context, "results", {ALL_LANGUAGES: found})
    assert set(RECIPE.run(CELLS[FACTORS], context).outcomes) >= {coefficient_name("NER", "text", "text")}


def points_of(count: int = 40) -> list[dict[str, Any]]:
    """Languages whose labels grow with their text, and whose score falls with text beside labels."""
    random = np.random.default_rng(3)
    text = random.uniform(-4, 0, count)
    labels = text + random.normal(0, 0.3, count) + 12
    score = 0.2 + 0.05 * labels - 0.03 * text + random.normal(0, 0.005, count)
    return [
        {"task": "NER", "language": f"l{n}", "text": text[n], "sentences": 2 ** labels[n],
         "words": 2 ** (labels[n] + random.normal()), "score": score[n], "baseline": 0.5}
        for n in range(count)
    ]  # fmt: skip


def test_planted_coefficients_come_back_and_the_sign_of_text_flips() -> None:
    points = points_of()
    outcomes, rows = factor_outcomes(points)
    assert outcomes["NER ~ labels + text: labels"].score == pytest.approx(0.05, abs=0.01)
    assert outcomes["NER ~ labels + text: text"].score == pytest.approx(-0.03, abs=0.01)
    assert outcomes["NER ~ text"].score > 0.01
    ratio = outcomes[coefficient_name("NER", "text", "text", "ratio")].score
    assert ratio == pytest.approx(outcomes["NER ~ text"].score / 0.5)
    factors = factors_of(points)
    slope = stats.linregress(factors["vocabulary"], [point["score"] for point in points])
    fit = fits(points)["vocabulary"].coefficients["vocabulary"]
    assert fit.interval.estimate == pytest.approx(slope.slope)
    assert fit.p == pytest.approx(slope.pvalue)
    named = {row["name"]: row for row in rows}
    assert named["NER ~ text"]["low"] < named["NER ~ text"]["estimate"] < named["NER ~ text"]["high"]
    assert outcomes["NER: p that vocabulary adds nothing to labels"].score == vocabulary_test(points)[1]


def test_a_cell_has_the_curve_and_the_fall_of_its_loss(
    context_of: ContextOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recipe, "pretrained", lambda *_: Path("run"))
    monkeypatch.setattr(recipe, "losses", lambda *_: ([1, 2], [8.0, 4.0]))
    monkeypatch.setattr(recipe, "final_perplexity", lambda *_: 4.0)
    monkeypatch.setattr(recipe, "fine_tuned", lambda target, *_, **__: {target.name: Outcome.number(0.5)})
    found: CellResult = RECIPE.run(CELLS["mono"], context_of(TINY))
    assert found.outcomes[LOSS_DROP].score == pytest.approx(math.log(2))
    assert found.extras["perplexity"]["af"] == ([1, 2], [8.0, 4.0])


# Data


@pytest.mark.parametrize("scale", ["small", "full"])
def test_partners_have_texts_and_targets_have_labels(scale: str) -> None:
    for name in RECIPE.plan(scale).cell("mono").settings["targets"]:
        target = TARGETS[name]
        assert {target.language, target.related, target.unrelated} <= set(LANGUAGES)
        data_module.corpus_of(target.language, spans=target.spans)


def test_relations_have_no_subtypes(tmp_path: Path) -> None:
    row = "1\tHuis\t_\tNOUN\t_\t_\t0\troot:sub\t_\t_\n\n"
    place = tmp_path / "af_afribooms" / "af_afribooms-ud-train.conllu.gz"
    place.parent.mkdir()
    place.write_bytes(gzip.compress(row.encode()))
    (sentence,) = data_module._read(tmp_path, "af", "train", False)
    assert sentence == Labelled(("Huis",), ("NOUN",), (0,), ("root",))
