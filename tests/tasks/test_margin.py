"""The loss with a margin: its value, the hardest negatives of a mega-batch, and texts as Gaussians."""

import numpy as np
import pytest
import torch

import tenor
from task_battery import config, network_of, tokenizer_of
from tenor.encoders.operators.config import OperatorsConfig
from tenor.encoders.operators.encoder import OperatorsEncoder
from tenor.errors import TenorError
from tenor.layers.gaussian import expected_likelihood
from tenor.layers.pooling_config import PoolingConfig
from tenor.model.network import Network
from tenor.tasks.contrastive.margin import NONE, cosine, hardest_negatives, likelihood, margin_loss
from tenor.tasks.table import build_tasks
from tenor.tasks.task import TaskData
from tenor.text.examples import Origin, Pair
from tenor.text.scrambling import scrambled
from tenor.text.tokens import Tokens
from tenor.training.task_learner import TaskLearner

PAIRS = 40


def learner_of(*, pairs=PAIRS, batch=6, tokens=None, **settings):
    """Return a learner of word operators with random scales, on pairs of random words."""
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    encoder = OperatorsEncoder(OperatorsConfig(vocab_size=30, embedding_size=5))
    with torch.no_grad():
        encoder.embeddings_log_scale.weight.normal_(std=0.3)
    given = {"head": "expected_likelihood", "mega_batch": 3, **settings}
    examples = [Pair("a", "b", Origin("a", row)) for row in range(pairs)]
    pooling = PoolingConfig.parse("last_token")
    tasks = build_tasks(
        {"t": config("contrastive", **given)}, {"t": examples}, encoder=encoder, pooling=pooling, seed=1
    )
    tokens = tokens or [rng.integers(0, 30, rng.integers(2, 6)).tolist() for _ in range(2 * pairs)]
    data = TaskData(
        examples=examples,
        tokens=Tokens.from_lists(tokens),
        sides=2,
        targets=np.unique([str(each) for each in tokens], return_inverse=True)[1].reshape(-1, 2),
    )
    network = Network(encoder, pooling=pooling, tasks=tasks)
    return TaskLearner(network, {"t": data}, batches={"t": batch})


def negatives_of(learner):
    return learner.network.task("t")._negatives


def test_the_loss_is_that_of_both_sides_pair_by_pair():
    torch.manual_seed(0)
    first, second, n1, n2 = torch.randn(4, 7, 6)
    for similarity in (cosine, likelihood):
        expected = 0.0
        for row in range(7):
            alike = similarity(first[row], second[row]).item()
            expected += max(0.0, 0.7 - alike + similarity(first[row], n1[row]).item())
            expected += max(0.0, 0.7 - alike + similarity(second[row], n2[row]).item())
        found = margin_loss(first, second, (n1, n2), margin=0.7, similarity=similarity)
        assert found.item() == pytest.approx(expected / 7, rel=1e-5)


def test_nothing_is_lost_where_the_margin_is_kept():
    near, far = torch.tensor([[0.0, 0.0]]), torch.tensor([[9.0, 0.0]])  # mean and log-variance
    gap = (likelihood(near, near) - likelihood(near, far)).item()
    for margin, lost in ((gap - 1e-3, 0.0), (gap + 0.5, 1.0)):
        found = margin_loss(near, near, (far, far), margin=margin, similarity=likelihood)
        assert found.item() == pytest.approx(lost, abs=1e-4)


def test_similarities_are_the_cosine_and_the_expected_likelihood():
    torch.manual_seed(0)
    one, two = torch.randn(2, 5, 8)
    torch.testing.assert_close(cosine(one, two), torch.nn.functional.cosine_similarity(one, two, dim=-1))
    torch.testing.assert_close(
        likelihood(one, two), expected_likelihood(one[:, :4], one[:, 4:], two[:, :4], two[:, 4:])
    )


@pytest.mark.parametrize("similarity", [cosine, likelihood])
def test_a_negative_is_the_most_alike_text_outside_the_pair(similarity):
    torch.manual_seed(1)
    texts, numbers = torch.randn(300, 4), np.arange(300)
    numbers[7] = numbers[40]  # a copy of one text of pair 20 stands in pair 3
    found = hardest_negatives(texts, numbers, similarity=similarity).reshape(-1)
    for text in range(300):
        alike = similarity(texts[text], texts)
        own = {numbers[text], numbers[text ^ 1]}
        alike[[place for place in range(300) if numbers[place] in own]] = -torch.inf
        assert found[text] == int(alike.argmax())
        assert numbers[found[text]] not in own


def test_where_all_texts_are_the_pairs_own_there_is_no_negative():
    texts = torch.randn(4, 4)
    assert (hardest_negatives(texts, np.array([1, 2, 2, 1]), similarity=cosine) == NONE).all()


# Mega-batches


def test_negatives_come_from_the_whole_mega_batch_with_the_weights_before_it():
    learner = learner_of()
    learner.begin_epoch(0, np.random.default_rng(0))
    batch = learner.batch(0, np.random.default_rng(0))["t"]
    rows = np.concatenate([learner._steps[place]["t"] for place in range(3)])
    negatives = negatives_of(learner)
    assert batch.sides == 4
    assert set((negatives[rows] // 2).ravel().tolist()) <= set(rows.tolist())
    others = np.setdiff1d(np.arange(PAIRS), rows)
    assert (negatives[others] == NONE).all()
    alone = set((negatives[learner._steps[0]["t"]] // 2).ravel().tolist())
    assert not alone <= set(learner._steps[0]["t"].tolist())
    before = negatives.copy()
    with torch.no_grad():
        learner.network.encoder.embeddings.weight.normal_(std=2.0)
    learner.batch(1, np.random.default_rng(0))
    assert np.array_equal(negatives_of(learner), before)  # the same mega-batch
    learner.batch(0, np.random.default_rng(0))
    assert not np.array_equal(negatives_of(learner), before)


def test_a_batch_holds_its_pairs_and_their_negatives():
    learner = learner_of()
    learner.begin_epoch(0, np.random.default_rng(0))
    batch, rows = learner.batch(0, np.random.default_rng(0))["t"], learner._steps[0]["t"]
    data, size = learner.train["t"], len(rows)
    for place, row in enumerate(rows.tolist()):
        wanted = [2 * row, 2 * row + 1, *negatives_of(learner)[row].tolist()]
        for side, text in enumerate(wanted):
            held = batch.tokens.take(np.array([side * size + place])).ids
            assert held.tolist() == data.tokens.take(np.array([text])).ids.tolist()


def test_a_mega_batch_of_one_is_the_hardest_negatives_of_the_batch():
    losses = []
    for mega_batch in (1, 3):
        # One batch holds all pairs, so that both see the same candidates.
        learner = learner_of(pairs=8, batch=8, mega_batch=mega_batch)
        learner.begin_epoch(0, np.random.default_rng(0))
        batch = learner.batch(0, np.random.default_rng(0))["t"]
        task = learner.network.task("t")
        assert batch.sides == (4 if mega_batch == 3 else 2)
        losses.append(task.losses(learner.network({"t": batch})["t"], batch)["loss"].item())
    assert losses[0] == pytest.approx(losses[1], rel=1e-6)


def test_an_interrupted_mega_batch_goes_on_with_its_negatives():
    learner, other = learner_of(), learner_of()
    learner.begin_epoch(0, np.random.default_rng(0))
    learner.batch(0, np.random.default_rng(0))
    other.begin_epoch(0, np.random.default_rng(5))
    other.load_state(learner.state())
    one, two = (each.batch(1, np.random.default_rng(0))["t"] for each in (learner, other))
    assert one.tokens.ids.tolist() == two.tokens.ids.tolist()


@pytest.mark.parametrize("margin", [0.5, 3.0])
def test_the_margin_reaches_the_loss(margin):
    learner = learner_of(margin=margin)
    learner.begin_epoch(0, np.random.default_rng(0))
    batch, task = learner.batch(0, np.random.default_rng(0))["t"], learner.network.task("t")
    output = learner.network({"t": batch})["t"]
    negatives = (output[:, 2], output[:, 3])
    expected = margin_loss(output[:, 0], output[:, 1], negatives, margin=margin, similarity=likelihood)
    assert task.losses(output, batch)["loss"].item() == pytest.approx(expected.item())


# Words in random order


def test_scrambling_keeps_the_words_of_a_text():
    tokens = Tokens.from_lists([list(range(20)), list(range(20, 50)), []])
    same = scrambled(tokens, 0.0, np.random.default_rng(0))
    assert np.array_equal(same.ids, tokens.ids)
    mixed = scrambled(tokens, 1.0, np.random.default_rng(0))
    assert not np.array_equal(mixed.ids, tokens.ids)
    assert sorted(mixed.ids[:20]) == list(range(20))
    assert np.array_equal(mixed.starts, tokens.starts)


def test_texts_are_scrambled_in_training_only():
    learner = learner_of(scramble=1.0, tokens=[[text % 30, *range(12)] for text in range(2 * PAIRS)])
    data, rows = learner.train["t"], np.arange(6)
    task = learner.network.task("t")
    assert np.array_equal(task.collate(data, rows).tokens.ids, learner_of_plain(data, rows).ids)
    trained = task.collate(data, rows, generator=np.random.default_rng(0)).tokens
    assert not np.array_equal(trained.ids, learner_of_plain(data, rows).ids)


def learner_of_plain(data, rows):
    return data.tokens.take(np.concatenate([2 * rows, 2 * rows + 1]))


def test_encoders_with_special_tokens_are_not_scrambled(tiny_folder):
    task = network_of(tiny_folder, {"t": config("contrastive", scramble=0.5)}).task("t")
    with pytest.raises(TenorError, match="scramble is for encoders over words"):
        task.prepare([Pair("the cat", "a cat", Origin("a", 1))], tokenizer_of(tiny_folder))


# Gaussians


def test_states_of_operators_are_gaussians_as_they_are():
    learner = learner_of()
    data, task = learner.train["t"], learner.network.task("t")
    batch = task.collate(data, np.arange(5))
    output = learner.network({"t": batch})["t"]
    mean, log_var = learner.network.encoder.gaussians(learner.network.see({"t": batch})["t"].batch)
    expected = torch.cat([mean, log_var], dim=-1).view(2, 5, -1).transpose(0, 1)
    torch.testing.assert_close(output, expected, atol=1e-5, rtol=1e-5)
    predicted = task.predict(output, batch)
    np.testing.assert_allclose(predicted[..., 5:], output.detach()[..., 5:].exp(), rtol=1e-5)


def test_the_head_makes_gaussians_by_two_layers(tiny_folder):
    network = network_of(tiny_folder, {"t": config("contrastive", head="gaussian")})
    task = network.task("t")
    examples = [Pair("the cat", "a cat", Origin("a", 1)), Pair("the dog", "a dog", Origin("a", 2))]
    batch = task.collate(task.prepare(examples, tokenizer_of(tiny_folder)), np.arange(2))
    output = network({"t": batch})["t"]
    vectors = task.vectors(network.see({"t": batch})["t"]).view(2, 2, -1).transpose(0, 1)
    layers = task.head.network
    torch.testing.assert_close(
        output, torch.cat([layers.mean(vectors), layers.log_var(vectors)], dim=-1), atol=1e-6, rtol=1e-5
    )
    task.losses(output, batch)["loss"].backward()
    assert all(weights.grad.abs().sum() > 0 for weights in task.head.parameters() if weights.ndim > 1)


def test_expected_likelihood_needs_an_encoder_of_gaussians(tiny_folder):
    with pytest.raises(TenorError, match="encoders whose states are Gaussians"):
        network_of(tiny_folder, {"t": config("contrastive", head="expected_likelihood")})


def test_a_gaussian_head_is_kept_in_the_folder(tiny_folder):
    pairs = [("the cat sat", "a cat sat"), ("the dog ran", "a dog ran"), ("old man", "the man")] * 2
    task = {"kind": "contrastive", "head": "gaussian", "train": pairs, "batch_size": 3, "mega_batch": 2}
    run = tenor.train(tiny_folder, {"t": task}, epochs=1, head_lr=1e-2, encoder_lr=1e-3, precision="fp32")
    model = run.load()
    said = model.predict("t", pairs[:2])
    assert said.shape[-1] == 2 * model.width
    assert (said[..., model.width :] > 0).all()
    with torch.no_grad():
        own = run.network.task("t")
        batch = own.collate(own.prepare([Pair(*each, Origin("a", 1)) for each in pairs[:2]], model.tokenizer),
                            np.arange(2))  # fmt: skip
        expected = own.predict(run.network.eval()({"t": batch})["t"], batch)
    np.testing.assert_allclose(said, expected, rtol=1e-4, atol=1e-5)


def test_word_vectors_and_their_sums_have_the_same_loss_and_gradients():
    """The cosine knows no scale: mean and sum of words learn the same."""
    torch.manual_seed(0)
    table = torch.randn(30, 6, requires_grad=True)
    texts = [torch.randint(0, 30, (4, 3 + place)) for place in range(4)]  # s1, s2, n1, n2 of 4 pairs
    found = []
    for reduce in (torch.mean, torch.sum):
        first, second, *negatives = (reduce(table[each], dim=1) for each in texts)
        loss = margin_loss(first, second, tuple(negatives), margin=0.4, similarity=cosine)
        (gradient,) = torch.autograd.grad(loss, table)
        found.append((loss, gradient))
    torch.testing.assert_close(found[0], found[1])
