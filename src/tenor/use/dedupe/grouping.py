"""Groups around centres, from what is near what.

Chains are the trap of duplicate groups: A is near B and B near C, so A, B and C become one group although A
and C differ. Here a group is a *centre* and texts near that centre, nothing else. Texts are visited by
falling number of neighbours (of equal ones the earlier); one that is still free becomes a centre and takes
all free texts near it. The first pass only counts; the second compares a batch of would-be centres with the
texts that are still free, the batch being cut so that the pairs it can yield, known from the counts, fit
into a fixed budget.
"""

from collections.abc import Iterator

import numpy as np

from tenor.progress import Progress, ProgressOf
from tenor.use.dedupe.neighbours import Flags, Neighbourhood, Rows

# Pairs held at once (16 bytes each, and as much again while they are sorted).
_PAIR_BUDGET = 4_000_000
_BATCH = 4096


def centre_groups(
    texts: Neighbourhood,
    weights: Rows,
    *,
    counting: Progress | None = None,
    settling: ProgressOf | None = None,
    pair_budget: int = _PAIR_BUDGET,
    batch: int = _BATCH,
) -> Rows:
    """Give the centre of every text [n]; a centre, and a text alone, has itself.

    ``weights`` says how often each text occurs, so that a text with many exact copies is a likely centre.
    ``counting`` is called in the first pass, as the neighbourhood does, ``settling`` in the second, with the
    texts just settled and all that have neighbours.
    """
    counts = texts.counts(weights, progress=counting)
    order = np.argsort(-counts, kind="stable")
    centre = np.where(counts == weights, np.arange(len(texts)), -1)
    order = order[centre[order] < 0]
    free = everyone = len(order)
    while free:
        _absorb(texts, order[: _cut(counts[order], pair_budget, batch)], centre)
        order = order[centre[order] < 0]
        if settling is not None:
            settling(free - len(order), everyone)
        free = len(order)
    return centre


def _cut(counts: Rows, pair_budget: int, batch: int) -> int:
    """Give the number of leading centres whose neighbours fit into the budget, at least one."""
    within = np.searchsorted(np.cumsum(counts[:batch]), pair_budget, side="right")
    return max(1, int(within))


def _absorb(texts: Neighbourhood, centres: Rows, centre: Rows) -> None:
    """Let each of the centres that is still free, in their order, take the free texts near it."""
    for own, members in _neighbour_lists(texts, centres, centre < 0):
        if centre[own] >= 0:
            continue
        centre[members[centre[members] < 0]] = own
        centre[own] = own


def _neighbour_lists(texts: Neighbourhood, centres: Rows, alive: Flags) -> Iterator[tuple[int, Rows]]:
    """Yield each centre with the living texts near it."""
    blocks = list(texts.near(centres, alive))
    owners = np.concatenate([rows for rows, _ in blocks])
    members = np.concatenate([texts for _, texts in blocks])
    del blocks
    order = np.argsort(owners, kind="stable")
    members = members[order]
    starts = np.searchsorted(owners[order], np.arange(len(centres) + 1))
    for index, own in enumerate(centres.tolist()):
        yield own, members[starts[index] : starts[index + 1]]
