"""Rows made up of a few words, for the tiny scale: learnable, and of the form of the real ones."""

import numpy as np

from tenor.recipes.rows import Row

_THINGS = "film book song meal hotel game phone story room play".split()  # noqa: SIM905
_DEEDS = "open find read cook fix learn sell paint clean watch".split()  # noqa: SIM905
_MOODS = ("awful", "poor", "plain", "good", "superb")


def made_up_rows(task: str, count: int, generator: np.random.Generator) -> list[Row]:
    """Return rows of one of the three tasks."""
    make = {"sentiment": _sentiment, "paraphrase": _paraphrase, "similarity": _similarity}[task]
    return [make(generator) for _ in range(count)]


def _sentiment(generator: np.random.Generator) -> Row:
    mood, thing = int(generator.integers(5)), generator.choice(_THINGS)
    return {"text": f"the {thing} was {_MOODS[mood]} .", "label": str(mood)}


def _question(generator: np.random.Generator) -> tuple[str, str]:
    return str(generator.choice(_DEEDS)), str(generator.choice(_THINGS))


def _paraphrase(generator: np.random.Generator) -> Row:
    deed, thing = _question(generator)
    same = bool(generator.integers(2))
    other = (deed, thing) if same else _question(generator)
    first, second = f"how do i {deed} a {thing} ?", f"what is the way to {other[0]} the {other[1]} ?"
    return {"first": first, "second": second, "label": str(int(other == (deed, thing)))}


def _similarity(generator: np.random.Generator) -> Row:
    first, second = _question(generator), list(_question(generator))
    for side in range(2):
        if generator.integers(2):
            second[side] = first[side]
    shared = sum(one == two for one, two in zip(first, second, strict=True))
    texts = {"first": "people {} the {} .".format(*first), "second": "someone can {} a {} .".format(*second)}
    return texts | {"score": 2.5 * shared}
