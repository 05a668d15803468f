"""Every factor of emergent-languages reaches the network, the loss, the language or the seeds it names."""

from dataclasses import asdict

import numpy as np
import pytest

from tenor.metrics.residual_entropy import BitReading as Reading
from tenor.recipes.emergent_languages import laboratory, measuring, recipe
from tenor.recipes.emergent_languages.claims import BITS, CAPACITIES, LARGE, UNTRAINED
from tenor.recipes.emergent_languages.language import ConceptLanguage
from tenor.recipes.emergent_languages.learner import CodeLearner, CodeTraining, batch_stream
from tenor.recipes.emergent_languages.measuring import CodeMeasures
from tenor.recipes.emergent_languages.network import CodeConfig, Codes
from word_recipe_data import StubContext, cells_of

CELLS = cells_of(recipe.RECIPE)
SMALL, FULL = (recipe.RECIPE.plan(scale).settings for scale in ("small", "full"))


def measures(seed):
    """Made-up measures that tell the seed."""
    return CodeMeasures(
        seed=seed, train=1 - seed % 7 / 10, random=0.5, validation=0.5, test=seed % 5 / 10, language=0.4,
        precision=1.0, recall=-float(seed), greedy_residual_entropy=0.5,
        least_residual_entropy=seed % 3 / 10, messages=9,
    )  # fmt: skip


@pytest.fixture
def asked(monkeypatch):
    """Note down what would be trained."""
    given = []

    def learn(config, language, *, seeds, training):
        given.append((config, language, tuple(seeds), training))
        return [measures(seed) for seed in seeds]

    monkeypatch.setattr(laboratory, "learn_codes", learn)
    return given


def run(name, tmp_path, settings=SMALL, seed=1):
    return recipe.run(CELLS[name], StubContext(tmp_path, seed=seed, settings=settings))


@pytest.mark.parametrize("name", [name for name in CELLS if name.startswith("bits")])
def test_bandwidth_and_capacity_reach_the_networks(name, asked, tmp_path):
    run(name, tmp_path)
    config, language, seeds, training = asked[0]
    assert name == f"bits-{config.bits}-units-{config.units}"
    assert (config.listener_units, config.speaker) == (config.units, "mlp")
    assert (language.concepts, language.values) == (3, 10)
    assert seeds == tuple(range(1001, 1011))
    assert training == CodeTraining(steps=4000, lr=3e-3)


def test_capacity_and_bits_are_sizes_of_tensors():
    codes = Codes(CodeConfig(bits=9, units=7), concepts=3, symbols=30, seeds=(1, 2))
    assert codes.speaker.hidden.weight.shape == (2, 48, 7)
    assert codes.speaker.to_bits.weight.shape == (2, 7, 18)
    assert codes.listener.weight_hh.shape == (2, 7, 28)
    assert codes.prior.shape == (2, 9, 2)
    total = sum(each.numel() for each in codes.parameters())
    assert codes.sizes()["all"] * 2 == total


def test_the_grid_holds_what_the_claims_are_about():
    expected = {(bits, 64) for bits in BITS} | {
        (bits, units) for bits in (11, 12, 14) for units in CAPACITIES
    }
    expected |= {(11, LARGE), (12, LARGE)}
    grid = [CELLS[name].settings["code"] for name in CELLS if name.startswith("bits")]
    assert {(one["bits"], one["units"]) for one in grid} == expected


def test_the_untrained_are_not_trained_and_the_lstm_speaks(asked, tmp_path):
    run(UNTRAINED, tmp_path)
    run("lstm-speaker", tmp_path / "other")
    assert [one[3].steps for one in asked] == [0, 4000]
    assert [one[0].speaker for one in asked] == ["mlp", "lstm"]
    assert len({(one[0].bits, one[0].units) for one in asked}) == 1


@pytest.mark.parametrize(("seed", "first"), [(1, 1001), (10, 1001), (11, 1011), (25, 1021)])
def test_a_seed_takes_its_own_run_of_those_trained_together(seed, first, asked, tmp_path):
    outcomes = run("bits-12-units-64", tmp_path, seed=seed).outcomes
    assert asked[0][2] == tuple(range(first, first + 10))
    own = measures(1000 + seed)
    assert outcomes["recall"].score == own.recall
    assert outcomes["train accuracy"].score == own.train
    assert outcomes["held-out accuracy"].score == own.test
    assert outcomes["residual entropy"].score == own.least_residual_entropy


@pytest.mark.parametrize(
    ("train", "entropy", "solved", "compositional"),
    [(1.0, 0.0, 1, 1), (0.99, 0.2, 1, 0), (0.98, 0.0, 0, 0)],
)
def test_solved_and_compositional_are_what_the_page_says(train, entropy, solved, compositional):
    outcomes = recipe._outcomes({**asdict(measures(1)), "train": train, "least_residual_entropy": entropy})
    assert (outcomes["solved"].score, outcomes["compositional"].score) == (solved, compositional)


def test_the_population_correlates_over_forty_runs_of_other_seeds(asked, tmp_path):
    outcomes = run("population", tmp_path).outcomes
    assert asked[0][2] == tuple(range(2001, 2041))
    runs = [measures(seed) for seed in asked[0][2]]
    entropies, held_out = outcomes["residual entropy and held-out accuracy"].columns
    assert entropies.tolist() == [one.least_residual_entropy for one in runs]
    assert held_out.tolist() == [one.test for one in runs]
    assert outcomes["residual entropy and gap"].columns[1].tolist() == [one.train - one.test for one in runs]


def test_the_full_scale_has_the_sizes_of_the_paper(asked, tmp_path):
    result = run("paper-bits-24-units-300", tmp_path, FULL)
    config, language, _, training = asked[0]
    assert (config.units, config.listener_units, config.speaker) == (300, 325, "lstm")
    assert (len(language), training.steps, training.weight_decay) == (10**6, 200_000, 1e-4)
    assert result.extras["parameters"]["all"] == pytest.approx(1.28e6, rel=0.02)


def test_batches_of_long_runs_draw_from_streams_of_their_own():
    def first(key):
        return np.random.default_rng(key).random(4).tolist()

    measured = [first([5, 11, what]) for what in range(30)]
    own = [first(batch_stream(5, epoch, position)) for epoch in range(8, 24) for position in range(30)]
    others = [first([5, 1]), first([5, 7]), *measured]
    assert not {tuple(each) for each in own} & {tuple(each) for each in others}
    assert len({tuple(each) for each in own}) == len(own)
    # As published: up to the eighth epoch nothing has changed, nor has it met the measures.
    early = [first(batch_stream(5, epoch, position)) for epoch in range(8) for position in range(30)]
    assert early == [first([5, epoch, position]) for epoch in range(8) for position in range(30)]
    assert not {tuple(each) for each in early} & {tuple(each) for each in measured}


def test_the_epochs_of_the_published_scale_are_the_early_ones():
    training = CodeTraining(**SMALL["training"])
    assert training.evaluations <= 8
    assert CodeTraining(**FULL["training"]).evaluations > 8


def test_residual_entropy_is_of_more_strings_than_are_scored_and_read_in_parts(monkeypatch):
    training = CodeTraining(steps=4, combinations=1, random=1, evaluations=1)
    learner = CodeLearner(CodeConfig(bits=5, units=4), ConceptLanguage(3, 4), seeds=(1, 2), training=training)
    whole = measuring.measure(learner, samples=4, draws=2)
    monkeypatch.setattr(measuring, "_AT_ONCE", 7)
    assert measuring.measure(learner, samples=4, draws=2) == whole
    assert 10 * len(ConceptLanguage(3, 10)) < measuring._READ
    seen = []
    monkeypatch.setattr(measuring, "_READ", 20)
    monkeypatch.setattr(
        measuring, "BitReading", lambda strings, messages: seen.append(strings) or Reading(strings, messages)
    )
    measuring.measure(learner, samples=4, draws=2)
    assert [len(strings) for strings in seen] == [20, 20]
    assert len(np.unique(seen[0], axis=0)) == 20


def test_entropies_of_a_sample_are_too_low_by_what_the_page_says():
    """Independent uniform patterns of 8 bits and 10 values leave all entropy open."""
    random = np.random.default_rng(0)
    values, patterns = random.integers(0, 10, 100_000), random.integers(0, 256, 100_000)
    messages = patterns[:, None] >> np.arange(8) & 1
    left = Reading(values[:, None], messages).left_open(0, range(8))
    assert 0.99 < left < 1
    assert 1 - left == pytest.approx(255 * 9 / 200_000 / np.log(10), rel=0.1)
