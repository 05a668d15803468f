"""A bilingual dictionary: pairs of words from a file, and those of them that two vocabularies know.

A line of the file has a source word and a target word, separated by a tab (XLing-Eval, PanLex) or a space
(MUSE); CSV, JSON lines and other tables do as well. A word may be in several pairs.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.text.problems import Problems
from tenor.text.readers import read_rows

Index = Callable[[str], int | None]
Pairs = NDArray[np.int64]  # [pairs, 2]: row of the source word, row of the target word


def read_dictionary(
    path: str | Path, *, lowercase: bool = False, problems: Problems
) -> list[tuple[str, str]]:
    """Read pairs of words: the first two columns of a file without header."""
    pairs = []
    for row in read_rows(path, header=False, problems=problems):
        cells = [cell.strip() for cell in row.values.values()]
        if len(cells) == 1:
            cells = cells[0].split()
        if len(cells) < 2 or not (cells[0] and cells[1]):
            problems.add_row(row, "no pair of words, separated by a tab; row left out")
            continue
        first, second = cells[0], cells[1]
        pairs.append((first.lower(), second.lower()) if lowercase else (first, second))
    if not pairs:
        raise TenorError(
            f"{path} has no pair of words: expected a source and a target word on a line, separated by a tab."
        )
    return pairs


@dataclass(frozen=True, slots=True)
class KnownPairs:
    """The pairs of a dictionary that both vocabularies know, as row indices, of so many in total."""

    pairs: Pairs  # [pairs, 2]
    total: int

    def __len__(self) -> int:
        return len(self.pairs)

    def by_source(self) -> tuple[NDArray[np.int64], list[list[int]]]:
        """Return the source rows, each once, and the target rows that are right for each."""
        gold: dict[int, list[int]] = {}
        for source, target in self.pairs.tolist():
            gold.setdefault(source, []).append(target)
        return np.fromiter(gold, dtype=np.int64, count=len(gold)), list(gold.values())


def known_pairs(words: Iterable[Sequence[str]], source: Index, target: Index) -> KnownPairs:
    """Look up pairs of words; those with a word outside its vocabulary, and repeated ones, are left out.

    >>> here, there = ["dog", "cat"].index, {"Hund": 0}.get
    >>> known_pairs([("dog", "Hund"), ("dog", "Katze")], here, there).pairs.tolist()
    [[0, 0]]
    """
    found: dict[tuple[int, int], None] = {}
    total = 0
    for first, second in words:
        total += 1
        x, z = source(first), target(second)
        if x is not None and z is not None:
            found[(x, z)] = None
    return KnownPairs(np.array(list(found), dtype=np.int64).reshape(-1, 2), total)
