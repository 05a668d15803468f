"""The heads of taggers: each trained, saved and loaded; experts with their gate; labels never seen."""

import json

import numpy as np
import pytest
import torch
from torch.nn import functional

import tenor
from small_tagger import tagged_rows
from tasks.test_tag import built, outputs, settled
from tenor.errors import TenorError
from tenor.layers.packed import Packing
from tenor.tasks.table import spec_from_json, task_config, task_spec
from tenor.tasks.tag.heads.experts import expert_names, expert_of
from tenor.tasks.tag.heads.table import HEADS
from tenor.text.ccg_categories import parse_category
from tenor.text.label_symbols import split_label, without_redundant_parentheses
from tenor.text.tag_schemes import repair
from tenor.training.api import train

ONE = np.array([0, 1])
SMALL = {
    "experts": {"expert_size": 6},
    "spelled": {"decoder_size": 24, "beam": 1},
}


def trained(rows, out, *, dev=None, epochs=18, **settings):
    task = {"kind": "tag", "train": rows, "batch_size": 4, "dropout": 0.0, **settings}
    return train(
        None,
        {"names": task | ({} if dev is None else {"dev": dev})},
        from_scratch={"model_type": "lstm", "hidden_size": 16, "embedding_size": 16, "dropout": 0.0},
        out=out,
        epochs=epochs,
        encoder_lr=1e-2,
        head_lr=1e-2,
        precision="fp32",
    )


@pytest.mark.parametrize("spans", [True, False])
@pytest.mark.parametrize("head", HEADS)
def test_every_head_learns_is_saved_and_loaded(tmp_path, head, spans):
    rows = tagged_rows(60, spans=spans)
    run = trained(rows[:50], tmp_path / "run", dev=rows[50:], head=head, **SMALL.get(head, {}))
    score = run.scores["names"]["f1" if spans else "accuracy"]
    assert score > 0.9
    words = [row[0] for row in rows[50:]]
    first, second = (tenor.tag(words, model=run.load()) for _ in range(2))
    assert [each.tags for each in first] == [each.tags for each in second]
    assert [each.probabilities for each in first] == [each.probabilities for each in second]
    right = [tag == gold for each, row in zip(first, rows[50:], strict=True)
             for tag, gold in zip(each.tags, row[1], strict=True)]  # fmt: skip
    assert np.mean(right) > 0.9
    assert all(0 <= p <= 1.0001 for each in first for p in each.probabilities)


@pytest.mark.parametrize("head", HEADS)
def test_the_folder_says_which_weights_it_must_hold(tiny_folder, head):
    _, task, _ = built(tiny_folder, tagged_rows(6), head=head, **SMALL.get(head, {}))
    shapes = {name: tuple(value.shape) for name, value in task.saved_weights().items()}
    assert dict(task.spec.weight_shapes(32, pooling=None)) == {
        name: shape for name, shape in shapes.items() if not name.startswith("mix.")
    }


def test_the_gate_learns_types_and_its_loss_is_a_part(tiny_folder):
    encoder, task, data = built(
        tiny_folder, tagged_rows(6), head="experts", expert_size=4, gate_weight=2.0, casing=False
    )
    spec = task.spec
    assert expert_names(spec) == ("O", "ANIMAL", "PLACE")
    assert expert_of(spec).tolist() == [0, 1, 1, 2, 2]
    batch, _, (emissions, gate) = outputs(encoder, task, data)
    with torch.no_grad():
        losses = task.losses((emissions, gate), batch)
    numbers = batch.extras["numbers"].values
    types = torch.from_numpy(expert_of(spec)[numbers])
    assert losses["gate"] == pytest.approx(2 * float(functional.cross_entropy(gate, types)), rel=1e-5)
    assert losses["loss"] == pytest.approx(
        float(task.head.labels.losses(emissions, batch.extras["numbers"])["loss"]), rel=1e-6
    )
    (first, *_) = task.predict((emissions, gate), batch)
    answer = spec.answers([first])[0]
    assert len(answer.gates) == len(answer.tags) == len(first)
    assert all(sum(word.values()) == pytest.approx(1, abs=1e-5) for word in answer.gates)
    assert answer.to_json()["gates"][0].keys() == {"O", "ANIMAL", "PLACE"}
    assert spec.probabilities([first])[0].shape == (len(first), 5)
    unknown = type(batch.extras["numbers"])(np.full_like(numbers, -1), batch.extras["numbers"].starts)
    assert float(task.head.losses((emissions, gate), unknown)["gate"]) == 0


def test_labels_that_no_example_has_are_spelled(tiny_folder):
    """A label is not a number in a list: its symbols can stand together as no example has them."""
    rows = [(["cat", "dog"], ["A/X", "B/Y"])]
    _, task, _ = built(tiny_folder, rows, head="spelled", decoder_size=4, casing=False, history=False, beam=3)
    decoder, symbols = task.head.decoder, ("[SEP]", "/", "A", "B", "X", "Y")
    wanted = torch.tensor([symbols.index(symbol) for symbol in ("A", "/", "Y", "[SEP]")])
    optimizer = torch.optim.Adam(decoder.parameters(), lr=0.05)
    states = torch.randn(1, decoder.combine.in_features)
    for _ in range(60):  # the labels of a run never have it; the decoder can say it all the same
        logs = decoder.log_probabilities(decoder.contexts(states), wanted.numpy(), Packing(ONE))
        optimizer.zero_grad()
        functional.nll_loss(logs, wanted).backward()
        optimizer.step()
    (row,) = task.head.predict(decoder.contexts(states), ONE)
    answer = task.spec.answers([row])[0]
    assert answer.tags == ("A/Y",)
    assert "A/Y" not in task.spec.labels
    assert 0.5 < answer.probabilities[0] <= 1
    assert task.spec.probability_labels == ()


def test_a_wider_beam_finds_labels_that_are_more_probable(tiny_folder):
    rows = [(["cat", "dog"], ["A/X", "B/Y"])]
    found = {}
    for beam in (1, 4):
        torch.manual_seed(0)
        _, task, _ = built(
            tiny_folder, rows, head="spelled", decoder_size=4, casing=False, history=False, beam=beam
        )
        decoder = task.head.decoder
        with torch.no_grad():
            for weights in decoder.parameters():
                weights.normal_(std=1.5)
            contexts = decoder.contexts(torch.randn(60, decoder.combine.in_features))
        (table,) = task.head.predict(contexts, np.array([0, 60]))
        assert table[:, 0].tolist() == pytest.approx(
            np.exp(decoder.spell_contexts(contexts, np.array([0, 60]), beam=beam)[1]).tolist()
        )
        found[beam] = table
    narrow, wide = found[1][:, 0], found[4][:, 0]
    assert (wide > narrow * 1.01).sum() > 5
    assert np.log(wide).mean() > np.log(narrow).mean()


@pytest.mark.parametrize(
    "label", [r"(S[dcl]\NP)/NP", "N", "NOUN|Case=Nom|Number=Sing", "B-PER", "((", "", "-"]
)
def test_labels_are_split_and_joined(label):
    assert "".join(split_label(label)) == label


@pytest.mark.parametrize(
    ("label", "repaired"),
    [
        ("((A/B))", "A/B"), ("(A)", "A"), (r"((A\B))/C", r"(A\B)/C"), (r"(A\B)/(C/D)", r"(A\B)/(C/D)"),
        ("((A", "((A"), ("A)(", "A)("), ("(A)/B", "A/B"),
    ],
)  # fmt: skip
def test_only_redundant_parentheses_are_repaired(label, repaired):
    assert without_redundant_parentheses(label) == repaired
    assert without_redundant_parentheses(repaired) == repaired


def test_the_tree_of_a_category_stays_without_redundant_parentheses():
    random = np.random.default_rng(0)

    def drawn(depth):
        if depth == 0 or random.random() < 0.3:
            return str(random.choice(["N", "NP", "S[dcl]"])), True
        (one, _), (two, _) = drawn(depth - 1), drawn(depth - 1)
        return f"({one}{random.choice(['/', chr(92)])}{two})", False

    for _ in range(200):
        inner, atom = drawn(4)
        label = inner if atom else inner[1:-1]
        doubled = label.replace("(", "((").replace(")", "))")
        for redundant in (label, f"({label})", doubled, f"({doubled})"):
            mended = without_redundant_parentheses(redundant)
            assert mended == label
            assert str(parse_category(mended)) == label


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"head": "crf", "beam": 3}, "beam is a setting of head = 'spelled'"),
        ({"expert_size": 3}, "expert_size is a setting of head = 'experts'"),
        ({"head": "spelled", "beam": 0}, "beam is 0; it must be at least 1"),
        ({"head": "experts", "gate_weight": -1.0}, "gate_weight is -1.0"),
    ],
)
def test_settings_of_other_heads_are_refused(settings, told):
    with pytest.raises(TenorError, match=told):
        task_config("tag", **settings)


def test_a_folder_with_absurd_sizes_is_refused():
    spec = task_spec("tag", labels=("a", "b"), scheme="plain", head="spelled").to_json()
    spec = json.loads(json.dumps(spec))
    with pytest.raises(TenorError, match="must be from 1"):
        spec_from_json(spec | {"decoder_size": 10**9}, where="here")


@pytest.mark.parametrize("head", ["crf", "experts", "softmax"])
def test_boundaries_are_learned_beside_the_labels_and_kept(tiny_folder, tmp_path, head):
    rows = tagged_rows(60)
    settings = {"head": head, "boundary_weight": 0.5, **SMALL.get(head, {})}
    encoder, task, data = built(tiny_folder, rows[:6], **settings)
    batch, _, output = outputs(encoder, task, data)
    with torch.no_grad():
        losses = task.losses(output, batch)
        twice = task.boundaries.losses(output[1], task._untyped(batch.extras["numbers"]))["loss"]
    assert float(losses["boundary"]) == pytest.approx(0.5 * float(twice))
    assert losses.keys() - {"boundary"} == task.head.losses(output[0], batch.extras["numbers"]).keys()
    shapes = {name: tuple(value.shape) for name, value in task.saved_weights().items()}
    assert dict(task.spec.weight_shapes(32, pooling=None)) == shapes
    if head == "crf":
        run = trained(rows[:50], tmp_path / "run", dev=rows[50:], **settings)
        assert run.scores["names"]["f1"] > 0.9
        kept = run.load()
        assert kept.tasks["names"].spec.boundary_weight == 0.5
        assert tenor.tag([rows[50][0]], model=kept)[0].tags


def test_a_weight_of_boundaries_that_cannot_be_is_refused():
    with pytest.raises(TenorError, match=r"boundary_weight is -1.0; it must be a number from 0 on"):
        task_config("tag", boundary_weight=-1.0)
    with pytest.raises(TenorError, match="the tags are plain and have no boundaries"):
        settled([(["a", "b"], ["NOUN", "VERB"])], boundary_weight=1.0)


@pytest.mark.parametrize("decoding", ["viterbi", "split", "retype"])
def test_decoding_makes_a_legal_sequence_of_the_likeliest_tags(tiny_folder, decoding):
    rows = tagged_rows(12)
    encoder, task, data = built(tiny_folder, rows, head="softmax", decoding=decoding, casing=False)
    torch.nn.init.normal_(task.head.out.weight, generator=torch.Generator().manual_seed(3))
    batch, _, output = outputs(encoder, task, data)
    labels, changed = task.spec.labels, 0
    for row in task.predict(output, batch):
        told = [labels[int(number)] for number in row[:, 0]]
        likeliest = [labels[number] for number in row[:, 1:].argmax(axis=1)]
        assert repair(told, "bio") == told
        if decoding != "viterbi":
            assert told == repair(likeliest, "bio", rule=decoding)
        changed += told != likeliest
    assert changed


def test_decoding_is_a_setting_of_softmax_alone(tiny_folder):
    assert settled(tagged_rows(8), head="softmax", decoding="retype").decoding == "retype"
    assert settled(tagged_rows(8), head="softmax").decoding == "viterbi"
    with pytest.raises(TenorError, match="decoding is a setting of head = 'softmax'"):
        task_config("tag", head="crf", decoding="split")
    with pytest.raises(TenorError, match="known are viterbi, split, retype"):
        task_config("tag", head="softmax", decoding="best")
    plain = built(tiny_folder, tagged_rows(6, spans=False), head="softmax", decoding="retype", casing=False)
    batch, _, output = outputs(*plain)
    for row in plain[1].predict(output, batch):
        assert np.array_equal(row[:, 0], row[:, 1:].argmax(axis=1))
