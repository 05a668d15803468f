"""Sentence classification sets for recipes about frozen vectors: nine tasks.

MR, CR, SUBJ, MPQA have no split and are cross-validated; SST, TREC, SICK and MRPC are trained and tested on
theirs. Words are separated by spaces: the first seven come so, SICK and MRPC are split here.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tenor.corpora.mrpc import read_mrpc
from tenor.corpora.sentence_cls import read_sentences
from tenor.corpora.sick import read_sick
from tenor.text.examples import Pair
from tenor.text.words import split_words

Ints = NDArray[np.int64]
# task -> its splits in sentence-cls: those to train on and to test on, or one that is cross-validated
TASK_SPLITS: Mapping[str, tuple[str, ...]] = {
    **{name: (name,) for name in ("MR", "CR", "SUBJ", "MPQA")},
    **{name: (f"{name}-train", f"{name}-test") for name in ("SST2", "SST5", "TREC")},
}
PAIRED = ("SICK-E", "MRPC")
TASKS = (*TASK_SPLITS, *PAIRED)


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
        if name in TASK_SPLITS:
            made.append(_single(name, folder("sentence-cls")))
        elif name == "SICK-E":
            made.append(_sick(folder("sick")))
        else:
            made.append(_mrpc(folder("mrpc")))
    return made


def _single(name: str, folder: Path) -> SentenceTask:
    parts = [list(read_sentences(folder, split)) for split in TASK_SPLITS[name]]
    sentences = [sentence for part in parts for sentence in part]
    labels = np.array([int(sentence.label or 0) for sentence in sentences])
    trained = len(parts[0]) if len(parts) > 1 else None
    return SentenceTask(name, [sentence.text for sentence in sentences], labels, trained=trained)


def _sick(folder: Path) -> SentenceTask:
    train = [*read_sick(folder, "train"), *read_sick(folder, "trial")]  # the small trial set trains too
    pairs = [*train, *read_sick(folder, "test")]
    names = sorted({pair.label or "" for pair in pairs})
    return _paired("SICK-E", pairs, [names.index(pair.label or "") for pair in pairs], len(train))


def _mrpc(folder: Path) -> SentenceTask:
    train = list(read_mrpc(folder, "train"))
    pairs = [*train, *read_mrpc(folder, "test")]
    return _paired("MRPC", pairs, [int(pair.label or 0) for pair in pairs], len(train))


def _paired(name: str, pairs: list[Pair], labels: list[int], trained: int) -> SentenceTask:
    first, second = [_spaced(pair.first) for pair in pairs], [_spaced(pair.second) for pair in pairs]
    return SentenceTask(name, first, np.array(labels), second, trained=trained)


def _spaced(text: str) -> str:
    return " ".join(split_words(text).words)
