"""The CRF against enumeration of all label sequences, against pytorch-crf, and its numpy decoder alone."""

import itertools
import subprocess
import sys

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tenor.layers import viterbi as chain
from tenor.layers.crf import CRF
from tenor.layers.packed import Packing


def packing_of(lengths):
    return Packing(np.cumsum([0, *lengths], dtype=np.int64))


def random_crf(k, *, scale=1.0, seed=0, constrained=False):
    """A CRF with random scores; with constraints, label 0 is always allowed, so that some path is."""
    torch.manual_seed(seed)
    limits = {}
    if constrained:
        limits = {
            "allowed": torch.rand(k, k) < 0.6,
            "allowed_start": torch.rand(k) < 0.6,
            "allowed_end": torch.rand(k) < 0.6,
        }
        limits["allowed"][0] = limits["allowed"][:, 0] = True
        limits["allowed_start"][0] = limits["allowed_end"][0] = True
    crf = CRF(k, **limits).double()
    for parameter in crf.parameters():
        torch.nn.init.normal_(parameter, std=scale)
    return crf


def allowed_paths(crf, length):
    for path in itertools.product(range(crf.num_labels), repeat=length):
        if not length or crf.allowed is None:
            yield path
            continue
        inside = all(crf.allowed[i, j] for i, j in itertools.pairwise(path))
        if inside and crf.allowed_start[path[0]] and crf.allowed_end[path[-1]]:
            yield path


@torch.no_grad()
def path_score(crf, emissions, path):
    if not path:
        return 0.0
    score = crf.start_transitions[path[0]] + crf.end_transitions[path[-1]]
    score = score + sum(emissions[t, label] for t, label in enumerate(path))
    return float(score + sum(crf.transitions[i, j] for i, j in itertools.pairwise(path)))


def enumerated(crf, emissions):
    """Return the allowed paths of one sequence, their log partition function, marginals and best score."""
    paths = list(allowed_paths(crf, len(emissions)))
    scores = torch.tensor([path_score(crf, emissions, path) for path in paths], dtype=torch.float64)
    probabilities = scores.softmax(0)
    marginals = torch.zeros(len(emissions), crf.num_labels, dtype=torch.float64)
    for path, probability in zip(paths, probabilities, strict=True):
        for t, label in enumerate(path):
            marginals[t, label] += probability
    return paths, scores.logsumexp(0), marginals, scores.max()


@settings(max_examples=60, deadline=None)
@given(
    k=st.integers(1, 4),
    lengths=st.lists(st.integers(0, 4), max_size=4),
    scale=st.sampled_from([0.0, 1.0, 30.0]),
    constrained=st.booleans(),
    rounded=st.booleans(),
    seed=st.integers(0, 10_000),
)
def test_equals_enumeration(k, lengths, scale, constrained, rounded, seed):
    crf = random_crf(k, scale=scale, seed=seed, constrained=constrained)
    packing = packing_of(lengths)
    emissions = torch.randn(packing.tokens, k, dtype=torch.float64) * scale
    if rounded:  # many ties
        emissions = emissions.round()
        for parameter in crf.parameters():
            parameter.data.round_()
    gold, expected_losses, expected_marginals = [], [], []
    decoded = crf.decode(emissions, packing)
    for begin, end in itertools.pairwise(packing.starts):
        paths, log_partition, marginals, best = enumerated(crf, emissions[begin:end])
        gold.append(paths[seed % len(paths)])
        expected_losses.append(log_partition - path_score(crf, emissions[begin:end], gold[-1]))
        expected_marginals.append(marginals)
        chosen = tuple(decoded[begin:end].tolist())
        assert chosen in paths
        assert path_score(crf, emissions[begin:end], chosen) == pytest.approx(float(best), abs=1e-9)
    labels = torch.tensor([label for path in gold for label in path], dtype=torch.int64)
    losses = crf.neg_log_likelihood(emissions, labels, packing)
    wanted = torch.tensor(expected_losses, dtype=torch.float64)
    torch.testing.assert_close(losses, wanted, rtol=1e-9, atol=1e-9)
    wanted = torch.cat([torch.zeros(0, k, dtype=torch.float64), *expected_marginals])
    torch.testing.assert_close(crf.marginals(emissions, packing), wanted, rtol=1e-8, atol=1e-9)


def test_the_lowest_labels_win_ties():
    crf = CRF(3)
    for parameter in crf.parameters():
        torch.nn.init.zeros_(parameter)
    assert crf.decode(torch.zeros(5, 3), packing_of([3, 2])).tolist() == [0] * 5


@pytest.mark.parametrize("k", [1, 2, 9, 17])
def test_equals_pytorch_crf(k):
    torchcrf = pytest.importorskip("torchcrf")
    reference, crf = torchcrf.CRF(k, batch_first=True), CRF(k)
    crf.load_state_dict(reference.state_dict())
    torch.manual_seed(k)
    packing = packing_of(torch.randint(1, 40, (16,)).tolist())
    emissions = torch.randn(packing.tokens, k, requires_grad=True)
    labels = torch.randint(0, k, (packing.tokens,))
    losses = crf.neg_log_likelihood(emissions, labels, packing)
    losses.sum().backward()
    padded = packing.to_padded(emissions.detach()).requires_grad_()
    wanted = -reference(padded, packing.to_padded(labels), packing.mask, reduction="none")
    wanted.sum().backward()
    torch.testing.assert_close(losses, wanted, rtol=1e-5, atol=1e-4)
    torch.testing.assert_close(emissions.grad, packing.from_padded(padded.grad), rtol=1e-4, atol=1e-5)
    for name, parameter in crf.named_parameters():
        torch.testing.assert_close(parameter.grad, reference.get_parameter(name).grad, rtol=1e-4, atol=1e-3)
    decoded = [label for row in reference.decode(padded.detach(), packing.mask) for label in row]
    assert crf.decode(emissions, packing).tolist() == decoded


@pytest.mark.parametrize("constrained", [False, True])
def test_gradient(constrained):
    crf, packing = random_crf(3, constrained=constrained), packing_of([3, 0, 1, 5])
    emissions = torch.randn(9, 3, dtype=torch.float64, requires_grad=True)
    labels = torch.zeros(9, dtype=torch.int64)

    def losses(emissions, *parameters):
        return crf.neg_log_likelihood(emissions, labels, packing)

    assert torch.autograd.gradcheck(losses, (emissions, *crf.parameters()))


def test_forbidden_transitions():
    """Labels O, B, I: an I needs a B or an I before it."""
    allowed = torch.tensor([[True, True, False], [True, True, True], [True, True, True]])
    crf = CRF(3, allowed=allowed, allowed_start=torch.tensor([True, True, False]))
    torch.manual_seed(1)
    packing = packing_of([6] * 50)
    emissions = 5 * torch.randn(300, 3) + torch.tensor([0.0, 0.0, 4.0])
    for row in crf.decode(emissions, packing).view(50, 6).tolist():
        for before, label in itertools.pairwise([0, *row]):
            assert label != 2 or before in (1, 2)
    assert crf.marginals(emissions, packing)[packing.places == 0, 2].eq(0).all()
    crf.neg_log_likelihood(emissions, crf.decode(emissions, packing), packing).sum().backward()
    assert crf.transitions.grad[0, 2] == 0
    assert crf.start_transitions.grad[2] == 0
    assert sorted(crf.state_dict()) == ["end_transitions", "start_transitions", "transitions"]


def test_labels_that_break_the_constraints_have_a_finite_loss():
    crf = CRF(2, allowed=torch.zeros(2, 2, dtype=torch.bool))
    emissions = torch.randn(3, 2, requires_grad=True)
    loss = crf.neg_log_likelihood(emissions, torch.tensor([0, 1, 1]), packing_of([3]))
    loss.sum().backward()
    assert torch.isfinite(loss).all()
    assert torch.isfinite(emissions.grad).all()


def test_constraint_of_the_wrong_shape():
    with pytest.raises(ValueError, match="allowed_end"):
        CRF(3, allowed_end=torch.ones(2, dtype=torch.bool))


def test_sequences_do_not_influence_one_another():
    crf, lengths = random_crf(5).float(), [7, 0, 1, 12, 3]
    packing = packing_of(lengths)
    emissions, labels = torch.randn(packing.tokens, 5), torch.randint(0, 5, (packing.tokens,))
    losses, marginals = crf.neg_log_likelihood(emissions, labels, packing), crf.marginals(emissions, packing)
    decoded = crf.decode(emissions, packing)
    for row, (begin, end) in enumerate(itertools.pairwise(packing.starts)):
        alone = packing_of([end - begin])
        part = emissions[begin:end]
        torch.testing.assert_close(crf.neg_log_likelihood(part, labels[begin:end], alone)[0], losses[row])
        torch.testing.assert_close(crf.marginals(part, alone), marginals[begin:end])
        assert torch.equal(crf.decode(part, alone), decoded[begin:end])


@pytest.mark.parametrize("lengths", [[], [0], [0, 0]])
def test_nothing_to_label(lengths):
    crf, packing, emissions = CRF(3), packing_of(lengths), torch.zeros(0, 3, requires_grad=True)
    losses = crf.neg_log_likelihood(emissions, torch.zeros(0, dtype=torch.int64), packing)
    losses.sum().backward()
    assert losses.tolist() == [0.0] * len(lengths)
    assert crf.transitions.grad.eq(0).all()
    assert crf.decode(emissions, packing).shape == (0,)
    assert crf.marginals(emissions, packing).shape == (0, 3)


def test_large_scores_and_long_sequences():
    crf, single = random_crf(4, scale=5.0), random_crf(4, scale=5.0).float()
    packing = packing_of([2000, 3])
    emissions = 1000 * torch.randn(packing.tokens, 4, dtype=torch.float64)
    labels = crf.decode(emissions, packing)
    exact = crf.neg_log_likelihood(emissions, labels, packing)
    rough = single.neg_log_likelihood(emissions.float(), labels, packing)
    torch.testing.assert_close(rough.double(), exact, rtol=0, atol=0.01)  # the scores reach two millions
    marginals = crf.marginals(emissions, packing)
    torch.testing.assert_close(marginals.sum(dim=1), torch.ones(packing.tokens, dtype=torch.float64))


def test_half_precision():
    crf, packing = random_crf(4).float(), packing_of([9, 5])
    emissions, labels = torch.randn(14, 4).bfloat16().requires_grad_(), torch.randint(0, 4, (14,))
    with torch.autocast("cpu", torch.bfloat16):
        losses = crf.neg_log_likelihood(emissions, labels, packing)
    losses.sum().backward()
    assert losses.dtype == torch.float32
    assert emissions.grad.dtype == torch.bfloat16
    torch.testing.assert_close(losses, crf.neg_log_likelihood(emissions.float(), labels, packing))


@pytest.mark.parametrize("constrained", [False, True])
def test_numpy_alone(constrained):
    crf, packing = random_crf(6, constrained=constrained), packing_of([5, 0, 9, 1])
    emissions = torch.randn(15, 6, dtype=torch.float64)
    scores = [emissions, crf.transitions, crf.start_transitions, crf.end_transitions]
    emission_array, *chain_scores = (each.detach().numpy() for each in scores)
    limits = {}
    if constrained:
        limits = {name: getattr(crf, name).numpy() for name in ("allowed", "allowed_start", "allowed_end")}
    labels = chain.viterbi(emission_array, packing.starts, *chain_scores, **limits)
    assert labels.tolist() == crf.decode(emissions, packing).tolist()
    found = chain.marginals(emission_array, packing.starts, *chain_scores, **limits)
    np.testing.assert_allclose(found, crf.marginals(emissions, packing).numpy(), rtol=1e-12)


def test_the_decoder_needs_no_torch():
    code = "import sys, tenor.layers.viterbi; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_pieces_of_bounded_memory_give_the_same_numbers(monkeypatch):
    random = np.random.default_rng(0)
    starts = np.array([0, 7, 9, 9, 14, 20, 27])
    given = random.normal(size=(27, 5)), starts, random.normal(size=(5, 5)), *random.normal(size=(2, 5))

    def all_of_it():
        trellis = chain.Trellis(*given)
        counts = trellis.expected_counts(np.arange(6.0))
        return [chain.viterbi(*given), trellis.log_partition, counts.emissions, counts.transitions]

    whole = all_of_it()
    monkeypatch.setattr(chain, "_MOST_NUMBERS", 50)  # two sequences at a time
    for one, two in zip(whole, all_of_it(), strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-12)


def test_the_memory_of_many_labels_does_not_grow_with_the_sequences(monkeypatch):
    import tracemalloc

    monkeypatch.setattr(chain, "_MOST_NUMBERS", 1 << 16)
    labels, count = 128, 400
    given = np.zeros((2 * count, labels)), np.arange(0, 2 * count + 1, 2), np.zeros((labels, labels))
    tracemalloc.start()
    chain.Trellis(*given, np.zeros(labels), np.zeros(labels)).expected_counts(np.ones(count))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 20 << 20  # labels² x sequences alone would take 52 MB
