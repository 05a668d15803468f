"""The laboratory for discrete codes: the language, the bound, runs side by side, and what is measured."""

import numpy as np
import pytest
import torch
from torch.distributions import Bernoulli, kl_divergence

import tenor
from tenor.errors import TenorError
from tenor.recipes.emergent_languages import measuring
from tenor.recipes.emergent_languages.laboratory import learn_codes, train_codes
from tenor.recipes.emergent_languages.language import PARTS, ConceptLanguage, split_language
from tenor.recipes.emergent_languages.learner import CodeLearner, CodeTraining
from tenor.recipes.emergent_languages.network import CodeConfig, Codes, kl_to_prior

LANGUAGE = ConceptLanguage(3, 4)
SHORT = CodeTraining(steps=40, batch=16, combinations=2, random=3, evaluations=4)


def learner_of(seeds=(1, 2), training=SHORT, **config):
    return CodeLearner(
        CodeConfig(**{"bits": 6, "units": 8, **config}), LANGUAGE, seeds=seeds, training=training
    )


def test_parts_are_disjoint_and_hold_the_whole_language():
    language = ConceptLanguage(3, 10)
    split = split_language(language, combinations=8, random=50, seed=3)
    rows = np.concatenate([getattr(split, part) for part in PARTS])
    assert sorted(rows) == list(range(1000))
    assert len(split.random) == 50
    for column in language.strings[split.train].T:
        assert len(np.unique(column)) == 10


def test_held_out_combinations_are_never_met_in_training():
    language = ConceptLanguage(3, 5)
    split = split_language(language, combinations=1, seed=2)
    assert len(split.test) == 5
    shared = [
        concept for concept in range(3) if len(np.unique(language.strings[split.test][:, concept])) == 1
    ]
    assert len(shared) == 2
    values = language.strings[split.test][0][shared]
    for part in ("train", "validation"):
        assert not (language.strings[getattr(split, part)][:, shared] == values).all(axis=1).any()


def test_other_seeds_hold_out_other_strings():
    assert set(split_language(LANGUAGE, seed=1).test) != set(split_language(LANGUAGE, seed=2).test)


def test_what_cannot_be_held_out_is_refused():
    with pytest.raises(TenorError, match="hold out fewer"):
        split_language(ConceptLanguage(2, 2), combinations=2, seed=1)
    with pytest.raises(TenorError, match="fewer than 100 combinations"):
        split_language(ConceptLanguage(2, 2), combinations=50, seed=1)
    with pytest.raises(TenorError, match="at least 2 concepts"):
        ConceptLanguage(1, 4)
    with pytest.raises(TenorError, match="can be listed"):
        ConceptLanguage(9, 10)


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"bits": 0}, "bits is 0"), ({"speaker": "lstn"}, "lstm"), ({"temperature": 0.0}, "above 0")],
)
def test_settings_that_make_no_code_are_refused(settings, message):
    with pytest.raises(TenorError, match=message):
        CodeConfig(**{"bits": 4, **settings})


def test_divergence_is_0_at_the_prior_and_that_of_torch_elsewhere():
    torch.manual_seed(0)
    prior, logits = torch.randn(2, 5, 2), torch.randn(2, 7, 5, 2)
    assert kl_to_prior(prior[:, None].expand(2, 7, 5, 2), prior).abs().max() < 1e-6
    ones = [Bernoulli(each.softmax(-1)[..., 1]) for each in (logits, prior[:, None].expand_as(logits))]
    torch.testing.assert_close(kl_to_prior(logits, prior), kl_divergence(*ones).sum(-1))


def test_sampled_and_analytic_divergence_agree():
    codes = learner_of(seeds=(1,)).codes
    logits = torch.tensor([[-0.5, 1.0]]).expand(1, 4000, 6, 2)
    noise = measuring._noise(codes, 4000, what=0)
    drawn = codes.sample(logits, noise)
    q, p = logits.log_softmax(-1), codes.prior.log_softmax(-1)[:, None]
    sampled = ((q - p) * drawn).sum((-2, -1)).mean()
    torch.testing.assert_close(sampled, kl_to_prior(logits, codes.prior).mean(), atol=0.03, rtol=0)


@pytest.mark.parametrize("speaker", ["mlp", "lstm"])
def test_a_run_is_the_same_alone_and_beside_others(speaker):
    config = CodeConfig(bits=6, units=8, speaker=speaker)
    together = learn_codes(config, LANGUAGE, seeds=(1, 2, 3), training=SHORT)
    alone = learn_codes(config, LANGUAGE, seeds=(2,), training=SHORT)[0]
    for name in ("train", "test", "precision", "messages", "least_residual_entropy"):
        assert getattr(together[1], name) == pytest.approx(getattr(alone, name), abs=0.02)
    assert together[1].recall == pytest.approx(alone.recall, abs=0.01)
    assert together[0].recall != together[1].recall


def test_the_same_seeds_give_the_same_numbers():
    runs = [
        learn_codes(CodeConfig(bits=6, units=8), LANGUAGE, seeds=(1, 2), training=SHORT) for _ in range(2)
    ]
    assert runs[0] == runs[1]


def test_each_run_keeps_its_own_best_weights(monkeypatch):
    learner = learner_of()
    scores = iter([[0.9, 0.1], [0.2, 0.1], [0.3, 0.5]])
    monkeypatch.setattr(learner, "right", lambda part: [np.array([one]) for one in next(scores)])
    for value in (1.0, 2.0, 3.0):
        with torch.no_grad():
            learner.codes.prior.fill_(value)
        learner.evaluate()
    learner.take_best()
    assert learner.codes.prior[:, 0, 0].tolist() == [1.0, 3.0]


def test_a_stopped_run_goes_on_to_the_same_weights(tmp_path):
    whole, stopped, resumed = (learner_of() for _ in range(3))
    train_codes(whole)

    class Stop(tenor.training.callbacks.Callback):
        def on_step_end(self, learner, progress, report):
            if report.step == 25:
                raise KeyboardInterrupt

    settings = {"head_lr": SHORT.lr, "optimizer": "adam", "weight_decay": 0.0, "warmup": 0.0}
    settings |= {"max_grad_norm": 0.0, "precision": "fp32", "epochs": SHORT.evaluations}
    settings |= {"checkpoint_minutes": 1.0, "schedule": "linear"}
    with pytest.raises(KeyboardInterrupt):
        tenor.train(stopped, out=tmp_path / "run", callbacks=[Stop()], **settings)
    train_codes(resumed, out=tmp_path / "run")
    for one, two in zip(whole.codes.parameters(), resumed.codes.parameters(), strict=True):
        assert torch.equal(one, two)


def test_every_part_of_the_loss_is_there_and_weighs_what_it_should():
    from dataclasses import replace

    def losses(**changes):
        learner = learner_of(training=replace(SHORT, **changes))
        learner.begin_epoch(0, np.random.default_rng(0))
        return learner.losses(learner.batch(0, np.random.default_rng(0)), None)

    usual, heavy = losses(), losses(beta=1.0, norm_penalty=0.5)
    assert set(usual) == {"reconstruction", "divergence"}
    torch.testing.assert_close(heavy["divergence"], usual["divergence"] * 720)
    norms = sum(each.flatten(1).norm(dim=1).sum() for each in learner_of().codes.parameters())
    torch.testing.assert_close(heavy["norms"], 0.5 * norms)
    assert usual["reconstruction"].item() == pytest.approx(2 * np.log(12), rel=0.1)  # two untrained runs


@pytest.mark.parametrize("bits", [3, 5])
def test_accuracy_never_exceeds_what_the_bits_allow(bits):
    training = CodeTraining(steps=300, batch=32, combinations=1, random=0, evaluations=3)
    found = learn_codes(CodeConfig(bits=bits, units=32), LANGUAGE, seeds=(1, 2), training=training)
    for one in found:
        assert one.messages <= 2**bits
        assert one.language <= 2**bits / len(LANGUAGE)


def test_training_teaches_and_the_untrained_say_nothing():
    training = CodeTraining(steps=800, batch=32, combinations=1, random=0, evaluations=2)
    untrained = CodeTraining(steps=0, combinations=1, random=0)
    config = CodeConfig(bits=8, units=32)
    learned = learn_codes(config, LANGUAGE, seeds=(1, 2, 3), training=training)
    before = learn_codes(config, LANGUAGE, seeds=(1, 2, 3), training=untrained)
    assert max(one.train for one in learned) > 0.8
    assert max(one.train for one in before) < 0.2


class _Spelling(Codes):
    """A code written by hand: two bits for each of three concepts of four values, and an exact listener."""

    def speak(self, symbols):
        values = symbols - 4 * torch.arange(3)
        bits = torch.stack([values >> 1, values & 1], dim=-1).flatten(-2)
        return 60.0 * torch.nn.functional.one_hot(bits, 2).float()

    def listen(self, messages):
        bits = messages.argmax(-1)
        symbols = 2 * bits[..., 0::2] + bits[..., 1::2] + 4 * torch.arange(3)
        return 60.0 * torch.nn.functional.one_hot(symbols, 12).float()


def test_measures_of_a_code_that_spells():
    learner = learner_of()
    learner.codes = _Spelling(learner.config, concepts=3, symbols=12, seeds=(1, 2))
    for one in measuring.measure(learner):
        assert (one.train, one.test, one.language, one.precision, one.messages) == (1, 1, 1, 1, 64)
        assert (one.greedy_residual_entropy, one.least_residual_entropy) == (0, 0)
        assert one.recall == pytest.approx(-6 * np.log(2), abs=1e-4)  # bijective, exact, uniform prior


def test_precision_is_0_for_a_listener_that_repeats_a_symbol():
    strings = np.array([[0, 4, 8], [8, 0, 4], [0, 0, 8], [1, 1, 1]])
    assert measuring.valid_strings(strings, LANGUAGE).tolist() == [True, True, False, False]


def test_recall_is_at_most_0():
    assert all(one <= 0 for one in measuring.recall(learner_of(), draws=3))


def test_recall_is_that_of_each_run_s_held_out_strings(monkeypatch):
    learner = learner_of()
    digits = 12.0 ** torch.arange(3)  # each string has its own number

    def numbered(codes, symbols, messages, logits):
        return -(symbols * digits).sum(-1)

    monkeypatch.setattr(measuring, "log_weights", numbered)
    found = measuring.recall(learner, draws=3)
    for one, split in zip(found, learner.splits, strict=True):
        symbols = LANGUAGE.to_symbols(LANGUAGE.strings[split.test])
        assert one == pytest.approx(-(symbols @ digits.numpy()).mean(), rel=1e-4)


@pytest.mark.slow
def test_the_phase_change_on_the_language_of_the_recipe():
    training = CodeTraining(steps=2500, lr=3e-3)
    few = learn_codes(CodeConfig(bits=9), seeds=(1, 2, 3), training=training)
    enough = learn_codes(CodeConfig(bits=13), seeds=(1, 2, 3), training=training)
    narrow = learn_codes(CodeConfig(bits=13, units=4), seeds=(1, 2, 3), training=training)
    assert max(one.language for one in few) <= 0.512
    assert max(one.train for one in enough) > 0.95
    assert max(one.train for one in narrow) < min(one.train for one in enough)
