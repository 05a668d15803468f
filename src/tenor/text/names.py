"""What columns are usually called: the words by which headers are known and roles are guessed."""

import re

TEXT = frozenset((
    "text", "sentence", "question", "title", "body", "tweet", "content", "review", "document", "doc",
    "comment", "message", "utterance", "query", "passage", "premise", "hypothesis", "abstract",
    "headline", "context", "answer", "string", "paragraph", "summary", "description", "word",
))  # fmt: skip
LABEL = frozenset((
    "label", "labels", "class", "category", "sentiment", "quality", "goldlabel", "isduplicate",
    "duplicate", "entailmentjudgment", "target", "polarity", "intent", "topic", "emotion", "tag", "y",
    "relation",
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


def are_sides(first: str, second: str) -> bool:
    """Whether two names are those of the first and the second text of a pair.

    >>> are_sides("#1 String", "#2 String"), are_sides("premise", "hypothesis"), are_sides("text", "label")
    (True, True, False)
    """
    one, two = plain(first), plain(second)
    if is_couple(first, second):
        return True
    if len(one) != len(two):
        return False
    different = [(a, b) for a, b in zip(one, two, strict=True) if a != b]
    return len(different) == 1 and different[0] in _SIDES
