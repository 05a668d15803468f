"""CoNLL-U files read for their trees: the head of each word and its relation to it.

Ten columns separated by tabs, a blank line between sentences; multiword tokens ("3-4"), empty nodes ("5.1")
and comments are passed over. A sentence whose heads are no tree with one root is reported and left out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tenor.text.examples import Origin, TaggedSentence
from tenor.text.lines import choose_encoding, read_lines
from tenor.text.opening import open_bytes
from tenor.text.problems import Problems

_COLUMNS, _NUMBER, _FORM, _HEAD, _RELATION = 10, 0, 1, 6, 7
_DIGITS = 10  # of a head: no sentence has so many words


@dataclass(frozen=True, slots=True)
class ParsedSentence(TaggedSentence):
    """The words of a sentence, the head of each (from 1; 0 is the root) and, as its tag, its relation.

    >>> ParsedSentence(("Ada", "slept"), Origin("a.conllu", 1), ("nsubj", "root"), (2, 0)).heads
    (2, 0)
    """

    heads: tuple[int, ...] | None = None


def read_trees(path: str | Path, *, problems: Problems) -> Iterator[ParsedSentence]:
    """Yield the parsed sentences of a CoNLL-U file."""
    with open_bytes(path) as opened:
        rows: list[tuple[int, list[str]]] = []
        for number, line in read_lines(opened, encoding=choose_encoding(opened), problems=problems):
            if line.strip():
                if not line.startswith("#"):
                    rows.append((number, line.rstrip("\r\n").split("\t")))
                continue
            yield from _sentence(rows, opened.name, problems)
            rows = []
        yield from _sentence(rows, opened.name, problems)


def _sentence(rows: list[tuple[int, list[str]]], file: str, problems: Problems) -> Iterator[ParsedSentence]:
    if not rows:
        return
    origin = Origin(file, rows[0][0])
    for number, cells in rows:
        if len(cells) != _COLUMNS:
            found = f"{len(cells)} columns, where CoNLL-U has {_COLUMNS}, separated by tabs"
            problems.add(Origin(file, number), f"the line has {found}; the sentence is left out")
            return
    words = [(number, cells) for number, cells in rows if cells[_NUMBER].isdigit()]
    for position, (number, cells) in enumerate(words, start=1):
        if cells[_NUMBER] != str(position):
            # Heads name words by their ids: where these leave one out, nobody knows what a head means.
            found = f"the id is {cells[_NUMBER][:20]!r}, but it is word {position} of its sentence"
            problems.add(Origin(file, number), f"{found}; the sentence is left out")
            return
        if not (cells[_HEAD].isascii() and cells[_HEAD].isdigit() and len(cells[_HEAD]) < _DIGITS):
            found = f"the head is {cells[_HEAD][:20]!r}, not a number"
            problems.add(Origin(file, number), f"{found}; the sentence is left out")
            return
    if not words:
        return
    heads = tuple(int(cells[_HEAD]) for _, cells in words)
    if (wrong := why_no_tree(heads)) is not None:
        problems.add(origin, f"{wrong}; the sentence is left out")
        return
    forms, relations = (tuple(cells[at] for _, cells in words) for at in (_FORM, _RELATION))
    yield ParsedSentence(forms, origin, relations, heads)


def why_no_tree(heads: Sequence[int]) -> str | None:
    """Say why heads (from 1; 0 is the root) are no tree with one root; None where they are.

    >>> why_no_tree([2, 0, 2]), why_no_tree([2, 1])
    (None, 'no word is the root')
    """
    if any(not 0 <= head <= len(heads) for head in heads):
        return f"a head is {max(heads)}, but the sentence has {len(heads)} words"
    if heads and heads.count(0) != 1:
        return f"{heads.count(0)} words are roots" if 0 in heads else "no word is the root"
    reached = [0] * (len(heads) + 1)  # from which word on the way to the root each was met first
    for word in range(1, len(heads) + 1):
        at = word
        while at and not reached[at]:
            reached[at] = word
            at = heads[at - 1]
        if at and reached[at] == word:
            return f"the heads go round in a circle at word {at}"
    return None
