"""A made-up world for checks: one space of concepts, turned another way in every language.

A concept is the name of a day or month (dates), an hour (times), a number of years (durations) or another
word; concept 7 is called ``en7`` in English and ``et7`` in Estonian, and some have one name everywhere, as
numerals do. Its vector is that of the concept after a rotation of the language's own, plus a little noise. A
rotation may leave the first dimensions as they are, and the others may hold what all vectors have in common:
the rotation turns that elsewhere in every language, and one map for all languages can learn to drop it.
"""

import numpy as np
from numpy.typing import NDArray

from tenor.text.examples import Origin, TaggedSentence
from tenor.words.vectors import WordVectors

Floats = NDArray[np.float64]
KINDS = {"DATE": range(0, 12), "TIME": range(12, 20), "DURATION": range(20, 28)}
CONCEPTS, SHARED, SIZE = 90, 6, 12
SPREAD = 0.25  # of the concepts of a kind around its centre
_ROWS = {"train": 60, "test": 30}


def made_up_rows(language: str, part: str, *, count: int | None = None) -> list[TaggedSentence]:
    """Make sentences in which expressions of one or two words stand among other words."""
    random = np.random.default_rng([*language.encode(), *part.encode()])
    rows = [_row(language, random) for _ in range(count or _ROWS[part])]
    return [TaggedSentence(words, Origin("made up", n), tags) for n, (words, tags) in enumerate(rows, 1)]


def _row(language: str, random: np.random.Generator) -> tuple[tuple[str, ...], tuple[str, ...]]:
    words: list[str] = []
    tags: list[str] = []
    for _ in range(int(random.integers(1, 4))):
        between = random.integers(28, CONCEPTS, int(random.integers(1, 4))).tolist()
        kind = str(random.choice(list(KINDS)))
        length = int(random.integers(1, 3))
        inside = random.choice(list(KINDS[kind]), length).tolist()
        words += [name(language, concept) for concept in (*between, *inside)]
        tags += ["O"] * len(between) + [f"B-{kind}", f"I-{kind}"][:length]
    return tuple(words), tuple(tags)


def name(language: str, concept: int) -> str:
    """Return what a concept is called; every fifteenth has one name in all languages."""
    return f"{concept}" if concept % (CONCEPTS // SHARED) == 0 else f"{language}{concept}"


def rotation(language: str, *, kept: int = 0) -> Floats:
    """Return the rotation of a language [size, size], which leaves the first ``kept`` dimensions alone."""
    random = np.random.default_rng(list(language.encode()))
    turned, _ = np.linalg.qr(random.normal(size=(SIZE - kept, SIZE - kept)))
    whole = np.eye(SIZE)
    whole[kept:, kept:] = turned
    return whole


def concepts() -> Floats:
    """Return the vectors of the concepts [concepts, size]: those of a kind lie around a centre."""
    random = np.random.default_rng(0)
    vectors = random.normal(size=(CONCEPTS, SIZE))
    for members in KINDS.values():
        centre = 1.5 * random.normal(size=SIZE)
        vectors[list(members)] = centre + SPREAD * vectors[list(members)]
    return vectors


def made_up_space(language: str, *, kept: int = 0, common: float = 0.0, noise: float = 0.05) -> WordVectors:
    """Return the vectors of a language's words; ``common`` is added to all dimensions that are turned."""
    random = np.random.default_rng([1, *language.encode()])
    vectors = (concepts() + common * (np.arange(SIZE) >= kept)) @ rotation(language, kept=kept)
    words = [name(language, concept) for concept in range(CONCEPTS)]
    counts = np.arange(CONCEPTS, 0, -1)
    return WordVectors(words, vectors + noise * random.normal(size=vectors.shape), counts)


def made_up_dictionary(language: str) -> list[tuple[str, str]]:
    """Return the words of a language with their English translations."""
    return [(name(language, concept), name("en", concept)) for concept in range(CONCEPTS)]
