"""Parts of the loop against references: schedules, groups, sampling, PCGrad, learned weights, state."""

import json

import numpy as np
import pytest
import torch

from small_training import Mood, Near, encoder, make_learner, make_optimizer, quick
from tenor.errors import TenorError
from tenor.training.building import prepare_encoder
from tenor.training.config import TrainingConfig
from tenor.training.gradients import balance, project_conflicts
from tenor.training.loop import Trainer
from tenor.training.loss_weighting import UncertaintyWeights
from tenor.training.optimizers import build_optimizer, freeze
from tenor.training.sampling import Source, TaskSampler, cut_rows
from tenor.training.schedules import rate_factor
from tenor.training.state import join, split


def test_schedules_against_transformers():
    transformers = pytest.importorskip("transformers")
    made = {
        "linear": transformers.get_linear_schedule_with_warmup,
        "cosine": transformers.get_cosine_schedule_with_warmup,
    }
    for kind, make in made.items():
        optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(()))], lr=1.0)
        theirs = make(optimizer, 4, 20)
        rates = []
        for _ in range(20):
            rates.append(optimizer.param_groups[0]["lr"])
            optimizer.step()
            theirs.step()
        # Theirs begins with a step at rate 0; ours counts from 1.
        ours = [rate_factor(kind, step, total=19, warmup=4.0) for step in range(1, 20)]
        assert ours == pytest.approx(rates[1:], abs=1e-9), kind


def test_schedules_of_pre_training_and_fine_tuning_at_their_corners():
    linear = [rate_factor("linear", step, total=1000, warmup=0.1) for step in (0, 50, 100, 1001)]
    assert linear == pytest.approx([0, 0.5, 1, 0])
    rates = [rate_factor("inverse_sqrt", step, total=115_000, warmup=10_000) for step in (0, 10_000, 40_000)]
    assert rates == pytest.approx([0, 1, 0.5])


@pytest.mark.parametrize("kind", ["constant", "linear", "cosine", "slanted", "inverse_sqrt", "plateau"])
def test_every_schedule_stays_between_0_and_1(kind):
    for total in (1, 2, 3, 10, 101):
        for warmup in (0.0, 0.1, 1.0, 5.0, 500.0):
            factors = [rate_factor(kind, step, total=total, warmup=warmup) for step in range(1, total + 1)]
            assert all(0 < factor <= 1 for factor in factors), (kind, total, warmup)


def test_groups_have_their_rates_each_parameter_once():
    learner = make_learner(Mood(), Near())
    optimizer = build_optimizer(
        learner.groups(),
        learning_rates={"encoder": 1e-5, "heads": 1e-3},
        weight_decay=0.1,
        layer_decay=0.5,
        encoder=learner.network.encoder,
    )
    rate, decay = {}, {}
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            assert id(parameter) not in rate
            rate[id(parameter)], decay[id(parameter)] = group["lr"], group["weight_decay"]
    network = learner.network
    assert len(rate) == len(list(network.parameters()))
    assert {rate[id(p)] for p in network.tasks.parameters()} == {1e-3}
    assert {rate[id(p)] for p in network.encoder.blocks[1].parameters()} == {1e-5}
    assert {rate[id(p)] for p in network.encoder.blocks[0].parameters()} == {0.5e-5}
    assert {rate[id(p)] for p in network.encoder.embeddings.parameters()} == {0.25e-5}
    assert {rate[id(p)] for p in network.encoder.pooler.parameters()} == {1e-5}
    undecayed = [name for name, p in network.named_parameters() if decay[id(p)] == 0]
    assert all("norm" in name or name.endswith(("bias", "scale")) for name in undecayed)
    assert any("norm.weight" in name for name in undecayed)


def test_blocks_of_a_head_are_no_layers_of_the_encoder():
    """A residual head may have more blocks than the encoder has layers."""
    value = torch.nn.Parameter(torch.zeros(1))
    groups = {
        "encoder": [("encoder.blocks.0.w", value), ("encoder.blocks.1.w", torch.nn.Parameter(torch.ones(1)))],
        "heads": [("heads.a.network.blocks.4.w", torch.nn.Parameter(torch.ones(1)))],
    }
    rates = {"encoder": 1.0, "heads": 1.0}
    optimizer = build_optimizer(groups, learning_rates=rates, layer_decay=0.5, encoder=encoder(layers=2))
    assert sorted(group["lr"] for group in optimizer.param_groups) == [0.5, 1.0, 1.0]


@pytest.mark.parametrize(
    ("settings", "trained"),
    [
        ({"embeddings": True}, {"blocks.0", "blocks.1", "blocks.2", "pooler"}),
        ({"first": 1}, {"blocks.1", "blocks.2", "pooler"}),
        ({"last": 1}, {"blocks.2", "pooler"}),
        ({"last": 3}, {"blocks.0", "blocks.1", "blocks.2", "pooler"}),
        ({"last": 0}, set()),
        ({}, {"embeddings", "blocks.0", "blocks.1", "blocks.2", "pooler"}),
    ],
    ids=["embeddings", "first", "last", "all layers", "all", "none"],
)
def test_freezing(settings, trained):
    body = encoder(layers=3)
    freeze(body, **settings)
    parts = {name for name, p in body.named_parameters() if p.requires_grad}
    heads = {
        ".".join(name.split(".")[:2]) if name.startswith("blocks") else name.split(".")[0] for name in parts
    }
    assert heads == trained
    with pytest.raises(TenorError, match="has 3 layers"):
        freeze(body, last=4)


def test_a_decay_by_layer_without_layers_is_told():
    learner = make_learner(Mood())
    with pytest.raises(TenorError, match=r"layer_decay is 0.5, but no encoder is given"):
        make_optimizer(learner, layer_decay=0.5)


def test_nothing_to_train_is_told():
    with pytest.raises(TenorError, match="all weights are frozen"):
        build_optimizer({}, learning_rates={})


SOURCES = {"big": Source(rows=100, batch=8), "small": Source(rows=20, batch=4)}


def draw(epoch=0, seed=0, **settings):
    generator = np.random.default_rng([seed, epoch])
    return TaskSampler(**settings).draw(SOURCES, epoch=epoch, generator=generator)


def test_joint_steps():
    longest, shortest = draw(), draw(end="shortest")
    assert (len(longest), len(shortest)) == (13, 5)
    assert sorted(np.concatenate([step["big"] for step in longest])) == list(range(100))
    small = np.concatenate([step["small"] for step in longest])
    assert sorted(small[:20]) == sorted(small[20:40]) == list(range(20))
    assert small[:20].tolist() != small[20:40].tolist()


def test_epochs_of_a_fixed_size_are_drawn_anew_without_replacement():
    first, second = (draw(epoch, examples_per_epoch=48) for epoch in (0, 1))
    assert len(first) == 6
    for steps in (first, second):
        big = np.concatenate([step["big"] for step in steps])
        assert len(big) == len(set(big.tolist())) == 48
        assert len(np.concatenate([step["small"] for step in steps])) == 24  # all 20, then again
    assert set(first[0]["big"]) != set(second[0]["big"])
    again = draw(0, examples_per_epoch=48)
    assert all(np.array_equal(a["big"], b["big"]) for a, b in zip(first, again, strict=True))


def test_one_task_at_a_time():
    names = [next(iter(step)) for step in draw(task_sampling="sequential")]
    assert names == ["big"] * 13 + ["small"] * 5
    shuffled = [next(iter(step)) for step in draw(task_sampling="shuffled")]
    assert sorted(shuffled) == names
    assert shuffled != names


def test_chances_of_tasks():
    proportional = TaskSampler(task_sampling="proportional").chances([900, 100], 0)
    np.testing.assert_allclose(proportional, [0.9, 0.1])
    np.testing.assert_allclose(TaskSampler(task_sampling="uniform").chances([900, 100], 3), [0.5, 0.5])
    annealed = [TaskSampler(task_sampling="annealed", epochs=5).chances([900, 100], e)[0] for e in range(5)]
    assert annealed[0] == pytest.approx(0.9)
    assert annealed == sorted(annealed, reverse=True)
    assert annealed[-1] == pytest.approx(900**0.2 / (900**0.2 + 100**0.2))
    steps = TaskSampler(task_sampling="uniform").draw(
        {"a": Source(rows=4000, batch=2), "b": Source(rows=40, batch=2)}, epoch=0,
        generator=np.random.default_rng(0),
    )  # fmt: skip
    assert 0.45 < np.mean(["a" in step for step in steps]) < 0.55


def test_buckets_keep_every_row_and_bring_like_lengths_together():
    lengths = np.random.default_rng(0).integers(1, 100, size=203)
    source = Source(rows=203, batch=8, lengths=lengths, smallest=4)
    rows = np.random.default_rng(1).permutation(203)
    plain, bucketed = (
        cut_rows(rows, source, bucket_batches=bucket_batches, generator=np.random.default_rng(2))
        for bucket_batches in (0, 10)
    )
    assert sum(map(len, plain)) == 200, "the last batch of three rows is left out"
    assert len(set(np.concatenate(bucketed).tolist())) == 200
    spread = [np.mean([np.ptp(lengths[batch]) for batch in batches]) for batches in (plain, bucketed)]
    assert spread[1] < 0.3 * spread[0]


def test_pcgrad_against_its_definition():
    torch.manual_seed(0)
    tasks = [[torch.randn(3), torch.randn(2, 2), None] for _ in range(3)]
    tasks[0][2] = torch.randn(4)  # a head's own
    order = np.random.default_rng(5)
    found = project_conflicts(tasks, np.random.default_rng(5))
    flat = [torch.cat([each.flatten() for each in task[:2]]) for task in tasks]
    total = torch.zeros(7)
    for i in range(3):
        g = flat[i].clone()
        for j in order.permutation([n for n in range(3) if n != i]).tolist():
            if g @ flat[j] < 0:
                g -= (g @ flat[j]) / (flat[j] @ flat[j]) * flat[j]
        total += g
    torch.testing.assert_close(torch.cat([found[0], found[1].flatten()]), total)
    assert torch.equal(found[2], tasks[0][2])


def test_pcgrad_without_conflict_is_the_sum():
    one, two = [torch.tensor([1.0, 0.5])], [torch.tensor([0.5, 1.0])]
    found = project_conflicts([one, two], np.random.default_rng(0))
    torch.testing.assert_close(found[0], torch.tensor([1.5, 1.5]))


def test_balanced_gradients_against_their_definition():
    torch.manual_seed(0)
    tasks = [[torch.randn(3) * size, torch.randn(2, 2) * size, None] for size in (1.0, 30.0, 0.1)]
    tasks[0][2] = torch.randn(4)  # a head's own
    weights = [1.0, 0.5, 2.0]
    found = balance(tasks, weights)
    flat = [torch.cat([each.flatten() for each in task[:2]]) for task in tasks]
    mean_length, mean_weight = np.mean([float(each.norm()) for each in flat]), np.mean(weights)
    pull = [
        weight / mean_weight * mean_length / each.norm() for weight, each in zip(weights, flat, strict=True)
    ]
    total = sum(scale * each for scale, each in zip(pull, flat, strict=True))
    torch.testing.assert_close(torch.cat([found[0], found[1].flatten()]), total)
    assert torch.equal(found[2], tasks[0][2])


def test_balancing_leaves_out_a_task_without_gradient_or_weight():
    flat, still, ignored = [torch.tensor([3.0, 4.0])], [torch.zeros(2)], [torch.tensor([9.0, 0.0])]
    for weights in ([1.0, 1.0, 0.0], [2.0, 5.0, 0.0]):
        assert torch.equal(balance([flat, still, ignored], weights)[0], flat[0])
    assert torch.equal(balance([still, still], [1.0, 1.0])[0], still[0])


def test_balanced_gradients_leave_no_weights_to_learn():
    with pytest.raises(TenorError, match=r"weights cannot be learned beside it: leave out one of them"):
        TrainingConfig(gradient_balancing="equal_norm", loss_weighting="uncertainty")


def test_learned_weights_settle_where_the_formula_says():
    weigh = UncertaintyWeights({"a": 1.0, "b": 1.0})
    losses = {"a": torch.tensor(4.0), "b": torch.tensor(0.25)}
    assert weigh(losses).item() == pytest.approx(4.25)
    optimizer = torch.optim.SGD(weigh.parameters(), lr=0.05)
    for _ in range(2000):
        optimizer.zero_grad()
        (weigh(losses) + weigh.penalty(list(losses))).backward()
        optimizer.step()
    # d/ds (e^-s L + s/2) = 0 where e^-s = 1 / 2L
    assert weigh.log_variances["a"].exp().item() == pytest.approx(8.0, rel=1e-3)
    assert weigh.log_variances["b"].exp().item() == pytest.approx(0.5, rel=1e-3)
    learner = make_learner(loss_weighting=UncertaintyWeights({"mood": 1.0, "near": 1.0}))
    Trainer(learner, make_optimizer(learner), settings=quick(epochs=1)).run()
    assert learner.loss_weighting.log_variances["near"].item() != 0


def test_states_come_back_from_json_and_tensors():
    state = {"a": {"b": torch.arange(3), "c": [1, 2.5, None]}, "d": np.eye(2), "e": "text", "f": {}}
    tensors, rest = split(state)
    back = join(tensors, json.loads(json.dumps(rest)))
    assert torch.equal(back["a"]["b"], state["a"]["b"])
    assert back["a"]["c"] == [1, 2.5, None]
    assert np.array_equal(back["d"], np.eye(2))
    assert (back["e"], back["f"]) == ("text", {})


def test_dropout_of_an_encoder_can_be_set():
    body = encoder(dropout=0.1)
    prepare_encoder(body, TrainingConfig(dropout=0.0))
    body.train()
    from tenor.layers.packed import PackedBatch

    batch = PackedBatch.from_lists([[5, 6, 7, 8]])
    assert torch.equal(body(batch).last, body(batch).last)
