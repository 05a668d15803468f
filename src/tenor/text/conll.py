"""CoNLL column files: one word per line with its tags in further columns, a blank line between sentences.

Columns are separated by tabs, or by runs of spaces and tabs where most lines hold no tab. ``-DOCSTART-``
lines are passed over, and so are comments: lines that begin with ``# `` and do not have the columns of a
word, so that the word "#" with its tag stays a word. Of CoNLL-U, the lines of multiword tokens ("3-4") and
of empty nodes ("5.1") are passed over too. A sentence with a line that has other columns is reported and
left out.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from tenor.errors import TenorError
from tenor.text.columns import resolve
from tenor.text.examples import Origin, TaggedSentence
from tenor.text.lines import choose_encoding, read_lines
from tenor.text.opening import Opened, open_bytes
from tenor.text.problems import Problems
from tenor.text.tag_schemes import guess_scheme

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
_HEAD_LINES = 2000  # to judge the columns by,
_HEAD_TEXT = 1 << 22  # or so many characters, whichever comes first
_EXPECTED = "one word per line with its tag in another column, and a blank line between sentences"
_LONGEST = 100_000  # words; more without a blank line are no sentence


@dataclass(frozen=True, slots=True)
class Layout:
    """How the lines of a file are split; ``separator`` is None for runs of spaces and tabs."""

    separator: str | None
    names: tuple[str, ...]

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
        return [cell.strip() for cell in line.split(self.separator)]

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


def read_conll(
    path: str | Path,
    *,
    word: int | str = 0,
    tag: int | str = -1,
    separator: str | None = None,
    encoding: str | None = None,
    problems: Problems,
) -> Iterator[TaggedSentence]:
    """Yield the sentences of a CoNLL file; a file with one column holds words without tags.

    Columns are given by their numbers from 0, from the end with -1, …, or by their names in CoNLL-U and in
    CoNLL-U Plus (``# global.columns = …``).

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "a.conll"
    >>> _ = file.write_text("Ada NNP B-PER\\nslept VBD O\\n\\nRome NNP B-LOC\\n")
    >>> [(sentence.words, sentence.tags) for sentence in read_conll(file, problems=Problems())]
    [(('Ada', 'slept'), ('B-PER', 'O')), (('Rome',), ('B-LOC',))]
    """
    with open_bytes(path) as opened:
        yield from conll_sentences(
            opened, word=word, tag=tag, separator=separator, encoding=encoding, problems=problems
        )


def conll_sentences(
    opened: Opened,
    *,
    word: int | str = 0,
    tag: int | str = -1,
    separator: str | None = None,
    encoding: str | None = None,
    problems: Problems,
) -> Iterator[TaggedSentence]:
    """Yield the sentences of an opened CoNLL file, as ``read_conll`` does."""
    if not opened.head:
        raise TenorError(f"{opened.name} is empty.")
    lines = read_lines(opened, encoding=choose_encoding(opened, encoding), problems=problems)
    head = _take_head(lines)
    layout = find_layout([text for _, text in head], separator)
    if not layout.width:
        raise nothing_read(opened.name, _EXPECTED, problems)
    word_at, tag_at = _places(layout, word, tag, opened.name)
    _check_columns(head, layout, word_at, tag_at, opened.name)
    any_sentence = False
    for group in sentence_lines(chain(head, lines), layout, opened.name):
        if (sentence := _sentence(group, layout, word_at, tag_at, opened.name, problems)) is not None:
            any_sentence = True
            yield sentence
    if not any_sentence:
        raise nothing_read(opened.name, _EXPECTED, problems)


def nothing_read(name: str, expected: str, problems: Problems) -> TenorError:
    """Make the error of a file without any sentence, with the first of its problems."""
    wrong = f" The first of {problems.count:,} problems: {problems.first[0]}." if problems.first else ""
    return TenorError(f"{name} has no sentences that could be read.{wrong} Expected {expected}.")


def _take_head(lines: Iterator[Line]) -> list[Line]:
    head: list[Line] = []
    size = 0
    for number, text in lines:
        head.append((number, text))
        size += len(text)
        if len(head) >= _HEAD_LINES or size >= _HEAD_TEXT:
            break
    return head


def find_layout(lines: Sequence[str], separator: str | None = None) -> Layout:
    """Find separator, width and names of the columns from the first lines of a file.

    >>> find_layout(["New York\\tB-LOC", "is\\tO"])
    Layout(separator='\\t', names=('0', '1'))
    """
    if separator is not None and (len(separator) != 1 or separator in "\r\n"):
        raise TenorError(f"A separator is one character such as a tab or a space, not {separator!r}.")
    filled = [line for line in lines if line.strip() and not line.startswith(_DOCSTART)]
    sample = [line for line in filled if not line.startswith("#")] or filled
    if separator is None and 2 * sum("\t" in line for line in sample) >= len(sample) > 0:
        separator = "\t"
    blank = Layout(None if separator == " " else separator, ())
    rows = [blank.split(line.removesuffix("\r")) for line in sample]
    widths = Counter(map(len, rows))
    width = max(widths, key=lambda width: (widths[width], width), default=0)
    return Layout(blank.separator, _names(lines, [row for row in rows if len(row) == width], width))


def _names(lines: Sequence[str], rows: list[list[str]], width: int) -> tuple[str, ...]:
    header = _GLOBAL_COLUMNS.match(lines[0]) if lines else None
    names = tuple(header[1].split()) if header else ()
    if len(names) == width and len(set(names)) == width:
        return names
    if width == len(_CONLLU) and all(_NUMBER_OR_RANGE.fullmatch(row[0]) for row in rows):
        return _CONLLU
    return tuple(map(str, range(width)))


def _places(layout: Layout, word: int | str, tag: int | str, file: str) -> tuple[int, int | None]:
    word_at = _place(word, layout, file)
    if layout.width == 1 and str(tag) == "-1":
        return word_at, None
    tag_at = _place(tag, layout, file)
    if tag_at == word_at:
        raise TenorError(f"{file}: word and tag are both column {word_at}; name two different columns.")
    return word_at, tag_at


def _place(wanted: int | str, layout: Layout, file: str) -> int:
    name = str(wanted)
    if name not in layout.names and re.fullmatch(r"-[0-9]{1,9}", name) and -int(name) <= layout.width:
        return layout.width + int(name)
    return layout.names.index(resolve(name, layout.names, file))


def _check_columns(head: list[Line], layout: Layout, word_at: int, tag_at: int | None, file: str) -> None:
    """Refuse what is surely not meant: numbers for words, and columns of word and tag that are swapped."""
    if word_at == layout.id_at:
        raise TenorError(
            f"{file}: column {word_at} numbers the words. Name the columns of word and tag, such as FORM and "
            f"UPOS; there are: {', '.join(layout.names)}."
        )
    rows = [cells for group in sentence_lines(head, layout, file) for _, cells in group]
    rows = [cells for cells in rows if len(cells) == layout.width]
    if tag_at is None or not _is_spans(rows, word_at) or _is_spans(rows, tag_at):
        return
    shown = next(cells[word_at] for cells in rows if cells[word_at][1:2] == "-")
    raise TenorError(
        f"{file}: column {word_at} holds tags such as {shown!r} where words were expected. "
        "Are the columns of word and tag swapped? Name both, counted from 0."
    )


def _is_spans(rows: list[list[str]], at: int) -> bool:
    """Whether a column surely holds tags of spans: words such as "I" and "S-Bahn" alone do not tell."""
    cells = Counter(row[at] for row in rows)
    return "O" in cells and any(cell[1:2] == "-" for cell in cells) and guess_scheme(cells) != "plain"


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


def _sentence(
    group: Group, layout: Layout, word_at: int, tag_at: int | None, file: str, problems: Problems
) -> TaggedSentence | None:
    for number, cells in group:
        if (fault := _fault(cells, layout.width, word_at, tag_at)) is not None:
            problems.add(Origin(file, number), f"{fault}; its sentence is left out")
            return None
    words = tuple(cells[word_at] for _, cells in group)
    tags = None if tag_at is None else tuple(cells[tag_at] for _, cells in group)
    return TaggedSentence(words, Origin(file, group[0][0]), tags)


def _fault(cells: list[str], width: int, word_at: int, tag_at: int | None) -> str | None:
    if len(cells) != width:
        columns = "1 column" if len(cells) == 1 else f"{len(cells)} columns"
        return f"the line has {columns} where the others have {width}"
    if not cells[word_at]:
        return f"the word (column {word_at}) is empty"
    if tag_at is not None and not cells[tag_at]:
        return f"the tag (column {tag_at}) is empty"
    return None
