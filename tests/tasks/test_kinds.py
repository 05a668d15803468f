"""Kinds of tasks: targets, bad input, shared heads, matching with hard negatives, weights of labels."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from task_battery import config, examples_of, network_of, tokenizer_of
from tenor.errors import TenorError
from tenor.layers.pooling_config import PoolingConfig
from tenor.tasks.contrastive.hard_negatives import hard_negatives
from tenor.tasks.contrastive.retrieval import retrieval_columns
from tenor.tasks.table import task_spec
from tenor.tasks.texts.targets import balancing, label_targets, score_targets
from tenor.tasks.texts.vectors import TextVectors
from tenor.text.examples import Origin, Pair, Sentence, Triple

ROWS = np.arange(6)


def batch_of(network, name, tokenizer, rows=ROWS, examples=None):
    task = network.task(name)
    examples = examples or examples_of(task.spec.kind)
    data = task.prepare(examples, tokenizer)
    return task, data, task.collate(data, rows)


def test_labels_become_numbers_and_an_unknown_one_is_told_with_its_line():
    spec = task_spec("classify", labels=("bad", "good"))
    rows = [Sentence("x", Origin("f.tsv", n), label) for n, label in ((2, "good"), (3, "bad"))]
    assert label_targets(spec.labels, None, rows, name="mood").tolist() == [1, 0]
    with pytest.raises(
        TenorError, match=r"f.tsv:9: the label 'god' is none of task mood: 'bad', 'good'.*'good'"
    ):
        label_targets(spec.labels, None, [Sentence("x", Origin("f.tsv", 9), "god")], name="mood")
    with pytest.raises(TenorError, match="the label is empty"):
        label_targets(spec.labels, None, [Sentence("x", Origin("f.tsv", 9), " ")], name="mood")
    several = task_spec("classify", labels=("a", "b", "c"), separator=",", metric="f1_micro")
    found = label_targets(
        several.labels, several.separator, [Sentence("x", Origin("f", 1), "c, a")], name="t"
    )
    assert found.tolist() == [[1, 0, 1]]


@pytest.mark.parametrize("score", [float("nan"), float("inf"), None, 5.1, -0.1])
def test_scores_out_of_range_are_told_with_their_line(score):
    spec = task_spec("similarity", head="cosine", range=(0, 5), metric="pearson")
    with pytest.raises(TenorError, match=r"f\.tsv:4: the score"):
        score_targets(spec.range, [Pair("a", "b", Origin("f.tsv", 4), None, score)], name="t")


def test_balanced_labels_weigh_the_same(tiny_folder):
    labels = np.array([0] * 6 + [1] * 3 + [2])
    weights = balancing(labels, 4)
    sums = [weights[labels[labels == label]].sum() for label in range(3)]
    np.testing.assert_allclose(sums, sums[0], rtol=1e-6)
    assert weights[labels].mean() == pytest.approx(1)
    examples = [Sentence("the cat", Origin("a", n), label) for n, label in enumerate("aaab")]
    network = network_of(
        tiny_folder, {"t": config("classify", class_weight="balanced")}, examples={"t": examples}
    )
    np.testing.assert_allclose(network.task("t").label_weights.numpy(), [2 / 3, 2])
    assert "label_weights" not in " ".join(network.state_dict())


def shared(tiny_folder, share):
    configs = {
        "paraphrase": config("pair", head="residual", features=("diff", "jaccard"), dropout=0.3),
        "similarity": config("similarity", share_head_with="paraphrase", scale=5.0, loss="mse")
        if share
        else config("similarity", head="residual", features=("diff", "jaccard"), scale=5.0, loss="mse"),
    }
    return network_of(tiny_folder, configs)


def test_a_shared_head_is_one_head(tiny_folder):
    """Spec 01, checks 2: same objects, exactly five times, and a step on one moves the other."""
    tokenizer = tokenizer_of(tiny_folder)
    for share in (True, False):
        network = shared(tiny_folder, share)
        first, second = network.task("paraphrase"), network.task("similarity")
        assert (first.head is second.head) is share
        task, _, batch = batch_of(network, "paraphrase", tokenizer)
        twin = second.collate(second.prepare(examples_of("similarity"), tokenizer), ROWS)
        network.encoder.requires_grad_(False)
        with torch.no_grad():
            out = network({"paraphrase": batch, "similarity": twin})
        before = task.predict(out["paraphrase"], batch)
        if share:
            np.testing.assert_array_equal(second.predict(out["similarity"], twin), 5 * before[:, 1])
        network.train()
        sum(second.losses(network({"similarity": twin})["similarity"], twin).values()).backward()
        torch.optim.SGD(second.parameters(), lr=0.1).step()
        network.eval()
        with torch.no_grad():
            after = task.predict(network({"paraphrase": batch})["paraphrase"], batch)
        assert np.array_equal(before, after) is not share
        names = [name for name, _ in network.named_parameters()]  # each parameter once
        assert any(name.startswith("tasks.similarity.head") for name in names) is not share


def test_losses_add_up_and_weights_scale_gradients(tiny_folder):
    """Spec 01, check 4, and spec 02, check 5: one packed pass gives what a pass for each task gives."""
    tokenizer = tokenizer_of(tiny_folder)
    kinds = {"a": config("classify"), "b": config("pair", features=("diff",)), "c": config("similarity")}
    network = network_of(tiny_folder, kinds)
    batches = {name: batch_of(network, name, tokenizer)[2] for name in kinds}
    outputs = network(batches)
    together = {n: network.task(n).losses(outputs[n], batches[n])["loss"] for n in kinds}
    alone = {n: network.task(n).losses(network({n: batches[n]})[n], batches[n])["loss"].item() for n in kinds}
    for name in kinds:
        assert together[name].item() == pytest.approx(alone[name], abs=1e-6)
    weight = network.task("a").head.network.out.weight
    (plain,) = torch.autograd.grad(sum(together.values()) / 3, weight, retain_graph=True)
    scaled = together["a"] / 2 + together["b"] / 4 + together["c"] / 4
    (weighted,) = torch.autograd.grad(scaled, weight)
    torch.testing.assert_close(weighted, 1.5 * plain)


def test_a_mean_does_not_see_padding_or_other_texts(tiny_folder):
    """Spec 01, check 3, and spec 02, check 2, on packed states: there is no padding that could count."""
    tokenizer = tokenizer_of(tiny_folder)
    network = network_of(tiny_folder, {"t": config("classify")})
    examples = [
        Sentence("the cat", Origin("a", 1), "a"),
        Sentence("the cat sat on the mat", Origin("a", 2), "b"),
    ]
    task, data, both = batch_of(network, "t", tokenizer, np.arange(2), examples)
    vectors = TextVectors(PoolingConfig.parse("mean"), hidden_size=32, num_layers=2)
    pooled = vectors(network.see({"t": both})["t"])
    seen = network.see({"t": task.collate(data, np.array([0]))})["t"]
    torch.testing.assert_close(pooled[:1], seen.last.mean(dim=0, keepdim=True), atol=1e-6, rtol=1e-5)


def test_chances_by_cross_entropy_are_learned_as_labels_are(tiny_folder):
    """Scores of 0 and 1 through a shared head give the loss of a yes-or-no; others lie between."""
    tokenizer = tokenizer_of(tiny_folder)
    chances = config("similarity", share_head_with="same", range=(0.0, 1.0), loss="cross_entropy")
    network = network_of(tiny_folder, {"same": config("pair"), "chance": chances})
    rows = [Pair("the cat", "a dog", Origin("a", n), "ab"[n], float(n)) for n in range(2)]
    outputs = {}
    for name in ("same", "chance"):
        task, _, batch = batch_of(network, name, tokenizer, np.arange(2), rows)
        outputs[name] = task.losses(network({name: batch})[name], batch)["loss"].item()
    assert outputs["chance"] == pytest.approx(outputs["same"], rel=1e-6)
    half = [replace(row, score=0.25) for row in rows]
    task, _, batch = batch_of(network, "chance", tokenizer, np.arange(2), half)
    raw = network({"chance": batch})["chance"][:, 0]
    told = torch.sigmoid(raw)
    expected = -(0.25 * told.log() + 0.75 * (1 - told).log()).mean()
    assert task.losses(raw[:, None], batch)["loss"].item() == pytest.approx(expected.item(), rel=1e-5)


@pytest.mark.parametrize("features", [(), ("u", "diff", "jaccard")])
def test_both_orders_are_the_mean_of_each(tiny_folder, features):
    tokenizer = tokenizer_of(tiny_folder)
    settings = {"encoding": "cross", "head": "mlp", "features": features}
    networks = [
        network_of(tiny_folder, {"p": config("pair", symmetrize=both, **settings)}) for both in (True, False)
    ]
    networks[0].load_state_dict(networks[1].state_dict())
    examples = examples_of("pair")
    swapped = [replace(each, first=each.second, second=each.first) for each in examples]
    task, data, batch = batch_of(networks[0], "p", tokenizer, examples=examples)
    ways = [batch_of(networks[1], "p", tokenizer, examples=rows)[2] for rows in (examples, swapped)]
    with torch.no_grad():
        both = networks[0]({"p": batch})["p"]
        apart = [networks[1]({"p": way})["p"] for way in ways]
    assert not torch.allclose(apart[0], apart[1])
    torch.testing.assert_close(both, (apart[0] + apart[1]) / 2, atol=1e-6, rtol=1e-5)
    turned = task.collate(task.prepare(swapped, tokenizer), ROWS)
    with torch.no_grad():
        torch.testing.assert_close(networks[0]({"p": turned})["p"], both, atol=1e-6, rtol=1e-5)
    drawn = [task.collate(data, ROWS, generator=np.random.default_rng(n)) for n in range(20)]
    assert all(each.sides == 1 and len(each.tokens) == len(ROWS) for each in drawn)
    with torch.no_grad():
        firsts = [networks[0]({"p": each})["p"][0].item() for each in drawn]
    wanted = sorted(each[0].item() for each in apart)
    assert sorted({round(value, 5) for value in firsts}) == pytest.approx(wanted, abs=1e-4)


def test_the_matching_loss_against_a_loop(tiny_folder):
    tokenizer = tokenizer_of(tiny_folder)
    network = network_of(tiny_folder, {"m": config("contrastive", temperature=0.1)})
    texts = [("the cat", "a cat"), ("the dog", "a dog"), ("the cat", "one cat"), ("old cat", "a cat")]
    examples = [Pair(*pair, Origin("a", n)) for n, pair in enumerate(texts)]
    task, _, batch = batch_of(network, "m", tokenizer, np.arange(4), examples)
    output = network({"m": batch})["m"]
    unit = torch.nn.functional.normalize(output, dim=-1).detach().numpy().astype(float)
    found = task.losses(output, batch)["loss"].item()
    total = 0.0
    for query, other in ((0, 1), (1, 0)):
        for i, pair in enumerate(texts):
            weights = []
            for j, rival in enumerate(texts):
                equal = rival[other] == pair[other] or rival[query] == pair[query]
                if i == j or not equal:
                    weights.append(np.exp(unit[i, query] @ unit[j, other] / 0.1))
            total -= np.log(np.exp(unit[i, query] @ unit[i, other] / 0.1) / sum(weights)) / 4
    assert found == pytest.approx(total / 2, rel=1e-4)


def test_hard_negatives_of_the_data_stand_among_the_candidates(tiny_folder):
    tokenizer = tokenizer_of(tiny_folder)
    network = network_of(tiny_folder, {"m": config("contrastive")})
    plain = [Pair("the cat", "a cat", Origin("a", 1)), Pair("the dog", "a dog", Origin("a", 2))]
    hard = [Triple(*pair.texts, "the river", pair.origin) for pair in plain]
    losses = []
    for examples in (plain, hard):
        task, _, batch = batch_of(network, "m", tokenizer, np.arange(2), examples)
        assert batch.sides == len(examples[0].texts)
        losses.append(task.losses(network({"m": batch})["m"], batch)["loss"].item())
    assert losses[1] > losses[0]


def test_mined_negatives_are_near_and_not_right():
    random = np.random.default_rng(0)
    first = random.normal(size=(40, 8)).astype(np.float32)
    second = first + 0.3 * random.normal(size=(40, 8)).astype(np.float32)
    second[5], second[6] = second[7], first[5] * 0.999
    texts = np.stack([np.arange(40), 100 + np.arange(40)], axis=1)
    texts[5, 1] = texts[7, 1]  # the same text
    picked = hard_negatives(first, second, texts, count=2, nearest=3, generator=np.random.default_rng(1))
    unit = lambda x: x / np.linalg.norm(x, axis=1, keepdims=True)  # noqa: E731
    cosines = unit(first) @ unit(second).T
    for row in range(40):
        assert not (texts[picked[row], 1] == texts[row, 1]).any()
        below = [
            c
            for c in range(40)
            if texts[c, 1] != texts[row, 1] and cosines[row, c] <= 0.95 * cosines[row, row]
        ]
        nearest = sorted(below, key=lambda c: -cosines[row, c])[:3]
        if len(nearest) == 3:
            assert set(picked[row]) <= set(nearest)
    again = hard_negatives(first, second, texts, count=2, nearest=3, generator=np.random.default_rng(1))
    np.testing.assert_array_equal(picked, again)
    assert hard_negatives(first[:1], second[:1], texts[:1], generator=np.random.default_rng(0)).shape == (
        1,
        0,
    )


def test_mining_adds_texts_in_training_only_and_survives_a_restart(tiny_folder):
    tokenizer = tokenizer_of(tiny_folder)
    network = network_of(tiny_folder, {"m": config("contrastive", hard_negatives=2)})
    task, data, batch = batch_of(network, "m", tokenizer)
    assert batch.sides == 2
    generator = np.random.default_rng(0)
    task.begin_epoch(data, network.vectors, epoch=0, generator=generator)
    assert task.collate(data, ROWS).sides == 2
    mined = task.collate(data, ROWS, generator=generator)
    assert mined.sides == 4
    assert len(mined.tokens) == 4 * len(ROWS)
    for row in range(len(ROWS)):
        partner = mined.tokens.take(np.array([row + len(ROWS)]))
        negative = mined.tokens.take(np.array([row + 2 * len(ROWS)]))
        assert partner.ids.tolist() != negative.ids.tolist()
    output = network({"m": mined})["m"]
    assert torch.isfinite(task.losses(output, mined)["loss"])
    other = network_of(tiny_folder, {"m": config("contrastive", hard_negatives=2)}).task("m")
    other.load_state(task.state())
    again = other.collate(data, ROWS, generator=generator)
    assert again.tokens.ids.tolist() == mined.tokens.ids.tolist()


def test_ranks_of_partners_against_a_loop():
    random = np.random.default_rng(2)
    vectors = random.normal(size=(30, 2, 5))
    texts = np.stack([np.arange(30), 100 + np.arange(30)], axis=1)
    texts[3, 0] = texts[4, 0]
    vectors[3, 0] = vectors[4, 0]  # one question with two answers
    found = retrieval_columns(vectors, texts)
    unit = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    for row in range(30):
        own = unit[row, 0] @ unit[row, 1]
        rivals = [other for other in range(30) if texts[other, 0] != texts[row, 0]]
        rank = 1 + sum(unit[row, 0] @ unit[other, 1] >= own for other in rivals)
        assert found["mrr_first"][row] == pytest.approx(1 / rank)
        assert found["recall_at_1_first"][row] == (rank == 1)
    np.testing.assert_allclose(found["mrr"], (found["mrr_first"] + found["mrr_second"]) / 2)
    perfect = retrieval_columns(np.repeat(vectors[5:, :1], 2, axis=1), texts[5:])
    assert perfect["recall_at_1"].mean() == 1
