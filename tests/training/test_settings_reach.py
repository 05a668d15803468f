"""Settings of training reach what they name."""

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from small_runs import step_losses
from tenor.encoders.from_scratch import from_scratch_config
from tenor.training import callbacks
from tenor.training.api import train
from tenor.training.callbacks import Callback, RunFolderCallback
from tenor.training.config import TrainingConfig
from tenor.training.distributed import DistributedContext

MOODS = [("good day", "good"), ("bad day", "bad")] * 4
NEAR = [("a cat", "a dog", 3), ("a day", "the old city", 0)] * 4
TASKS = {
    "mood": {"kind": "classify", "train": MOODS, "dev": MOODS, "batch_size": 4},
    "near": {"kind": "similarity", "train": NEAR, "dev": NEAR, "batch_size": 4},
}


class Rates(Callback):
    """Notes the learning rates."""

    def __init__(self):
        self.rates = []

    def on_step_end(self, learner, progress, report):
        self.rates.append(report.lr)


class Mask(Callback):
    """Keeps a head's weights at 0."""

    name = "mask"

    def on_train_begin(self, learner, progress):
        self.on_step_end(learner, progress, None)

    def on_step_end(self, learner, progress, report):
        with torch.no_grad():
            for parameter in learner.network.task("mood").parameters():
                parameter.zero_()


def run(folder, out, tasks=None, **settings):
    return train(
        folder, tasks or TASKS, out=out, precision="fp32",
        **{"epochs": 1, "encoder_lr": 1e-3, "head_lr": 1e-3, "schedule": "constant"} | settings,
    )  # fmt: skip


def test_an_update_has_its_own_learning_rate_and_losses(tiny_folder, tmp_path):
    seen = Rates()
    run(tiny_folder, tmp_path / "lr", updates={"all": {"lr": 0.0123}}, callbacks=[seen])
    assert seen.rates == pytest.approx([0.0123] * 2)
    run(tiny_folder, tmp_path / "without", updates={"all": {"without": ("near",)}})
    assert [set(step) for step in step_losses(tmp_path / "without")] == [{"mood"}] * 2


def test_a_task_of_weight_0_is_scored_and_not_trained(tiny_folder, tmp_path):
    idle = {**TASKS, "near": {**TASKS["near"], "weight": 0}}
    found = run(tiny_folder, tmp_path / "run", idle, fit_heads="never")
    assert [set(step) for step in step_losses(tmp_path / "run")] == [{"mood"}] * 2
    assert set(found.scores) == {"mood", "near"}


def test_a_new_encoder_begins_by_the_seed_of_the_run(tmp_path):
    small = {"model_type": "lstm", "hidden_size": 4, "embedding_size": 4}
    tasks = {"mood": TASKS["mood"]}
    weights = {}
    for seed in (1, 2):
        found = run(None, tmp_path / str(seed), tasks, from_scratch=small, seed=seed, encoder_lr=0.0)
        weights[seed] = load_file(found.model / "model.safetensors")
        alone = from_scratch_config(small).write(
            tmp_path / f"alone{seed}", [text for text, _ in MOODS], seed=seed
        )
        expected = load_file(alone / "model.safetensors")
        assert all(np.array_equal(weights[seed][name], expected[name]) for name in expected)
    assert any(not np.array_equal(weights[1][name], weights[2][name]) for name in weights[1])


def test_the_moving_average_is_one_of_what_callbacks_leave(tiny_folder, tmp_path):
    found = run(tiny_folder, tmp_path / "run", {"mood": TASKS["mood"]}, ema=0.5, callbacks=[Mask()], epochs=3)
    heads = load_file(found.model / "heads.safetensors")
    assert heads
    assert all(not value.any() for value in heads.values())


def test_a_checkpoint_is_due_after_minutes(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(callbacks.time, "monotonic", lambda: now[0])
    settings = TrainingConfig(checkpoint_minutes=2.0, checkpoint_steps=0)
    writer = RunFolderCallback(None, settings=settings, world=DistributedContext())
    for seconds, due in ((119, False), (121, True)):
        now[0] = seconds
        assert writer.checkpoint_due(None) is due
