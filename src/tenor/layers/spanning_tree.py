"""The tree with the highest sum of scores, by the algorithm of Chu & Liu and Edmonds.

Every word takes its best head; a cycle among them is contracted to one node, whose incoming arcs are scored
by what they would change, and the smaller graph is solved the same way. Where one root is asked for, arcs
from the root are lowered by more than all others could gain, which leaves just one of them in the best tree.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def maximum_spanning_tree(scores: NDArray[np.floating], *, single_root: bool = True) -> Ints:
    """Return the head of each word [L] (from 1; 0 is the root) from scores [L, L + 1] of heads.

    ``scores[i, j]`` is that of head j for word i + 1; column 0 is the root's.

    >>> maximum_spanning_tree(np.array([[1.0, 0.0, 9.0], [3.0, 9.0, 0.0]])).tolist()
    [2, 0]
    """
    count = len(scores)
    if not count:
        return np.zeros(0, dtype=np.int64)
    graph = np.full((count + 1, count + 1), -np.inf)  # [dependent, head]
    graph[1:] = scores
    np.fill_diagonal(graph, -np.inf)
    if single_root:
        finite = graph[np.isfinite(graph)]
        graph[:, 0] -= (count + 1) * (finite.max() - finite.min() + 1)
    return _heads(graph)[1:]


@dataclass(frozen=True, slots=True)
class _Contraction:
    """A cycle that became the last node of a smaller graph, and how to undo it."""

    heads: Ints  # of the larger graph, the cycle among them
    cycle: Ints
    rest: Ints  # the nodes outside of it; the root is the first
    entry: Ints  # of the cycle's nodes the one that an arc from each other node would come into
    leave: Ints  # of the cycle's nodes the one that would be the head of each other node

    def undone(self, solved: Ints) -> Ints:
        """Return the heads of the larger graph, given those of the smaller one."""
        whole = self.heads.copy()
        inner = solved[:-1] == len(self.rest)
        outside = self.rest[np.minimum(solved[:-1], len(self.rest) - 1)]
        whole[self.rest] = np.where(inner, self.cycle[self.leave], outside)
        whole[self.cycle[self.entry[solved[-1]]]] = self.rest[solved[-1]]
        whole[0] = 0
        return whole


def _heads(graph: Floats) -> Ints:
    """Return the best head of each node; that of node 0, the root, means nothing."""
    contractions: list[_Contraction] = []
    heads = _best(graph)
    while (cycle := _cycle(heads)) is not None:
        graph, contraction = _contracted(graph, heads, cycle)
        contractions.append(contraction)
        heads = _best(graph)
    for contraction in reversed(contractions):
        heads = contraction.undone(heads)
    return heads


def _best(graph: Floats) -> Ints:
    heads: Ints = graph.argmax(axis=1)
    heads[0] = 0
    return heads


def _contracted(graph: Floats, heads: Ints, cycle: Ints) -> tuple[Floats, _Contraction]:
    """Return the graph in which a cycle is one node, the last."""
    inside = np.zeros(len(graph), dtype=bool)
    inside[cycle] = True
    rest = np.flatnonzero(~inside)
    kept = graph[cycle, heads[cycle]]
    into = graph[np.ix_(cycle, rest)] - kept[:, None]  # what an arc into the cycle would change
    out_of = graph[np.ix_(rest, cycle)]
    smaller = np.full((len(rest) + 1, len(rest) + 1), -np.inf)
    smaller[:-1, :-1] = graph[np.ix_(rest, rest)]
    smaller[-1, :-1] = into.max(axis=0)
    smaller[:-1, -1] = out_of.max(axis=1)
    return smaller, _Contraction(heads, cycle, rest, into.argmax(axis=0), out_of.argmax(axis=1))


def _cycle(heads: Ints) -> Ints | None:
    """Return the nodes of a cycle, None where there is none."""
    done = {0}
    for start in range(1, len(heads)):
        path: list[int] = []
        at = start
        while at not in done:
            path.append(at)
            done.add(at)
            at = int(heads[at])
        if at in path:
            return np.array(path[path.index(at) :], dtype=np.int64)
    return None
