"""A whole paraphrase stage on a small corpus: it learns, stops, goes on, and leaves a plain encoder."""

import json

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

import tenor
from paraphrase_corpus import aligned_pairs, all_words
from tenor.encoders.bert.checkpoint import BertCheckpoint
from tenor.errors import TenorError
from tenor.layers.pooling_config import PoolingConfig
from tenor.model.folder import read_folder
from tenor.model.network import Network
from tenor.model.phrases import judge_phrases, read_phrases
from tenor.objectives.paraphrase.exporting import export_encoder
from tenor.tasks.phrases.kind import PhrasesSpec
from tenor.tasks.phrases.task import PhrasesTask
from tenor.tasks.task import Metric
from tenor.text.tokenizer import Tokenizer
from tenor.training.api import train_learner
from tenor.training.config import TrainingConfig
from tenor.training.early_stopping import StopAtDecrease
from tenor.training.learner import Evaluation
from tenor.training.progress import Progress
from tenor.training.task_learner import TaskLearner
from tiny import new_bert

WIDTH = 32


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    new = tmp_path_factory.mktemp("fresh") / "encoder"
    return new_bert(
        new, all_words(), vocab_size=200, hidden_size=WIDTH, num_layers=2, num_heads=2, max_positions=64
    )


def learner_of(folder, *, rows=200, config=None):
    encoder = BertCheckpoint.load(folder).encoder
    for module in encoder.modules():  # so that a few epochs are enough
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    task = PhrasesTask("stage", config or PhrasesSpec(), hidden_size=WIDTH)
    network = Network(encoder, pooling=PoolingConfig(), tasks={"stage": task})
    tokenizer = Tokenizer.load(folder, max_tokens=64)
    train, dev = (task.prepare(aligned_pairs(n, seed=n), tokenizer) for n in (rows, 40))
    return TaskLearner(network, {"stage": train}, dev={"stage": dev}, batches={"stage": 20})


def training_of(**settings):
    usual = {"epochs": 2, "encoder_lr": 2e-3, "head_lr": 2e-3, "precision": "fp32"}
    return TrainingConfig(monitor="stage.phrasal_accuracy", **usual | settings)


@pytest.fixture(scope="module")
def trained(folder, tmp_path_factory):
    torch.set_num_threads(1)
    learner = learner_of(folder, rows=60)
    train_learner(learner, training_of(epochs=1), out=tmp_path_factory.mktemp("run"))
    learner.network.eval()
    return learner


@pytest.mark.slow
def test_the_stage_is_learned(folder, tmp_path):
    learner, out = learner_of(folder, rows=1500), tmp_path / "run"
    train_learner(
        learner, training_of(epochs=8), out=out, callbacks=[StopAtDecrease("stage.phrasal_accuracy")]
    )
    learner.network.eval()
    scores = learner.evaluate()["stage"].scores
    # A third of all phrase pairs is in each class, so that the majority rate is about 0.35.
    assert scores["phrasal_accuracy"] > 0.75
    assert scores["sentential_accuracy"] > 0.6
    assert (out / "log.jsonl").is_file()


def test_a_stopped_stage_goes_on_to_the_same_weights(folder, tmp_path):
    whole, stopped = learner_of(folder, rows=60), learner_of(folder, rows=60)
    train_learner(whole, training_of(), out=tmp_path / "whole")

    class Stop(StopAtDecrease):
        def on_step_end(self, learner, progress, report):
            if progress.step == 4:
                raise KeyboardInterrupt

    often = training_of(checkpoint_steps=1)
    with pytest.raises(KeyboardInterrupt):
        train_learner(stopped, often, out=tmp_path / "stopped", callbacks=[Stop("stage")])
    again = learner_of(folder, rows=60)
    train_learner(again, often, out=tmp_path / "stopped", callbacks=[StopAtDecrease("stage")])
    for one, two in zip(whole.module.parameters(), again.module.parameters(), strict=True):
        assert torch.equal(one, two)
    with pytest.raises(TenorError, match="another run"):
        train_learner(again, training_of(epochs=5), out=tmp_path / "stopped")


@pytest.mark.parametrize(
    ("scores", "stops_at"),
    [([0.5, 0.4, 0.6, 0.7, 0.65], 5), ([0.5, 0.4, 0.3], 3), ([0.1, 0.2, 0.2, 0.1], None)],
)
def test_the_second_decrease(scores, stops_at):
    progress, hook, found = Progress(), StopAtDecrease("stage"), None
    for number, score in enumerate(scores, start=1):
        told = Evaluation(scores={"accuracy": score}, metric=Metric("accuracy"), rows=1)
        resumed = StopAtDecrease("stage")
        resumed.load_state(json.loads(json.dumps(hook.state())))
        hook = resumed
        hook.on_evaluate(None, progress, {"stage": told}, [])
        if progress.stop and found is None:
            found = number
    assert found == stops_at


def test_the_exported_encoder_is_plain(folder, trained, tmp_path):
    from sentence_transformers import SentenceTransformer
    from transformers import AutoModel

    learner = trained
    path = export_encoder(learner.network, read_folder(folder), tmp_path / "plain", name="fresh")
    before, after = (load_file(each / "model.safetensors") for each in (folder, path))
    assert before.keys() == after.keys()
    np.testing.assert_array_equal(before["pooler.dense.weight"], after["pooler.dense.weight"])
    key = "encoder.layer.0.output.dense.weight"
    assert not np.array_equal(before[key], after[key])
    assert not (path / "heads.safetensors").exists()
    assert not (path / "phrases.json").exists()
    _, loading = AutoModel.from_pretrained(path, output_loading_info=True)
    assert not loading["missing_keys"]
    assert not loading["unexpected_keys"]
    texts = [" ".join(pair.first) for pair in aligned_pairs(3)]
    ours = tenor.load(path, precision="fp32").encode(texts)
    theirs = SentenceTransformer(str(path), device="cpu").encode(texts)
    np.testing.assert_allclose(ours, theirs, atol=1e-4)


def test_heads_that_the_encoder_had_before_do_not_stay(trained, folder, tmp_path):
    from transformers import AutoModel, BertForMaskedLM

    theirs = BertForMaskedLM.from_pretrained(folder)  # with names that begin with "bert." and "cls."
    theirs.save_pretrained(tmp_path / "theirs")
    for file in ("tokenizer.json", "tokenizer_config.json"):
        (tmp_path / "theirs" / file).write_bytes((folder / file).read_bytes())
    path = export_encoder(trained.network, read_folder(tmp_path / "theirs"), tmp_path / "plain", name="x")
    keys = load_file(path / "model.safetensors").keys()
    assert keys
    assert all(key.startswith("bert.") for key in keys)
    assert json.loads((path / "config.json").read_text())["architectures"] == ["BertModel"]
    _, loading = AutoModel.from_pretrained(path, output_loading_info=True)
    assert not loading["unexpected_keys"]
    assert all(key.startswith("pooler.") for key in loading["missing_keys"]), "a masked LM has no pooler"


def test_the_exported_heads_say_what_the_stage_says(folder, trained, tmp_path):
    learner = trained
    path = export_encoder(learner.network, read_folder(folder), tmp_path / "with", name="fresh", heads=True)
    card = (path / "README.md").read_text()
    assert "tenor compare " in card
    assert "tenor classify pairs.tsv --task paraphrase --model" in card
    model = tenor.load(path, precision="fp32")
    pairs = aligned_pairs(6, seed=9)
    task, network = learner.network.task("stage"), learner.network
    data = task.prepare(pairs, model.tokenizer)
    batch = task.collate(data, np.arange(6))
    with torch.no_grad():
        output = network({"stage": batch})["stage"]
    told = model.predict("paraphrase", [(" ".join(p.first), " ".join(p.second)) for p in pairs])
    np.testing.assert_allclose(told, output.sentences[:6].softmax(-1).numpy(), atol=1e-4)
    classifier = model.phrases
    judged = judge_phrases(model, classifier, pairs)
    gold = (output.labels == 0).numpy()
    wanted = output.phrases.softmax(-1).numpy()[gold]
    np.testing.assert_allclose(np.concatenate(judged), wanted, atol=1e-3)
    assert judge_phrases(model, classifier, []) == []
    model.save(tmp_path / "again")
    again = tenor.load(tmp_path / "again", precision="fp32")
    for one, two in zip(judged, judge_phrases(again, again.phrases, pairs), strict=True):
        np.testing.assert_array_equal(one, two)
    assert again.phrases.scores == classifier.scores
    (path / "phrases.json").write_text('{"spec": {"features": "odd", "labels": []}}')
    with pytest.raises(TenorError, match="not understood"):
        read_phrases(path, width=WIDTH)


def test_phrases_beyond_the_limit_are_not_judged(folder, trained, tmp_path):
    learner = trained
    settings = read_folder(folder)
    path = export_encoder(learner.network, settings, tmp_path / "cut", name="fresh", heads=True)
    (path / "sentence_bert_config.json").write_text('{"max_seq_length": 7}')
    told = json.loads((path / "tenor.json").read_text())
    (path / "tenor.json").write_text(json.dumps(told | {"max_tokens": 7}))
    model = tenor.load(path, precision="fp32")
    (judged,) = judge_phrases(model, model.phrases, aligned_pairs(1))
    assert np.isnan(judged).all(axis=1).any()
    assert not np.isnan(judged).all()
