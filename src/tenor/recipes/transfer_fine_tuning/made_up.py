"""Sentences made of a few words with synonyms, for the tiny scale: paraphrases, and rows of all tasks."""

import numpy as np

from tenor.recipes.rows import Row, TextPair

_DEEDS = (("opens", "unlocks"), ("buys", "purchases"), ("mends", "repairs"), ("paints", "colours"))
_THINGS = (("the car", "the automobile"), ("a house", "a home"), ("the picture", "the image"),
           ("some food", "a meal"))  # fmt: skip
_PEOPLE = (("the boy", "the lad"), ("a woman", "a lady"), ("the doctor", "the physician"))
_WHEN = (("today", "on this day"), ("quickly", "in a hurry"), ("again", "once more"))
_MOODS = ("awful", "superb")

Meaning = tuple[int, int, int, int]


def _draw(generator: np.random.Generator) -> Meaning:
    one, two, three, four = (int(generator.integers(len(part))) for part in (_PEOPLE, _DEEDS, _THINGS, _WHEN))
    return one, two, three, four


def _said(meaning: Meaning, generator: np.random.Generator) -> str:
    parts = zip((_PEOPLE, _DEEDS, _THINGS, _WHEN), meaning, strict=True)
    return " ".join(part[place][generator.integers(2)] for part, place in parts) + " ."


def paraphrases(count: int, generator: np.random.Generator) -> list[TextPair]:
    """Return pairs that say the same."""
    return [
        (_said(each, generator), _said(each, generator)) for each in (_draw(generator) for _ in range(count))
    ]


def rows(task: str, count: int, generator: np.random.Generator) -> list[Row]:
    """Return rows of a task, half of each class."""
    return [_row(task, place, generator) for place in range(count)]


def _row(task: str, place: int, generator: np.random.Generator) -> Row:
    meaning = _draw(generator)
    text = _said(meaning, generator)
    if task in ("sst2", "sst2-all"):
        return {"text": f"{text} it was {_MOODS[place % 2]} .", "label": str(place % 2)}
    if task == "cola":
        words = text.split()
        shown = words if place % 2 else words[::-1]
        return {"text": " ".join(shown), "label": str(place % 2)}
    other = _draw(generator)
    same = place % 2 == 1
    pair = {"first": text, "second": _said(meaning if same else other, generator)}
    if task in ("stsb", "stsb-all"):
        shared = sum(one == two for one, two in zip(meaning, meaning if same else other, strict=True))
        return pair | {"score": 5 * shared / 4}
    if task == "sick":
        return pair | {"label": "ENTAILMENT" if same else ("NEUTRAL", "CONTRADICTION")[place // 2 % 2]}
    labels = ("not_entailment", "entailment") if task == "rte" else ("0", "1")
    return pair | {"label": labels[int(same)]}


def texts(count: int, generator: np.random.Generator) -> list[str]:
    """Return paragraphs of a few sentences."""
    return [" ".join(_said(_draw(generator), generator) for _ in range(3)) for _ in range(count)]
