"""Does a file look like CoNLL columns? Judged by its first lines, for guessing what a file is for."""

from collections import Counter
from pathlib import Path

from tenor.errors import TenorError
from tenor.text.conll_layout import Layout, find_layout, sentence_lines
from tenor.text.header import is_number
from tenor.text.lines import choose_encoding, read_lines
from tenor.text.opening import Opened, open_bytes
from tenor.text.problems import Problems
from tenor.text.tag_schemes import guess_scheme

_LINES = 1000
_TEXT = 1 << 20  # characters
_REGULAR = 0.95  # of the lines have the same columns,
_REGULAR_BY_NAME = 0.5  # or so many where the file is called so: it is meant to be one, and has broken lines
_ENDINGS = (".conll", ".conllu", ".iob", ".bio", ".bioes")
_LONG_WORD = 25  # characters on average: longer cells are phrases or sentences
_LONGEST_WORD = 100  # what one word counts at the most: a long address among words is still a word
_LONG_TAG = 30
_MOST_TAGS = 200


def looks_like_conll(path: str | Path) -> bool:
    """Whether a file holds one word per line with a tag, by its content.

    Most lines have the same two or more columns, the words are short, and the last column holds tags: those
    of spans, parts of speech, or a few values that come again and again. Standard input is not looked at,
    since it can be read only once.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "a.txt"
    >>> _ = file.write_text("Ada B-PER\\nslept O\\n\\nRome B-LOC\\nburned O\\n")
    >>> looks_like_conll(file)
    True
    """
    if str(path) == "-":
        return False
    with open_bytes(path) as opened:
        try:
            lines = _first_lines(opened)
        except TenorError:  # it is not text
            return False
    layout = find_layout(lines)
    if layout.width < 2 or lines[0].lstrip().startswith(("{", "[{")):
        return False
    groups = list(sentence_lines(enumerate(lines, start=1), layout, str(path)))
    rows = [cells for group in groups for _, cells in group]
    regular = [cells for cells in rows if len(cells) == layout.width and all(cells)]
    named = str(path).lower().removesuffix(".gz").endswith(_ENDINGS)
    if len(regular) < max(2, (_REGULAR_BY_NAME if named else _REGULAR) * len(rows)):
        return False
    numbered = layout.id_at is not None  # CoNLL-U, or a file that names its columns
    return _short(regular, layout) and (numbered or _tagged(regular, len(groups) > 1))


def _first_lines(opened: Opened) -> list[str]:
    lines: list[str] = []
    size = 0
    for _, text in read_lines(opened, encoding=choose_encoding(opened), problems=Problems()):
        lines.append(text.removesuffix("\r"))
        size += len(text)
        if len(lines) >= _LINES or size >= _TEXT:
            break
    return lines


def _short(rows: list[list[str]], layout: Layout) -> bool:
    at = 0 if layout.id_at is None else min(layout.id_at + 1, layout.width - 1)
    words = [row[at] for row in rows]
    spaces = sum(word.count(" ") for word in words)
    lengths = [min(len(word), _LONGEST_WORD) for word in words]
    return sum(lengths) <= _LONG_WORD * len(words) and 2 * spaces <= len(words)


def _tagged(rows: list[list[str]], grouped: bool) -> bool:
    first, last = (Counter(row[at] for row in rows) for at in (0, -1))
    if "plain" not in (guess_scheme(first), guess_scheme(last)):
        return False  # two columns of tags, and no words
    if guess_scheme(first) != guess_scheme(last):
        # Texts that all begin with "I" begin with a word: tags of spans have types.
        return guess_scheme(first) == "plain" or any(len(cell) > 1 for cell in first)
    if not grouped or max(map(len, last)) > _LONG_TAG or sum(map(is_number, last)) > len(last) / 2:
        return False
    few = len(last) <= min(_MOST_TAGS, len(rows) / 4)
    return few or (_is_upper(last) and not _is_upper(first))


def _is_upper(cells: Counter[str]) -> bool:
    """Whether cells are written as parts of speech are: without any small letter."""
    return all(cell == cell.upper() for cell in cells) and any("A" <= cell[0] <= "Z" for cell in cells)
