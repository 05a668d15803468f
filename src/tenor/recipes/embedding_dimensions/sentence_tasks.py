"""Sentence classification sets for recipes about frozen vectors: nine tasks, read from their usual files.

MR, CR, SUBJ, MPQA have no split and are cross-validated; SST, TREC, SICK and MRPC are trained and tested on
theirs. Words are separated by spaces: the first seven come so, SICK and MRPC are split here.
"""

import gzip
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.text.words import split_words

Ints = NDArray[np.int64]
FILES = {
    "MR": ("rt-polarity.all.gz",),
    "CR": ("custrev.all.gz",),
    "SUBJ": ("subj.all.gz",),
    "MPQA": ("mpqa.all.gz",),
    "SST2": ("stsa.binary.train.gz", "stsa.binary.test.gz"),
    "SST5": ("stsa.fine.train.gz", "stsa.fine.test.gz"),
    "TREC": ("TREC.train.all.gz", "TREC.test.all.gz"),
}
PAIR_FILES = {
    "SICK-E": ("SICK_train.txt", "SICK_trial.txt", "SICK_test_annotated.txt"),
    "MRPC": ("msr_paraphrase_train.txt", "msr_paraphrase_test.txt"),
}
TASKS = (*FILES, *PAIR_FILES)


@dataclass(frozen=True, slots=True, eq=False)
class SentenceTask:
    """Sentences, or pairs of them, with labels from 0; the first ``trained`` are for training.

    ``trained`` is None where there is no split.
    """

    name: str
    first: list[str]
    labels: Ints
    second: list[str] | None = None
    trained: int | None = None

    def __len__(self) -> int:
        return len(self.first)


def read_tasks(folder: Callable[[str], Path], names: Iterable[str] = TASKS) -> list[SentenceTask]:
    """Read tasks from the data folders sentence-cls, sick and mrpc."""
    made = []
    for name in names:
        if name in FILES:
            made.append(_single(name, [folder("sentence-cls") / file for file in FILES[name]]))
        elif name == "SICK-E":
            made.append(_sick([folder("sick") / file for file in PAIR_FILES[name]]))
        else:
            made.append(_mrpc([folder("mrpc") / file for file in PAIR_FILES[name]]))
    return made


def _single(name: str, files: list[Path]) -> SentenceTask:
    labels, texts, ends = [], [], []
    for file in files:
        for number, line in enumerate(_lines(file), 1):
            label, _, text = line.partition(" ")
            if not label.isdigit():
                raise TenorError(f"{file}:{number}: expected a label and a text, as in '1 good film'.")
            labels.append(int(label))
            texts.append(text)
        ends.append(len(texts))
    return SentenceTask(name, texts, np.array(labels), trained=ends[0] if len(files) > 1 else None)


def _sick(files: list[Path]) -> SentenceTask:
    rows, ends = [], []
    for file in files:
        rows += [line.split("\t") for line in _lines(file)[1:]]
        ends.append(len(rows))
    names = sorted({row[4].strip() for row in rows})
    labels = np.array([names.index(row[4].strip()) for row in rows])
    first, second = ([_spaced(row[place]) for row in rows] for place in (1, 2))
    return SentenceTask("SICK-E", first, labels, second, trained=ends[1])  # the small trial set trains too


def _mrpc(files: list[Path]) -> SentenceTask:
    rows, ends = [], []
    for file in files:
        rows += [line.split("\t") for line in _lines(file)[1:]]
        ends.append(len(rows))
    labels = np.array([int(row[0]) for row in rows])
    first, second = ([_spaced(row[place]) for row in rows] for place in (3, 4))
    return SentenceTask("MRPC", first, labels, second, trained=ends[0])


def _lines(file: Path) -> list[str]:
    try:
        raw = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    except FileNotFoundError as error:
        raise TenorError(
            f"{file} does not exist; it belongs to the data folder {file.parent.name}."
        ) from error
    text = raw.decode("utf-8-sig", errors="replace")
    return [line for line in text.replace("\r\n", "\n").split("\n") if line.strip()]


def _spaced(text: str) -> str:
    return " ".join(split_words(text).words)
