"""The tag kind: what it settles, which states it reads, its losses and predictions, and what goes wrong."""

import json
from itertools import pairwise, product

import numpy as np
import pytest
import torch

from small_tagger import tagged_rows
from tenor.errors import TenorError
from tenor.layers.packed import PackedBatch
from tenor.layers.pooling_config import PoolingConfig
from tenor.model.folder import read_folder
from tenor.tasks.table import KINDS, build_tasks, spec_from_json, task_config
from tenor.tasks.tag.heads.module import EmissionHead
from tenor.tasks.tag.kind import TagSpec
from tenor.tasks.tag.span_errors import span_errors
from tenor.tasks.tag.windows import fitting
from tenor.tasks.task import EncoderOutput
from tenor.text.examples import Origin, TaggedSentence
from tenor.text.problems import Problems
from tenor.text.ragged import Ragged
from tenor.training.init_config import draft_run

KIND = KINDS["tag"]
HERE = Origin("here", 1)


def sentences(rows):
    return [KIND.example(row, Origin("here", number)) for number, row in enumerate(rows, 1)]


def settled(rows, **settings):
    return KIND.settle(task_config("tag", **settings), sentences(rows), name="names")


def built(tiny_folder, rows, **settings):
    folder = read_folder(tiny_folder)
    encoder = folder.type.load(folder.encoder)
    tokenizer = folder.type.tokenizer(folder.encoder, max_tokens=folder.max_tokens, lower=folder.lower)
    examples = sentences(rows)
    tasks = build_tasks(
        {"names": task_config("tag", **settings)},
        {"names": examples},
        encoder=encoder,
        pooling=PoolingConfig(),
    )
    return encoder, tasks["names"].eval(), tasks["names"].prepare(examples, tokenizer)


def _tokenizer(tiny_folder):
    folder = read_folder(tiny_folder)
    return folder.type.tokenizer(folder.encoder, max_tokens=folder.max_tokens, lower=folder.lower)


def outputs_of(encoder, task, batch):
    packed = PackedBatch.from_tokens(batch.tokens)
    with torch.no_grad():
        states = encoder.eval()(packed, all_states=True)
        return task(
            EncoderOutput(batch=packed, last=states.last, layers=states.layers, pooling=PoolingConfig()),
            batch,
        )


def outputs(encoder, task, data):
    rows = np.arange(len(data))
    batch = task.collate(data, rows)
    packed = PackedBatch.from_tokens(batch.tokens)
    with torch.no_grad():
        states = encoder.eval()(packed, all_states=True)
        seen = EncoderOutput(batch=packed, last=states.last, layers=states.layers, pooling=PoolingConfig())
        return batch, seen, task(seen, batch)


def test_schemes_labels_and_defaults_are_found_in_the_examples():
    spans = settled([(["Ann", "Lee", "ran"], ["B-PER", "I-PER", "O"])])
    assert (spans.scheme, spans.head, spans.metric) == ("bio", "crf", "f1")
    assert spans.labels == ("O", "B-PER", "I-PER")
    assert spans.labels_shown == ("PER",)
    rare = settled([(["Ann", "ran"], ["B-PER", "O"])])
    assert "I-PER" in rare.labels, "longer names than those of the examples can be said"
    bioes = settled([(["Ann", "Lee", "saw", "Bo"], ["B-PER", "E-PER", "O", "S-PER"])])
    assert bioes.scheme == "bioes"
    assert set(bioes.labels) == {"O", "B-PER", "I-PER", "E-PER", "S-PER"}
    plain = settled([(["Ann", "ran"], ["NOUN", "VERB"])])
    assert (plain.scheme, plain.head, plain.metric, plain.labels) == (
        "plain", "softmax", "accuracy", ("NOUN", "VERB"),
    )  # fmt: skip


def test_iob1_is_learned_as_bio():
    rows = [(["Ann", "Bo", "Lee", "ran"], ["I-PER", "B-PER", "I-PER", "O"])] * 2
    spec = settled(rows)
    assert spec.scheme == "bio"
    assert spec.targets(sentences(rows), name="names").to_lists()[0] == ["B-PER", "B-PER", "I-PER", "O"]


def test_settings_reach_the_specification_and_survive_json():
    given = {"head": "softmax", "subwords": "mean", "layers": "mix", "dropout": 0.3, "metric": "f1_macro"}
    spec = settled([(["Ann", "ran"], ["B-PER", "O"])], **given)
    assert {name: getattr(spec, name) for name in given} == given
    assert spec_from_json(json.loads(json.dumps(spec.to_json())), where="here") == spec


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"labels": ["O"]}, "two different tags"),
        ({"labels": ["O", "O"]}, "two different tags"),
        ({"dropout": 1.0}, "dropout"),
        ({"head": "magic"}, "head"),
        ({"labels": "O"}, "labels"),
    ],
)
def test_odd_specifications_are_told(change, message):
    good = json.loads(json.dumps(settled([(["Ann", "ran"], ["B-PER", "O"])]).to_json()))
    with pytest.raises(TenorError, match=message):
        spec_from_json(good | change, where="here")


def test_examples_that_cannot_be_learned_are_told():
    with pytest.raises(TenorError, match="nothing to learn"):
        settled([(["a", "b"], ["X", "X"])])
    with pytest.raises(TenorError, match="here:1: not every word has a tag"):
        settled([(["a", "b"], ["O"])])
    with pytest.raises(TenorError, match="expected words and tags"):
        KIND.example({"label": "x"}, HERE)


def test_rows_in_memory_in_all_their_forms():
    whole = TaggedSentence(("It", "'s"), HERE, ("O", "B-X"))
    assert KIND.example(whole, HERE) is whole
    assert KIND.example((["It", "'s"], ["O", "B-X"]), HERE) == whole
    assert KIND.example({"words": ["It", "'s"], "tags": ["O", "B-X"]}, HERE) == whole
    assert KIND.example(["It", "'s"], HERE) == TaggedSentence(("It", "'s"), HERE)
    assert KIND.example({"text": "It's"}, HERE).words == ("It", "'s")


def test_a_file_is_recognised_and_read(tmp_path):
    file = tmp_path / "x.conll"
    file.write_text("Ann B-PER\nran O\n\nBo B-PER\n", encoding="utf-8")
    config = KIND.guess(file, None)
    assert config.train == file
    read = list(KIND.read(config, file, problems=Problems()))
    assert [each.words for each in read] == [("Ann", "ran"), ("Bo",)]
    assert read[1].tags == ("B-PER",)


@pytest.mark.parametrize("subwords", ["first", "mean"])
@pytest.mark.parametrize("layers", ["last", "last_four", "mix"])
def test_words_have_the_states_of_their_pieces(tiny_folder, subwords, layers):
    rows = [(["the", "unheardzebra", "sat"], ["O", "B-X", "O"]), (["dog"], ["B-X"])]
    encoder, task, data = built(tiny_folder, rows, subwords=subwords, layers=layers, casing=False)
    _, seen, out = outputs(encoder, task, data)
    if layers == "last":
        states = seen.last
    elif layers == "last_four":
        states = torch.stack(seen.layers[-4:]).mean(dim=0)
    else:  # a new mix is the mean of all layers
        states = torch.stack(seen.layers).mean(dim=0)
    words, expected = seen.batch.words.tolist(), []
    for text, sentence in enumerate(rows):
        for number in range(len(sentence[0])):
            own = [
                place
                for place, word in enumerate(words)
                if word == number and int(seen.packing.text_of[place]) == text
            ]
            expected.append(states[own].mean(dim=0) if subwords == "mean" else states[own[0]])
    torch.testing.assert_close(out, task.head.out(torch.stack(expected)))


@pytest.mark.parametrize("head", ["softmax", "crf"])
def test_losses_and_best_sequences_against_all_sequences(tiny_folder, head):
    rows = [(["the", "cat", "sat"], ["O", "B-X", "I-X"]), (["dog"], ["B-X"])]
    encoder, task, data = built(tiny_folder, rows, head=head)
    batch, _, out = outputs(encoder, task, data)
    labels, scores = task.spec.labels, out.double().numpy()
    with torch.no_grad():
        (loss,) = task.losses(out, batch).values()
    predictions, expected, at = task.predict(out, batch), 0.0, 0
    for (words, tags), prediction in zip(rows, predictions, strict=True):
        own = scores[at : at + len(words)]
        at += len(words)
        sums = {}
        for sequence in product(range(len(labels)), repeat=len(words)):
            if head == "crf" or _legal([labels[number] for number in sequence]):
                sums[sequence] = sum(own[place][number] for place, number in enumerate(sequence))
                if head == "crf":
                    sums[sequence] += _transitions(task.head.crf, sequence, labels)
        gold = tuple(labels.index(tag) for tag in tags)
        if head == "crf":
            expected += np.logaddexp.reduce(list(sums.values())) - sums[gold]
        else:
            expected -= sum(
                own[place][number] - np.logaddexp.reduce(own[place]) for place, number in enumerate(gold)
            )
        best = max(sums, key=sums.get)
        assert prediction[:, 0].astype(int).tolist() == list(best)
        assert prediction[:, 1:].sum(axis=1) == pytest.approx(1, abs=1e-5)
    assert float(loss) == pytest.approx(expected / 4, abs=1e-4), "a mean over words"


def _legal(tags):
    before = "O"
    for tag in tags:
        if tag.startswith("I-") and before not in (f"B-{tag[2:]}", tag):
            return False
        before = tag
    return True


def _transitions(crf, sequence, labels):
    if not _legal([labels[number] for number in sequence]):
        return -np.inf
    total = crf.start_transitions[sequence[0]] + crf.end_transitions[sequence[-1]]
    total = total + sum(crf.transitions[a, b] for a, b in pairwise(sequence))
    return float(total.detach())


def test_a_long_sentence_is_read_in_windows_and_every_word_is_tagged(tiny_folder):
    words = ["the", "cat", "sat", "on", "mat"] * 80
    encoder, task, data = built(tiny_folder, [(words, ["O", "B-X", "O", "O", "O"] * 80)])
    assert len(data.tokens) > 1
    batch, _, out = outputs(encoder, task, data)
    assert out.shape == (400, len(task.spec.labels))
    (prediction,) = task.predict(out, batch)
    assert prediction.shape == (400, 1 + len(task.spec.labels))
    assert task.size(batch) == 400


def test_windows_have_context_and_label_every_word_once():
    pieces = np.array([1, 2, 3, 1, 1, 40, 1, 1, 2, 1, 1, 1, 5, 1])
    windows = fitting(pieces, 10)
    labelled = [word for window in windows for word in range(window.first, window.last)]
    assert labelled == list(range(len(pieces)))
    for window in windows:
        used = pieces[window.begin : window.end].sum()
        assert used <= 10 or window.end - window.begin == 1, "only a word that is too long stands alone"
    assert any(window.begin < window.first for window in windows)
    assert any(window.last < window.end for window in windows)
    assert fitting(pieces, None) == fitting(pieces, 100) == [(0, 0, 14, 14)]


def test_a_word_behind_a_window_s_edge_is_read_with_the_words_around_it(tiny_folder):
    words = ["the", "cat", "sat", "on", "mat"] * 80
    tags = ["O", "B-X", "O", "O", "O"] * 80
    encoder, task, data = built(tiny_folder, [(words, tags)], casing=False)
    (owned,), (leads,) = data.windows.to_lists(), data.leads.to_lists()
    assert sum(owned) == len(words)
    assert leads[0] == 0
    assert all(lead > 0 for lead in leads[1:])
    _, _, out = outputs(encoder, task, data)
    begin = owned[0] - leads[1]
    alone = words[begin : begin + int(data.tokens.lengths[1]) - 2]
    _, second, again = built(
        tiny_folder, [(alone, ["O", "B-X"] * (len(alone) // 2) + ["O"] * (len(alone) % 2))], casing=False
    )
    second.load_state_dict(task.state_dict())
    _, _, expected = outputs(encoder, second, again)
    torch.testing.assert_close(
        out[owned[0] : owned[0] + owned[1]], expected[leads[1] : leads[1] + owned[1]], atol=1e-5, rtol=1e-4
    )


def test_capitals_reach_the_head_of_an_uncased_encoder(tiny_folder):
    rows = [(["see", "Rome"], ["O", "B-X"]), (["see", "rome"], ["O", "O"])]
    encoder, task, data = built(tiny_folder, rows)
    assert task.spec.casing
    _, _, out = outputs(encoder, task, data)
    assert not torch.allclose(out[1], out[3])
    encoder, task, data = built(tiny_folder, rows, casing=False)
    assert "shapes.weight" not in task.saved_weights()
    _, _, out = outputs(encoder, task, data)
    torch.testing.assert_close(out[1], out[3])


def test_the_loss_is_a_mean_over_all_words_also_where_tags_are_unknown(tiny_folder):
    """As is ``size``, so that passes of one batch add up to what the whole batch gives."""
    rows = [(["the", "cat", "sat"], ["O", "B-X", "I-X"]), (["dog", "sat"], ["B-X", "O"])]
    encoder, task, data = built(tiny_folder, rows, head="softmax")
    new = sentences([(["the", "cat", "sat"], ["O", "B-NEW", "B-NEW"]), rows[1]])
    tokenizer = _tokenizer(tiny_folder)
    data = task.prepare(new, tokenizer)
    batch, _, out = outputs(encoder, task, data)
    with torch.no_grad():
        (loss,) = task.losses(out, batch).values()
    logs = out.log_softmax(dim=1)
    numbers = [task.spec.labels.index(tag) for tag in ("O", "B-X", "O")]
    expected = -sum(float(logs[place, number]) for place, number in zip((0, 3, 4), numbers, strict=True))
    assert float(loss) == pytest.approx(expected / 5, abs=1e-5), "2 unknown words count among the 5"
    halves = [task.collate(data, np.array([row])) for row in range(2)]
    parts = [outputs_of(encoder, task, half) for half in halves]
    with torch.no_grad():
        sums = [
            float(task.losses(part, half)["loss"]) * task.size(half)
            for part, half in zip(parts, halves, strict=True)
        ]
    assert float(loss) * task.size(batch) == pytest.approx(sum(sums), abs=1e-4)


def test_tags_that_the_train_examples_did_not_have_are_wrong_not_fatal(tiny_folder):
    _, task, _ = built(tiny_folder, tagged_rows(8))
    spec: TagSpec = task.spec
    odd = [TaggedSentence(("cat", "dog"), HERE, ("B-NEVER", "B-ANIMAL"))]
    scores = spec.plain_scores([np.eye(2, 1 + len(spec.labels), 1)], spec.targets(odd, name="names"))
    assert scores["f1"] == 0


def test_predictions_for_the_report_say_which_words_are_wrong():
    spec = settled([(["Ann", "Lee", "ran"], ["B-PER", "I-PER", "O"])])
    (example,) = sentences([(["Ann", "ran"], ["B-PER", "O"])])
    table = np.array([[0, 1, 0, 0], [0, 1, 0, 0]], dtype=np.float32)
    row = spec.prediction_row(example, spec.answers([table])[0])
    assert row["right"] is False
    assert row["error"] == 0.5
    assert row["shown"] == "«Ann» ran: PER, missed"
    assert row["confusion"] == [["PER", "O"], ["O", "O"]]


@pytest.mark.parametrize(
    ("gold", "given", "errors"),
    [
        ("B-X I-X O O", "B-X I-X O O", []),
        ("B-X I-X O O", "B-Y I-Y O O", ["«a b» c d: X, predicted Y"]),
        ("B-X I-X O O", "B-X O O O", ["«a b» c d: X, predicted X at «a»"]),
        ("B-X I-X I-X O", "B-X B-Y O O", ["«a b c» d: X, predicted X at «a» and Y at «b»"]),
        ("O O O O", "O O O B-X", ["b c «d»: predicted X, gold has none"]),
        ("O B-X O B-X", "O O O B-X", ["a «b» c d: X, missed"]),
    ],
)
def test_errors_of_spans_are_put_into_words(gold, given, errors):
    assert span_errors(["a", "b", "c", "d"], gold.split(), given.split()) == errors


def test_slips_are_mended_in_targets_and_reports():
    slips = [(["Ann", "Lee", "ran"], ["O", "I-PER", "O"]), (["Ann", "ran"], ["B-PER", "O"])]
    spec = settled(slips)
    assert spec.targets(sentences(slips), name="names").to_lists()[0] == ["O", "B-PER", "O"]
    old = [(["Ann", "ran"], ["I-PER", "O"])] * 3
    spec = settled(old)
    right = np.eye(1 + len(spec.labels), dtype=np.float32)[[0, 0]]
    right[:, 0] = [spec.labels.index("B-PER"), 0]
    row = spec.prediction_row(sentences(old)[0], spec.answers([right])[0])
    assert row["right"]
    assert row["gold"] == ["B-PER", "O"]


def test_scores_of_spans_and_other_tag_sets_are_refused():
    plain = [(["Ann", "ran"], ["NOUN", "VERB"])]
    with pytest.raises(TenorError, match="metric is 'f1', a score of spans"):
        settled(plain, metric="f1")
    spec = settled([(["Ann", "Lee", "ran"], ["B-PER", "I-PER", "O"])])
    with pytest.raises(TenorError, match="none of the examples': NOUN, VERB"):
        spec.targets(sentences(plain), name="names")
    with pytest.raises(TenorError, match="words and tags are texts"):
        KIND.example({"words": ["a", "b"], "tags": ["O", None]}, HERE)
    with pytest.raises(TenorError, match="1,001 tags"):
        spec_from_json(
            {"kind": "tag", "labels": [f"t{n}" for n in range(1001)], "scheme": "plain"}, where="x"
        )


def test_few_sentences_are_read_more_often():
    epochs = {
        count: int(KIND.suggested_training(count)["epochs"]) for count in (1, 100, 1_000, 3_394, 50_000)
    }
    assert epochs == {1: 40, 100: 40, 1_000: 13, 3_394: 5, 50_000: 5}


def test_init_writes_what_suits_a_tagger(tmp_path):
    rows = "\n\n".join("\n".join(f"{w} {t}" for w, t in zip(*row, strict=True)) for row in tagged_rows(64))
    (tmp_path / "a.conll").write_text(rows + "\n", encoding="utf-8")
    text = draft_run(tmp_path / "a.conll", out=tmp_path / "run.toml")
    assert "epochs = 40\n" in text
    assert "# encoder_lr = 0.0001 " in text
    assert "# head_lr = 0.003\n" in text


def test_a_crf_leaves_out_sentences_with_a_tag_it_never_learned():
    spec = TagSpec(labels=("B-X", "I-X", "O"), scheme="bio", head="crf", casing=False)
    head = EmissionHead(spec, 4, crf=True)
    known, new = [0, 1, 2], [0, -1, 1]
    emissions = torch.randn(6, 3, generator=torch.Generator().manual_seed(0))
    both = head.losses(emissions, Ragged.from_lists([known, new]))["loss"]
    alone = head.losses(emissions[:3], Ragged.from_lists([known]))["loss"]
    assert float(both * 6) == pytest.approx(float(alone * 3), rel=1e-5)


def test_the_softmax_loss_is_a_mean_over_all_words_whatever_the_micro_batches():
    spec = TagSpec(labels=("B-X", "I-X", "O"), scheme="bio", head="softmax", casing=False)
    head = EmissionHead(spec, 4, crf=False)
    numbers = [[0, 1, 2], [0, -1, -1, 1, -1]]
    scores = torch.randn(8, 3, generator=torch.Generator().manual_seed(0))
    whole = head.losses(scores, Ragged.from_lists(numbers))["loss"]
    known = [(at, label) for at, label in enumerate([*numbers[0], *numbers[1]]) if label >= 0]
    likelihoods = [scores[at].log_softmax(-1)[label] for at, label in known]
    assert whole.item() == pytest.approx(-sum(each.item() for each in likelihoods) / 8, rel=1e-5)
    parts = [
        head.losses(scores[:3], Ragged.from_lists(numbers[:1])),
        head.losses(scores[3:], Ragged.from_lists(numbers[1:])),
    ]
    weighted = sum(part["loss"].item() * size for part, size in zip(parts, (3, 5), strict=True)) / 8
    assert whole.item() == pytest.approx(weighted, rel=1e-5)  # as micro-batches weigh it, by their words
