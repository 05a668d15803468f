"""The maximum spanning tree against all trees there are, and biaffine scores against their formula."""

from itertools import product

import numpy as np
import pytest
import torch

from tenor.layers.biaffine import Biaffine
from tenor.layers.spanning_tree import maximum_spanning_tree


def is_tree(heads):
    for word in range(1, len(heads) + 1):
        at, steps = word, 0
        while at and steps <= len(heads):
            at, steps = heads[at - 1], steps + 1
        if at:
            return False
    return True


def best_tree(scores, *, single_root):
    count = len(scores)
    trees = (
        heads
        for heads in product(range(count + 1), repeat=count)
        if all(head != word for word, head in enumerate(heads, start=1))
        and (not single_root or heads.count(0) == 1)
        and is_tree(heads)
    )
    return max(trees, key=lambda heads: sum(scores[word, head] for word, head in enumerate(heads)))


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("count", [1, 2, 3, 4, 5])
def test_it_is_the_best_of_all_trees(count, single_root):
    random = np.random.default_rng(count)
    for _ in range(40 if count < 5 else 8):
        scores = random.normal(size=(count, count + 1)) * random.choice([1, 10])
        ours = maximum_spanning_tree(scores, single_root=single_root)
        assert tuple(ours.tolist()) == best_tree(scores, single_root=single_root)


def test_larger_ones_are_those_of_networkx():
    networkx = pytest.importorskip("networkx")
    random = np.random.default_rng(0)
    for count in (8, 15, 30):
        scores = random.normal(size=(count, count + 1))
        graph = networkx.DiGraph()
        for word, head in product(range(count), range(count + 1)):
            if head != word + 1:
                graph.add_edge(head, word + 1, weight=scores[word, head])
        theirs = networkx.maximum_spanning_arborescence(graph)
        expected = [next(iter(theirs.predecessors(word))) for word in range(1, count + 1)]
        assert maximum_spanning_tree(scores, single_root=False).tolist() == expected


def test_cycles_within_cycles_forbidden_arcs_and_nothing():
    scores = np.array([[0, -np.inf, 9, 1.0], [0, 9, -np.inf, 1.0], [1.0, 5, 8, -np.inf]])
    assert tuple(maximum_spanning_tree(scores).tolist()) == best_tree(scores, single_root=True)
    assert maximum_spanning_tree(np.zeros((0, 1))).tolist() == []


def test_many_roots_become_one():
    scores = np.zeros((4, 5))
    scores[:, 0] = 100
    assert maximum_spanning_tree(scores).tolist().count(0) == 1
    assert maximum_spanning_tree(scores, single_root=False).tolist() == [0] * 4


def test_biaffine_scores_are_those_of_the_formula():
    torch.manual_seed(0)
    layer = Biaffine(3, outputs=2)
    dependents, heads = torch.randn(1, 4, 3), torch.randn(1, 5, 3)
    scores = layer(dependents, heads)
    for output, i, j in product(range(2), range(4), range(5)):
        left = torch.cat([dependents[0, i], torch.ones(1)])
        right = torch.cat([heads[0, j], torch.ones(1)])
        torch.testing.assert_close(scores[0, output, i, j], left @ layer.weight[output] @ right)
    pairs = layer.pairs(dependents[0], heads[0, [4, 0, 1, 1]])
    expected = torch.stack([scores[0, :, i, j] for i, j in enumerate([4, 0, 1, 1])])
    torch.testing.assert_close(pairs, expected)


def test_a_text_of_many_words_has_a_tree():
    heads = maximum_spanning_tree(np.random.default_rng(0).normal(size=(1200, 1201)))
    assert (heads == 0).sum() == 1
    for word in range(1, 1201):
        at, steps = word, 0
        while at:
            at, steps = int(heads[at - 1]), steps + 1
            assert steps <= 1200
