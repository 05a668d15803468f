"""Learning word operators: the loss, the hardest negatives, and that it learns what is specific."""

import numpy as np
import pytest
import torch

from tenor.encoders.operators.config import OperatorsConfig
from tenor.encoders.operators.encoder import OperatorsEncoder
from tenor.errors import TenorError
from tenor.layers.gaussian import expected_likelihood, kl_to_standard
from tenor.layers.packed import PackedBatch
from tenor.model import load
from tenor.text.tokens import Tokens
from tenor.training.operators.api import learn_operators
from tenor.training.operators.learner import (
    OperatorLearner,
    OperatorSettings,
    hardest_negatives,
    most_alike,
    scrambled,
)


def learner_of(pairs=40, **settings):
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    encoder = OperatorsEncoder(OperatorsConfig(vocab_size=30, embedding_size=5))
    with torch.no_grad():
        encoder.embeddings_log_scale.weight.normal_(std=0.3)
    tokens = Tokens.from_lists([rng.integers(0, 30, rng.integers(2, 6)).tolist() for _ in range(2 * pairs)])
    given = {"batch_size": 6, "mega_batch": 3, "scramble": 0.0, **settings}
    return OperatorLearner(encoder, tokens, OperatorSettings(**given))


def test_held_out_pairs_are_in_no_batch():
    learner = learner_of(held_out=3)
    assert learner.dev.tolist() == [0, 1, 2]
    for epoch in range(3):
        batches = learner.begin_epoch(epoch, np.random.default_rng(epoch))
        assert batches == 37 // 6
        assert sorted(learner._order.tolist()) == list(range(3, 40))
        for position in range(batches):
            learner.batch(position, np.random.default_rng(0))
            assert learner._negatives.min() >= 2 * 3


def test_accuracy_is_the_share_of_held_out_texts_whose_partner_is_the_most_alike():
    learner = learner_of(pairs=40, held_out=4)
    far = torch.tensor([100.0, 200.0, 300.0, 400.0])
    with torch.no_grad():
        learner.encoder.embeddings_log_scale.weight.zero_()
        learner.encoder.embeddings.weight.zero_()
        learner.encoder.embeddings.weight[:4, 0] = far
    rest = [[9]] * 72
    apart = [[word] for word in (0, 0, 1, 1, 2, 2, 3, 3)]
    mixed = [[word] for word in (0, 0, 1, 1, 2, 3, 2, 3)]
    for texts, right in ((apart, 1.0), (mixed, 0.5)):
        learner._tokens = Tokens.from_lists(texts + rest)
        found = learner.evaluate()["pairs"]
        assert (found.scores["accuracy"], found.rows) == (right, 8)


def test_a_negative_is_the_most_alike_text_outside_the_pair():
    torch.manual_seed(1)
    mean, log_var = torch.randn(2, 300, 4)
    texts = np.arange(1000, 1300)
    found = hardest_negatives(mean, log_var, texts).reshape(-1) - 1000
    alike = expected_likelihood(mean[:, None], log_var[:, None], mean[None], log_var[None])
    for text in range(300):
        alike[text, [text, text ^ 1]] = -torch.inf
        assert found[text] == int(alike[text].argmax())
        assert found[text] not in (text, text ^ 1)


def test_negatives_come_from_the_whole_mega_batch_and_one_alone_is_in_batch():
    wide, narrow = learner_of(), learner_of(mega_batch=1)
    for learner, batches in ((wide, 3), (narrow, 1)):
        learner.begin_epoch(0, np.random.default_rng(0))
        learner.batch(0, np.random.default_rng(0))
        pairs = set(learner._order[: 6 * batches].tolist())
        assert learner._negatives.shape == (6 * batches, 2)
        assert set((learner._negatives // 2).ravel().tolist()) <= pairs


def test_negatives_are_sought_with_the_weights_as_they_stand():
    learner = learner_of()
    learner.begin_epoch(0, np.random.default_rng(0))
    learner.batch(0, np.random.default_rng(0))
    before = learner._negatives.copy()
    with torch.no_grad():
        learner.encoder.embeddings.weight.normal_(std=2.0)
    learner.batch(1, np.random.default_rng(0))
    assert np.array_equal(learner._negatives, before)  # the same mega-batch
    learner.batch(0, np.random.default_rng(0))
    assert not np.array_equal(learner._negatives, before)


def test_the_loss_is_the_margin_loss_of_both_sides_and_the_prior_that_of_all_words():
    learner = learner_of(prior=0.5)
    learner.begin_epoch(0, np.random.default_rng(0))
    tokens, pairs = learner.batch(0, np.random.default_rng(0))
    losses = learner.losses((tokens, pairs), None)
    encoder = learner.encoder
    mean, log_var = encoder.gaussians(PackedBatch.from_tokens(tokens))

    def alike(one, two):
        return expected_likelihood(mean[one], log_var[one], mean[two], log_var[two])

    expected = 0.0
    for pair in range(pairs):
        s1, s2, n1, n2 = pair, pairs + pair, 2 * pairs + pair, 3 * pairs + pair
        expected += max(0.0, (1 - alike(s1, s2) + alike(s1, n1)).item())
        expected += max(0.0, (1 - alike(s1, s2) + alike(s2, n2)).item())
    assert losses["margin"].item() == pytest.approx(expected / pairs, rel=1e-5)
    ids = torch.from_numpy(tokens.ids.astype(np.int64))
    scale, shift = encoder.embeddings_log_scale.weight[ids], encoder.embeddings.weight[ids]
    divergence = kl_to_standard(scale.exp() * shift, 2 * scale).sum()
    assert losses["prior"].item() == pytest.approx(0.5 * divergence.item() / pairs, rel=1e-5)


def test_nothing_is_lost_where_the_margin_is_kept():
    learner = learner_of(margin=0.0, prior=0.0)
    texts = Tokens.from_lists([[1, 2], [1, 2], [3, 4, 5], [6, 7, 8]])
    with torch.no_grad():
        learner.encoder.embeddings.weight[3:9] += 50
        learner.encoder.embeddings_log_scale.weight.zero_()
    assert learner.losses((texts, 1), None)["margin"].item() == 0


def test_scrambling_keeps_the_words_of_a_text():
    tokens = Tokens.from_lists([list(range(20)), list(range(20, 50)), []])
    same = scrambled(tokens, 0.0, np.random.default_rng(0))
    assert np.array_equal(same.ids, tokens.ids)
    mixed = scrambled(tokens, 1.0, np.random.default_rng(0))
    assert not np.array_equal(mixed.ids, tokens.ids)
    assert sorted(mixed.ids[:20]) == list(range(20))
    assert np.array_equal(mixed.starts, tokens.starts)


def test_most_alike_leaves_out_its_own():
    mean, log_var = torch.tensor([[0.0], [0.1], [5.0]]), torch.zeros(3, 1)
    assert most_alike(mean, log_var, own=np.arange(3)[:, None]).tolist() == [1, 0, 1]


def paraphrases(count=600):
    """Pairs that share a rare word and differ in frequent ones: only the rare word tells pairs apart."""
    rng = np.random.default_rng(0)
    filler = [f"so{number}" for number in range(8)]
    pairs = []
    for number in range(count):
        name = f"name{number % 60}"
        pairs.append(tuple(" ".join([*rng.choice(filler, 3), name]) for _ in range(2)))
    return pairs


def test_words_that_tell_texts_apart_become_specific(tmp_path):
    settings = OperatorSettings(epochs=6, batch_size=20, mega_batch=2, lr=1e-2)
    folder = learn_operators(paraphrases(), tmp_path / "wlo", dimensions=8, min_count=2, settings=settings)
    model = load(folder)
    taken = model.settings.type.token_specificity(model.settings.encoder)
    words = model.tokenizer.pieces(range(len(taken)))
    names = np.mean([value for word, value in zip(words, taken, strict=True) if word.startswith("name")])
    filler = np.mean([value for word, value in zip(words, taken, strict=True) if word.startswith("so")])
    assert names > filler
    assert model.encode(["so1 name3"]).shape == (1, 16)


def test_the_same_seed_gives_the_same_model(tmp_path):
    settings = OperatorSettings(epochs=1, batch_size=20)
    folders = [
        learn_operators(paraphrases(200), tmp_path / str(place), dimensions=4, min_count=1, settings=settings)
        for place in range(2)
    ]
    one, two = (folder.joinpath("model.safetensors").read_bytes() for folder in folders)
    assert one == two


def test_too_few_pairs_are_refused(tmp_path):
    with pytest.raises(TenorError, match="too few"):
        learn_operators([("a b", "b a")] * 3, tmp_path / "wlo")
