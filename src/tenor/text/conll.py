"""CoNLL column files: one word per line with its tags in further columns, a blank line between sentences.

Columns are separated by tabs, or by runs of spaces and tabs where most lines hold no tab. ``-DOCSTART-``
lines are passed over, and so are comments: lines that begin with ``# `` and do not have the columns of a
word, so that the word "#" with its tag stays a word. Of CoNLL-U, the lines of multiword tokens ("3-4") and
of empty nodes ("5.1") are passed over too. A sentence with a line that has other columns is reported and
left out.
"""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from tenor.errors import TenorError
from tenor.text.conll_columns import Places, find_places
from tenor.text.conll_layout import Group, Layout, Line, find_layout, sentence_lines
from tenor.text.examples import Origin, TaggedSentence
from tenor.text.lines import choose_encoding, read_lines
from tenor.text.opening import Opened, open_bytes
from tenor.text.problems import Problems

_HEAD_LINES = 2000  # to judge the columns by,
_HEAD_TEXT = 1 << 22  # or so many characters, whichever comes first
_EXPECTED = "one word per line with its tag in another column, and a blank line between sentences"


def read_conll(
    path: str | Path,
    *,
    word: int | str | None = None,
    tag: int | str | None = None,
    separator: str | None = None,
    encoding: str | None = None,
    problems: Problems,
) -> Iterator[TaggedSentence]:
    """Yield the sentences of a CoNLL file; a file with one column holds words without tags.

    Columns are given by their numbers from 0, from the end with -1, …, or by their names in CoNLL-U and in
    CoNLL-U Plus (``# global.columns = …``); those that are not given are found by content
    (``tenor.text.conll_columns``). Where both are given by numbers from 0 or names, sentences may have
    different numbers of columns.

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
    word: int | str | None = None,
    tag: int | str | None = None,
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
        raise _without_words(opened.name, head, problems)
    places = find_places(head, layout, word, tag, file=opened.name)
    any_sentence = False
    for group in sentence_lines(chain(head, lines), layout, opened.name):
        if (sentence := _sentence(group, layout, places, opened.name, problems)) is not None:
            any_sentence = True
            yield sentence
    if not any_sentence:
        raise nothing_read(opened.name, _EXPECTED, problems)


def nothing_read(name: str, expected: str, problems: Problems) -> TenorError:
    """Make the error of a file without any sentence, with the first of its problems."""
    return TenorError(
        f"{name} has no sentences that could be read.{problems.first_told()} Expected {expected}."
    )


def _take_head(lines: Iterator[Line]) -> list[Line]:
    head: list[Line] = []
    size = 0
    for number, text in lines:
        head.append((number, text))
        size += len(text)
        if len(head) >= _HEAD_LINES or size >= _HEAD_TEXT:
            break
    return head


def _without_words(name: str, head: list[Line], problems: Problems) -> TenorError:
    comments = sum(text.startswith("#") for _, text in head)
    if comments:
        return TenorError(f"{name} holds comments alone ({comments:,} lines with #). Expected {_EXPECTED}.")
    return nothing_read(name, _EXPECTED, problems)


def _sentence(
    group: Group, layout: Layout, places: Places, file: str, problems: Problems
) -> TaggedSentence | None:
    word_at, tag_at, from_front = places
    width = layout.width
    if from_front and len({len(cells) for _, cells in group}) == 1:
        # A column for each predicate, say: sentences may differ where the named columns stand in front.
        own = len(group[0][1])
        width = own if own > max(word_at, tag_at or 0) else width
    for number, cells in group:
        if (fault := _fault(cells, width, word_at, tag_at)) is not None:
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
