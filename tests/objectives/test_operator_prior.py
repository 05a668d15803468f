"""The prior on word operators: the divergence of the words of a batch from N(0, I)."""

import numpy as np
import pytest
import torch
from torch.distributions import Normal, kl_divergence

import tenor
from tenor.errors import TenorError
from tenor.layers.word_operators import running_gaussians
from tenor.objectives.objective import ForwardPass
from tenor.objectives.table import objective_config

PAIRS = [("one black cat", "a cat"), ("two old dogs", "some dogs"), ("a man reads", "he reads")] * 4
OPERATORS = {"model_type": "operators", "embedding_size": 4}
TASK = {"kind": "contrastive", "head": "expected_likelihood", "train": PAIRS, "batch_size": 4}
SETTINGS = {"epochs": 1, "precision": "fp32", "encoder_lr": 1e-2, "head_lr": 1e-2, "optimizer": "adam"}


@pytest.fixture(scope="module")
def network():
    return tenor.train(None, {"t": TASK}, from_scratch=OPERATORS, **SETTINGS).network


def passed(network, objective):
    task = network.task("t")
    tokens = network.encoder.config.vocab_size
    from tenor.tasks.task import TaskData
    from tenor.text.tokens import Tokens

    ids = np.random.default_rng(0).integers(2, tokens, (6, 3)).tolist()
    data = TaskData(
        examples=[None] * 3, tokens=Tokens.from_lists(ids), sides=2, targets=np.arange(6).reshape(3, 2)
    )
    batch = task.collate(data, np.arange(3))
    seen = network.see({"t": batch})
    outputs = {"t": task(seen["t"], batch)}
    forward = ForwardPass(network=network, batches={"t": batch}, seen=seen, outputs=outputs)
    objective.prepare(network, None, seed=1)
    return seen["t"], objective.losses(forward, None)


def standard_divergence(mean, deviation):
    return kl_divergence(Normal(mean, deviation), Normal(torch.zeros_like(mean), 1.0)).sum()


def test_it_is_the_divergence_of_each_word_by_itself(network):
    with torch.no_grad():
        network.encoder.embeddings_log_scale.weight.normal_(std=0.5)
    objective = objective_config("operator_prior")(weight=0.3).build("prior")
    seen, found = passed(network, objective)
    log_scale, shift = network.encoder.operators(seen.batch)
    expected = 0.3 * standard_divergence(log_scale.exp() * shift, log_scale.exp()) / 3
    assert found.keys() == {"t"}
    assert found["t"].item() == pytest.approx(expected.item(), rel=1e-5)


def test_running_it_is_that_of_the_text_after_each_word(network):
    objective = objective_config("operator_prior")(weight=0.3, of="running").build("prior")
    seen, found = passed(network, objective)
    mean, log_var = running_gaussians(*network.encoder.operators(seen.batch), seen.packing)
    expected = 0.3 * standard_divergence(mean, (log_var / 2).exp()) / 3
    assert found["t"].item() == pytest.approx(expected.item(), rel=1e-4)


def test_words_that_change_nothing_cost_nothing(network):
    with torch.no_grad():
        network.encoder.embeddings_log_scale.weight.zero_()
        network.encoder.embeddings.weight.zero_()
    _, found = passed(network, objective_config("operator_prior")().build("prior"))
    assert found["t"].item() == 0


def test_a_heavier_prior_holds_words_nearer():
    spreads = []
    for weight in (1e-6, 5.0):
        run = tenor.train(
            None, {"t": TASK}, from_scratch=OPERATORS, **SETTINGS | {"epochs": 10},
            objectives={"prior": {"method": "operator_prior", "weight": weight}},
        )  # fmt: skip
        spreads.append(run.network.encoder.embeddings_log_scale.weight.std().item())
    assert spreads[1] < 0.7 * spreads[0]


def test_other_encoders_and_settings_are_refused(tiny_folder):
    prior = {"prior": {"method": "operator_prior"}}
    task = TASK | {"head": "cosine"}
    with pytest.raises(TenorError, match="is for word operators"):
        tenor.train(tiny_folder, {"t": task}, objectives=prior, **SETTINGS)
    for wrong, message in (({"weight": 0.0}, "above 0"), ({"of": "texts"}, "words, running")):
        with pytest.raises(TenorError, match=message):
            objective_config("operator_prior")(**wrong)
    with pytest.raises(TenorError, match="names the task 'x'"):
        tenor.train(
            None, {"t": TASK}, from_scratch=OPERATORS,
            objectives={"prior": {"method": "operator_prior", "tasks": ("x",)}}, **SETTINGS,
        )  # fmt: skip
