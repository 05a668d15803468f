"""Texts with spans of characters, and the tags that these give to the text's own words."""

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from tenor.entities import Entity
from tenor.text.examples import Origin, TaggedSentence
from tenor.text.problems import Problems
from tenor.text.tag_schemes import tags_of
from tenor.text.words import Words, split_words


@dataclass(frozen=True, slots=True, order=True)
class TextSpan:
    """The characters ``text[begin:end]`` are of a type."""

    begin: int
    end: int
    type: str


def split_at_spans(text: str, spans: Iterable[TextSpan]) -> Words:
    """Split a text into words, and words again where a span begins or ends inside of them.

    >>> split_at_spans("pre-2009 talks", [TextSpan(4, 8, "DATE")]).words
    ('pre', '-', '2009', 'talks')
    >>> split_at_spans("mid2009", [TextSpan(3, 7, "DATE")]).words
    ('mid', '2009')
    """
    edges = sorted({edge for span in spans for edge in (span.begin, span.end)})
    pieces: list[tuple[int, int]] = []
    for begin, end in split_words(text).spans.tolist():
        cuts = [begin, *edges[bisect_right(edges, begin) : bisect_left(edges, end)], end]
        pieces += list(itertools.pairwise(cuts))
    return Words(tuple(text[b:e] for b, e in pieces), np.asarray(pieces, dtype=np.int64).reshape(-1, 2))


def tagged_of(
    text: str, spans: Sequence[TextSpan], origin: Origin, *, problems: Problems
) -> TaggedSentence | None:
    """Return the words of a text with the tags (bio) of its spans, None where it has no words.

    Spans that lie outside the text, hold no word or overlap an earlier one are reported and left out.

    >>> tagged_of("Ada slept.", [TextSpan(0, 3, "PER")], Origin("a", 1), problems=Problems()).tags
    ('B-PER', 'O', 'O')
    """
    kept = _usable(text, spans, origin, problems)
    words = split_at_spans(text, kept)
    if not len(words):
        return None
    # Words lie one behind the other: those inside a span are a range of them.
    firsts = np.searchsorted(words.spans[:, 0], [span.begin for span in kept], side="left").tolist()
    ends = np.searchsorted(words.spans[:, 1], [span.end for span in kept], side="right").tolist()
    entities = []
    for span, first, end in zip(kept, firsts, ends, strict=True):
        if first < end:
            entities.append(Entity(span.type, first, end))
        else:
            problems.add(origin, f"the span {span.type} [{span.begin}, {span.end}) holds no word; left out")
    return TaggedSentence(words.words, origin, tuple(tags_of(entities, len(words), "bio")))


def _usable(text: str, spans: Sequence[TextSpan], origin: Origin, problems: Problems) -> list[TextSpan]:
    kept: list[TextSpan] = []
    # Of spans that begin together the longest comes first, and is the one that is kept.
    for span in sorted(spans, key=lambda span: (span.begin, -span.end)):
        shown = f"the span {span.type} [{span.begin}, {span.end})"
        if not 0 <= span.begin < span.end <= len(text):
            problems.add(origin, f"{shown} does not lie in a text of {len(text)} characters; left out")
        elif kept and span.begin < kept[-1].end:
            problems.add(origin, f"{shown} overlaps {kept[-1].type}; a word has one tag, so it is left out")
        else:
            kept.append(span)
    return kept
