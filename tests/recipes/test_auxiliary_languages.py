"""Every factor of auxiliary-languages reaches the vectors, the network, the rows or the split it names."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import tenor
from tenor.encoders.embedded.word_embeddings.begin import begin
from tenor.encoders.embedded.word_embeddings.combined import CombinedEmbeddings
from tenor.encoders.embedded.word_embeddings.settings import word_embedding
from tenor.layers.embedding_attention import EmbeddingAttention
from tenor.metrics.outcomes import Outcome
from tenor.metrics.spans import span_figures
from tenor.recipes.auxiliary_languages import distance_use, recipe, tagging
from tenor.recipes.auxiliary_languages.claims import (
    DISTANCES,
    FREQUENT,
    HITS,
    OVER_BEST,
    PAPER_NER,
    UNTRAINED,
    with_other,
)
from tenor.recipes.auxiliary_languages.data import TARGETS, Tagged, read_rows, read_text
from tenor.recipes.auxiliary_languages.subword_vectors import VECTORS, embeddings_of, sources_of
from tenor.recipes.recipe import CellResult, Context
from tenor.recipes.word_tags import most_frequent_tags, outcome
from tenor.words import WordVectors
from tenor.words.languages.vote import vote
from word_recipe_data import cells_of

RECIPE = recipe.RECIPE
TINY = RECIPE.plan("tiny").settings
SPANISH, AFRIKAANS = TARGETS["NER es"], TARGETS["POS af"]
ContextOf = Callable[..., Context]


class Stop(Exception):
    """Ends a cell where training would begin."""


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Note down what would be trained, and stop there."""
    given: list[dict[str, Any]] = []

    def train(what: Any, tasks: Any, **settings: Any) -> None:
        given.append({"what": what, **tasks["tags"], **settings})
        raise Stop

    monkeypatch.setattr(tenor, "train", train)
    return given


def ask(name: str, context: Context, target: str = "NER es") -> None:
    cell = cells_of(RECIPE)[name]
    with pytest.raises(Stop):
        tagging.train_tagger(
            str(cell.settings["setting"]), TARGETS[target], context, frozen=bool(cell.settings.get("frozen"))
        )


# The settings of the paper


@pytest.mark.parametrize(
    ("setting", "languages"),
    [
        ("mono", "es"),
        ("multi", "multi"),
        ("mono+multi", "es multi"),
        ("mono+mono", "es es"),
        ("mono+nl", "es nl"),
        ("mono+all", "es de en fi nl multi"),
        ("meta", "es de en fi nl multi"),
    ],
)
def test_a_setting_reads_the_vectors_it_names(
    setting: str, languages: str, asked: list[Any], context_of: ContextOf
) -> None:
    ask(setting, context_of(TINY))
    encoder = asked[0]["from_scratch"]
    texts = [Path(table["vectors"]).parent.name.split("-vectors")[0] for table in encoder["embeddings"]]
    assert texts == ["de-en-es-fi-nl" if name == "multi" else name for name in languages.split()]
    assert all(Path(table["tokenizer"], "tokenizer.json").is_file() for table in encoder["embeddings"])
    assert all(table["freeze"] for table in encoder["embeddings"])
    assert encoder["combine"] == ("attention" if setting == "meta" else "concat")
    assert asked[0]["head"] == "crf"


def test_vectors_are_of_the_text_of_their_language(context_of: ContextOf) -> None:
    context = context_of(TINY)
    own, other, both = (
        WordVectors.load(embeddings_of(setting, SPANISH, context)[-1]["vectors"])
        for setting in ("mono", "mono+nl", "multi")
    )
    assert own.vector_size == TINY["vector_size"]
    assert set(own.words) != set(other.words)
    assert any(word[-1] == "s" for word in own.words)
    assert {word[-1] for word in both.words} >= {"i", "l", "s"}  # fi, nl and es end so
    np.testing.assert_allclose(np.linalg.norm(own.vectors, axis=1), TINY["vector_size"] ** 0.5, rtol=1e-5)


@pytest.mark.parametrize(
    ("name", "value", "read"),
    [
        ("pieces", 40, lambda vectors: len(vectors) <= 40),
        ("vector_size", 5, lambda vectors: vectors.vector_size == 5),
        ("text_words", 80, lambda vectors: vectors.counts.sum() < 500),
    ],
)
def test_settings_of_vectors_reach_them(
    name: str, value: int, read: Callable[[WordVectors], bool], context_of: ContextOf
) -> None:
    usual, changed = (
        WordVectors.load(embeddings_of("mono", SPANISH, context_of({**TINY, **more}))[0]["vectors"])
        for more in ({}, {name: value})
    )
    assert read(changed)
    assert not read(usual)


def test_the_window_reaches_the_vectors(context_of: ContextOf) -> None:
    near, far = (
        WordVectors.load(
            Path(embeddings_of("mono", SPANISH, context_of({**TINY, "window": window}))[0]["tokenizer"])
            / VECTORS
        )
        for window in (1, 4)
    )
    assert list(near.words) == list(far.words)
    assert not np.allclose(near.vectors, far.vectors)


@pytest.mark.parametrize("name", ["hidden_size", "attention_size"])
def test_sizes_reach_the_encoder(name: str, asked: list[Any], context_of: ContextOf) -> None:
    ask("meta", context_of({**TINY, name: 7}))
    assert asked[0]["from_scratch"][name] == 7


@pytest.mark.parametrize("name", ["epochs", "encoder_lr", "head_lr"])
def test_training_settings_reach_training(name: str, asked: list[Any], context_of: ContextOf) -> None:
    ask("mono", context_of({**TINY, name: 3}))
    assert asked[0][name] == 3
    assert asked[0]["freeze"] == "none"
    ask(UNTRAINED, context_of(TINY))
    assert asked[1]["freeze"] == "encoder"


def test_seeds_draw_rows_and_weights_and_never_the_test(asked: list[Any], context_of: ContextOf) -> None:
    for seed in (1, 2):
        ask("mono", context_of(TINY, seed=seed))
    assert [one["seed"] for one in asked] == [1, 2]
    assert asked[0]["train"] != asked[1]["train"]
    assert len(asked[0]["train"]) == TINY["train_rows"]
    first, second = (context_of(TINY, seed=seed) for seed in (1, 2))
    for part in ("dev", "test"):
        assert read_rows(SPANISH, part, first) == read_rows(SPANISH, part, second)  # type: ignore[arg-type]
    assert len(read_rows(SPANISH, "test", first)) == TINY["test_rows"]


def test_targets_have_tags_of_their_own(asked: list[Any], context_of: ContextOf) -> None:
    ask("mono", context_of(TINY), "NER es")
    ask("mono", context_of(TINY), "POS af")
    kinds = [{tag for row in one["train"] for tag in row["tags"]} for one in asked]
    assert kinds == [{"B-PER", "B-LOC", "O"}, {"NOUN", "VERB", "ADJ", "ADV"}]
    assert [one.get("scheme") for one in asked] == [None, "plain"]


@pytest.mark.parametrize("scale", ["tiny", "small", "full"])
def test_cells_name_the_targets_that_have_their_language(scale: str) -> None:
    plan = RECIPE.plan(scale)
    every = plan.cell("mono").settings["targets"]
    for cell in plan.cells:
        if cell.name.startswith("mono+") and cell.name not in ("mono+multi", "mono+mono", "mono+all"):
            other = cell.name.removeprefix("mono+")
            assert cell.settings["setting"] == cell.name
            assert cell.settings["targets"] == [name for name in every if other in TARGETS[name].others]
            assert cell.name in plan.cell(DISTANCES).after
    assert len(sources_of("mono+all", SPANISH)) == 6


def test_the_mean_of_one_other_language_weighs_all_alike() -> None:
    weights = with_other(PAPER_NER).weights
    assert len(weights) == 12
    assert set(weights.values()) == {1 / 12}
    assert ("mono+es", "NER es") not in weights


def test_a_tagger_learns_made_up_tags_and_its_weights_are_read(context_of: ContextOf) -> None:
    context = context_of({**TINY, "epochs": 40, "train_rows": 40, "encoder_lr": 0.03, "head_lr": 0.03})
    trained = tagging.train_tagger("meta", SPANISH, context)
    assert trained.test.score > 0.6
    assert trained.attention is not None
    assert trained.attention.shape == (6,)
    assert trained.attention.sum() == pytest.approx(1, abs=1e-5)


# Scores


def test_entities_and_accuracy_are_ratios_of_sums() -> None:
    rows = [Tagged(("a", "b", "c"), ("B-PER", "I-PER", "O")), Tagged(("d",), ("B-LOC",))]
    said = [["B-PER", "O", "O"], ["B-LOC"]]
    scored = outcome(SPANISH, rows, said)
    assert scored.score == span_figures([list(row.tags) for row in rows], said)["f1"] == 0.5
    assert outcome(AFRIKAANS, rows, said).score == 0.75  # three of four words
    assert [column.tolist() for column in outcome(AFRIKAANS, rows, said).columns] == [
        [3, 1], [3, 1], [2, 1],
    ]  # fmt: skip


def test_the_most_frequent_tag_of_a_word() -> None:
    train = [Tagged(("run", "run", "run", "dog", "cat"), ("V", "V", "N", "N", "N"))]
    assert most_frequent_tags(train, [Tagged(("run", "dog", "new"), ("V", "N", "V"))]) == [["V", "N", "N"]]


def test_the_baseline_is_that_of_the_training_rows(context_of: ContextOf) -> None:
    context = context_of(TINY)
    found = RECIPE.run(RECIPE.plan("tiny").cell(FREQUENT), context).outcomes["POS af"]
    train, test = read_rows(AFRIKAANS, "train", context), read_rows(AFRIKAANS, "test", context)
    assert found.score == outcome(AFRIKAANS, test, most_frequent_tags(train, test)).score


# Distances against use


def test_rankings_are_of_the_texts_and_of_the_tagged_words(context_of: ContextOf) -> None:
    found = distance_use.rankings_of(SPANISH, context_of(TINY))
    assert list(found) == ["char perplexity", "word perplexity", "overlap", "overlap of tagged words", "vote"]
    assert all(set(ranks) == set(SPANISH.others) for ranks in found.values())
    assert found["vote"] == vote([found[name] for name in list(found)[:4]])
    few = distance_use.rankings_of(SPANISH, context_of({**TINY, "train_rows": 1}, seed=3))
    assert few["char perplexity"] == found["char perplexity"]


def result(score: float, dev: float) -> CellResult:
    return CellResult(outcomes={"NER es": Outcome.number(score)}, extras={"dev": {"NER es": dev}})


def test_use_is_compared_with_distances(context_of: ContextOf, monkeypatch: pytest.MonkeyPatch) -> None:
    context = context_of(TINY)
    # The nearest is the best but one on test, and the best on dev.
    scores = {"en": (0.5, 0.9), "nl": (0.6, 0.1), "fi": (0.4, 0.2), "de": (0.3, 0.3)}
    results = {f"mono+{name}": result(*both) for name, both in scores.items()}
    object.__setattr__(context, "results", {**results, "meta": result(0.65, 0.5)})
    order = {"en": 1.0, "nl": 2.0, "fi": 3.0, "de": 4.0}
    monkeypatch.setattr(distance_use, "rankings_of", lambda *_: {"overlap": order, "vote": order})
    found = distance_use.distance_use([SPANISH], context)
    assert found.outcomes["vote (NER)"].score == pytest.approx(0.8)
    assert found.outcomes[HITS].score == 0
    assert found.outcomes[OVER_BEST].score == pytest.approx(0.15)
    assert "NER es, nearest first by the vote: en > nl > fi > de." in found.notes
    assert distance_use._hit({"en": 1.5, "nl": 1.5, "fi": 3}, {"en": 0.1, "nl": 0.2, "fi": 0}) == 0.5


def test_a_text_ends_at_the_number_of_words(context_of: ContextOf) -> None:
    assert sum(map(len, read_text("es", context_of({**TINY, "text_words": 50})))) == 48


# Exact checks of attention and concatenation


def test_one_embedding_has_all_attention() -> None:
    attention, only = EmbeddingAttention([4]), torch.randn(5, 4)
    assert torch.equal(attention.weights([only]), torch.ones(5, 1))
    torch.testing.assert_close(attention([only]), torch.tanh(attention.projections[0](only)))


def test_equal_embeddings_share_attention() -> None:
    attention, same = EmbeddingAttention([4, 4, 4]), torch.randn(5, 4)
    for layer in attention.projections[1:]:
        layer.load_state_dict(attention.projections[0].state_dict())
    torch.testing.assert_close(attention.weights([same] * 3), torch.full((5, 3), 1 / 3))


def test_the_order_of_languages_orders_the_weights_only() -> None:
    attention = EmbeddingAttention([2, 5, 3])
    embeddings = [torch.randn(6, size) for size in (2, 5, 3)]
    weights, mixed = attention.weights(embeddings), attention(embeddings)
    torch.testing.assert_close(weights.sum(dim=1), torch.ones(6))
    order = [2, 0, 1]
    attention.projections = torch.nn.ModuleList(attention.projections[k] for k in order)
    turned = [embeddings[k] for k in order]
    torch.testing.assert_close(attention.weights(turned), weights[:, order])
    torch.testing.assert_close(attention(turned), mixed)


def test_without_scores_attention_is_the_plain_mean() -> None:
    attention = EmbeddingAttention([2, 3])
    torch.nn.init.zeros_(attention.out.weight)
    embeddings = [torch.randn(4, 2), torch.randn(4, 3)]
    projected = [
        torch.tanh(layer(each)) for layer, each in zip(attention.projections, embeddings, strict=True)
    ]
    torch.testing.assert_close(attention(embeddings), sum(projected) / 2)


def test_concatenated_vectors_are_slices(context_of: ContextOf) -> None:
    tables = embeddings_of("mono+nl", SPANISH, context_of(TINY))
    begun = [begin(word_embedding(table), Counter()) for table in tables]
    combined = CombinedEmbeddings([one.settings for one in begun], [one.vocabulary for one in begun])
    words = ["bados", "kilul"]
    size = 2 * TINY["vector_size"]  # the first and the last piece
    both = combined.of_words(words)
    assert both.shape == (2, 2 * size)
    assert torch.equal(both[:, :size], combined.parts[0](words))
    assert torch.equal(both[:, size:], combined.parts[1](words))
