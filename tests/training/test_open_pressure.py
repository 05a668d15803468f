"""The loop is open: objectives, callbacks, plans, samplers and learners that it knows nothing of."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

from small_training import WIDTH, Mood, Near, make_learner, make_network, make_optimizer, quick, same, weights
from tenor.layers.gradient_reversal import reverse_gradient
from tenor.layers.pooling import pool_mean
from tenor.objectives.objective import Objective
from tenor.training.callbacks import Callback
from tenor.training.checkpoints import read_checkpoint, write_checkpoint
from tenor.training.learner import Cut, Evaluation, Learner, StepContext
from tenor.training.loop import Trainer
from tenor.training.optimizers import build_optimizer
from tenor.training.plan import Update


class Adversarial(Objective):
    """Two steps of ascent on the word embeddings, then a price on how far the outputs moved (SMART)."""

    name = "smooth"

    def __init__(self, size=0.05, steps=2):
        self.size, self.steps = size, steps

    def losses(self, seen, context):
        words = seen.input_embeddings()
        shape = context.generator.standard_normal(tuple(words.shape))
        moved = 1e-3 * torch.from_numpy(shape.astype(np.float32)) * bool(self.size)
        still = {name: output.detach() for name, output in seen.outputs.items()}
        for _ in range(self.steps):
            moved.requires_grad_()
            apart = distances(still, seen.again(words.detach() + moved))
            # Only with regard to the perturbation: nothing flows into the weights' gradients.
            (slope,) = torch.autograd.grad(sum(apart.values()), moved)
            moved = (self.size * slope / slope.norm(dim=-1, keepdim=True).clamp(min=1e-12)).detach()
        return distances(seen.outputs, seen.again(words + moved))


def distances(one, two):
    return {name: functional.mse_loss(two[name], one[name]) for name in one}


def losses_and_grads(learner):
    learner.begin_epoch(0, np.random.default_rng(0))
    batch = learner.batch(0, np.random.default_rng(0))
    context = StepContext(step=1, epoch=0, steps=1, generator=np.random.default_rng(0))
    (piece,) = learner.micro_batches(batch, Cut(), Update())
    losses = learner.losses(piece, context)
    assert all(parameter.grad is None for parameter in learner.module.parameters()), "the inner steps leak"
    learner.weigh(losses).backward()
    grads = [parameter.grad for parameter in learner.module.parameters()]
    return losses, [grad.clone() for grad in grads if grad is not None]


def test_an_adversarial_objective_with_inner_steps_leaks_nothing():
    plain, plain_grads = losses_and_grads(make_learner())
    smooth, smooth_grads = losses_and_grads(make_learner(objectives=[Adversarial()]))
    assert set(smooth) == {"mood", "near", "mood.smooth", "near.smooth"}
    assert smooth["mood"].item() == pytest.approx(plain["mood"].item())
    assert smooth["mood.smooth"].item() > 1e-6
    assert any(not torch.allclose(a, b) for a, b in zip(plain_grads, smooth_grads, strict=True))
    none, none_grads = losses_and_grads(make_learner(objectives=[Adversarial(size=0.0)]))
    assert none["mood.smooth"].item() == pytest.approx(0, abs=1e-10)
    for a, b in zip(plain_grads, none_grads, strict=True):
        torch.testing.assert_close(a, b, atol=1e-6, rtol=1e-4)


class Teacher(Objective):
    """A frozen network whose outputs the student should give."""

    name = "teacher"

    def __init__(self, network):
        self.network = network.eval().requires_grad_(False)

    def losses(self, seen, context):
        wanted = self.network({"mood": seen.batches["mood"]})["mood"]
        return {"mood": functional.mse_loss(seen.outputs["mood"], wanted)}


def test_a_frozen_teacher():
    teacher = make_network(Mood(), seed=9)
    before = {name: value.clone() for name, value in teacher.state_dict().items()}
    learner = make_learner(Mood(), objectives=[Teacher(teacher)])
    losses = []

    class Follow(Callback):
        def on_step_end(self, learner, progress, report):
            losses.append(report.losses["mood.teacher"])

    trainer = Trainer(
        learner,
        make_optimizer(learner),
        settings=quick(epochs=20),
        plan=[Update(losses=("*.teacher",))],
        callbacks=[Follow()],
    )
    trainer.run()
    assert np.mean(losses[-6:]) < 0.3 * np.mean(losses[:6])
    assert all(torch.equal(before[name], value) for name, value in teacher.state_dict().items())


class Mask(Callback):
    """Keeps the smallest half of a weight at zero after every step, through kills as well."""

    name, mask = "mask", None

    def on_train_begin(self, learner, progress):
        weight = learner.network.encoder.blocks[0].feed_forward.up.weight
        if self.mask is None:
            self.mask = (weight.detach().abs() > weight.detach().abs().median()).float()
        self.apply(learner)

    def on_step_end(self, learner, progress, report):
        self.apply(learner)

    @torch.no_grad()
    def apply(self, learner):
        learner.network.encoder.blocks[0].feed_forward.up.weight.mul_(self.mask)

    def state(self):
        return {"mask": self.mask}

    def load_state(self, state):
        self.mask = state["mask"]


class KeepStep(Callback):
    """Writes a checkpoint after one step, and where dev was scored, each under the number of its step."""

    def __init__(self, folder, step):
        self.folder, self.step = folder, step

    def checkpoint_due(self, progress):
        return progress.step == self.step

    def on_checkpoint(self, make):
        state = make()
        write_checkpoint(self.folder / str(state["progress"]["step"]), state)


def test_a_mask_is_kept_on_weights_and_through_resume(tmp_path):
    whole, resumed = make_learner(dropout=0.1), make_learner(dropout=0.1)
    callbacks = [Mask(), KeepStep(tmp_path, 5)]
    Trainer(whole, make_optimizer(whole), settings=quick(), callbacks=callbacks).run()
    trainer = Trainer(resumed, make_optimizer(resumed), settings=quick(), callbacks=[Mask()])
    trainer.load_state(read_checkpoint(tmp_path / "5"))
    trainer.run()
    assert same(weights(whole), weights(resumed))
    weight = resumed.network.encoder.blocks[0].feed_forward.up.weight
    assert float((weight == 0).float().mean()) == pytest.approx(0.5, abs=0.01)


class Language(Objective, nn.Module):
    """Guesses from the vector which language a text is of; the encoder learns to hide it."""

    name = "language"

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(WIDTH, 2)

    def losses(self, seen, context):
        own = seen.seen["mood"]
        language = torch.from_numpy(seen.batches["mood"].rows % 2)
        guess = self.linear(reverse_gradient(pool_mean(own.last, own.packing)))
        return {"mood": functional.cross_entropy(guess, language)}


def test_a_second_optimizer_with_gradient_reversal_every_tenth_batch():
    learner = make_learner(Mood(), rows=96, objectives=[Language()])
    groups = learner.groups()
    assert set(groups) == {"encoder", "heads", "language"}
    main = {name: groups[name] for name in ("encoder", "heads")}
    theirs = {name: groups[name] for name in ("language", "encoder")}
    optimizers = {
        "main": build_optimizer(main, learning_rates={"encoder": 1e-3, "heads": 1e-2}),
        "adversary": build_optimizer(theirs, learning_rates={"language": 1e-2, "encoder": 1e-4}, kind="sgd"),
    }
    plan = [Update(without=("*.language",)), Update(losses=("*.language",), optimizer="adversary", every=10)]
    seen = []

    class Look(Callback):
        def on_step_end(self, learner, progress, report):
            weight = learner.objectives[0].linear.weight.detach().clone()
            seen.append((sorted(report.losses), weight))

    Trainer(learner, optimizers, settings=quick(epochs=1), plan=plan, callbacks=[Look()]).run()
    assert seen[8][0] == ["mood"]
    assert seen[9][0] == ["mood", "mood.language"]
    assert torch.equal(seen[0][1], seen[8][1])
    assert not torch.equal(seen[8][1], seen[9][1])
    assert torch.equal(seen[9][1], seen[18][1])


class Talk(Learner):
    """A speaker who has one symbol for what it sees, and a listener who must guess it: no Model anywhere."""

    def __init__(self, things=6, symbols=6):
        torch.manual_seed(0)
        self.things = things
        speaker, listener = nn.Linear(things, symbols), nn.Linear(symbols, things)
        self.pair = nn.ModuleDict({"speaker": speaker, "listener": listener})

    @property
    def module(self):
        return self.pair

    def begin_epoch(self, epoch, generator):
        self.drawn = generator.integers(0, self.things, size=(20, 32))
        return len(self.drawn)

    def batch(self, position, generator):
        return torch.from_numpy(self.drawn[position])

    def losses(self, piece, context):
        said = self.pair["speaker"](functional.one_hot(piece, self.things).float())
        symbol = functional.gumbel_softmax(said, hard=True)  # straight-through
        return {"talk": functional.cross_entropy(self.pair["listener"](symbol), piece)}

    def evaluate(self):
        things = torch.eye(self.things)
        heard = functional.one_hot(self.pair["speaker"](things).argmax(-1), self.things).float()
        right = float((self.pair["listener"](heard).argmax(-1) == torch.arange(self.things)).float().mean())
        return {"talk": Evaluation(scores={"accuracy": right}, metric=Mood.metric, rows=self.things)}


def test_a_learner_with_no_model_in_it():
    one, two = Talk(), Talk()
    for learner in (one, two):
        trainer = Trainer(learner, make_optimizer(learner, 3e-2), settings=quick(epochs=12), seed=3)
        trainer.run()
    assert trainer.progress.best["talk"] > 0.6
    assert same(weights(one), weights(two))


class NearestRows:
    """Puts rows into a batch with those that the network as it stands finds nearest."""

    def __init__(self):
        self.seen = []

    def draw(self, sources, *, epoch, generator, learner):
        data = learner.train["near"]
        vectors = learner.network.vectors(data.tokens)[::2]
        self.seen.append(float(np.abs(vectors).sum()))
        left, steps = set(range(len(data))), []
        while len(left) > 1:
            first = int(generator.choice(sorted(left)))
            order = sorted(left, key=lambda row: -float(vectors[row] @ vectors[first]))
            steps.append({"near": np.array(order[: sources["near"].batch], dtype=np.int64)})
            left -= set(order[: sources["near"].batch])
        return steps


def test_a_sampler_that_mines_with_the_current_model():
    sampler = NearestRows()
    learner = make_learner(Near(), sampler=sampler)
    trainer = Trainer(learner, make_optimizer(learner), settings=quick(epochs=3))
    trainer.run()
    assert len(set(sampler.seen)) == 3, "each epoch must be drawn with other weights"
    state = learner.state()
    other = make_learner(Near(), sampler=NearestRows())
    other.begin_epoch(2, np.random.default_rng(0))
    other.load_state(state)
    for position in range(6):
        one, two = (each.batch(position, np.random.default_rng(0))["near"].rows for each in (learner, other))
        assert one.tolist() == two.tolist()
