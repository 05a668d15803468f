"""Parting aligned pairs into those that a stage learns from and those that it is measured on.

The file is passed over several times and never in memory as a whole.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.files import atomic_file
from tenor.tasks.phrases.aligned_file import WINDOW, AlignedFile
from tenor.text.alignments import AlignedPair
from tenor.text.grouped_split import hold_out

TRAIN, DEV = "train.jsonl", "dev.jsonl"
# Says of some pairs of texts which are to be left out [n].
Refused = Callable[[list[tuple[str, str]]], NDArray[np.bool_]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parted:
    """How many pairs each part has, how many were left out, and the aligned phrases to learn from."""

    train: int
    dev: int
    alignments: int
    left_out: int = 0


def part_pairs(pairs: AlignedFile, folder: Path, count: int, *, refused: Refused | None = None) -> Parted:
    """Write ``train.jsonl`` and ``dev.jsonl``; ``count`` pairs at most are held out for dev.

    No text of a pair held out stands in a pair that is left, unless all pairs hang together.
    """
    out = _refused(pairs, refused)
    kept = (_texts(pair) for pair, no in zip(pairs, out, strict=True) if not no)
    held = hold_out(kept, count)
    if not len(held):
        raise TenorError(f"No pair of {pairs.path} is left to learn from; every one was to be left out.")
    if not held.any():  # where all hang together, as in a small made-up corpus
        held = np.arange(len(held)) < count
    phrases, places = 0, iter(held)
    with (
        atomic_file(folder / TRAIN) as train,
        atomic_file(folder / DEV) as dev,
        train.open("w", encoding="utf-8") as one,
        dev.open("w", encoding="utf-8") as two,
    ):
        for pair, no in zip(pairs, out, strict=True):
            if no:
                continue
            measured = next(places)
            (two if measured else one).write(pair.to_line() + "\n")
            phrases += 0 if measured else len(pair.alignments)
    return Parted(train=int((~held).sum()), dev=int(held.sum()), alignments=phrases, left_out=int(out.sum()))


def _refused(pairs: AlignedFile, refused: Refused | None) -> NDArray[np.bool_]:
    if refused is None:
        return np.zeros(len(pairs), dtype=bool)
    return np.concatenate([refused([_texts(pair) for pair in window]) for window in _windows(pairs)])


def _windows(pairs: AlignedFile) -> Iterator[list[AlignedPair]]:
    given = iter(pairs)
    while window := list(islice(given, WINDOW)):
        yield window


def _texts(pair: AlignedPair) -> tuple[str, str]:
    return " ".join(pair.first), " ".join(pair.second)
