"""The Stanford Sentiment Treebank: sentences of film reviews as trees, each phrase with a class of its own.

A line holds a tree in brackets, ``(3 (2 A) (4 (3 fine) (2 film)))``, whose labels go from 0, very negative,
to 4, very positive.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from tenor.corpora.corpus import Corpus, Split
from tenor.corpora.rows import broken_row, numbered_lines
from tenor.text.examples import Origin, Sentence

_TOKEN = re.compile(r"\(|\)|[^\s()]+")
_EXPECTED = "a tree in brackets with a label behind each opening one, such as (3 (2 A) (4 film)),"


@dataclass(frozen=True, slots=True)
class SentimentTree:
    """The labelled phrases of a sentence in the order in which their brackets close: the sentence is last."""

    phrases: tuple[Sentence, ...]

    @property
    def sentence(self) -> Sentence:
        """The whole sentence."""
        return self.phrases[-1]


def read_trees(folder: Path, split: Literal["train", "dev", "test"]) -> Iterator[SentimentTree]:
    """Yield the trees of a split.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "dev.txt").write_text("(3 (2 A) (4 (3 fine) (2 film)))")
    >>> tree = next(read_trees(folder, "dev"))
    >>> [(phrase.text, phrase.label) for phrase in tree.phrases]
    [('A', '2'), ('fine', '3'), ('film', '2'), ('fine film', '4'), ('A fine film', '3')]
    """
    for origin, line in numbered_lines(folder / f"{split}.txt"):
        try:
            yield SentimentTree(_phrases(_TOKEN.findall(line), origin))
        except (IndexError, ValueError) as error:
            raise broken_row(origin, "brackets that do not fit", _EXPECTED) from error


def _phrases(tokens: list[str], origin: Origin) -> tuple[Sentence, ...]:
    phrases: list[Sentence] = []
    words: list[str] = []
    opened: list[tuple[str, int]] = []  # the label of each open node, and the words before it
    rest = iter(tokens)
    for token in rest:
        if token == "(":
            label = next(rest, "")
            if not label.isdigit():
                raise ValueError(label)
            opened.append((label, len(words)))
        elif token == ")":
            label, begin = opened.pop()
            phrases.append(Sentence(" ".join(words[begin:]), origin, label))
        else:
            words.append(token)
    if opened or not phrases:
        raise ValueError(tokens)
    return tuple(phrases)


SST_TREES = Corpus(
    name="sst-trees",
    about="the Stanford Sentiment Treebank, 11,855 parsed sentences of film reviews",
    licence="not stated",
    obtain="Get trainDevTestTrees_PTB.zip of https://nlp.stanford.edu/sentiment/.",
    splits={
        split: Split(files=(f"{split}.txt",), read=partial(read_trees, split=split))
        for split in ("train", "dev", "test")
    },
)
