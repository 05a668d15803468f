"""A grouped split: holding out pairs of texts so that no text of them stands in any other pair.

Pairs are the edges of a graph whose nodes are texts in their normal form; the pairs of a connected component
are held out together or not at all. Which ones is decided by a hash of the texts themselves, so that the
choice depends on no order of rows and on no seed.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from tenor.text.overlap import fingerprints

Hashes = NDArray[np.uint64]


def components(pairs: Iterable[Sequence[str]]) -> NDArray[np.int64]:
    """Number the connected components of the pairs, by the first pair of each.

    >>> components([("a", "b"), ("c", "d"), ("B!", "e")]).tolist()
    [0, 1, 0]
    """
    return _components(fingerprints(text for pair in pairs for text in pair))


def _components(hashes: Hashes) -> NDArray[np.int64]:
    """Number the groups of pairs whose texts [2n] have these hashes."""
    names, texts = np.unique(hashes, return_inverse=True)
    parent = list(range(len(names)))

    def root(node: int) -> int:
        while parent[node] != node:
            parent[node] = node = parent[parent[node]]
        return node

    sides = texts.reshape(-1, 2).tolist()
    for first, second in sides:
        parent[root(first)] = root(second)
    found: dict[int, int] = {}
    groups = [found.setdefault(root(first), len(found)) for first, _ in sides]
    return np.array(groups, dtype=np.int64)


def hold_out(pairs: Iterable[Sequence[str]], count: int, *, turn: int = 0) -> NDArray[np.bool_]:
    """Choose about ``count`` pairs, whole groups in the order of their hashes, never more than ``count``.

    What is left after one choice lacks all groups of low hashes: who chooses again from it takes another
    ``turn``, in which hashes have another order. In the same one, mostly groups would be chosen that have
    changed in between, as by pairs of a second file. Pairs are passed over once; hashes are kept, not texts.

    >>> held = hold_out([("a", "b"), ("c", "d"), ("b", "e"), ("f", "g")], 2)
    >>> int(held.sum()) <= 2 and bool(held[0]) == bool(held[2])
    True
    """
    hashes = fingerprints(each for pair in pairs for each in (*pair, pair)).reshape(-1, 3)
    groups = _components(hashes[:, :2].ravel())
    sizes = np.bincount(groups, minlength=1)
    # A group's hash is the sum of its pairs' hashes: no order of rows matters, and no size is favoured.
    names = np.zeros(len(sizes), dtype=np.uint64)
    np.add.at(names, groups, hashes[:, 2])
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
