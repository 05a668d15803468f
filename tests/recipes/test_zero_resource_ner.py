"""The exact checks of spec 03: boundaries, losses that add up, frozen vectors, taggers with descriptions."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional

from tenor.entities import lenient_entities
from tenor.layers.crf import CRF
from tenor.layers.packed import Packing
from tenor.recipes.zero_resource_ner import described, taggers
from tenor.recipes.zero_resource_ner.data import TYPES, read_data
from tenor.recipes.zero_resource_ner.recipe import RECIPE
from tenor.recipes.zero_resource_ner.scoring import (
    ENTROPY_ENTITIES,
    ENTROPY_O,
    GATE_RIGHT,
    gate_outcomes,
    mean_gates,
)
from tenor.recipes.zero_resource_ner.taggers import LABELS, TASK, NetworkTagger
from tenor.tasks.tag.heads.boundaries import boundary_of, boundary_spec, untyped
from tenor.tasks.tag.kind import TagSpec
from tenor.text.examples import Origin, TaggedSentence
from tenor.text.ragged import Ragged
from tenor.text.tag_schemes import Entity, convert, tags_of
from tenor.training.task_learner import TaskLearner
from word_recipe_data import StubContext

PLAN = dict(RECIPE.plan("tiny").settings) | {"epochs": 1}
CRF_CELL = {"tagger": "network", "freeze": True}
BOTH = CRF_CELL | {"boundaries": True, "experts": True}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return read_data(StubContext(tmp_path_factory.mktemp("data"), settings=PLAN))


def tagger(cell, data, folder, **plan):
    return NetworkTagger(cell, PLAN | plan, data, work=folder, seed=1)


def batch_of(made, data, count=7):
    rows = made.task.prepare(data.train, made.tokenizer)
    return made.task.collate(rows, np.arange(count))


def losses_of(made, batch):
    made.network.eval()
    return made.task.losses(made.network({TASK: batch})[TASK], batch)


@given(st.lists(st.sampled_from(LABELS), max_size=8))
def test_labels_of_boundaries_follow_from_the_labels_and_keep_boundaries(tags):
    """Only two entities that touch might become one, and a B keeps them apart."""
    legal = convert(tags, "bio", "bio")[0]
    once = [untyped(tag) for tag in legal]
    assert [untyped(tag) for tag in once] == once
    assert [tag[0] for tag in once] == [tag[0] for tag in legal]
    assert [(e.begin, e.end) for e in lenient_entities(once)] == [
        (e.begin, e.end) for e in lenient_entities(legal)
    ]


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(1, 4), st.sampled_from(TYPES)), max_size=4))
def test_bioes_comes_back_through_bio(parts):
    entities, place = [], 0
    for gap, length, kind in parts:
        entities.append(Entity(kind, place + gap, place + gap + length))
        place += gap + length
    tags = tags_of(entities, place + 1, "bioes")
    assert convert(convert(tags, "bioes", "bio")[0], "bio", "bioes") == (tags, 0)


def test_boundary_labels_are_three_for_bio_and_five_for_bioes():
    spec = TagSpec(labels=LABELS, boundary_weight=1.0)
    assert boundary_spec(spec).labels == ("O", "B-ENTITY", "I-ENTITY")
    assert boundary_of(LABELS, boundary_spec(spec).labels).tolist() == [0, *[1, 2] * 4]
    wide = TagSpec(labels=("O", *(f"{p}-{k}" for k in TYPES for p in "BIES")), scheme="bioes")
    assert boundary_spec(wide).labels == ("O", "B-ENTITY", "I-ENTITY", "E-ENTITY", "S-ENTITY")


def test_the_loss_of_a_crf_is_above_0_and_falls_to_0_as_gold_scores_dominate():
    torch.manual_seed(0)
    crf, gold = CRF(4).double(), torch.tensor([0, 3, 1, 2, 2])
    packing = Packing(np.array([0, 3, 5]))
    scores = torch.randn(5, 4, dtype=torch.float64)
    losses = [
        crf.neg_log_likelihood(scores + size * functional.one_hot(gold, 4), gold, packing).detach()
        for size in (0, 5, 50)
    ]
    assert all((loss >= 0).all() for loss in losses)
    assert losses[0].sum() > losses[1].sum() > losses[2].sum()
    assert float(losses[2].sum()) == pytest.approx(0, abs=1e-5)


def test_the_loss_is_the_sum_of_its_three_parts(data, tmp_path):
    made = tagger(BOTH, data, tmp_path)
    batch = batch_of(made, data)
    parts = {name: loss.detach() for name, loss in losses_of(made, batch).items()}
    assert set(parts) == {"loss", "gate", "boundary"}
    # Each part by itself, from the states of the encoder.
    (output, emissions) = made.network({TASK: batch})[TASK]
    labels, gate = output
    numbers = batch.extras["numbers"]
    words, packing = len(numbers.values), Packing(numbers.starts)
    types = torch.from_numpy(np.array([0, *np.repeat(range(1, 5), 2)])[numbers.values])
    expected = {
        "loss": made.task.head.labels.crf.neg_log_likelihood(
            labels, torch.from_numpy(numbers.values), packing
        ),
        "gate": functional.cross_entropy(gate, types, reduction="none"),
        "boundary": made.task.boundaries.crf.neg_log_likelihood(
            emissions, torch.from_numpy(np.array([0, *[1, 2] * 4])[numbers.values]), packing
        ),
    }
    for name, values in expected.items():
        assert float(parts[name]) == pytest.approx(float(values.detach().sum()) / words, rel=1e-5), name
    weighed = TaskLearner(made.network, {TASK: made.task.prepare(data.train, made.tokenizer)})
    total = weighed.weigh({f"{TASK}.{name}": value for name, value in parts.items()})
    assert float(total) == pytest.approx(sum(map(float, parts.values())), rel=1e-6)


def test_without_the_loss_of_boundaries_their_crf_gets_no_gradient(data, tmp_path):
    made = tagger(BOTH, data, tmp_path)
    batch = batch_of(made, data)
    parts = losses_of(made, batch)
    (parts["loss"] + parts["gate"]).backward()
    assert all(each.grad is None or not each.grad.any() for each in made.task.boundaries.parameters())
    made.network.zero_grad()
    losses_of(made, batch)["boundary"].backward()
    assert all(each.grad.any() for each in made.task.boundaries.parameters())
    assert all(each.grad is None or not each.grad.any() for each in made.task.head.parameters())
    assert made.network.encoder.lstm.layers[0].weight_ih_l0.grad.any()


def test_without_both_modules_the_bilstm_crf_is_the_same_bit_for_bit(data, tmp_path):
    plain = tagger(CRF_CELL, data, tmp_path / "plain")
    off = tagger(CRF_CELL | {"boundaries": False, "experts": False}, data, tmp_path / "off")
    second = tagger(CRF_CELL | {"boundaries": True}, data, tmp_path / "second")
    second.task.boundaries = None  # switched off, from the weights that a tagger with it begins with
    for each in (plain, off, second):
        each.fit(tmp_path / f"run-{id(each)}")
    expected = plain.network.state_dict()
    for each in (off, second):
        state = each.network.state_dict()
        assert state.keys() == expected.keys()
        assert all(torch.equal(state[name], expected[name]) for name in expected)


def test_frozen_vectors_stay_and_of_updated_ones_only_those_of_seen_words_change(data, tmp_path):
    for freeze in (True, False):
        made = tagger(CRF_CELL | {"freeze": freeze}, data, tmp_path / str(freeze))
        part = made.network.encoder.embeddings.parts[0]
        before = part.table.weight.detach().clone()
        made.fit(tmp_path / f"run {freeze}")
        changed = (part.table.weight.detach() != before).any(dim=1)
        if freeze:
            assert not changed.any()
            continue
        seen = sorted(set(part.rows([word for each in data.train for word in each.words])))
        assert changed[seen].all()
        assert int(changed.sum()) == len(seen) < len(changed)


def test_a_tagger_learns_the_made_up_domain_and_carries_it_over(data, tmp_path):
    made = tagger(BOTH, data, tmp_path, epochs=12)
    made.fit(tmp_path / "run")
    for name in ("CoNLL-2003", "SciTech"):
        tagged = made.tag(data.tests[name])
        pairs = zip(tagged.tags, data.tests[name], strict=True)
        right = [tag == gold for tags, one in pairs for tag, gold in zip(tags, one.tags, strict=True)]
        assert np.mean(right) > 0.9
        assert all(np.allclose(gate.sum(axis=1), 1, atol=1e-5) for gate in tagged.gates)
        assert all(gate.shape == (len(tags), 5) for gate, tags in zip(tagged.gates, tagged.tags, strict=True))


def head(examples=None, hidden=6, size=4, merge="highest"):
    torch.manual_seed(0)
    spec = TagSpec(labels=LABELS)
    return described.DescribedHead(
        spec, hidden, descriptions=torch.randn(4, size), examples=examples, lstm_size=3, merge=merge
    )


def test_the_concept_tagger_reads_states_beside_the_description(data):
    concept, words = head(), torch.randn(5, 6)
    for kind in range(4):
        asked = concept.asked(words, kind)
        assert torch.equal(asked[:, :6], words)
        assert torch.equal(asked[:, 6:], concept.descriptions[kind].repeat(5, 1))
    starts = np.array([0, 2, 5])
    together = concept(words, None, starts)
    assert together.shape == (4, 5, 3)
    for kind in range(4):  # a type's pass knows no other type, and a sentence no other sentence
        for begin, end in ((0, 2), (2, 5)):
            alone = concept.lstm(concept.asked(words, kind)[begin:end], Packing(np.array([0, end - begin])))
            torch.testing.assert_close(concept.out(alone.last), together[kind, begin:end])


@pytest.mark.parametrize("size", [4, 6])
def test_the_robust_tagger_attends_to_examples(size):
    examples = torch.randn(4, 2, size)
    robust, words = head(examples, size=size), torch.randn(5, 6)
    with torch.no_grad():
        robust.attention.normal_()
    fitted = examples if size == 6 else examples @ robust.fit.weight.T
    for kind in range(4):
        for place in range(5):
            scores = [(words[place] * robust.attention) @ fitted[kind, j] for j in range(2)]
            weights = torch.stack(scores).softmax(0)
            expected = weights[0] * fitted[kind, 0] + weights[1] * fitted[kind, 1]
            torch.testing.assert_close(robust.asked(words, kind)[place, 6 + size :], expected)


def test_its_loss_adds_up_the_types():
    concept = head()
    output, numbers = torch.randn(4, 3, 3), Ragged(np.array([0, 1, 8]), np.array([0, 3]))
    gold = torch.tensor([[0, 1, 0], [0, 0, 0], [0, 0, 0], [0, 0, 2]])
    expected = sum(functional.cross_entropy(output[kind], gold[kind]) for kind in range(4))
    assert float(concept.losses(output, numbers)["loss"]) == pytest.approx(float(expected), rel=1e-5)


def test_of_several_types_the_surest_wins_or_the_last():
    # Two words; the first is claimed by LOC (0.6) and PER (0.5), the second by none.
    p = np.array([[[0.3, 0.6, 0.1], [0.9, 0.1, 0]], [[0.45, 0.05, 0.5], [0.8, 0.1, 0.1]]], dtype=np.float32)
    assert described.merged(p)[0].tolist() == [0, 1]
    assert described.merged(p, "last")[0].tolist() == [1, 2]
    assert described.merged(p)[1][1] == described.merged(p, "last")[1][1] == 0
    output = torch.full((4, 2, 3), -9.0)
    output[:, :, 0] = 0.0
    output[0, 0], output[3, 0] = torch.log(torch.tensor(p[0, 0])), torch.log(torch.tensor(p[1, 0]))
    for merge, tag in (("highest", "B-LOC"), ("last", "I-PER")):
        (row,) = head(merge=merge).predict(output, np.array([0, 2]))
        assert [LABELS[int(number)] for number in row[:, 0]] == [tag, "O"]


def test_examples_are_the_most_frequent_entities_of_one_word():
    rows = [
        (["Rome", "Ada", "New", "York"], ["B-LOC", "B-PER", "B-LOC", "I-LOC"]),
        (["Oslo", "Rome", "York"], ["B-LOC", "B-LOC", "O"]),
    ]
    sentences = [TaggedSentence(tuple(w), Origin("x", 1), tuple(t)) for w, t in rows]
    found = described.frequent_examples(sentences, TYPES, 2)
    assert found == [
        "rome",
        "oslo",
        "miscellaneous",
        "miscellaneous",
        "organization",
        "organization",
        "ada",
        "ada",
    ]


def test_gate_figures_are_ratios_of_sums_over_sentences():
    sentences = [
        TaggedSentence(("a", "b"), Origin("x", 1), ("O", "B-PER")),
        TaggedSentence(("c", "d", "e"), Origin("x", 2), ("O", "O", "O")),
    ]
    rng = np.random.default_rng(0)
    gates = [rng.dirichlet(np.ones(5), size=len(one.words)) for one in sentences]
    found = gate_outcomes("x", sentences, gates)
    outside = np.concatenate([gates[0][:1], gates[1]])
    entropies = -(outside * np.log(outside)).sum(axis=1)
    assert found[GATE_RIGHT].score == pytest.approx((outside.argmax(axis=1) == 0).mean())
    assert found[ENTROPY_O].score == pytest.approx(entropies.mean(), abs=1e-3)
    inside = gates[0][1]
    assert found[ENTROPY_ENTITIES].score == pytest.approx(-(inside * np.log(inside)).sum(), abs=1e-3)
    table = mean_gates(sentences, gates)
    assert table[0] == pytest.approx(outside.mean(axis=0), abs=1e-4)
    assert table[4] == pytest.approx(inside, abs=1e-4)
    assert table[1] == [0] * 5


def test_trivial_taggers():
    train = [TaggedSentence(("Ada", "ran"), Origin("x", 1), ("B-PER", "O"))] * 2
    train.append(replace(train[0], tags=("B-ORG", "O")))
    asked = [TaggedSentence(("Ada", "saw", "ran"), Origin("x", 1))]
    assert taggers.most_frequent_tags(train, asked).tags == [["B-PER", "O", "O"]]
    assert taggers.all_outside(asked).tags == [["O", "O", "O"]]
