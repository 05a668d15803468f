"""A part of the training rows that is kept for measuring: stratified, without leaks, by seed.

Rows whose texts are the same but for case, spacing and punctuation stay on one side. Of each class about the
same part is kept, and at least one row of it is trained on.
"""

from collections import defaultdict
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tenor.text.overlap import fingerprints


def split_rows(examples: Sequence[Any], part: float, *, seed: int) -> tuple[list[int], list[int]]:
    """Return the numbers of the rows to train on and of those to measure by, each in their order.

    >>> from tenor.text.examples import Origin, Sentence
    >>> rows = [Sentence(f"text {n // 2}", Origin("a", n), label=str(n % 4 // 2)) for n in range(20)]
    >>> train, dev = split_rows(rows, 0.2, seed=1)
    >>> len(dev), {rows[n].text for n in train} & {rows[n].text for n in dev}
    (4, set())
    """
    groups = _groups(examples, seed)
    strata: dict[str, list[list[int]]] = defaultdict(list)
    for group in groups:
        strata[_stratum(examples[group[0]])].append(group)
    kept: list[int] = []
    wanted = 0.0  # of the classes so far; what one falls short of, as rows are whole, the next makes up for
    for same in strata.values():
        wanted += part * sum(map(len, same))
        kept += _kept(same, wanted - len(kept))
    if not kept and len(groups) > 1:  # classes of one row each: any row, so that something is measured
        kept = groups[0]
    chosen = set(kept)
    return [row for row in range(len(examples)) if row not in chosen], sorted(chosen)


def _groups(examples: Sequence[Any], seed: int) -> list[list[int]]:
    """Return the rows that say the same, in an order that the seed and their texts alone decide."""
    found: dict[int, list[int]] = defaultdict(list)
    for row, mark in enumerate(_marks(examples).tolist()):
        found[mark].append(row)
    return [found[mark] for mark in sorted(found, key=lambda mark: _order(mark, seed))]


def _marks(examples: Sequence[Any]) -> NDArray[np.uint64]:
    return fingerprints(example.texts for example in examples)


def _order(mark: int, seed: int) -> bytes:
    return blake2b(f"{seed} {mark}".encode(), digest_size=8).digest()


def _stratum(example: Any) -> str:
    return str(getattr(example, "label", None) or "")


def _kept(groups: list[list[int]], wanted: float) -> list[int]:
    """Return the rows of the first groups of a class that come near a number; one group at least stays."""
    kept: list[int] = []
    for group in groups[:-1]:
        if len(kept) + len(group) / 2 <= wanted:
            kept += group
    return kept
