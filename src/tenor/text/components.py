"""Holding out pairs of texts so that no text of them stands in any other pair.

Pairs are the edges of a graph whose nodes are texts in their normal form; pairs that hang together through
shared texts are held out together or not at all. Which ones is decided by a hash of the texts themselves, so
that the choice depends on no order of rows and on no seed.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tenor.text.overlap import fingerprints, normalise


def components(pairs: Sequence[tuple[str, str]]) -> NDArray[np.int64]:
    """Number the groups of pairs that hang together, by the first pair of each.

    >>> components([("a", "b"), ("c", "d"), ("B!", "e")]).tolist()
    [0, 1, 0]
    """
    numbers: dict[str, int] = {}
    sides = [[numbers.setdefault(normalise(text), len(numbers)) for text in pair] for pair in pairs]
    parent = list(range(len(numbers)))

    def root(node: int) -> int:
        while parent[node] != node:
            parent[node] = node = parent[parent[node]]
        return node

    for first, second in sides:
        parent[root(first)] = root(second)
    found: dict[int, int] = {}
    groups = [found.setdefault(root(first), len(found)) for first, _ in sides]
    return np.array(groups, dtype=np.int64)


def hold_out(pairs: Sequence[tuple[str, str]], count: int, *, turn: int = 0) -> NDArray[np.bool_]:
    """Choose about ``count`` pairs, whole groups in the order of their hashes, never more than ``count``.

    What is left after one choice lacks all groups of low hashes: who chooses again from it takes another
    ``turn``, in which hashes have another order. In the same one, mostly groups would be chosen that have
    changed in between, as by pairs of a second file.

    >>> held = hold_out([("a", "b"), ("c", "d"), ("b", "e"), ("f", "g")], 2)
    >>> int(held.sum()) <= 2 and bool(held[0]) == bool(held[2])
    True
    """
    groups = components(pairs)
    sizes = np.bincount(groups, minlength=1)
    # A group's name is the sum of its pairs' numbers: no order of rows matters, and no size is favoured.
    names = np.zeros(len(sizes), dtype=np.uint64)
    np.add.at(names, groups, fingerprints(pairs))
    if turn % 8:
        bits = np.uint64(8 * (turn % 8))
        names = (names << bits) | (names >> np.uint64(64 - bits))
    chosen = np.zeros(len(sizes), dtype=bool)
    left = count
    for group in np.argsort(names, kind="stable"):
        if 0 < sizes[group] <= left:
            chosen[group] = True
            left -= int(sizes[group])
    held: NDArray[np.bool_] = chosen[groups]
    return held
