"""The moving average of the weights, against the sum written out."""

import pytest
import torch

from small_training import make_learner, make_optimizer, quick, same, weights
from tenor.errors import TenorError
from tenor.training.callbacks import Callback
from tenor.training.checkpoints import read_checkpoint, write_checkpoint
from tenor.training.ema import ExponentialMovingAverage
from tenor.training.loop import Trainer


class Follow(Callback):
    """Keeps the weights of every step."""

    def __init__(self):
        self.seen = []

    def on_train_begin(self, learner, progress):
        self.seen.append(weights(learner))

    def on_step_end(self, learner, progress, report):
        self.seen.append(weights(learner))


class Kept(Callback):
    """Keeps the best weights as they are when dev is scored, and stops when told."""

    def __init__(self, path=None, stop=None):
        self.kept, self.path, self.stop = [], path, stop

    def on_best(self, learner, progress, better):
        self.kept.append(better and weights(learner))

    def on_step_end(self, learner, progress, report):
        if report.step == self.stop:
            raise KeyboardInterrupt

    def checkpoint_due(self, progress):
        return self.path is not None

    def on_checkpoint(self, make):
        if self.path is not None:
            write_checkpoint(self.path, make())


def run(callbacks, resume=None, **settings):
    learner = make_learner(dropout=0.1)
    trainer = Trainer(
        learner, make_optimizer(learner), settings=quick(**settings), seed=1, callbacks=callbacks
    )
    if resume is not None:
        trainer.load_state(read_checkpoint(resume))
    trainer.run()
    return learner


def written_out(seen, decay):
    """The average as a sum over all steps, each with its weight."""
    shares = [1.0]
    for step in range(1, len(seen)):
        keep = min(decay, step / (step + 9))
        shares = [share * keep for share in shares] + [1 - keep]
    names = seen[0].keys()
    return {n: sum(share * each[n].double() for share, each in zip(shares, seen, strict=True)) for n in names}


@pytest.mark.parametrize("decay", [0.5, 0.9, 0.999])
def test_the_average_is_the_weighted_sum_of_all_steps(decay):
    follow, average = Follow(), ExponentialMovingAverage(decay)
    learner = run([follow, average], epochs=3)
    expected = written_out(follow.seen, decay)
    assert len(follow.seen) > 8
    for name, weight in learner.module.named_parameters():
        torch.testing.assert_close(weight.detach().double(), expected[name], atol=1e-6, rtol=1e-5)


def test_training_goes_on_with_the_weights_as_they_are():
    plain, averaged = Follow(), Follow()
    run([plain], epochs=2)
    run([averaged, ExponentialMovingAverage(0.9)], epochs=2)
    assert all(same(one, other) for one, other in zip(plain.seen, averaged.seen, strict=True))


def test_what_is_scored_and_kept_is_the_average():
    best, follow = Kept(), Follow()
    run([follow, ExponentialMovingAverage(0.9), best], epochs=1)
    expected = written_out(follow.seen, 0.9)
    for name, weight in best.kept[-1].items():
        torch.testing.assert_close(weight.double(), expected[name], atol=1e-6, rtol=1e-5)


def test_a_stopped_run_goes_on_to_the_very_same_average(tmp_path):
    whole = run([ExponentialMovingAverage(0.9)], epochs=3)
    path = tmp_path / "last.safetensors"
    with pytest.raises(KeyboardInterrupt):
        run([ExponentialMovingAverage(0.9), Kept(path, stop=7)], epochs=3)
    resumed = run([ExponentialMovingAverage(0.9)], resume=path, epochs=3)
    assert same(weights(whole), weights(resumed))
    others = [Callback(), Follow(), ExponentialMovingAverage(0.9)]
    assert same(weights(whole), weights(run(others, resume=path, epochs=3))), "whatever stands beside it"


@pytest.mark.parametrize("average", [-0.1, 1.0, float("nan")])
def test_an_average_that_is_none_is_refused(average):
    with pytest.raises(TenorError, match="ema is"):
        quick(ema=average)
