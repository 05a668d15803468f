r"""A small CCG whose categories compose: sentences are derivations by application, some categories held out.

The category of a verb has two parts that are known from different places. What it takes (its frame) is known
from the verb itself; its form, the feature of S, from the words before it, as verbs are not inflected: after
"has" stands S[pt]\NP, after "is" S[ng]\NP, after "will" and "to" S[b]\NP, else S[dcl]\NP. Some combinations
of form and frame never occur in training, while the form, the frame and every verb do: their categories can
only be composed.

Two kinds of words are ambiguous so that only labels that agree give a derivation: half the verbs with an
object may also take a prepositional phrase, in which case the preposition is PP/NP and not a modifier; and
modifying prepositions attach to the noun or to the verb.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

Tagged = list[tuple[str, str]]
"""Words with their categories."""

# frame -> the arguments at the right, the last one first, as slashes are nested
FRAMES: Mapping[str, tuple[str, ...]] = {
    "none": (),
    "object": ("NP",),
    "two objects": ("NP", "NP"),
    "phrase": ("PP",),
    "object and phrase": ("PP", "NP"),
    "clause": ("S[em]",),
    "object and clause": ("S[em]", "NP"),
    "infinitive": (r"(S[to]\NP)",),
    "object and infinitive": (r"(S[to]\NP)", "NP"),
}
FORMS: Mapping[str, str] = {"dcl": "", "b": "will", "ng": "is", "pt": "has"}
# form and frame that training never has together
HELD_OUT = (
    ("b", "two objects"),
    ("b", "object and clause"),
    ("ng", "infinitive"),
    ("ng", "object and phrase"),
    ("pt", "clause"),
    ("pt", "object and infinitive"),
)
_VERBS = 6  # of each frame
_AMBIGUOUS = 6  # verbs with an object, and a phrase or none


def verb_category(form: str, frame: str) -> str:
    r"""Compose the category of a verb.

    >>> verb_category("ng", "two objects")
    '((S[ng]\\NP)/NP)/NP'
    """
    category = rf"S[{form}]\NP"
    for argument in FRAMES[frame]:
        category = f"({category})/{argument}"
    return category


def held_out_categories() -> frozenset[str]:
    """Return the categories that training never has."""
    return frozenset(verb_category(form, frame) for form, frame in HELD_OUT)


@dataclass(slots=True)
class Sampler:
    """Draws sentences from the grammar."""

    generator: np.random.Generator

    def sentences(self, count: int, *, without: Collection[str] = ()) -> list[Tagged]:
        """Draw different sentences that have none of the categories ``without``."""
        drawn: dict[tuple[str, ...], Tagged] = {}
        while len(drawn) < count:
            sentence = self.clause(2)
            if len(sentence) <= 24 and not any(category in without for _, category in sentence):
                drawn.setdefault(tuple(word for word, _ in sentence), sentence)
        return list(drawn.values())

    def clause(self, depth: int) -> Tagged:
        """Draw a subject and its predicate; ``depth`` bounds clauses within clauses."""
        form = self._one(tuple(FORMS))
        auxiliary = [(FORMS[form], rf"(S[dcl]\NP)/(S[{form}]\NP)")] if FORMS[form] else []
        return [*self._noun_phrase(), *auxiliary, *self._verb_phrase(form, depth)]

    def _verb_phrase(self, form: str, depth: int) -> Tagged:
        frames = [frame for frame in FRAMES if depth or not frame.endswith(("clause", "infinitive"))]
        frame = self._one(frames)
        words = [(self._verb(frame), verb_category(form, frame))]
        for argument in reversed(FRAMES[frame]):
            words += self._argument(argument, depth)
        if self.generator.random() < 0.2:
            words.append((self._word("adverb", 6), r"(S\NP)\(S\NP)"))
        elif self.generator.random() < 0.3:
            words += [(self._word("prep", 4), r"((S\NP)\(S\NP))/NP"), *self._noun_phrase(plain=True)]
        return words

    def _verb(self, frame: str) -> str:
        if frame in ("object", "object and phrase") and self.generator.random() < 0.5:
            return self._word("verb-either", _AMBIGUOUS)
        return self._word(f"verb-{frame.replace(' ', '-')}", _VERBS)

    def _argument(self, argument: str, depth: int) -> Tagged:
        if argument == "PP":
            return [(self._word("prep", 4), "PP/NP"), *self._noun_phrase(plain=True)]
        if argument == "S[em]":
            return [("that", "S[em]/S[dcl]"), *self.clause(depth - 1)]
        if argument == r"(S[to]\NP)":
            return [("to", r"(S[to]\NP)/(S[b]\NP)"), *self._verb_phrase("b", depth - 1)]
        return self._noun_phrase()

    def _noun_phrase(self, *, plain: bool = False) -> Tagged:
        if self.generator.random() < 0.3:
            return [(self._word("name", 12), "NP")]
        adjective = [(self._word("adjective", 8), "N/N")] if self.generator.random() < 0.3 else []
        words = [(self._word("article", 3), "NP/N"), *adjective, (self._word("noun", 30), "N")]
        if not plain and self.generator.random() < 0.15:
            words += [(self._word("prep", 4), r"(NP\NP)/NP"), *self._noun_phrase(plain=True)]
        return words

    def _word(self, kind: str, count: int) -> str:
        return f"{kind}{int(self.generator.integers(count))}"

    def _one(self, options: Sequence[str]) -> str:
        return options[int(self.generator.integers(len(options)))]
