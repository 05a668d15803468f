"""What columns are usually called: the words by which headers are known and roles are guessed."""

import re
from collections.abc import Iterator, Sequence

TEXT = frozenset((
    "text", "sentence", "question", "title", "body", "tweet", "content", "review", "document", "doc",
    "comment", "message", "utterance", "query", "passage", "premise", "hypothesis", "abstract",
    "headline", "context", "answer", "string", "paragraph", "summary", "description", "word",
))  # fmt: skip
LABEL = frozenset((
    "label", "labels", "class", "category", "sentiment", "quality", "goldlabel", "isduplicate",
    "duplicate", "entailmentjudgment", "target", "polarity", "intent", "topic", "emotion", "tag", "y",
    "relation", "tags", "categories", "topics", "classes",
))  # fmt: skip
SCORE = frozenset((
    "score", "similarity", "relatednessscore", "relatedness", "sim", "goldscore", "similarityscore",
))  # fmt: skip
IDENTITY = frozenset((
    "id", "idx", "index", "guid", "uid", "url", "link", "number", "nr", "row", "key", "date",
    "time", "pairid", "lang", "language", "split",
))  # fmt: skip
# First and second text of a pair, where the names do not simply end in 1 and 2 or a and b.
COUPLES = (
    ("first", "second"),
    ("premise", "hypothesis"),
    ("anchor", "positive"),
    ("query", "passage"),
    ("query", "document"),
    ("query", "answer"),
    ("question", "sentence"),
    ("question", "answer"),
    ("qtext", "atext"),
    ("source", "target"),
    ("left", "right"),
)
_SIDES = (("1", "2"), ("0", "1"), ("a", "b"))


def plain(name: str) -> str:
    """Reduce a name to its letters and digits.

    >>> plain("#1 String"), plain("sentence_A")
    ('1string', 'sentencea')
    """
    return re.sub(r"[\W_]+", "", name.casefold())


def is_known(name: str) -> bool:
    """Whether a name is one that headers use.

    >>> is_known("sentence1"), is_known("gold_label"), is_known("Paris")
    (True, True, False)
    """
    word = plain(name)
    bare = re.sub(r"^\d+|(?<=[a-z]{3})[ab]$|\d+$", "", word)
    return any(form in family for form in (word, bare) for family in (TEXT, LABEL, SCORE, IDENTITY))


def is_couple(first: str, second: str) -> bool:
    """Whether two names are known as those of the two texts of a pair, and of nothing else.

    >>> is_couple("First", "second"), is_couple("sentence1", "sentence2")
    (True, False)
    """
    return (plain(first), plain(second)) in COUPLES


def pairs_of_sides(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the first and the second name of pairs among many names, each first one once.

    A second name is looked up by what it would have to be, as files may have thousands of columns.

    >>> list(pairs_of_sides(["id", "sentence1", "sentence2", "label"]))
    [('sentence1', 'sentence2')]
    """
    places: dict[str, int] = {}
    for place, name in enumerate(names):
        places.setdefault(plain(name), place)
    for name in names:
        found = [places[other] for other in _second_sides(plain(name)) if other in places]
        if found:
            yield name, names[min(found)]


def _second_sides(first: str) -> Iterator[str]:
    """Yield what the plain name of the second text may be."""
    yield from (second for one, second in COUPLES if one == first)
    for place, letter in enumerate(first):
        yield from (first[:place] + two + first[place + 1 :] for one, two in _SIDES if one == letter)
