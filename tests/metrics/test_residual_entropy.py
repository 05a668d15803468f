"""Residual entropy: 0 for a code that spells its concepts, bounded for one that does not."""

from itertools import pairwise, product

import numpy as np
import pytest

from tenor.errors import TenorError
from tenor.metrics.residual_entropy import BitReading, greedy_residual_entropy, least_residual_entropy

STRINGS = np.array(list(product(range(10), repeat=3)))


def spelled(rng):
    """Four bits for each concept, each concept with a numbering of its own, the bits shuffled."""
    numbers = np.stack([rng.permutation(16)[STRINGS[:, concept]] for concept in range(3)], axis=1)
    bits = (numbers[:, :, None] >> np.arange(4)) & 1
    return bits.reshape(len(STRINGS), 12)[:, rng.permutation(12)]


def injective(rng, bits=12):
    codes = rng.permutation(2**bits)[: len(STRINGS)]
    return (codes[:, None] >> np.arange(bits)) & 1


def test_a_compositional_code_has_none_and_greedy_finds_it():
    for seed in range(5):
        assert greedy_residual_entropy(STRINGS, spelled(np.random.default_rng(seed))) == 0


def test_a_random_injective_code_is_far_from_0_and_its_minimum_within_the_bound():
    messages = injective(np.random.default_rng(0))
    assert greedy_residual_entropy(STRINGS, messages) == pytest.approx(0.95, abs=0.02)
    least = least_residual_entropy(STRINGS, messages)
    assert 0.3 < least <= 2 / 3 + 1e-12  # all bits for one concept leave the other two open


def test_without_bits_everything_is_open():
    reading = BitReading(STRINGS, injective(np.random.default_rng(1)))
    assert reading.residual_entropy([-1] * 12) == 1.0
    assert reading.residual_entropy([0] * 12) == pytest.approx(2 / 3)


def test_more_bits_never_raise_a_term_and_values_are_within_0_and_1():
    rng = np.random.default_rng(2)
    reading = BitReading(STRINGS, rng.integers(0, 2, (1000, 8)))
    for _ in range(30):
        order = rng.permutation(8)
        terms = [reading.left_open(1, order[:count]) for count in range(9)]
        assert terms[0] == 1.0
        assert all(later <= before + 1e-12 for before, later in pairwise(terms))
        assert 0 <= terms[-1] <= 1


def test_climbing_finds_what_trying_all_finds(monkeypatch):
    from tenor.metrics import residual_entropy

    strings = np.array(list(product(range(3), repeat=2)))
    for seed in range(5):
        messages = np.random.default_rng(seed).integers(0, 2, (9, 6))
        exact = least_residual_entropy(strings, messages)
        monkeypatch.setattr(residual_entropy, "_EXHAUSTIVE", 0)
        climbed = least_residual_entropy(strings, messages)
        monkeypatch.undo()
        assert climbed >= exact - 1e-12
        assert climbed == pytest.approx(exact, abs=0.1)


def test_left_open_is_the_conditional_entropy_of_counts():
    concepts, messages = [[0], [0], [1], [1]], [[0], [1], [1], [1]]
    conditional = 0.75 * -(1 / 3 * np.log(1 / 3) + 2 / 3 * np.log(2 / 3))
    assert BitReading(concepts, messages).left_open(0, [0]) == pytest.approx(conditional / np.log(2))


def test_a_concept_that_does_not_vary_is_never_open():
    assert least_residual_entropy([[0, 1], [0, 2]], [[0], [1]]) == 0


@pytest.mark.parametrize(
    ("concepts", "messages", "message"),
    [
        ([[0], [1]], [[0]], "same strings"),
        ([[0], [1]], [[0], [2]], "other numbers"),
        ([[0]], [[0] * 63], "at most 62"),
    ],
)
def test_what_is_no_code_is_refused(concepts, messages, message):
    with pytest.raises(TenorError, match=message):
        BitReading(concepts, messages)
