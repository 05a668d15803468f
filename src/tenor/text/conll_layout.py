"""How the lines of a CoNLL file are split into columns and sentences, judged by its first lines."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tenor.entities import is_span_tag
from tenor.errors import TenorError

Line = tuple[int, str]
Group = list[tuple[int, list[str]]]  # the numbered lines of a sentence, split into columns

_DOCSTART = "-DOCSTART-"
_CONLLU = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
_GLOBAL_COLUMNS = re.compile(r"#\s*global\.columns\s*=\s*(\S.*)")
_METADATA = re.compile(r"# ?[\w.:-]+ = ")
_DOCUMENT = re.compile(r"#(begin|end) document\b")  # of CoNLL-2012
_NUMBER = re.compile(r"\d+")
_NUMBER_OR_RANGE = re.compile(r"\d+([-.]\d+)?")
_BLANKS = re.compile(r"[ \t]+")  # not every white space: a no-break space belongs to its word
_LONGEST = 100_000  # words; more without a blank line are no sentence


@dataclass(frozen=True, slots=True)
class Layout:
    """How the lines of a file are split; ``separator`` is None for runs of spaces and tabs."""

    separator: str | None
    names: tuple[str, ...]
    loose: bool = field(default=False, repr=False, compare=False)
    """Whether a line without the right number of tabs may be split at spaces instead."""

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.names)

    @property
    def id_at(self) -> int | None:
        """The column that numbers the words, as in CoNLL-U, if there is one."""
        return self.names.index("ID") if "ID" in self.names else None

    def split(self, line: str) -> list[str]:
        """Split a line into its cells."""
        if self.separator is None:
            return _BLANKS.split(line.strip(" \t"))
        cells = [cell.strip() for cell in line.split(self.separator)]
        if self.loose and len(cells) != self.width:
            blank = _BLANKS.split(line.strip(" \t"))
            return blank if len(blank) == self.width else cells
        return cells

    def is_word(self, line: str, cells: list[str], first: bool) -> bool:
        """Whether a line is that of a word, and no comment; ``first`` in its sentence."""
        surplus = len(cells) - self.width
        if line.startswith("#") and (surplus or self.separator is None) and _is_comment(line, surplus, first):
            return False
        at = self.id_at
        return at is None or len(cells) != self.width or not _is_extra(cells[at])


def _is_comment(line: str, surplus: int, first: bool) -> bool:
    """Judge a line that begins with "#" by its columns; ``surplus`` over those of a word."""
    if _DOCUMENT.match(line) or (first and _METADATA.match(line)):
        return True
    return line.startswith(("# ", "#\t")) and (surplus < 0 or (surplus > 0 and first))


def _is_extra(number: str) -> bool:
    return _NUMBER_OR_RANGE.fullmatch(number) is not None and _NUMBER.fullmatch(number) is None


def find_layout(lines: Sequence[str], separator: str | None = None) -> Layout:
    """Find separator, width and names of the columns from the first lines of a file.

    >>> find_layout(["New York\\tB-LOC", "is\\tO"])
    Layout(separator='\\t', names=('0', '1'))
    """
    if separator is not None and (len(separator) != 1 or separator in "\r\n"):
        raise TenorError(f"A separator is one character such as a tab or a space, not {separator!r}.")
    filled = [line for line in lines if line.strip() and not line.startswith(_DOCSTART)]
    sample = [line for line in filled if not line.startswith("#")] or _words_of_hashes(filled)
    loose = separator is None
    if separator is None and 2 * sum("\t" in line for line in sample) >= len(sample) > 0:
        separator = "\t"
    blank = Layout(None if separator == " " else separator, ())
    rows = [blank.split(line.removesuffix("\r")) for line in sample]
    widths = Counter(map(len, rows))
    width = max(widths, key=lambda width: (widths[width], width), default=0)
    names = _names(lines, [row for row in rows if len(row) == width], width)
    return Layout(blank.separator, names, loose and width > 1)


def _names(lines: Sequence[str], rows: list[list[str]], width: int) -> tuple[str, ...]:
    header = _GLOBAL_COLUMNS.match(lines[0]) if lines else None
    names = tuple(header[1].split()) if header else ()
    if len(names) == width and len(set(names)) == width:
        return names
    if width == len(_CONLLU) and all(_NUMBER_OR_RANGE.fullmatch(row[0]) for row in rows):
        return _CONLLU
    return tuple(map(str, range(width)))


def _words_of_hashes(lines: list[str]) -> list[str]:
    """Return lines that all begin with "#" where they are words with tags of spans, else none: comments."""
    cells = [_BLANKS.split(line.strip()) for line in lines]
    return lines if all(len(row) == 2 and is_span_tag(row[1]) for row in cells) else []


def sentence_lines(lines: Iterable[Line], layout: Layout, file: str) -> Iterator[Group]:
    """Yield the lines of each sentence; comments and what separates sentences are passed over."""
    group: Group = []
    for number, text in lines:
        line = text.removesuffix("\r")
        if not line.strip() or line.startswith(_DOCSTART):
            if group:
                yield group
            group = []
            continue
        cells = layout.split(line)
        if layout.is_word(line, cells, not group):
            group.append((number, cells))
        if len(group) > _LONGEST:
            raise TenorError(
                f"{file}:{group[0][0]}: more than {_LONGEST:,} lines without a blank line between them. "
                "A blank line was expected behind each sentence."
            )
    if group:
        yield group
