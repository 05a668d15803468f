"""Aligned pairs of texts: their words, the word links, the phrases, and which phrases say the same.

One JSON object per line, so that any aligner can write it and training can read it::

    {"s": ["a", "big", "dog"], "t": ["one", "large", "dog"],
     "links": [[0, 0], [1, 1], [2, 2]],
     "alignments": [[[1, 2], [1, 2]]],
     "s_phrases": [[1, 2], [2, 2]], "t_phrases": [[1, 2], [2, 2]]}

Words are counted from 0. **In the file the ends of spans are inclusive**, as published; in memory a span is
``(begin, end)`` as everywhere in Tenor, so that ``words[begin:end]`` are its words. ``links`` may be missing.
So may the lists of phrases: they are then the phrases of the alignments. Phrases may nest and overlap, as
constituents and n-grams do; a phrase or a phrase pair given twice counts once. Pairs without any alignment
are kept: they say something about whole texts.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from tenor.errors import TenorError
from tenor.text.examples import Origin
from tenor.text.lines import read_lines, readable
from tenor.text.opening import open_bytes
from tenor.text.problems import Problems
from tenor.text.sniff import Asked, sniff

Span = tuple[int, int]
SpanPair = tuple[Span, Span]
_LOOKED_AT = 20  # lines
NOWHERE = Origin("", 0)  # of pairs that were made, not read


@dataclass(frozen=True, slots=True)
class AlignedPair:
    """Two texts in words, with word links and phrase pairs; all spans are ``(begin, end)``.

    >>> pair = AlignedPair(("so", "what"), ("well", "then"), ((0, 0),), (((0, 2), (0, 2)),))
    >>> pair.to_line()[-79:]
    '"alignments": [[[0, 1], [0, 1]]], "s_phrases": [[0, 1]], "t_phrases": [[0, 1]]}'
    """

    first: tuple[str, ...]
    second: tuple[str, ...]
    links: tuple[tuple[int, int], ...] = ()
    alignments: tuple[SpanPair, ...] = ()
    first_phrases: tuple[Span, ...] | None = None  # None: those of the alignments
    second_phrases: tuple[Span, ...] | None = None
    origin: Origin = NOWHERE

    def __post_init__(self) -> None:
        for side, name in enumerate(("first_phrases", "second_phrases")):
            if getattr(self, name) is None:
                object.__setattr__(self, name, tuple(dict.fromkeys(pair[side] for pair in self.alignments)))

    @property
    def texts(self) -> tuple[str, str]:
        """Both texts, their words joined by spaces."""
        return " ".join(self.first), " ".join(self.second)

    @property
    def label(self) -> None:
        """There is none: both texts say the same."""

    @property
    def score(self) -> None:
        """There is none."""

    @property
    def phrases(self) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
        """The phrases of both texts, aligned or not."""
        return self.first_phrases or (), self.second_phrases or ()

    @property
    def unaligned(self) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
        """The phrases of both texts that are in no alignment."""
        first = {one for one, _ in self.alignments}
        second = {two for _, two in self.alignments}
        return (
            tuple(span for span in self.phrases[0] if span not in first),
            tuple(span for span in self.phrases[1] if span not in second),
        )

    def to_line(self, columns: Mapping[str, Any] | None = None) -> str:
        """Return the pair as one line of the format, with inclusive ends and no line feed.

        ``columns`` are further fields, put first; one with a name of the format is written as ``NAME_input``.
        """
        first, second = self.phrases
        record = {
            "s": self.first,
            "t": self.second,
            "links": self.links,
            "alignments": [(_inclusive(one), _inclusive(two)) for one, two in self.alignments],
            "s_phrases": [_inclusive(span) for span in first],
            "t_phrases": [_inclusive(span) for span in second],
        }
        kept = {(f"{name}_input" if name in record else name): cell for name, cell in (columns or {}).items()}
        return json.dumps(kept | record, ensure_ascii=False, default=str)


def read_alignments(
    path: str | Path, *, problems: Problems, with_links: bool = False
) -> Iterator[AlignedPair]:
    """Yield the pairs of a file one by one, packed with gzip or not; ``"-"`` is standard input.

    A line with anything wrong in it is reported whole to ``problems`` and left out: nothing of it is shifted
    or repaired. So is one without "links" where these are needed (``with_links``); an empty list says that
    there are none. A file without a single good line is refused.
    """
    with open_bytes(path) as opened:
        encoding = sniff(opened, Asked("jsonl")).encoding
        any_pair = False
        for number, line in read_lines(opened, encoding=encoding, problems=problems):
            if not line.strip():
                continue
            origin = Origin(opened.name, number)
            try:
                pair = parse_alignment(line, origin, with_links=with_links)
            except ValueError as error:
                problems.add(origin, f"{error}; line left out")
            else:
                any_pair = True
                yield pair
        if not any_pair:
            wrong = f" The first problem: {problems.first[0]}." if problems.first else ""
            raise TenorError(f"{opened.name} has no aligned pairs that could be read.{wrong}")


def holds_alignments(path: str | Path) -> bool:
    """Say whether a file has aligned pairs, by its first lines; one of them may be broken.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "a.jsonl"
    >>> _ = file.write_text('{"first": "a", "second": "b"}')
    >>> holds_alignments(file)
    False
    """
    with open_bytes(path) as opened:
        encoding = sniff(opened, Asked("jsonl")).encoding
        lines = read_lines(opened, encoding=encoding, problems=Problems())
        return any(_is_alignment(line) for _, line in islice(lines, _LOOKED_AT))


def _is_alignment(line: str) -> bool:
    try:
        record = _object(line)
    except ValueError:
        return False
    return all(isinstance(record.get(side), list) for side in ("s", "t"))


def parse_alignment(line: str, origin: Origin, *, with_links: bool = False) -> AlignedPair:
    """Read one line, or raise a ValueError that says what is wrong with it.

    >>> parse_alignment('{"s": ["a"], "t": ["b"], "alignments": [[[0, 0], [0, 1]]]}', Origin("x", 1))
    Traceback (most recent call last):
    ...
    ValueError: alignments[0]: the span [0, 1] goes beyond the 1 words of "t"
    """
    record = _object(line)
    if with_links and record.get("links") is None:
        raise ValueError('"links" is missing (an empty list for a pair without any)')
    sides = _words(record, "s"), _words(record, "t")
    sizes = len(sides[0]), len(sides[1])
    alignments = [
        _span_pair(value, sizes, f"alignments[{index}]")
        for index, value in enumerate(_list(record, "alignments"))
    ]
    phrases: list[tuple[Span, ...] | None] = []
    for side, (key, text) in enumerate((("s_phrases", "s"), ("t_phrases", "t"))):
        if record.get(key) is None:
            phrases.append(None)
            continue
        given = [_span(v, sizes[side], text, f"{key}[{n}]") for n, v in enumerate(_list(record, key))]
        phrases.append(_once([*given, *(pair[side] for pair in alignments)]))
    links = [_link(value, sizes, f"links[{index}]") for index, value in enumerate(_list(record, "links"))]
    return AlignedPair(*sides, _once(links), _once(alignments), phrases[0], phrases[1], origin)


def _object(line: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(f"not valid JSON ({error.msg.lower()}, column {error.colno})") from error
    except RecursionError as error:
        raise ValueError("JSON nested too deeply") from error
    if not isinstance(record, dict):
        raise ValueError('expected an object with "s", "t" and "alignments"')
    return record


def _words(record: dict[str, Any], key: str) -> tuple[str, ...]:
    words = record.get(key)
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise ValueError(f'"{key}" must be a list of words' if key in record else f'"{key}" is missing')
    if not words:
        raise ValueError(f'"{key}" has no words')
    if not all(word.strip() for word in words):
        raise ValueError(f'word {[bool(w.strip()) for w in words].index(False)} of "{key}" is empty')
    return tuple(map(readable, words))


def _list(record: dict[str, Any], key: str) -> list[Any]:
    value = record.get(key)
    if value is None:
        if key == "alignments":
            raise ValueError('"alignments" is missing (an empty list for a pair without any)')
        return []
    if not isinstance(value, list):
        raise ValueError(f'"{key}" must be a list')
    return value


def _span_pair(value: Any, sizes: tuple[int, int], where: str) -> SpanPair:
    if not isinstance(value, list) or len(value) != 2:
        raise ValueError(f"{where} must be two spans, [[j, k], [m, n]]")
    return _span(value[0], sizes[0], "s", where), _span(value[1], sizes[1], "t", where)


def _span(value: Any, size: int, text: str, where: str) -> Span:
    begin, last = _numbers(value, where, "a span [first word, last word]")
    shown = f"the span [{begin}, {last}]"
    if begin < 0 or last >= size:
        raise ValueError(f'{where}: {shown} goes beyond the {size} words of "{text}"')
    if last < begin:
        raise ValueError(f'{where}: {shown} of "{text}" is empty; the last word is included')
    return begin, last + 1


def _link(value: Any, sizes: tuple[int, int], where: str) -> tuple[int, int]:
    i, j = _numbers(value, where, "a link [word of s, word of t]")
    for position, size, text in ((i, sizes[0], "s"), (j, sizes[1], "t")):
        if not 0 <= position < size:
            raise ValueError(f'{where}: there is no word {position} among the {size} of "{text}"')
    return i, j


def _numbers(value: Any, where: str, what: str) -> tuple[int, int]:
    # bool is a subclass of int in Python, and no position of a word.
    if not isinstance(value, list) or len(value) != 2 or not all(type(number) is int for number in value):
        raise ValueError(f"{where} must be {what}, two whole numbers")
    return value[0], value[1]


def _once(items: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(items))


def _inclusive(span: Span) -> list[int]:
    return [span[0], span[1] - 1]
