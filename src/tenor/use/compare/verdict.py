"""One verdict on two texts, from all that is known of them, and how certain it is.

Similarity and the probability of a paraphrase are two views of one question and often disagree a little:
the one is a scale fitted to people's scores, the other a classifier of (mostly) questions. The verdict
follows the similarity, which predicts people's judgements better; the paraphrase head makes it more certain
or less. Where the texts have the same content words in another order, models that average word vectors can
hardly tell who does what to whom: then the verdict says so instead of calling them the same.
``bench/verdicts.py`` measures how often people agree.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Literal

from tenor.text.function_words import ENGLISH
from tenor.text.words import split_words

Says = Literal["same", "partly", "different", "reordered", "unknown"]
Certainty = Literal["high", "medium", "low"]

# Similarities from which on people mostly find the same said, part of it, and the ends of the scale.
_SAME, _PARTLY = 3.5, 2.5
_CLEARLY_SAME, _CLEARLY_DIFFERENT = 4.5, 1.5
_CONJUNCTIONS = frozenset(("and", "or"))  # what they join may change places
_MOST_WORDS = 300  # beyond, order is not looked at: models hardly read that far

_TEXTS: dict[tuple[Says, Certainty], str] = {
    ("same", "high"): "They say the same.",
    ("same", "medium"): "They probably say the same; details may differ.",
    ("same", "low"): "They may say the same, but something may differ.",
    ("partly", "medium"): "They say something alike, but something important probably differs.",
    ("partly", "low"): "They say something alike; whether it is the same is hard to tell.",
    ("different", "high"): "They say different things.",
    ("different", "medium"): "They probably say different things about something in common.",
    ("different", "low"): "They may say different things; the model is undecided.",
    ("reordered", "low"): (
        "They have the same words in another order: the same, or who does what to whom has changed; "
        "this model hardly sees the difference."
    ),
    ("unknown", "low"): (
        "The model knows no word of at least one of the texts, so it cannot say whether they mean the same."
    ),
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the two texts say, beside each other; ``text`` is a sentence for people."""

    says: Says
    certainty: Certainty

    @property
    def text(self) -> str:
        """The verdict as a sentence."""
        return _TEXTS[self.says, self.certainty]

    def to_json(self) -> dict[str, str]:
        """Return all of it as strings."""
        return {"says": self.says, "certainty": self.certainty, "text": self.text}


def verdict(
    first: str,
    second: str,
    *,
    similarity: float,
    paraphrase: float | None,
    fitted: bool = True,
    known: bool = True,
) -> Verdict:
    """Judge two texts; a scale that was not fitted to people's scores is never certain.

    ``known``: the model knows at least one word of each text. Where it does not, its numbers mean nothing,
    unless the texts are the very same.

    >>> verdict("A dog ran.", "A dog was running.", similarity=4.7, paraphrase=0.8).text
    'They say the same.'
    >>> verdict("Tom saw Ann.", "Ann saw Tom.", similarity=4.9, paraphrase=0.9).says
    'reordered'
    """
    if not known and first.split() != second.split():
        return Verdict("unknown", "low")
    if similarity >= _SAME and reordered(first, second):
        return Verdict("reordered", "low")
    says: Says = "same" if similarity >= _SAME else "partly" if similarity >= _PARTLY else "different"
    against = paraphrase is not None and (paraphrase >= 0.5) != (says == "same")
    clear = similarity >= _CLEARLY_SAME or similarity < _CLEARLY_DIFFERENT
    certainty: Certainty = "low" if against else "high" if clear and fitted else "medium"
    return Verdict(says, certainty)


def reordered(first: str, second: str) -> bool:
    """Whether two texts have the same content words, and not only a part of them moved as a whole.

    ``yesterday it rained`` and ``it rained yesterday`` differ by one such move, as do ``bread and butter``
    and ``butter and bread``; to exchange two words around a third takes more.

    >>> reordered("Yesterday it rained.", "It rained yesterday."), reordered("Ann met Tom", "Tom met Ann")
    (False, True)
    """
    one, two = _words(first), _words(second)
    if max(len(one), len(two)) > _MOST_WORDS:
        return False
    contents = [[word for word in words if word not in ENGLISH] for words in (one, two)]
    if Counter(contents[0]) != Counter(contents[1]) or contents[0] == contents[1]:
        return False
    return not _moved_once(one, two)


def _words(text: str) -> list[str]:
    words = (word.casefold() for word in split_words(text).words)
    return [word for word in words if word[0].isalnum() and word not in _CONJUNCTIONS]


def _moved_once(one: list[str], two: list[str]) -> bool:
    """Whether exchanging two neighbouring stretches of the one list gives the other."""
    if len(one) != len(two):
        return False
    begin, end = 0, len(one)
    while begin < end and one[begin] == two[begin]:
        begin += 1
    while end > begin and one[end - 1] == two[end - 1]:
        end -= 1
    rest, other = one[begin:end], two[begin:end]
    return any(rest[cut:] + rest[:cut] == other for cut in range(1, len(rest)))
