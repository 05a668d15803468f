"""Documents for the extrinsic part of the recipe on alpha embeddings, as numbers of words with vectors."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tenor.corpora.agnews import read_agnews
from tenor.corpora.sentence_cls import read_sentences
from tenor.text.words import split_words
from tenor.words.vectors import WordVectors

Ints = NDArray[np.int64]
DOCUMENTS = {"AG News": "agnews", "MR": "sentence-cls"}  # name -> data folder
_PARTS = (0.7, 0.1)  # for training and validation; the rest is tested


@dataclass(frozen=True, slots=True, eq=False)
class Documents:
    """Documents as numbers of known words, their classes, and which part each belongs to."""

    name: str
    words: list[Ints]
    classes: Ints
    part: Ints  # 0: training, 1: validation, 2: test

    def rows(self, part: int) -> Ints:
        """Return the numbers of the documents of a part."""
        return np.flatnonzero(self.part == part)


def read_documents(name: str, folder: Path, vectors: WordVectors) -> Documents:
    """Read a set and look its words up; the split is always the same."""
    documents = list(read_agnews(folder) if name == "AG News" else read_sentences(folder, name))
    texts = [[word.lower() for word in split_words(document.text).words] for document in documents]
    return split(
        name, [known(vectors, text) for text in texts], [str(document.label) for document in documents]
    )


def known(vectors: WordVectors, words: list[str]) -> Ints:
    """Return the numbers of the words that have vectors."""
    numbers = vectors.indices(words)
    return numbers[numbers >= 0]


def split(name: str, words: list[Ints], labels: list[str]) -> Documents:
    """Part documents at random, always in the same way; those without a known word are left in."""
    _, classes = np.unique(labels, return_inverse=True)
    place = np.random.default_rng(0).permutation(len(words)) / len(words)
    part = np.digitize(place, np.cumsum(_PARTS))
    return Documents(name, words, classes.astype(np.int64), part.astype(np.int64))


def made_up_documents(vectors: WordVectors, name: str) -> Documents:
    """Documents of two classes, each of which takes more words from one half of the vocabulary."""
    rng = np.random.default_rng(0)
    labels = [str(number % 2) for number in range(120)]
    half = len(vectors) // 2
    words = [
        np.where(rng.random(8) < 0.7, int(label), 1 - int(label)) * half + rng.integers(0, half, 8)
        for label in labels
    ]
    return split(name, words, labels)
