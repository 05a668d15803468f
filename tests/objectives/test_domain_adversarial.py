"""The discriminator of domains: its loss, what it moves, when it is asked, and that runs go on with it."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from small_runs import step_losses, write_run
from small_tagger import tagged_rows
from small_training import VOCABULARY, WIDTH, Mood, make_learner, make_optimizer, quick
from tenor.errors import TenorError
from tenor.model.feature_map import FeatureMap
from tenor.model.network import pack
from tenor.objectives.domain_adversarial import DomainAdversarial
from tenor.objectives.domain_adversarial_config import DomainAdversarialConfig
from tenor.objectives.objective import ForwardPass
from tenor.objectives.table import objective_config
from tenor.text.tokens import Tokens
from tenor.training.api import train
from tenor.training.callbacks import Callback
from tenor.training.checkpoints import read_checkpoint, write_checkpoint
from tenor.training.learner import Cut, StepContext
from tenor.training.loop import Trainer
from tenor.training.plan import Update
from tenor.training.task_learner import TaskLearner

NAME = "languages"
TEXTS = {"en": ["the cat sat", "a good day"], "xx": ["city house", "old man reads the water"], "yy": ["no"]}


class Numbers:
    """A tokenizer for texts that are lists of ids: two pieces a word, after a special token."""

    def tokenize(self, texts, *, words=False):
        tokens = Tokens.from_lists(texts)
        of = [place for text in texts for place in [-1, *(np.arange(len(text) - 1) // 2)]]
        return replace(tokens, words=np.array(of, dtype=np.int32))


def id_texts(count, seed):
    random = np.random.default_rng(seed)
    return [random.integers(1, VOCABULARY, size=random.integers(2, 9)).tolist() for _ in range(count)]


def objective_of(**settings):
    texts = {"en": id_texts(20, 1), "xx": id_texts(9, 2), "yy": id_texts(3, 3)}
    config = DomainAdversarialConfig(**{"every": 1, "batch_size": 6, "hidden_size": 5, **settings})
    return DomainAdversarial(NAME, config, texts)


def learner_of(objective, *, place="states"):
    learner = make_learner(Mood(), tokenizer=Numbers())
    # W away from the identity, for both places.
    learner.network.adapter = FeatureMap(WIDTH, place=place, initialisation="xavier")
    return TaskLearner(
        learner.network,
        learner.train,
        batches={"mood": 4},
        objectives=[] if objective is None else [objective],
        tokenizer=Numbers(),
    )


def context(step=1):
    return StepContext(step=step, epoch=0, steps=1, generator=np.random.default_rng(step), update=Update())


def forward_of(learner, batch):
    seen = learner.network.see(batch)
    tasks = {name: each for name, each in batch.items() if name in learner.network.tasks}
    outputs = {name: learner.network.task(name)(seen[name], each) for name, each in tasks.items()}
    return ForwardPass(network=learner.network, batches=batch, seen=seen, outputs=outputs)


def plain_discriminator_loss(learner, batch, reads):
    """L_D written out: D on the first piece of every word, without any reversal."""
    own = {NAME: batch[NAME]}
    network, objective = learner.network, learner.objectives[0]
    packed = pack(own)
    if reads == "embeddings":
        features = torch.tanh(network.encoder.input_embeddings(packed) @ network.adapter.linear.weight.T)
    else:
        features = torch.tanh(network.encoder(packed).last @ network.adapter.linear.weight.T)
    tokens, rows, places = batch[NAME].tokens, [], []
    for row, (begin, end) in enumerate(zip(tokens.starts[:-1], tokens.starts[1:], strict=True)):
        mine = list(range(begin + 1, end, 2))
        places += mine
        rows += [int(batch[NAME].targets[row])] * len(mine)
    v, _, t = objective.discriminator
    hidden = torch.relu(features[places] @ v.weight.T + v.bias)
    logs = torch.log_softmax(hidden @ t.weight.T + t.bias, dim=1)
    return -logs[range(len(rows)), rows].mean()


@pytest.mark.parametrize("reads", ["states", "embeddings"])
def test_a_step_moves_features_by_the_task_less_the_weighed_discriminator(reads):
    weight, lr = 0.7, 0.1
    objective = objective_of(weight=weight, reads=reads)
    learner = learner_of(objective, place=reads)
    learner.begin_epoch(0, np.random.default_rng([1, 0]))
    batch = learner.batch(0, np.random.default_rng([1, 0, 0, 1]))
    named = dict(learner.module.named_parameters())
    names = list(named)
    forward = forward_of(learner, batch)
    own = learner.network.task("mood")
    task_loss = own.losses(forward.outputs["mood"], batch["mood"])["cross_entropy"]
    tagger = torch.autograd.grad(task_loss, [named[n] for n in names], allow_unused=True)
    plain = plain_discriminator_loss(learner, batch, reads)
    discriminator = torch.autograd.grad(plain, [named[n] for n in names], allow_unused=True)
    before = {name: value.detach().clone() for name, value in named.items()}

    objective._calls = 0  # the same batch again
    settings = quick(epochs=1, steps=1, schedule="constant", warmup=0.0, max_grad_norm=0.0)
    optimizer = make_optimizer(learner, lr, kind="sgd", weight_decay=0.0)
    Trainer(learner, optimizer, settings=settings, seed=1).run()

    kinds = set()
    for name, c, d in zip(names, tagger, discriminator, strict=True):
        c, d = (torch.zeros(()) if each is None else each for each in (c, d))
        if f"objectives.{NAME}" in name:
            expected, kind = -lr * d, "θ_D"
            assert not c.any()
        elif "tasks.mood" in name:
            expected, kind = -lr * c, "θ_C"
            assert not d.any()
        else:
            expected, kind = -lr * (c - weight * d), "θ_F"
        kinds.add(kind if expected.any() else "")
        moved = named[name].detach() - before[name]
        torch.testing.assert_close(moved, expected.expand_as(moved), atol=2e-6, rtol=1e-4)
    assert kinds >= {"θ_D", "θ_C", "θ_F"}


def test_without_weight_the_features_go_their_way_as_without_the_objective():
    finals = []
    for objective in (None, objective_of(weight=0.0)):
        learner = learner_of(objective)
        # Adam would make steps of rounding errors, and a clipped norm counts the discriminator too.
        optimizer = make_optimizer(learner, kind="sgd")
        Trainer(learner, optimizer, settings=quick(epochs=2, max_grad_norm=0.0), seed=1).run()
        finals.append({name: value.clone() for name, value in learner.network.state_dict().items()})
    for name, value in finals[0].items():
        torch.testing.assert_close(value, finals[1][name], atol=2e-6, rtol=1e-4)


def test_it_says_one_probability_per_domain_of_every_word():
    objective = objective_of()
    learner = learner_of(objective)
    batch = {NAME: objective.batch(np.random.default_rng(0))}
    logits = objective.logits(objective.features(forward_of(learner, batch)))
    words = sum(-(-(length - 1) // 2) for length in batch[NAME].tokens.lengths.tolist())
    assert logits.shape == (words, 3)
    torch.testing.assert_close(logits.softmax(dim=1).sum(dim=1), torch.ones(words))


def test_domains_have_as_many_texts_of_a_batch_however_many_there_are():
    objective = objective_of(batch_size=12)
    learner_of(objective)
    targets = objective.batch(np.random.default_rng(0)).targets
    assert torch.bincount(targets).tolist() == [4, 4, 4]
    assert objective.domains == ("en", "xx", "yy")


@pytest.mark.parametrize("level", ["word", "text"])
def test_the_cut_into_passes_changes_no_loss(level):
    objective = objective_of(level=level)
    learner = learner_of(objective)
    learner.begin_epoch(0, np.random.default_rng(0))
    batch = learner.batch(0, np.random.default_rng(0))
    totals = []
    for tokens in (10_000, 7):
        pieces = learner.micro_batches(batch, Cut(tokens=tokens), Update())
        losses = [learner.losses(piece, context()) for piece in pieces]
        totals.append(sum(each[NAME].item() for each in losses if NAME in each))
        assert (len(pieces) == 1) == (tokens > 100)
    assert totals[0] == pytest.approx(totals[1], rel=1e-5)
    if level == "word":
        assert totals[0] == pytest.approx(float(plain_discriminator_loss(learner, batch, "states")), rel=1e-5)


def steps_with_it(learner, *, callbacks=(), state=None):
    found = []

    class Look(Callback):
        def on_step_end(self, learner, progress, report):
            if NAME in report.losses:
                found.append(progress.step)

    trainer = Trainer(
        learner, make_optimizer(learner), settings=quick(epochs=6), seed=1, callbacks=[Look(), *callbacks]
    )
    if state is not None:
        trainer.load_state(state)
    trainer.run()
    return found


def test_it_is_asked_after_batches_10_20_30_and_a_resumed_run_ends_with_the_same_weights(tmp_path):
    class Keep(Callback):
        def checkpoint_due(self, progress):
            return progress.step == 14

        def on_checkpoint(self, make):
            state = make()
            write_checkpoint(tmp_path / str(state["progress"]["step"]), state)

    whole = learner_of(objective_of(every=10))
    assert steps_with_it(whole, callbacks=[Keep()]) == [10, 20, 30]
    resumed = learner_of(objective_of(every=10))
    assert steps_with_it(resumed, state=read_checkpoint(tmp_path / "14")) == [20, 30]
    ends = [each.module.state_dict() for each in (whole, resumed)]
    assert all(torch.equal(value, ends[1][name]) for name, value in ends[0].items())


def test_a_map_begins_as_tanh_of_the_embeddings_and_is_where_it_should():
    values = torch.randn(4, WIDTH)
    assert torch.allclose(FeatureMap(WIDTH)(values), torch.tanh(values))
    assert not torch.allclose(FeatureMap(WIDTH, initialisation="xavier")(values), torch.tanh(values))
    first, again = (FeatureMap(WIDTH, initialisation="xavier", seed=4).linear.weight for _ in range(2))
    assert torch.equal(first, again)
    learner = learner_of(None)
    batch = {"mood": learner.network.task("mood").collate(learner.train["mood"], np.arange(3))}
    encoder, packed = learner.network.encoder, pack(batch)
    for place in ("embeddings", "states"):
        mapped = FeatureMap(WIDTH, place=place, initialisation="xavier")
        learner.network.adapter = mapped
        expected = (
            mapped(encoder(packed).last)
            if place == "states"
            else encoder(packed.with_embeddings(mapped(encoder.input_embeddings(packed)))).last
        )
        torch.testing.assert_close(learner.network.see(batch)["mood"].last, expected)


# From run files, on a model folder


TABLE = """
[objectives.languages]
method = "domain_adversarial"
texts = { en = "en.txt", xx = "more/xx.txt" }
weight = 0.1
every = 2
batch_size = 4
"""


def run_file(folder, *, texts=True):
    file = write_run(folder, more=TABLE)
    if texts:
        (folder / "more").mkdir(exist_ok=True)
        (folder / "en.txt").write_text("the cat sat\n\na good day\n", encoding="utf-8")
        (folder / "more" / "xx.txt").write_text("city house\nold water\n", encoding="utf-8")
    return file


def test_a_run_file_names_texts_from_its_own_folder(tmp_path):
    done = train(run_file(tmp_path), out=tmp_path / "run")
    losses = step_losses(tmp_path / "run")
    assert [NAME in step for step in losses] == [number % 2 == 0 for number in range(1, len(losses) + 1)]
    assert done.model is not None
    assert 'method = "domain_adversarial"' in (tmp_path / "run" / "run.toml").read_text(encoding="utf-8")


def test_texts_that_changed_are_not_gone_on_with(tmp_path):
    class Stop(Callback):
        def on_step_end(self, learner, progress, report):
            if progress.step == 3:
                raise KeyboardInterrupt

    file = run_file(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        train(file, out=tmp_path / "run", checkpoint_steps=1, callbacks=[Stop()])
    (tmp_path / "en.txt").write_text("other texts\n", encoding="utf-8")
    with pytest.raises(TenorError, match=r"en\.txt has changed since the run"):
        train(file, out=tmp_path / "run", checkpoint_steps=1)


def test_a_missing_file_is_told_with_its_line(tmp_path):
    with pytest.raises(TenorError, match=r"run\.toml:\d+: in \[objectives\.languages\], texts of 'en': the"):
        train(run_file(tmp_path, texts=False), out=tmp_path / "run")


def tag_with(folder, **settings):
    objective = {NAME: {"method": "domain_adversarial", **settings.pop("table", {})}}
    if "texts" in settings:
        config = DomainAdversarialConfig(every=1)
        objective = [DomainAdversarial(NAME, config, settings.pop("texts"))]
    task = {"kind": "tag", "train": tagged_rows(8), "batch_size": 4}
    return train(folder, {"names": task}, objectives=objective, epochs=1, **settings)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"texts": {"en": ["a"]}}, "tells domains apart, but has texts of 1"),
        ({"table": {}}, "tells domains apart, but has texts of 0"),
        ({"texts": {"en": ["a"], "xx": ["", ""]}}, "has no texts of 'xx'"),
        ({"texts": TEXTS, "freeze": "encoder"}, "presses on the states, below which no weight"),
    ],
)
def test_what_it_cannot_do_is_one_sentence(tiny_folder, settings, message):
    with pytest.raises(TenorError, match=message):
        tag_with(tiny_folder, **settings)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"weight": -1.0}, "weight is -1"),
        ({"weight": float("nan")}, "weight is nan"),
        ({"every": 0}, "every is 0"),
        ({"texts": {"en": 3}}, "texts has 3 for 'en'"),
    ],
)
def test_its_settings_are_checked(settings, message):
    with pytest.raises(TenorError, match=message):
        objective_config("domain_adversarial")(**settings)


def test_a_tagger_is_trained_with_texts_from_memory_on_a_frozen_encoder_with_a_map(tiny_folder):
    run = tag_with(tiny_folder, texts=TEXTS, freeze="encoder", adapter=FeatureMap(32, place="states"))
    weight = run.network.adapter.linear.weight
    assert not torch.equal(weight, torch.eye(32))


def test_its_own_rows_do_not_name_rows_of_tasks():
    learner = learner_of(objective_of())
    learner.begin_epoch(0, np.random.default_rng(0))
    batch = learner.batch(0, np.random.default_rng(0))
    assert set(batch) == {"mood", NAME}
    assert learner.where(batch, [NAME]) == ""
