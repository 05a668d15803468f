"""Probing tasks that ask sentences for their syntax, made from treebanks and tagged text.

Stand-ins for the tree depth and top constituents of Conneau et al. (2018), with balanced classes:

    openings   the labels of the first three chunks, the eight most frequent triples (CoNLL-2000)
    tense      whether the first finite verb is in the past or the present (Brown)
    depth      the depth of the dependency tree, 3 to 6 (Universal Dependencies, English EWT)
"""

import gzip
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZipFile

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
FILES = {
    "openings": ("nltk", "conll2000.zip"),
    "tense": ("nltk", "brown.zip"),
    "depth": ("ud", "en_ewt/en_ewt-ud-train.conllu.gz"),
}
CHANCE = {"openings": 1 / 8, "tense": 1 / 2, "depth": 1 / 4}
_DEPTHS = range(3, 7)
_PAST, _PRESENT = (
    re.compile(r"(vbd|bed|bedz|dod|hvd)(\*|$|-)"),
    re.compile(r"(vbz|bez|ber|bem|doz|hvz)(\*|$|-)"),
)


@dataclass(frozen=True, slots=True, eq=False)
class SyntaxTask:
    """Sentences with their class, as many of each; the first ``trained`` are for training."""

    name: str
    texts: list[str]
    labels: Ints
    trained: int


def read_syntax(
    folder: Callable[[str], Path], *, most: int = 4000, names: Iterable[str] = FILES, seed: int = 0
) -> list[SyntaxTask]:
    """Read probing tasks of at most so many sentences each, seven in ten of them for training."""
    readers = {"openings": _openings, "tense": _tense, "depth": _depth}
    made = []
    for name in names:
        room, file = FILES[name]
        made.append(balanced(name, readers[name](folder(room) / file), most, seed))
    return made


def balanced(name: str, found: Iterable[tuple[str, str]], most: int, seed: int) -> SyntaxTask:
    """Draw as many sentences of each class, and shuffle them.

    >>> task = balanced("made up", [("a b", "x"), ("c", "y"), ("d", "x"), ("e f", "y")], 4, 0)
    >>> sorted(task.labels.tolist()), task.trained
    ([0, 0, 1, 1], 2)
    """
    by_class: dict[str, list[str]] = {}
    for text, label in found:
        by_class.setdefault(label, []).append(text)
    rng = np.random.default_rng(seed)
    each = min(most // len(by_class), *(len(texts) for texts in by_class.values()))
    pairs = []
    for number, label in enumerate(sorted(by_class)):
        chosen = rng.choice(len(by_class[label]), each, replace=False)
        pairs += [(by_class[label][int(place)], number) for place in chosen]
    order = rng.permutation(len(pairs))
    texts = [pairs[int(place)][0] for place in order]
    labels = np.array([pairs[int(place)][1] for place in order])
    return SyntaxTask(name, texts, labels, trained=7 * len(pairs) // 10)


def _openings(path: Path) -> Iterator[tuple[str, str]]:
    found = []
    with ZipFile(path) as archive:
        text = "\n\n".join(archive.read(f"conll2000/{part}.txt").decode() for part in ("train", "test"))
    for block in text.split("\n\n"):
        rows = [line.split() for line in block.strip().splitlines()]
        chunks = [row[2][2:] for row in rows if row[2].startswith("B-")]
        if len(chunks) >= 3:
            found.append((" ".join(row[0] for row in rows), "-".join(chunks[:3])))
    frequent = {label for label, _ in Counter(label for _, label in found).most_common(8)}
    yield from ((text, label) for text, label in found if label in frequent)


def _tense(path: Path) -> Iterator[tuple[str, str]]:
    with ZipFile(path) as archive:
        files = sorted(name for name in archive.namelist() if re.fullmatch(r"brown/c[a-r]\d\d", name))
        for file in files:
            for line in archive.read(file).decode().splitlines():
                pairs = [word.rpartition("/") for word in line.split()]
                tense = next((label for _, _, tag in pairs if (label := _tense_of(tag))), None)
                if tense and len(pairs) >= 5:
                    yield " ".join(word for word, _, _ in pairs), tense


def _tense_of(tag: str) -> str | None:
    """Tell the tense of a tag of the Brown corpus, None where it is no finite verb in the third person."""
    if _PAST.match(tag):
        return "past"
    return "present" if _PRESENT.match(tag) else None


def _depth(path: Path) -> Iterator[tuple[str, str]]:
    text = gzip.decompress(path.read_bytes()).decode()
    for block in text.split("\n\n"):
        rows = [line.split("\t") for line in block.splitlines() if line and not line.startswith("#")]
        words = [row for row in rows if row[0].isdigit()]
        deep = _tree_depth([int(row[6]) for row in words])
        if len(words) >= 5 and deep in _DEPTHS:
            yield " ".join(row[1] for row in words), str(deep)


def _tree_depth(heads: list[int]) -> int:
    """Return the number of words on the longest path from the root; heads count from 1, 0 is the root.

    >>> _tree_depth([2, 0, 2, 3])
    3
    """
    depths = [0] * (len(heads) + 1)
    for word in range(1, len(heads) + 1):
        path: list[int] = []
        at = word
        while at and not depths[at] and len(path) <= len(heads):
            path.append(at)
            at = heads[at - 1]
        for up, passed in enumerate(reversed(path), 1):
            depths[passed] = depths[at] + up
    return max(depths)
