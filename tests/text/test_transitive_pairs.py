"""Implied pairs, against a closure by repeated application of the two rules."""

import numpy as np
import pytest

from tenor.text.transitive_pairs import implied_pairs


def closure(pairs, same):
    """Apply both rules until nothing new comes; None where a pair comes out both ways."""
    known = {frozenset(pair): alike for pair, alike in zip(pairs, same, strict=True)}
    texts = sorted({text for pair in pairs for text in pair})
    while True:
        new = {}
        for b in texts:
            for a in texts:
                for c in texts:
                    one, two = known.get(frozenset((a, b))), known.get(frozenset((b, c)))
                    if len({a, b, c}) < 3 or not one or two is None or frozenset((a, c)) in known:
                        continue
                    new[frozenset((a, c))] = two
        if not new:
            return known
        known |= new


@pytest.mark.parametrize("seed", range(6))
def test_what_follows_is_the_closure_of_both_rules(seed):
    random = np.random.default_rng(seed)
    meaning = {f"t{n}": int(random.integers(6)) for n in range(14)}
    texts = list(meaning)
    chosen = {tuple(sorted(random.choice(texts, 2, replace=False).tolist())) for _ in range(18)}
    pairs = sorted(chosen)
    same = [meaning[a] == meaning[b] for a, b in pairs]
    found = implied_pairs(pairs, same, largest=99)
    given = {frozenset(pair) for pair in pairs}
    expected = {key: alike for key, alike in closure(pairs, same).items() if key not in given}
    assert {frozenset(pair): alike for pair, alike in found} == expected
    assert len(found) == len(expected), "each once"


def test_no_conclusion_from_long_chains_or_contradictions():
    chain = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "e"), ("a", "z")]
    assert implied_pairs(chain, [True] * 4 + [False], largest=4) == []
    assert len(implied_pairs(chain, [True] * 4 + [False], largest=5)) == 6 + 4
    against = [("a", "b"), ("b", "c"), ("A!", "c"), ("c", "z")]
    assert implied_pairs(against, [True, True, False, False]) == []


def test_spelling_does_not_make_a_new_text():
    found = implied_pairs([("How are you?", "How is it?"), ("how are you", "Who are you?")], [True, False])
    assert found == [(("How is it?", "Who are you?"), False)]
    assert implied_pairs([], []) == []
    odd = 'Is <img src="x.jpg"> legal?'  # its normal form has a normal form of its own
    assert implied_pairs([(odd, "b"), ("b", "c")], [True, False]) == [((odd, "c"), False)]
