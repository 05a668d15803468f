"""Pre-training from a run file: a new encoder learns from texts, goes on after a stop, opens elsewhere."""

import json
import tomllib

import numpy as np
import pytest
import torch

import tenor
from paraphrase_corpus import aligned_pairs
from small_runs import logged
from tenor.errors import TenorError
from tenor.training.api import train
from tenor.training.callbacks import Callback
from tenor.training.check import check
from tenor.training.runfile import read_run
from tenor.training.running import train_run

RUN = """
seed = 2
{top}

[from_scratch]
num_layers = 1
hidden_size = 16
num_heads = 2
vocab_size = 80
max_positions = 32

[tasks.text]
kind = "mlm"
train = "train.txt"
dev = "dev.txt"
batch_size = 8
{task}

[training]
epochs = 2
encoder_lr = 3e-3
head_lr = 3e-3
precision = "fp32"
"""


def write(folder, *, task="", top=""):
    for part, seed, count in (("train", 0, 64), ("dev", 1, 16)):
        texts = [" ".join(pair.first) + "." for pair in aligned_pairs(count, seed=seed)]
        (folder / f"{part}.txt").write_text("\n".join(texts) + "\n")
    (folder / "run.toml").write_text(RUN.format(task=task, top=top))
    return folder / "run.toml"


@pytest.fixture(autouse=True)
def one_thread():
    torch.set_num_threads(1)


@pytest.mark.parametrize("following", [False, True])
def test_an_encoder_out_of_texts(tmp_path, following):
    file = write(tmp_path, task="next_sentence = true" if following else "whole_word_masking = true")
    assert not check(file).wrong
    done = train(file, out=tmp_path / "run", overrides=["training.epochs=6"])
    found = done.metrics["tasks"]["text"]
    assert found["metric"] == "perplexity"
    curve = [line["evaluation"]["text"]["loss"] for line in logged(done.folder) if "evaluation" in line]
    assert curve[-1] < curve[0]
    assert ("next_sentence_accuracy" in found["scores"]) == following
    assert "text: loss" in done.report.read_text() or "text.masked" in done.report.read_text()
    model = tenor.load(done.model, precision="fp32")
    assert model.encode(["bamo kelo"]).shape == (1, 16)
    kept = tomllib.loads((done.folder / "run.toml").read_text())
    assert kept["encoder"] == "from_scratch"
    assert kept["from_scratch"]["num_layers"] == 1


def test_it_opens_as_a_language_model_elsewhere(tmp_path):
    from transformers import BertForMaskedLM

    done = train(write(tmp_path), out=tmp_path / "run")
    _, loading = BertForMaskedLM.from_pretrained(done.model, output_loading_info=True)
    assert not loading["missing_keys"]


def test_a_stopped_run_goes_on_to_the_same_weights(tmp_path):
    run = read_run(write(tmp_path), overrides=["training.checkpoint_steps=1"])
    whole = train_run(run, out=tmp_path / "whole")

    class Stop(Callback):
        name = "stop"

        def on_step_end(self, learner, progress, report):
            if progress.step == 5:
                raise KeyboardInterrupt

    class Nothing(Callback):
        name = "stop"

    with pytest.raises(KeyboardInterrupt):
        train_run(run, out=tmp_path / "stopped", callbacks=[Stop()])
    again = train_run(run, out=tmp_path / "stopped", callbacks=[Nothing()])
    one, two = (each.model / "model.safetensors" for each in (whole, again))
    assert one.read_bytes() == two.read_bytes()


def test_it_can_be_learned_beside_a_task(tmp_path):
    (tmp_path / "mood.tsv").write_text("text\tmood\n" + "bamo\tgood\nkelo\tbad\n" * 4)
    file = write(tmp_path)
    task = '[tasks.mood]\nkind = "classify"\ntrain = "mood.tsv"\nbatch_size = 4\n'
    file.write_text(file.read_text() + task + 'columns = { text = "text", label = "mood" }\n')
    done = train(file, out=tmp_path / "run", overrides=["training.epochs=1"])
    model = tenor.load(done.model, precision="fp32")
    assert set(model.tasks) == {"mood", "text"}
    assert "left_out" not in json.loads((done.model / "tenor.json").read_text())["made"]
    trained = done.network.task("text").state_dict()
    opened = model.network.task("text").state_dict()
    assert trained.keys() == opened.keys()
    assert all(torch.equal(value, opened[name]) for name, value in trained.items())


def test_fewer_tokens_than_the_encoder_could(tmp_path):
    done = train(write(tmp_path, top="max_tokens = 8"), out=tmp_path / "run", overrides=["training.epochs=1"])
    model = tenor.load(done.model, precision="fp32")
    assert model.max_tokens == 8
    long = " ".join(["bamo"] * 20)
    assert np.allclose(model.encode([long]), model.encode([long + " kelo"]))


@pytest.mark.parametrize(
    ("task", "top", "said"),
    [
        ("mlm_probability = 1.5", "", "mlm_probability is 1.5"),
        ('head = "mlp"', "", r"\[tasks.text\] has no key 'head'"),
        ('metric = "f1"', "", r"\[tasks.text\] has no key 'metric'"),
        ("", 'encoder = "minilm"', "not with both"),
        ("", "max_tokens = 2", "give at least 8"),
        ("columns = { first = 0 }", "", "'mlm' reads"),
    ],
)
def test_what_a_run_file_cannot_say(tmp_path, task, top, said):
    with pytest.raises(TenorError, match=said):
        read_run(write(tmp_path, task=task, top=top))


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("from_scratch.hidden_size=15", "not divisible"),
        ("from_scratch.vocab_size=3", "at least"),
        ("from_scratch.depth=3", "no key"),
    ],
)
def test_encoders_that_cannot_be(tmp_path, override, said):
    with pytest.raises(TenorError, match=said):
        read_run(write(tmp_path), overrides=[override])


def test_more_tokens_than_the_encoder_has_positions(tmp_path):
    file = write(tmp_path, top="max_tokens = 64")
    with pytest.raises(TenorError, match="up to 32"):
        train(file, out=tmp_path / "run")
