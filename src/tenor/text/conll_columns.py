"""Which columns of a CoNLL file hold the words and the tags: those that are named, else found by content.

Words stand in the first column that neither numbers them nor holds tags of spans; tags in the last column,
or in another where that one alone holds tags of spans; of CoNLL-U, FORM and UPOS.
"""

import itertools
import re
from collections import Counter
from typing import NamedTuple

from tenor.errors import TenorError
from tenor.text.columns import resolve
from tenor.text.conll_layout import Layout, Line, sentence_lines
from tenor.text.tag_schemes import guess_scheme

Rows = list[list[str]]


class Places(NamedTuple):
    """The columns of word and tag; ``from_front`` where both were named, and not counted from the end."""

    word: int
    tag: int | None
    from_front: bool = False


def find_places(
    head: list[Line], layout: Layout, word: int | str | None, tag: int | str | None, *, file: str
) -> Places:
    """Resolve the named columns of word and tag, and find those that are not named."""
    rows = [cells for group in sentence_lines(head, layout, file) for _, cells in group]
    rows = [cells for cells in rows if len(cells) == layout.width]
    tag_at: int | None = _found_tag(layout, rows) if tag is None else _place(tag, layout, file)
    if layout.width == 1 and (tag is None or str(tag) == "-1"):
        tag_at = None
    word_at = _found_word(layout, rows, tag_at) if word is None else _place(word, layout, file)
    if tag_at == word_at:
        raise TenorError(f"{file}: word and tag are both column {word_at}; name two different columns.")
    _check_columns(rows, layout, word_at, tag_at, file)
    from_end = any(str(each).startswith("-") for each in (word, tag))
    return Places(word_at, tag_at, word is not None and tag is not None and not from_end)


def _found_tag(layout: Layout, rows: Rows) -> int:
    if "UPOS" in layout.names:
        return layout.names.index("UPOS")
    spans = [at for at in range(layout.width) if _is_spans(rows, at)]
    last = layout.width - 1
    return spans[0] if len(spans) == 1 and last not in spans else last


def _found_word(layout: Layout, rows: Rows, tag_at: int | None) -> int:
    if "FORM" in layout.names and layout.names.index("FORM") != tag_at:
        return layout.names.index("FORM")
    others = [at for at in range(layout.width) if at != tag_at]
    for at in others:
        if at != layout.id_at and not _numbers_words(rows, at) and not _is_spans(rows, at):
            return at
    return others[0] if others else 0


def _numbers_words(rows: Rows, at: int) -> bool:
    """Whether a column counts the words of each sentence."""
    cells = [row[at] for row in rows]
    counted = all(cell.isdecimal() for cell in cells) and len(cells) > 1
    return counted and all(int(b) in (0, 1, int(a) + 1) for a, b in itertools.pairwise(cells))


def _place(wanted: int | str, layout: Layout, file: str) -> int:
    name = str(wanted)
    if name not in layout.names and re.fullmatch(r"-[0-9]{1,9}", name) and -int(name) <= layout.width:
        return layout.width + int(name)
    return layout.names.index(resolve(name, layout.names, file))


def _check_columns(rows: Rows, layout: Layout, word_at: int, tag_at: int | None, file: str) -> None:
    """Refuse what is surely not meant: numbers for words, and columns of word and tag that are swapped."""
    if word_at == layout.id_at:
        raise TenorError(
            f"{file}: column {word_at} numbers the words. Name the columns of word and tag, such as FORM and "
            f"UPOS; there are: {', '.join(layout.names)}."
        )
    if tag_at is None or not _is_spans(rows, word_at) or _is_spans(rows, tag_at):
        return
    shown = next(cells[word_at] for cells in rows if cells[word_at][1:2] == "-")
    raise TenorError(
        f"{file}: column {word_at} holds tags such as {shown!r} where words were expected. "
        "Are the columns of word and tag swapped? Name both, counted from 0."
    )


def _is_spans(rows: Rows, at: int) -> bool:
    """Whether a column surely holds tags of spans: words such as "I" and "S-Bahn" alone do not tell."""
    cells = Counter(row[at] for row in rows)
    return "O" in cells and any(cell[1:2] == "-" for cell in cells) and guess_scheme(cells) != "plain"
