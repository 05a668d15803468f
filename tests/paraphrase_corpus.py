"""A corpus of paraphrases that can be made at will: every thing has two names, and word order is free.

Words are made of syllables, so that a vocabulary of pieces cuts some of them.
"""

import numpy as np

from tenor.text.alignments import AlignedPair
from tenor.text.examples import Origin, Pair

THINGS, TOPIC = 32, 8
_SYLLABLES = ("ba", "ke", "mi", "lo", "tu", "ra", "ne", "si")


def name(thing: int, form: int) -> str:
    one, two = divmod(thing, len(_SYLLABLES))
    return _SYLLABLES[two] + _SYLLABLES[(two + one + 3) % 8] + ("x" if form else "")


def two_texts(random: np.random.Generator, *, size: int = 5) -> tuple[list[str], list[str], list[int]]:
    """Return a text, its paraphrase in other words, and where each word of the first stands in the second."""
    # A text is about one of a few topics, so that a random other one is mostly about something else.
    topic = random.integers(THINGS // TOPIC)
    things = topic * TOPIC + random.choice(TOPIC, size=size, replace=False)
    places = np.arange(size)
    if random.random() < 0.5:  # the two halves change places
        places = np.roll(places, size // 2)
    first = [name(thing, 0) for thing in things]
    second = [""] * size
    for thing, place in zip(things, places, strict=True):
        second[place] = name(thing, 1)
    return first, second, places.tolist()


def aligned_pairs(count: int, *, seed: int = 0, size: int = 5) -> list[AlignedPair]:
    """Return pairs with their words as phrases, and some phrases of two words."""
    random, pairs = np.random.default_rng(seed), []
    for line in range(count):
        first, second, places = two_texts(random, size=size)
        links = tuple(enumerate(places))
        spans = [((i, i + 1), (j, j + 1)) for i, j in links]
        spans += [((i, i + 2), (j, j + 2)) for i, j in links[:-1] if places[i + 1] == j + 1]
        spans += [((i, i + 3), (j, j + 3)) for i, j in links[:-2] if places[i + 1 : i + 3] == [j + 1, j + 2]]
        pairs.append(
            AlignedPair(tuple(first), tuple(second), links, tuple(spans), origin=Origin("p", line + 1))
        )
    return pairs


def labelled_pairs(count: int, *, seed: int = 0, size: int = 4) -> list[Pair]:
    """Return pairs that say the same, and pairs in which one thing is another."""
    random, pairs = np.random.default_rng(seed), []
    for line in range(count):
        first, second, _ = two_texts(random, size=size)
        label = line % 2
        if not label:
            unused = [name(thing, 1) for thing in range(THINGS) if name(thing, 1) not in second]
            second[random.integers(size)] = str(random.choice(unused))
        pairs.append(Pair(" ".join(first), " ".join(second), Origin("q", line + 1), label=str(label)))
    return pairs


def all_words() -> list[str]:
    return [name(thing, form) for thing in range(THINGS) for form in range(2)]
