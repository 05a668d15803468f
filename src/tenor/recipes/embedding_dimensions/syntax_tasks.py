"""Probing tasks that ask sentences for their syntax, made from treebanks and tagged text.

Stand-ins for the tree depth and top constituents of Conneau et al. (2018), with balanced classes:

    openings   the labels of the first three chunks, the eight most frequent triples (CoNLL-2000)
    tense      whether the first finite verb is in the past or the present (Brown)
    depth      the depth of the dependency tree, 3 to 6 (Universal Dependencies, English EWT)
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tenor.corpora.brown import read_brown
from tenor.corpora.conll2000 import read_chunks
from tenor.corpora.universal_dependencies import read_dependencies

Ints = NDArray[np.int64]
TASKS = ("openings", "tense", "depth")
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
    folder: Callable[[str], Path], *, most: int = 4000, names: Iterable[str] = TASKS, seed: int = 0
) -> list[SyntaxTask]:
    """Read probing tasks of at most so many sentences each, seven in ten of them for training."""
    readers: dict[str, Callable[[], Iterator[tuple[str, str]]]] = {
        "openings": lambda: _openings(folder("nltk")),
        "tense": lambda: _tense(folder("nltk")),
        "depth": lambda: _depth(folder("ud")),
    }
    return [balanced(name, readers[name](), most, seed) for name in names]


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


def _openings(folder: Path) -> Iterator[tuple[str, str]]:
    labelled = []
    for sentence in (*read_chunks(folder, "train"), *read_chunks(folder, "test")):
        chunks = [tag[2:] for tag in sentence.tags or () if tag.startswith("B-")]
        if len(chunks) >= 3:
            labelled.append((" ".join(sentence.words), "-".join(chunks[:3])))
    frequent = {label for label, _ in Counter(label for _, label in labelled).most_common(8)}
    yield from ((text, label) for text, label in labelled if label in frequent)


def _tense(folder: Path) -> Iterator[tuple[str, str]]:
    for sentence in read_brown(folder):
        tense = next((label for tag in sentence.tags or () if (label := _tense_of(tag))), None)
        if tense and len(sentence.words) >= 5:
            yield " ".join(sentence.words), tense


def _tense_of(tag: str) -> str | None:
    """Tell the tense of a tag of the Brown corpus, None where it is no finite verb in the third person."""
    if _PAST.match(tag):
        return "past"
    return "present" if _PRESENT.match(tag) else None


def _depth(folder: Path) -> Iterator[tuple[str, str]]:
    for tree in read_dependencies(folder, "en_ewt", "train"):
        deep = _tree_depth(tree.heads)
        if len(tree.words) >= 5 and deep in _DEPTHS:
            yield " ".join(tree.words), str(deep)


def _tree_depth(heads: Sequence[int]) -> int:
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
