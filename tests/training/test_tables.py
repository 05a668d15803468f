"""Poolings, schedules and samplers of one's own: named in settings, and used."""

import numpy as np
import pytest
import torch
from torch import nn

from tenor.errors import TenorError
from tenor.layers import attention_pooling, pooling, pooling_config
from tenor.layers.attention_pooling import AttentionPooling
from tenor.layers.pooling_config import POOLING_KINDS, PoolingConfig
from tenor.training import sampling, schedules
from tenor.training.api import train
from tenor.training.callbacks import Callback
from tenor.training.config import TrainingConfig

ROWS = [("good day", "good"), ("bad day", "bad")] * 6


class Rates(Callback):
    def __init__(self):
        self.rates = []

    def on_step_end(self, learner, progress, report):
        self.rates.append(report.lr)


class FirstOnly:
    """Draws the same two rows in every step."""

    def draw(self, sources, *, epoch, generator, learner):
        return [{name: np.array([0, 1]) for name in sources}] * 4


def test_they_are_named_in_settings_and_used(tiny_folder):
    schedules.register("zigzag", zigzag := lambda step, total, warmup: 0.5 if step % 2 else 1.0)
    sampling.register("first", first := lambda training: FirstOnly())
    pooling.register("second", second := lambda states, packing: 2 * pooling.pool_mean(states, packing))
    try:
        with pytest.raises(TenorError, match="already"):
            schedules.register("zigzag", lambda step, total, warmup: 1.0)
        with pytest.raises(TenorError, match="already"):
            sampling.register("joint", first)
        with pytest.raises(TenorError, match="already"):
            pooling.register("mean", second)
        seen = Rates()
        run = train(
            tiny_folder,
            {"mood": {"kind": "classify", "train": ROWS}},
            pooling="second",
            schedule="zigzag",
            task_sampling="first",
            epochs=1,
            encoder_lr=1e-3,
            head_lr=1e-3,
            callbacks=[seen],
        )
        assert seen.rates == pytest.approx([5e-4, 1e-3, 5e-4, 1e-3])
        model = run.load()
        assert str(model.settings.pooling) == "second"
        assert model.encode(["good day"]).shape == (1, 32)
    finally:
        for table, name, each in (
            (schedules.SCHEDULES, "zigzag", zigzag),
            (sampling.SAMPLERS, "first", first),
            (pooling.POOLINGS, "second", second),
        ):
            assert table.pop(name) is each
        POOLING_KINDS.remove("second")


@pytest.mark.parametrize("name", ["schedule", "task_sampling"])
def test_names_that_no_table_has_are_told(name):
    with pytest.raises(TenorError, match=rf"^{name} is 'liner'; known are"):
        TrainingConfig(**{name: "liner"})
    with pytest.raises(TenorError, match="'second' is not known"):
        PoolingConfig.parse("second")


class Fixed(AttentionPooling):
    """Attends by a learned score of the first dimension only."""

    def __init__(self, size):
        super().__init__()
        self.slope = nn.Parameter(torch.tensor(0.5))

    def scores(self, states):
        return self.slope * states[:, 0]


def test_a_learned_pooling_of_ones_own_is_trained_saved_and_loaded(tiny_folder):
    attention_pooling.register("first_dimension", Fixed)
    try:
        for taken in ("mean", "attention"):
            with pytest.raises(TenorError, match="already"):
                attention_pooling.register(taken, Fixed)
        task = {"kind": "classify", "train": ROWS, "dev": ROWS, "pooling": "first_dimension"}
        run = train(tiny_folder, {"mood": task}, epochs=2, encoder_lr=1e-3, head_lr=1e-2)
        trained = run.network.task("mood").state_dict()
        (slope,) = [value for name, value in trained.items() if name.endswith("slope")]
        assert slope != 0.5
        rows = [(text,) for text, _ in ROWS]
        again = run.load().predict("mood", rows)
        accuracy = np.mean([again[at].argmax() == (label == "good") for at, (_, label) in enumerate(ROWS)])
        assert accuracy == pytest.approx(run.scores["mood"]["accuracy"])
    finally:
        del attention_pooling.LEARNED["first_dimension"]
        pooling_config.POOLING_KINDS.remove("first_dimension")
        pooling_config.LEARNED_KINDS.remove("first_dimension")
