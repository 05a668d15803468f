"""Losses of objectives: in their share of the batch however it is cut, and beside balanced gradients."""

import torch
from torch import nn

from small_runs import step_losses
from tenor.extend import Adapter, Objective
from tenor.training.api import train

MOODS = [("good day", "good"), ("bad day in the city", "bad"), ("a good dog", "good"), ("so bad", "bad")] * 4
NEAR = [("a cat", "a dog", 3), ("a day", "the old city", 0), ("bad", "sad", 4), ("red", "blue", 2)] * 4


class One(nn.Module, Objective):
    """A constant of no rows, and a weight that it moves."""

    name = "one"

    def prepare(self, network, tokenizer, *, seed):
        self.weight = nn.Parameter(torch.zeros(()))

    def losses(self, forward, step):
        return {"one": 1 + self.weight - self.weight.detach()}


class Added(Adapter):
    """Adds a learned vector to all token embeddings."""

    def __init__(self, size):
        super().__init__()
        self.vector, self.calls = nn.Parameter(torch.zeros(size)), 0

    def before(self, batch, encoder):
        self.calls += 1
        return batch.with_embeddings(encoder.input_embeddings(batch) + self.vector)


def run(folder, out, *, objectives=(), **settings):
    tasks = {
        "mood": {"kind": "classify", "train": MOODS, "batch_size": 8, "dropout": 0.0},
        "near": {"kind": "similarity", "train": NEAR, "batch_size": 8},
    }
    return train(
        folder, tasks, out=out, objectives=objectives, epochs=1, encoder_lr=1e-3, head_lr=1e-3, dropout=0.0,
        precision="fp32", **settings,
    )  # fmt: skip


def test_a_loss_without_rows_is_the_same_in_one_pass_and_in_many(tiny_folder, tmp_path):
    for tokens in (100_000, 40, 12):
        run(tiny_folder, tmp_path / str(tokens), objectives=[One()], micro_batch_tokens=tokens)
        assert [round(step["one"], 5) for step in step_losses(tmp_path / str(tokens))] == [1.0, 1.0]


def test_it_is_trained_beside_balanced_gradients(tiny_folder, tmp_path):
    for how in ("pcgrad", "equal_norm"):
        objective = One()
        run(tiny_folder, tmp_path / how, objectives=[objective], gradient_balancing=how)
        assert all(set(step) == {"mood", "near", "one"} for step in step_losses(tmp_path / how))
        assert objective.weight.item() < 0


def test_an_adapter_of_the_embeddings_is_trained_on_a_frozen_encoder(tiny_folder, tmp_path):
    adapter = Added(32)
    run(tiny_folder, tmp_path / "run", adapter=adapter, freeze="encoder")
    assert adapter.calls >= 2
    assert adapter.vector.abs().max() > 0


def test_empty_sentences_do_not_end_a_smooth_run(tiny_folder, tmp_path):
    rows = [(["the", "cat"], ["O", "B-X"])] * 4 + [([], [])] * 4
    tasks = {"names": {"kind": "tag", "train": rows, "batch_size": 2}}
    train(tiny_folder, tasks, out=tmp_path / "run", epochs=1, objectives={"s": {"method": "smart"}})
    assert any("names.s" in step for step in step_losses(tmp_path / "run"))
