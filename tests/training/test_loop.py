"""The loop: it learns, repeats itself, goes on where it stopped; passes and packing change nothing."""

from contextlib import nullcontext

import numpy as np
import pytest
import torch
from torch.nn import functional

from small_training import (
    Coupled,
    Mood,
    Near,
    make_learner,
    make_network,
    make_optimizer,
    moods,
    nears,
    quick,
    same,
    weights,
)
from tenor.errors import TenorError
from tenor.layers.packed import PackedBatch
from tenor.model.frozen_states import FrozenStates
from tenor.objectives.objective import Objective
from tenor.tasks.task import first_positions
from tenor.training.callbacks import Callback
from tenor.training.checkpoints import read_checkpoint, write_checkpoint
from tenor.training.learner import Cut, StepContext
from tenor.training.loop import Trainer
from tenor.training.plan import Update, separate


class Record(Callback):
    def __init__(self):
        self.reports, self.scores, self.better = [], [], []

    def on_step_end(self, learner, progress, report):
        self.reports.append(report)

    def on_evaluate(self, learner, progress, evaluations, better):
        self.scores.append({name: each.main for name, each in evaluations.items()})
        self.better.append(list(better))


def train(learner, seed=1, plan=None, callbacks=(), rate=1e-2, **settings):
    trainer = Trainer(
        learner, make_optimizer(learner, rate), settings=quick(**settings), seed=seed, plan=plan,
        callbacks=callbacks,
    )  # fmt: skip
    trainer.run()
    return trainer


def test_a_joint_run_learns_both_tasks():
    record = Record()
    train(make_learner(rows=64), epochs=8, callbacks=[record], rate=5e-3)
    first, last = record.reports[0].losses, record.reports[-1].losses
    assert set(first) == {"mood", "near"}
    means = [
        np.mean([r.losses["mood"] for r in part]) for part in (record.reports[:16], record.reports[-16:])
    ]
    assert means[1] < 0.7 * means[0]
    assert len(record.scores) == 8
    assert record.better[0] == ["mood", "near", "*"]
    assert last["near"] < first["near"]


def test_same_seed_same_weights_other_seed_others():
    one, two, other = (weights(train(make_learner(dropout=0.1), seed=s).learner) for s in (5, 5, 6))
    assert same(one, two)
    assert not same(one, other)


def test_the_packed_pass_equals_one_pass_per_text():
    network = make_network()
    batches = {
        "mood": network.task("mood").collate(network.task("mood").prepare(moods(5), None), np.arange(5)),
        "near": network.task("near").collate(network.task("near").prepare(nears(3), None), np.arange(3)),
    }
    seen = network.see(batches)
    for name, batch in batches.items():
        starts = batch.tokens.starts
        for text in range(len(batch.tokens)):
            ids = batch.tokens.ids[starts[text] : starts[text + 1]].tolist()
            alone = network.encoder(PackedBatch.from_lists([ids])).last
            torch.testing.assert_close(
                seen[name].last[starts[text] : starts[text + 1]], alone, atol=1e-5, rtol=0
            )


def test_pieces_sum_to_the_whole_batch():
    learner = make_learner()
    learner.begin_epoch(0, np.random.default_rng(0))
    batch = learner.batch(0, np.random.default_rng(0))
    context = StepContext(step=1, epoch=0, steps=9, generator=np.random.default_rng(0))

    def total(tokens, rank=0, world=1):
        pieces = learner.micro_batches(batch, Cut(tokens=tokens, rank=rank, world=world), Update())
        found = [learner.losses(piece, context) for piece in pieces]
        return len(pieces), {n: sum(f[n].item() for f in found if n in f) for n in ("mood", "near")}

    count, whole = total(10_000)
    assert count == 1
    assert whole["mood"] == pytest.approx(reference_mood(learner, batch).item(), abs=1e-6)
    many, parts = total(12)
    assert many > 3
    assert parts == pytest.approx(whole, abs=1e-6)
    shares = [total(12, rank, 3)[1] for rank in range(3)]
    assert {n: sum(each[n] for each in shares) for n in whole} == pytest.approx(whole, abs=1e-6)


def test_a_process_without_rows_of_a_small_batch_does_nothing():
    learner = make_learner()
    learner.begin_epoch(0, np.random.default_rng(0))
    whole = learner.batch(0, np.random.default_rng(0))
    batch = {name: each.take(np.arange(1)) for name, each in whole.items()}
    counts = [len(learner.micro_batches(batch, Cut(rank=rank, world=2), Update())) for rank in range(2)]
    assert counts == [1, 0]


def reference_mood(learner, batch):
    output = learner.network({"mood": batch["mood"]})["mood"]
    return functional.cross_entropy(output, batch["mood"].targets)


def test_micro_batch_tokens_change_no_result():
    one = train(make_learner(), micro_batch_tokens=100_000)
    two = train(make_learner(), micro_batch_tokens=16)
    for name, value in weights(one.learner).items():
        torch.testing.assert_close(value, weights(two.learner)[name], atol=2e-4, rtol=1e-3)


def test_what_looks_across_rows_is_not_cut():
    learner = make_learner(Coupled(), Mood())
    learner.begin_epoch(0, np.random.default_rng(0))
    batch = learner.batch(0, np.random.default_rng(0))
    pieces = learner.micro_batches(batch, Cut(tokens=8), Update())
    assert [len(piece.batches["coupled"]) for piece in pieces if "coupled" in piece.batches] == [4]
    assert len(pieces) > 2
    with pytest.raises(TenorError, match="its batches have 1 row"):
        make_learner(Coupled(), rows=1)


class Stop(Exception):
    """As if the process had been killed."""


class KillAt(Callback):
    """Keeps a checkpoint on disk every few steps and ends the run at a step, in the midst of an epoch."""

    def __init__(self, path, every, kill):
        self.path, self.every, self.kill = path, every, kill

    def on_step_end(self, learner, progress, report):
        if report.step == self.kill:
            raise Stop

    def checkpoint_due(self, progress):
        return progress.step % self.every == 0

    def on_checkpoint(self, make):
        write_checkpoint(self.path, make())


class Average(Callback):
    """A running mean of one weight, which must survive a kill as well."""

    name, mean, count = "average", None, 0

    def on_step_end(self, learner, progress, report):
        value = next(iter(learner.network.task("mood").parameters())).detach().clone()
        self.count += 1
        self.mean = value if self.mean is None else self.mean + (value - self.mean) / self.count

    def state(self):
        return {"mean": self.mean, "count": self.count}

    def load_state(self, state):
        self.mean, self.count = state["mean"], state["count"]


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"task_sampling": "temperature", "schedule": "cosine", "warmup": 3.0},
        {"gradient_balancing": "pcgrad", "schedule": "plateau"},
        {"gradient_balancing": "equal_norm"},
        {"task_sampling": "sequential", "eval_steps": 5, "schedule": "linear"},
    ],
    ids=["joint", "sampled", "pcgrad", "equal_norm", "sequential"],
)
def test_a_stopped_run_goes_on_to_the_very_same_weights(tmp_path, settings):
    from tenor.training.sampling import TaskSampler

    def make():
        task_sampling = settings.get("task_sampling", "joint")
        return make_learner(dropout=0.1, sampler=TaskSampler(task_sampling=task_sampling, epochs=3))

    config = {"epochs": 3} | settings
    whole_average = Average()
    whole = weights(train(make(), callbacks=[whole_average], **config).learner)
    path, kills = tmp_path / "last.safetensors", [2, 5, 7, 8, 13]
    for kill in [*kills, None]:
        learner, average = make(), Average()
        trainer = Trainer(
            learner,
            make_optimizer(learner),
            settings=quick(**config),
            seed=1,
            callbacks=[average, KillAt(path, every=3, kill=kill)],
        )
        if path.exists():
            trainer.load_state(read_checkpoint(path))
        try:
            trainer.run()
        except Stop:
            continue
    assert kill is None
    assert same(whole, weights(learner))
    assert torch.equal(whole_average.mean, average.mean)
    assert whole_average.count == average.count


class Pull(Callback):
    """Writes into every row of every gradient."""

    def on_backward_end(self, learner, progress):
        for parameter in learner.module.parameters():
            if parameter.grad is not None:
                parameter.grad.add_(parameter.detach(), alpha=0.1)


@pytest.mark.parametrize("callbacks", [[], [Pull()]], ids=["alone", "with a callback"])
@pytest.mark.parametrize("gradients", ["none", "pcgrad", "equal_norm"])
def test_memory_that_is_used_again_for_gradients_changes_no_result(monkeypatch, gradients, callbacks):
    settings = {"gradient_balancing": gradients, "max_grad_norm": 0.5, "epochs": 2}
    with_memory = weights(train(make_learner(dropout=0.1), callbacks=callbacks, **settings).learner)
    monkeypatch.setattr("tenor.training.updates.KeptGradients", lambda module: nullcontext())
    without = weights(train(make_learner(dropout=0.1), callbacks=callbacks, **settings).learner)
    assert same(with_memory, without)


def test_a_look_before_training_is_told_and_changes_nothing():
    record, usual = Record(), Record()
    plain = train(make_learner(dropout=0.1), callbacks=[usual])
    looking = train(make_learner(dropout=0.1), callbacks=[record], eval_on_start=True)
    assert same(weights(plain.learner), weights(looking.learner))
    assert record.scores[1:] == usual.scores
    assert record.better == [[], *usual.better]  # new heads are no candidate for the best
    assert record.scores[0] != record.scores[-1]


def test_separate_updates_move_one_task_at_a_time():
    seen = []

    class Spy(Callback):
        def on_backward_end(self, learner, progress):
            heads = {
                n: any(p.grad is not None for p in learner.network.task(n).parameters())
                for n in ("mood", "near")
            }
            seen.append(heads)

    train(make_learner(), plan=separate(["mood", "near"]), callbacks=[Spy()], epochs=1)
    assert seen[:2] == [{"mood": True, "near": False}, {"mood": False, "near": True}]


def test_an_update_moves_only_its_groups():
    learner = make_learner()
    before = weights(learner)
    train(learner, plan=[Update(groups=("heads",))], epochs=1)
    after = weights(learner)
    moved = {name for name in before if not torch.equal(before[name], after[name])}
    assert moved
    assert all(".tasks." in name for name in moved)
    with pytest.raises(TenorError, match="the parameter group 'head'"):
        train(make_learner(), plan=[Update(groups=("head",))])


def test_a_loss_that_is_no_number_stops_with_rows_and_advice():
    learner = make_learner(Mood())
    learner.train["mood"].targets[:] = 0
    before = []

    class Break(Callback):
        def on_step_end(self, learner, progress, report):
            if progress.step == 3:
                with torch.no_grad():
                    learner.network.task("mood").linear.weight.fill_(float("nan"))
            before[:] = [weights(learner)]

    with pytest.raises(TenorError, match=r"At step 4 the loss 'mood' became nan.*mood: moods.tsv:\d+.*lower"):
        train(learner, callbacks=[Break()])
    assert {
        n for n, v in weights(learner).items() if not torch.equal(v.nan_to_num(), before[0][n].nan_to_num())
    } == set()


def test_early_stopping_and_steps():
    record = Record()
    trainer = train(make_learner(), epochs=30, rate=0.0, patience=2, callbacks=[record])
    assert trainer.progress.epoch == 2
    assert "the mean dev score did not improve for 2 evaluations" in trainer.progress.stop
    trainer = train(make_learner(), epochs=30, steps=8)
    assert (trainer.progress.step, trainer.progress.stop) == (8, "all steps are done")


@pytest.mark.parametrize(
    ("monitor", "said"),
    [
        ("mod", "no task of that name.*Did you mean 'mood'"),
        ("mood.acuracy", "no score 'acuracy'.*'accuracy'"),
    ],
)
def test_an_unknown_score_is_named(monitor, said):
    with pytest.raises(TenorError, match=said):
        train(make_learner(), monitor=monitor)


def test_a_checkpoint_of_another_network_is_refused(tmp_path):
    trainer = train(make_learner(), epochs=1)
    write_checkpoint(tmp_path / "c.safetensors", trainer.state())
    other = make_learner(Mood())
    with pytest.raises(TenorError, match="belongs to another network"):
        Trainer(other, make_optimizer(other), settings=quick()).load_state(
            read_checkpoint(tmp_path / "c.safetensors")
        )
    (tmp_path / "half").write_bytes((tmp_path / "c.safetensors").read_bytes()[:500])
    with pytest.raises(TenorError, match="not a whole checkpoint"):
        read_checkpoint(tmp_path / "half")


def test_a_frozen_encoder_keeps_its_weights_and_has_no_dropout():
    learner = make_learner(dropout=0.5)
    learner.network.encoder.requires_grad_(False)
    before = weights(learner)
    train(learner, epochs=1)
    assert all(torch.equal(before[n], v) for n, v in weights(learner).items() if ".encoder." in n)
    batch = learner.batch(0, np.random.default_rng(0))
    learner.module.train()
    assert torch.equal(learner.network.see(batch)["mood"].last, learner.network.see(batch)["mood"].last)


def test_a_frozen_encoder_sees_each_text_once():
    learner, plain = make_learner(), make_learner()
    for each in (learner, plain):
        each.network.encoder.requires_grad_(False)
    learner.network.kept = FrozenStates()
    texts = []
    learner.network.encoder.register_forward_hook(lambda module, given, out: texts.append(len(given[0])))
    for each in (learner, plain):
        train(each, epochs=3)
    assert sum(texts) <= 3 * 24 + 3 * 10, "train and dev rows, both sides of pairs, once"
    for name, value in weights(plain).items():
        torch.testing.assert_close(weights(learner)[name], value, atol=1e-5, rtol=1e-4)
    seen = len(texts)
    with torch.no_grad():
        learner.network.encoder.embeddings.norm.bias.add_(0.1)
    learner.evaluate()
    assert len(texts) > seen, "other weights give other states"


def test_near_alone_is_judged_by_its_direction():
    record = Record()
    trainer = train(make_learner(Near()), epochs=3, callbacks=[record])
    assert trainer.progress.best["near"] == pytest.approx(-min(score["near"] for score in record.scores))


def test_gradient_surgery_keeps_to_the_losses_of_its_update():
    one, two, three = make_learner(), make_learner(), make_learner()
    # With one task in the update there is nothing to project: surgery must not bring in the other's loss.
    for learner, surgery in ((one, "none"), (two, "pcgrad"), (three, "equal_norm")):
        train(learner, plan=[Update(losses=("mood",), surgery=surgery)], epochs=1)
    assert same(weights(one), weights(two))
    assert same(weights(one), weights(three))
    update = Update(without=("mood",), task="near")
    assert (update.wants("mood"), update.wants("near"), update.touches("mood")) == (False, True, False)


class FirstMood(Mood):
    """Says that it reads first tokens alone."""

    def positions(self, batch):
        return first_positions(batch.tokens)


class Looks(Objective):
    """An objective that looks at the states of a pass."""

    name = "looks"

    def __init__(self):
        self.rows = []

    def losses(self, seen, context):
        self.rows.append(seen.seen["mood"].last.detach().abs().sum(dim=1))
        return {"mood": seen.seen["mood"].last.sum() * 0.0}


def test_an_objective_sees_all_states_and_tasks_alone_what_they_read():
    looks = Looks()
    learner = make_learner(FirstMood(), objectives=[looks])
    train(learner, epochs=1)
    assert all((row > 0).all() for row in looks.rows)
    learner = make_learner(FirstMood())
    batch = {"mood": learner.network.task("mood").collate(learner.train["mood"], np.arange(4))}
    states = learner.network.see(batch, whole=False)["mood"]
    firsts = first_positions(batch["mood"].tokens)
    assert states.last.abs().sum(dim=1).nonzero()[:, 0].tolist() == firsts.tolist()
