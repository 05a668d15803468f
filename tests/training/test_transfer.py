"""Transfer fine-tuning on pairs of one's own: from a table to two encoders, stopped, gone on, refused."""

import gzip
import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

import tenor
from paraphrase_corpus import aligned_pairs, all_words
from tenor.errors import TenorError
from tenor.training import transfer as module
from tenor.training.callbacks import Callback
from tenor.training.config import TrainingConfig
from tenor.training.transfer import Transfer, prepare_pairs, teach, transfer
from tiny import new_bert


def texts(pair):
    return " ".join(pair.first), " ".join(pair.second)


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fresh") / "encoder"
    return new_bert(
        folder, all_words(), vocab_size=200, hidden_size=16, num_layers=2, num_heads=2, max_positions=64
    )


@pytest.fixture
def asked(encoder, tmp_path):
    table = tmp_path / "pairs.tsv"
    table.write_text("".join("\t".join(texts(pair)) + "\n" for pair in aligned_pairs(40)))
    training = TrainingConfig(epochs=1, encoder_lr=1e-3, head_lr=1e-3, precision="fp32")
    return Transfer(pairs=table, encoder=str(encoder), training=training, batch_size=10, max_tokens=32)


class Hearing(Callback):
    def __init__(self):
        self.heard = []

    def note(self, text):
        self.heard.append(text)


def lines_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_pairs_that_are_labelled_as_different_teach_nothing(asked, tmp_path):
    rows = [
        f"{left}\t{right}\t{row % 2}\n" for row, (left, right) in enumerate(map(texts, aligned_pairs(40)))
    ]
    asked.pairs.write_text("first\tsecond\tlabel\n" + "".join(rows))
    heard = Hearing()
    parted = prepare_pairs(asked, out=tmp_path / "out", device="cpu", note=heard.note)
    assert parted.train + parted.dev == len(lines_of(tmp_path / "out/aligned.jsonl")) == 20
    assert any("20 pairs are labelled as not saying the same and left out" in each for each in heard.heard)


def test_pairs_are_read_in_the_encoding_that_is_named(asked, tmp_path):
    asked.pairs.write_text(asked.pairs.read_text().replace("a", "á"), encoding="utf-16-le")
    asked = replace(asked, file_encoding="utf-16-le")
    heard = Hearing()
    prepare_pairs(asked, out=tmp_path / "out", device="cpu", note=heard.note)
    assert "á" in "".join(lines_of(tmp_path / "out/aligned.jsonl")[0]["s"])
    assert not any("UTF-8" in each for each in heard.heard)


def test_a_table_becomes_an_encoder_and_one_that_explains(asked, tmp_path):
    out = tmp_path / "out"
    done = transfer(asked, out=out, device="cpu")
    assert (done.pairs.train, done.pairs.dev) == (len(lines_of(out / "train.jsonl")), 8)
    assert done.pairs.train + done.pairs.dev == len(lines_of(out / "aligned.jsonl"))
    held = {" ".join(row[side]) for row in lines_of(out / "dev.jsonl") for side in "st"}
    assert not held & {" ".join(row[side]) for row in lines_of(out / "train.jsonl") for side in "st"}
    assert set(done.scores) >= {"phrasal_accuracy", "sentential_accuracy"}
    plain, explaining = (tenor.load(each, precision="fp32") for each in (done.plain, done.explaining))
    assert plain.phrases is None
    assert explaining.phrases is not None
    np.testing.assert_array_equal(*(each.encode(["bami kelo"]) for each in (plain, explaining)))
    before = tenor.load(asked.encoder, precision="fp32").encode(["bami kelo"])
    assert not np.allclose(plain.encode(["bami kelo"]), before)
    assert not (out / "run" / "checkpoints").exists()
    with pytest.raises(TenorError, match="is finished; its encoder is in"):
        transfer(asked, out=out)


def test_a_stopped_one_goes_on_to_the_same_encoder(asked, tmp_path, monkeypatch):
    whole = transfer(asked, out=tmp_path / "whole", device="cpu")
    often = replace(asked, training=replace(asked.training, checkpoint_steps=1))

    class Stopping(Callback):
        def on_step_end(self, learner, progress, report):
            if report.step == 3:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        transfer(often, out=tmp_path / "out", device="cpu", callbacks=[Stopping()])
    assert not (tmp_path / "out" / "plain").exists()
    monkeypatch.setattr(module, "align_file", None)  # what is aligned stays
    again = Hearing()
    done = transfer(often, out=tmp_path / "out", device="cpu", callbacks=[again])
    assert any("Resuming at step" in text for text in again.heard)
    weights = [(each.plain / "model.safetensors").read_bytes() for each in (whole, done)]
    assert weights[0] == weights[1]


def test_what_is_measured_on_is_not_learned(asked, tmp_path):
    measured = tmp_path / "test.csv"
    first, second = texts(aligned_pairs(40)[5])
    measured.write_text(f"one,two,label\n{second.upper()},{first}!,1\nnothing of it,is here,0\n")
    hearing = Hearing()
    parted = prepare_pairs(replace(asked, measured=(measured,)), out=tmp_path / "out", note=hearing.note)
    rows = [row for part in ("train", "dev") for row in lines_of(tmp_path / f"out/{part}.jsonl")]
    left = {" ".join(row[side]) for row in rows for side in "st"}
    assert parted.left_out > 0
    assert not {first, second} & left
    assert f"{parted.left_out} pair" in hearing.heard[-1]
    assert "left out" in hearing.heard[-1]
    everything = tmp_path / "all.tsv"
    everything.write_bytes(asked.pairs.read_bytes())
    with pytest.raises(TenorError, match="every one was to be left out"):
        prepare_pairs(replace(asked, measured=(everything,)), out=tmp_path / "none")


def test_pairs_that_others_have_aligned(asked, tmp_path):
    given = tmp_path / "aligned.jsonl"
    lines = [pair.to_line() for pair in aligned_pairs(30)]
    given.write_text("\n".join(["broken", *lines]) + "\n")
    hearing = Hearing()
    parted = prepare_pairs(replace(asked, pairs=given), out=tmp_path / "out", note=hearing.note)
    assert parted.train + parted.dev == 30
    assert "aligned.jsonl:1" in hearing.heard[0]
    assert not (tmp_path / "out" / "aligned.jsonl").exists()
    found = teach(replace(asked, pairs=given), out=tmp_path / "out", device="cpu")
    assert found.pairs == parted
    with pytest.raises(TenorError, match=r"aligned\.jsonl:1"):
        prepare_pairs(replace(asked, pairs=given, strict=True), out=tmp_path / "strict")
    with pytest.raises(TenorError, match="leave out --columns"):
        prepare_pairs(replace(asked, pairs=given, columns={"first": 0, "second": 1}), out=tmp_path / "c")
    packed = tmp_path / "aligned.jsonl.gz"
    packed.write_bytes(gzip.compress(given.read_bytes()))
    with pytest.raises(TenorError, match="gunzip"):
        prepare_pairs(replace(asked, pairs=packed), out=tmp_path / "packed")


def test_what_cannot_be_is_refused(asked, tmp_path):
    out = tmp_path / "out"
    prepare_pairs(asked, out=out)
    other = shutil.copytree(asked.encoder, tmp_path / "other")
    for changed in ({"held_out": 3}, {"columns": {"first": 0, "second": 1}}, {"encoder": str(other)}):
        with pytest.raises(TenorError, match=f"whose {next(iter(changed))} differ"):
            prepare_pairs(replace(asked, **changed), out=out)
    asked.pairs.write_text("a cat\ta dog\n")
    with pytest.raises(TenorError, match="whose pairs differ"):
        prepare_pairs(asked, out=out)
    with pytest.raises(TenorError, match=r"nothing\.tsv is not a file"):
        prepare_pairs(replace(asked, pairs=tmp_path / "nothing.tsv"), out=tmp_path / "new")
    assert not (tmp_path / "new").exists()
    full = tmp_path / "full"
    full.mkdir()
    (full / "mine.txt").write_text("mine")
    with pytest.raises(TenorError, match="files that are not a transfer's"):
        prepare_pairs(asked, out=full)
    static = tmp_path / "static"
    static.mkdir()
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copyfile(Path(asked.encoder) / name, static / name)
    save_file({"embeddings": np.ones((200, 8), np.float32)}, static / "model.safetensors")
    (static / "config.json").write_text('{"model_type": "model2vec"}')
    with pytest.raises(TenorError, match="reads no two texts as one sequence"):
        prepare_pairs(replace(asked, encoder=str(static)), out=tmp_path / "new")
    for name in ("held_out", "batch_size", "max_tokens", "evaluations"):
        with pytest.raises(TenorError, match=f"{name} is 0"):
            replace(asked, **{name: 0})
