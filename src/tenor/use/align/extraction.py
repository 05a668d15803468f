"""Which candidate phrases of two texts are a pair: those that the word links leave together.

A pair of phrases (A, B) is consistent with the links when it holds a link and none leaves it. Write hull(A)
for the span from the first to the last counterpart of A's words, and core(B) for B without the words
without links at its ends. Then (A, B) is consistent exactly if core(B) = hull(A) and hull(B) lies in A: a
core that is wider holds a word whose link leads out of A. So a lookup by core finds all partners at once,
and no pair of candidates is ever tried.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from tenor.text.alignments import Span, SpanPair
from tenor.use.align.words import Links


def consistent_pairs(links: Links, first: Iterable[Span], second: Iterable[Span]) -> list[SpanPair]:
    """Return all consistent pairs of a phrase of the first text and one of the second, sorted.

    >>> import numpy as np
    >>> links = np.array([[1, 0, 0], [0, 0, 1]], dtype=bool)
    >>> consistent_pairs(links, [(0, 1), (1, 2), (0, 2)], [(0, 1), (0, 2), (1, 3)])
    [((0, 1), (0, 1)), ((0, 1), (0, 2)), ((1, 2), (1, 3))]
    """
    reach = _reach(links.tolist()), _reach(links.T.tolist())
    by_core: dict[Span, list[tuple[Span, Span]]] = defaultdict(list)
    for span in second:
        if (core := _core(span, reach[1])) is not None:
            by_core[core].append((span, _hull(span, reach[1])))
    found = []
    for span in first:
        if _core(span, reach[0]) is None:
            continue
        for other, back in by_core.get(_hull(span, reach[0]), ()):
            if span[0] <= back[0] and back[1] <= span[1]:
                found.append((span, other))
    return sorted(found)


def minimal_pairs(pairs: Sequence[SpanPair]) -> list[SpanPair]:
    """Return the pairs that hold no other pair of the list.

    >>> minimal_pairs([((0, 1), (0, 1)), ((0, 2), (0, 2))])
    [((0, 1), (0, 1))]
    """
    return [pair for pair in pairs if not any(_holds(pair, other) for other in pairs)]


def maximal_pairs(pairs: Sequence[SpanPair]) -> list[SpanPair]:
    """Return the pairs that no other pair of the list holds."""
    return [pair for pair in pairs if not any(_holds(other, pair) for other in pairs)]


def _holds(outer: SpanPair, inner: SpanPair) -> bool:
    return outer != inner and all(a[0] <= b[0] and b[1] <= a[1] for a, b in zip(outer, inner, strict=True))


def _reach(rows: list[list[bool]]) -> list[Span | None]:
    """Return for every word the span from its first to its last counterpart, or None."""
    return [(row.index(True), len(row) - row[::-1].index(True)) if True in row else None for row in rows]


def _core(span: Span, reach: Sequence[Span | None]) -> Span | None:
    begin, end = span
    while begin < end and reach[begin] is None:
        begin += 1
    while begin < end and reach[end - 1] is None:
        end -= 1
    return (begin, end) if begin < end else None


def _hull(span: Span, reach: Sequence[Span | None]) -> Span:
    reached = [counterparts for counterparts in reach[span[0] : span[1]] if counterparts is not None]
    return min(begin for begin, _ in reached), max(end for _, end in reached)
