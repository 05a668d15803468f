"""Every kind of task on every encoder: trained, stopped and resumed, saved, loaded, evaluated and served."""

import json

import numpy as np
import pytest
from safetensors.numpy import load_file

from encoders.test_encoder_battery import write
from serve.live import checked, running
from small_parser import parsed_rows
from small_runs import step_losses, tenor
from small_tagger import tagged_rows
from tenor.encoders.encoder_type import EncoderType
from tenor.errors import TenorError
from tenor.model.folder import read_folder
from tenor.model.loading import load
from tenor.tasks.table import KINDS
from tenor.text.problems import Problems
from tenor.training.api import train
from tenor.training.callbacks import Callback
from tenor.use.evaluate.evaluating import evaluate
from tiny import WORDS
from training.test_processes import launcher

ENCODERS = [
    "bert", "lstm", "bilstm", "cnn", "operators", "words and characters", "attended", "static", "quantised",
    "words",
]  # fmt: skip
RANDOM = np.random.default_rng(5)
TEXTS = [" ".join(RANDOM.choice(WORDS, RANDOM.integers(2, 9))) for _ in range(24)]
PAIRS = list(zip(TEXTS, TEXTS[1:] + TEXTS[:1], strict=True))
LABELS = ["yes", "no"] * 12
TASKS = {
    "classify": {"kind": "classify", "rows": list(zip(TEXTS, LABELS, strict=True))},
    "pair": {"kind": "pair", "rows": [(*pair, label) for pair, label in zip(PAIRS, LABELS, strict=True)]},
    "similarity": {"kind": "similarity", "rows": [(*pair, at % 6) for at, pair in enumerate(PAIRS)]},
    "contrastive": {"kind": "contrastive", "rows": PAIRS},
    "tag": {"kind": "tag", "rows": tagged_rows(24, spans=False)},
    "tag, crf": {"kind": "tag", "head": "crf", "rows": tagged_rows(24)},
    "tag, experts": {"kind": "tag", "head": "experts", "expert_size": 4, "rows": tagged_rows(24)},
    "tag, spelled": {"kind": "tag", "head": "spelled", "decoder_size": 5, "beam": 2, "rows": tagged_rows(24)},
    "parse": {"kind": "parse", "arc_size": 6, "relation_size": 4, "rows": parsed_rows(24)},
    "mlm": {"kind": "mlm", "rows": TEXTS},
}
FILES = {
    "classify": ("text", "label"), "pair": ("first", "second", "label"),
    "similarity": ("first", "second", "score"),
}  # fmt: skip


class Stop(Exception):
    """What happens to a run in the midst of it."""


class StopAt(Callback):
    """Ends a run at a step."""

    def __init__(self, step: int) -> None:
        self.step = step

    def on_step_end(self, learner, progress, report) -> None:
        if progress.step == self.step:
            raise Stop


@pytest.fixture(scope="module", params=ENCODERS)
def encoder(request, tmp_path_factory):
    return write(request.param, tmp_path_factory.mktemp("encoder") / "folder")


def trained(encoder, task, out, *, callbacks=(), precision="fp32"):
    settings = dict(TASKS[task])
    rows = settings.pop("rows")
    return train(
        encoder,
        {"it": settings | {"train": rows[:18], "dev": rows[18:], "batch_size": 4}},
        out=out,
        callbacks=callbacks,
        epochs=2,
        encoder_lr=1e-2,
        head_lr=1e-2,
        checkpoint_steps=1,
        precision=precision,
        fit_heads="never",  # else the start may be the best, with the encoder as it was
    )


def weights(model):
    found = {}
    for file in sorted(model.glob("*.safetensors")):
        found |= {f"{file.name}/{name}": value for name, value in load_file(file).items()}
    return found


def test_every_kind_is_here():
    assert {each["kind"] for each in TASKS.values()} | {"phrases"} == set(KINDS)


@pytest.mark.parametrize("task", TASKS)
def test_stopped_and_resumed_saved_loaded_and_evaluated(encoder, task, tmp_path):
    kind = read_folder(encoder).type
    if task == "mlm" and not _can_be_a_language_model(kind, encoder):
        with pytest.raises(TenorError, match="language model"):
            trained(encoder, task, tmp_path / "whole")
        return
    whole = trained(encoder, task, tmp_path / "whole")
    with pytest.raises(Stop):
        trained(encoder, task, tmp_path / "cut", callbacks=[StopAt(7)])
    cut = trained(encoder, task, tmp_path / "cut")
    assert cut.scores == whole.scores
    first, second = weights(whole.model), weights(cut.model)
    assert first.keys() == second.keys()
    assert all(np.array_equal(first[name], second[name]) for name in first)
    # A language model is kept under the names that published checkpoints have, with "bert." before each.
    after = {name.replace("/bert.", "/"): value for name, value in first.items()}
    before = weights(encoder)
    assert any(not np.array_equal(after[name], before[name]) for name in after.keys() & before.keys())

    model = whole.load()
    assert np.array_equal(model.encode(TEXTS), whole.load().encode(TEXTS))
    if task in FILES:
        rows = [dict(zip(FILES[task], row, strict=True)) for row in TASKS[task]["rows"][18:]]
        file = tmp_path / "dev.jsonl"
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        scores = evaluate(model, file, task="it", problems=Problems(), repeats=2).scores
        for name, each in whole.scores["it"].items():
            assert scores[name].estimate == pytest.approx(each, abs=1e-4, nan_ok=True)


def test_a_model_of_every_encoder_is_served(encoder, tmp_path):
    run = trained(encoder, "classify", tmp_path / "run")
    model = load(run.model, precision="fp32")
    with running(run.model) as server:
        embedded = checked(server, "/api/embed", server.post("/api/embed", {"texts": TEXTS}))
        np.testing.assert_allclose(embedded["vectors"], model.encode(TEXTS), atol=1e-5)
        answered = checked(server, "/api/classify", server.post("/api/classify", {"texts": TEXTS}))
        found = [
            [row["it"]["probabilities"][label] for label in ("no", "yes")] for row in answered["results"]
        ]
        expected = model.predict("it", [(text,) for text in TEXTS])
        np.testing.assert_allclose(found, expected, atol=1e-4)


@pytest.mark.parametrize("task", ["classify", "tag, crf"])
def test_training_in_bf16_stays_near_that_in_fp32(encoder, task, tmp_path):
    trained(encoder, task, tmp_path / "fp32")
    trained(encoder, task, tmp_path / "bf16", precision="bf16")
    exact, rounded = (step_losses(tmp_path / name) for name in ("fp32", "bf16"))
    assert len(exact) == len(rounded) == 10
    assert rounded[0] == pytest.approx(exact[0], rel=0.02)
    assert rounded[-1] == pytest.approx(exact[-1], rel=0.3, abs=0.05)


def _can_be_a_language_model(kind: EncoderType, folder) -> bool:
    """The output layer is the table of token embeddings, which must be of the size of the states."""
    loaded = kind.load(folder)
    return loaded.word_embeddings is not None and loaded.word_embeddings.embedding_dim == loaded.hidden_size


TAGGER = """
{encoder}

[tasks.names]
kind = "tag"
head = "crf"
train = "rows.conll"
dev = "rows.conll"
batch_size = 6
dropout = 0.0

[training]
epochs = 2
dropout = 0.0
encoder_lr = 1e-2
precision = "fp32"
micro_batch_tokens = 30
"""


NEW = {
    "lstm": 'model_type = "lstm"\nhidden_size = 8\nembedding_size = 8',
    "cnn": 'model_type = "cnn"\nfilters = 4\nembedding_size = 8',
    "operators": 'model_type = "operators"\nembedding_size = 8',
}


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", [*NEW, "static", "words"])
def test_two_processes_train_a_tagger_as_one_does(name, tmp_path):
    """BERT is trained so in ``test_processes.py``."""
    rows = ["".join(f"{word} {tag}\n" for word, tag in zip(*row, strict=True)) for row in tagged_rows(24)]
    (tmp_path / "rows.conll").write_text("\n".join(rows), encoding="utf-8")
    begin = f"[from_scratch]\n{NEW[name]}" if name in NEW else f'encoder = "{write(name, tmp_path / name)}"'
    (tmp_path / "run.toml").write_text(TAGGER.format(encoder=begin), encoding="utf-8")
    for out, start in (("one", ()), ("two", launcher("torchrun"))):
        done = tenor("train", tmp_path / "run.toml", "--out", tmp_path / out, "--quiet", launcher=start)
        assert done.returncode == 0, done.stderr
    one, two = (step_losses(tmp_path / out) for out in ("one", "two"))
    assert len(one) == len(two) == 8
    for ours, theirs in zip(two, one, strict=True):
        assert ours == pytest.approx(theirs, abs=1e-4)
