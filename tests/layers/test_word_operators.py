"""Word operators and Gaussians: closed forms against loops, torch.distributions and integrals."""

import math
from itertools import pairwise

import numpy as np
import pytest
import torch
from torch.distributions import MultivariateNormal, kl_divergence

from tenor.encoders.operators.config import OperatorsConfig
from tenor.encoders.operators.encoder import OperatorsEncoder
from tenor.layers.gaussian import entropy, expected_likelihood, kl_to_standard
from tenor.layers.packed import PackedBatch, Packing
from tenor.layers.word_operators import running_gaussians, text_gaussians

PACKING = Packing(np.array([0, 4, 4, 5, 11]))  # one text without words


def operators(k=6):
    torch.manual_seed(2)
    return 0.3 * torch.randn(11, k, dtype=torch.float64), torch.randn(11, k, dtype=torch.float64)


def by_definition(log_scale, shift, starts):
    """Apply the words one after the other."""
    means, variances = [], []
    for begin, end in pairwise(starts):
        mean, variance = torch.zeros(shift.shape[1]).double(), torch.ones(shift.shape[1]).double()
        for token in range(begin, end):
            scale = log_scale[token].exp()
            mean, variance = scale * (mean + shift[token]), scale**2 * variance
        means.append(mean)
        variances.append(variance)
    return torch.stack(means), torch.stack(variances)


def test_the_closed_form_is_the_loop_with_padding_and_without():
    log_scale, shift = operators()
    mean, log_var = text_gaussians(log_scale, shift, PACKING)
    expected = by_definition(log_scale, shift, PACKING.starts)
    torch.testing.assert_close((mean, log_var.exp()), expected, atol=1e-9, rtol=1e-9)
    one = text_gaussians(log_scale[5:], shift[5:], Packing(np.array([0, 6])))
    torch.testing.assert_close(one[0][0], mean[3])
    assert mean[1].abs().sum() == log_var[1].abs().sum() == 0


def test_the_running_form_ends_where_the_closed_one_is():
    log_scale, shift = operators()
    running, closed = running_gaussians(log_scale, shift, PACKING), text_gaussians(log_scale, shift, PACKING)
    for after, whole in zip(running, closed, strict=True):
        torch.testing.assert_close(after[[3, 4, 10]], whole[[0, 2, 3]])
    torch.testing.assert_close(running[0][0], log_scale[0].exp() * shift[0])


def test_without_scales_the_mean_is_the_sum_and_all_entropies_are_equal():
    _, shift = operators()
    mean, log_var = text_gaussians(torch.zeros_like(shift), shift, PACKING)
    torch.testing.assert_close(mean[0], shift[:4].sum(dim=0))
    assert log_var.abs().max() == 0


def test_entropy_does_not_depend_on_the_order_of_words_and_the_mean_does():
    log_scale, shift = operators()
    order = torch.tensor([3, 1, 0, 2])
    packing = Packing(np.array([0, 4]))
    one = text_gaussians(log_scale[:4], shift[:4], packing)
    two = text_gaussians(log_scale[order], shift[order], packing)
    torch.testing.assert_close(entropy(one[1]), entropy(two[1]))
    assert (one[0] - two[0]).abs().max() > 0.01


def test_expected_likelihood_is_symmetric_and_the_density_of_the_difference():
    torch.manual_seed(1)
    mean_1, mean_2, log_1, log_2 = torch.randn(4, 5).double()
    found = expected_likelihood(mean_1, log_1, mean_2, log_2)
    torch.testing.assert_close(found, expected_likelihood(mean_2, log_2, mean_1, log_1))
    whole = MultivariateNormal(mean_1 - mean_2, torch.diag(log_1.exp() + log_2.exp()))
    torch.testing.assert_close(found, whole.log_prob(torch.zeros(5).double()))


def test_expected_likelihood_is_the_integral_in_one_dimension():
    grid = torch.linspace(-30, 30, 200_001, dtype=torch.float64)
    one, two = torch.distributions.Normal(0.4, 1.3), torch.distributions.Normal(-1.0, 0.6)
    integral = torch.trapezoid((one.log_prob(grid) + two.log_prob(grid)).exp(), grid).log()
    log_vars = [torch.tensor([2 * math.log(each)]).double() for each in (1.3, 0.6)]
    found = expected_likelihood(
        torch.tensor([0.4]).double(), log_vars[0], torch.tensor([-1.0]).double(), log_vars[1]
    )
    assert float(found) == pytest.approx(float(integral), abs=1e-6)


def test_equal_standard_gaussians_have_the_known_value():
    zero = torch.zeros(50)
    assert float(expected_likelihood(zero, zero, zero, zero)) == pytest.approx(-25 * math.log(4 * math.pi))


def test_entropy_and_divergence_are_those_of_torch():
    torch.manual_seed(3)
    mean, log_var = torch.randn(2, 7).double()
    gaussian = MultivariateNormal(mean, torch.diag(log_var.exp()))
    standard = MultivariateNormal(torch.zeros(7).double(), torch.eye(7).double())
    torch.testing.assert_close(entropy(log_var), gaussian.entropy())
    torch.testing.assert_close(kl_to_standard(mean, log_var), kl_divergence(gaussian, standard))
    assert kl_to_standard(torch.zeros(7), torch.zeros(7)) == 0


def test_states_of_last_words_alone_are_those_of_all():
    """Where only texts are read, the closed form takes the place of the loop; the rest is left 0."""
    torch.manual_seed(0)
    encoder = OperatorsEncoder(OperatorsConfig(vocab_size=20, embedding_size=3))
    torch.nn.init.normal_(encoder.embeddings_log_scale.weight, std=0.3)
    batch = PackedBatch.from_lists([[1, 2, 3], [], [4], [5, 6]])
    ends = torch.tensor([2, 3, 5])
    whole, some = encoder(batch).last, encoder(batch, wanted=ends).last
    torch.testing.assert_close(some[ends], whole[ends])
    assert some[[0, 1, 4]].abs().max() == 0
    torch.testing.assert_close(encoder(batch, wanted=torch.tensor([0, 3])).last, whole)


def test_long_texts_and_large_scales_stay_exact():
    torch.manual_seed(4)
    log_scale, shift = 0.5 * torch.randn(4000, 4), torch.randn(4000, 4)
    packing = Packing(np.arange(0, 4001, 40))
    mean, log_var = text_gaussians(log_scale, shift, packing)
    expected = by_definition(log_scale.double(), shift.double(), packing.starts)
    torch.testing.assert_close(mean.double(), expected[0], rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(log_var.double().exp(), expected[1], rtol=1e-3, atol=1e-12)
