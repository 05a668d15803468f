"""Neighbours by an approximate index, for collections whose n² pairs are too many.

An inverted file (IVF): the vectors are sorted into about 4·√n cells around centroids found by spherical
k-means on a sample, and a text is compared with the texts of the cells nearest to it only. Unlike a store
that answers one query after another, all texts that probe a cell are taken in one matrix product, which is
why this is done here and not with the search index. What is found is exact (every pair is scored in full);
what may be missed is a pair whose cells lie apart, and ``recall`` measures that on a sample.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tenor.progress import Progress
from tenor.use.dedupe.neighbours import (
    BLOCK,
    Flags,
    Floats,
    Product,
    Rows,
    pair_scores,
    pairs,
)
from tenor.use.unit_vectors import normalise

_SAMPLE_PER_CELL = 48
_ROUNDS = 8


class InvertedFile:
    """Texts sorted into cells; each probes its ``probes`` nearest ones.

    ``vectors`` [n, d] of length 1 may be memory-mapped. The copy sorted by cell is written to ``file`` as
    memory-mapped data, so that the working memory does not grow with d.
    """

    def __init__(
        self,
        vectors: Floats,
        threshold: float,
        *,
        file: Path,
        cells: int | None = None,
        probes: int = 32,
        seed: int = 0,
    ) -> None:
        self._threshold = threshold
        self._product = Product(BLOCK)
        centres = _spherical_k_means(vectors, cells or _cell_count(len(vectors)), seed)
        probes = min(probes, len(centres))
        nearest = _nearest_cells(vectors, centres, probes)  # [n, probes], the home first
        self._order = np.argsort(nearest[:, 0], kind="stable")  # sorted position -> text
        self._position = np.empty_like(self._order)  # text -> sorted position
        self._position[self._order] = np.arange(len(vectors))
        self._probes = nearest[self._order]
        self._starts = np.searchsorted(self._probes[:, 0], np.arange(len(centres) + 1))
        self._vectors = _sorted_copy(vectors, self._order, file)

    def __len__(self) -> int:
        return len(self._order)

    def counts(self, weights: Rows, *, progress: Progress | None = None) -> Rows:
        """Count cell by cell; ``progress`` is called with the number of texts of each cell."""
        weights = weights[self._order]
        counts = weights.copy()
        everyone = np.arange(len(self))
        for cell, queries in _by_cell(self._probes, len(self._starts) - 1):
            members = everyone[self._starts[cell] : self._starts[cell + 1]]
            for rows, found in self._compare(everyone[queries], members):
                apart = queries[rows] != found
                np.add.at(counts, queries[rows[apart]], weights[found[apart]])
            if progress is not None:
                progress(len(members))
        return counts[self._position]

    def near(self, centres: Rows, alive: Flags) -> Iterator[tuple[Rows, Rows]]:
        """Take the centres against the living texts of the cells that they probe."""
        positions, living = self._position[centres], alive[self._order]
        for cell, which in _by_cell(self._probes[positions], len(self._starts) - 1):
            start, stop = self._starts[cell], self._starts[cell + 1]
            members = start + np.flatnonzero(living[start:stop])
            for rows, found in self._compare(positions[which], members):
                yield which[rows], self._order[found]

    def scores(self, first: Rows, second: Rows) -> NDArray[np.float64]:
        """The cosine of each pair of texts, in double precision [m]."""
        return pair_scores(self._vectors, self._position[first], self._vectors, self._position[second])

    def recall(self, *, sample: int = 500, seed: int = 0) -> float:
        """Return the recall of the near pairs of some random texts (1 if there are none)."""
        chosen = np.random.default_rng(seed).permutation(len(self))[:sample]
        positions, everyone = self._position[chosen], np.arange(len(self))
        alive = np.ones(len(self), dtype=bool)
        # Pairs of a text with itself are not counted; a vector of zeros has none.
        found = sum(int((chosen[rows] != text).sum()) for rows, text in self.near(chosen, alive))
        there = sum(int((positions[rows] != at).sum()) for rows, at in self._compare(positions, everyone))
        return found / there if there else 1.0

    def _compare(self, queries: Rows, members: Rows) -> Iterator[tuple[Rows, Rows]]:
        """Yield pairs (index into ``queries``, member) that are near, by blocks; all are sorted positions."""
        for left in range(0, len(members), BLOCK):
            some = members[left : left + BLOCK]
            right = np.asarray(self._vectors[some])
            for top in range(0, len(queries), BLOCK):
                chosen = np.asarray(self._vectors[queries[top : top + BLOCK]])
                rows, columns = pairs(self._product.near(chosen, right, self._threshold))
                yield rows + top, some[columns]


def _cell_count(texts: int) -> int:
    return max(1, int(4 * np.sqrt(texts)))


def _by_cell(probes: NDArray[np.int32], cells: int) -> Iterator[tuple[int, Rows]]:
    """Yield each cell that some rows of ``probes`` [m, p] name, with those rows in rising order."""
    flat = probes.ravel()
    order = np.argsort(flat, kind="stable")
    starts = np.searchsorted(flat[order], np.arange(cells + 1))
    for cell in np.flatnonzero(np.diff(starts)):
        yield int(cell), order[starts[cell] : starts[cell + 1]] // probes.shape[1]


def _spherical_k_means(vectors: Floats, cells: int, seed: int) -> Floats:
    """Find the centroids of the cells [cells, d], of length 1, on a random sample."""
    generator = np.random.default_rng(seed)
    chosen = np.sort(generator.permutation(len(vectors))[: cells * _SAMPLE_PER_CELL])
    sample = np.asarray(vectors[chosen])
    centres = sample[np.sort(generator.permutation(len(sample))[:cells])].copy()
    for _ in range(_ROUNDS):
        home = _nearest_cells(sample, centres, 1)[:, 0]
        order = np.argsort(home, kind="stable")
        held, starts = np.unique(home[order], return_index=True)
        # A cell that lost all its texts keeps its old centroid.
        centres[held] = np.add.reduceat(sample[order], starts)
        normalise(centres)
    return centres


def _nearest_cells(vectors: Floats, centres: Floats, count: int) -> NDArray[np.int32]:
    nearest = np.empty((len(vectors), count), dtype=np.int32)
    for start in range(0, len(vectors), BLOCK):
        scores = np.asarray(vectors[start : start + BLOCK]) @ centres.T
        np.negative(scores, out=scores)
        if count == 1:
            nearest[start : start + BLOCK, 0] = scores.argmin(axis=1)
            continue
        top = np.argpartition(scores, count - 1, axis=1)[:, :count]
        order = np.argsort(np.take_along_axis(scores, top, axis=1), axis=1, kind="stable")
        nearest[start : start + BLOCK] = np.take_along_axis(top, order, axis=1)
    return nearest


def _sorted_copy(vectors: Floats, order: Rows, file: Path) -> Floats:
    copy = np.memmap(file, dtype=np.float32, mode="w+", shape=vectors.shape)
    for start in range(0, len(order), BLOCK):
        copy[start : start + BLOCK] = vectors[order[start : start + BLOCK]]
    return copy
