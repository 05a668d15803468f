"""Sentences with a tag per word, recognised by content.

CoNLL columns and CoNLL-U (``tenor.text.conll``), TimeML, CCGbank, and lines of JSON that hold the words and
the tags of one sentence, as datasets of Hugging Face are written out (``{"tokens": ["Ada", "slept"],
"ner_tags": ["B-PER", "O"]}``), or a text and its spans of characters (``tenor.text.span_jsonl``).
"""

import json
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from tenor.errors import TenorError
from tenor.text.ccg import looks_like_ccg, read_ccg
from tenor.text.columns import column_names, resolve, take_head
from tenor.text.conll import conll_sentences, nothing_read
from tenor.text.conll_sniff import looks_like_conll
from tenor.text.examples import Row, TaggedSentence
from tenor.text.jsonl import jsonl_rows
from tenor.text.lines import UNREADABLE, choose_encoding, read_lines
from tenor.text.opening import Opened, open_bytes
from tenor.text.problems import Problems
from tenor.text.span_jsonl import SPAN_FIELDS, holds_spans, span_field, span_sentences
from tenor.text.timeml import read_timeml, timeml_sentences

WORD_FIELDS = ("tokens", "words")
TAG_FIELDS = ("tags", "ner_tags", "labels", "pos_tags")
_LINES = 20  # of JSON to judge by
_HEAD = 1 << 16  # bytes to judge a format by
_EXPECTED = 'objects such as {"tokens": ["Ada", "slept"], "tags": ["B-PER", "O"]}, one on each line'


def read_tagged(
    path: str | Path,
    *,
    word: int | str | None = None,
    tag: int | str | None = None,
    separator: str | None = None,
    encoding: str | None = None,
    problems: Problems,
) -> Iterator[TaggedSentence]:
    """Yield the sentences of a file of tagged words, whichever its format.

    ``word`` and ``tag`` are columns of CoNLL (found by content when None) or fields of JSON (by
    default the first known names that occur); without a tag field, sentences have no tags. Of TimeML, ``tag``
    names the element that is tagged, by default TIMEX3.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "a.jsonl"
    >>> _ = file.write_text('{"tokens": ["Ada", "slept"], "tags": ["B-PER", "O"]}')
    >>> next(read_tagged(file, problems=Problems())).tags
    ('B-PER', 'O')
    """
    with open_bytes(path) as opened:
        if opened.head and _is_jsonl(opened, choose_encoding(opened, encoding)):
            yield from _jsonl_sentences(opened, word, tag, encoding, problems)
            return
        if (other := other_format(opened)) is not None:
            yield from _READERS[other](path, tag, problems)
            return
        yield from conll_sentences(
            opened,
            word=word,
            tag=tag,
            separator=separator,
            encoding=encoding,
            problems=problems,
        )


def other_format(opened: Opened) -> str | None:
    """Name the format of a file that is neither columns nor JSON, by its first lines; None for columns."""
    text = opened.head[:_HEAD].decode("utf-8", errors="replace").lstrip("\ufeff \t\r\n")
    if text.startswith("<") and "<TimeML" in text:
        return "timeml"
    lines = text.split("\n")
    return "ccg" if looks_like_ccg(lines[:20] if len(lines) < 20 else lines[:-1][:20]) else None


def looks_like_words(path: str | Path) -> bool:
    """Whether a file holds words, and no texts: columns, TimeML or CCGbank, by its content."""
    if str(path) == "-":
        return False
    with open_bytes(path) as opened:
        if opened.head and _encoding(opened) is not None and other_format(opened) is not None:
            return True
    return looks_like_conll(path)


def looks_tagged(path: str | Path) -> bool:
    """Whether a file holds tagged words, or texts with spans, in any format that is recognised by content."""
    if str(path) == "-":
        return False
    with open_bytes(path) as opened:
        encoding = _encoding(opened)
        if encoding is not None and opened.head and _is_jsonl(opened, encoding):
            return _are_tagged_rows(opened.head.decode(encoding, errors="replace").lstrip("\ufeff \t\r\n"))
    return looks_like_words(path)


def _encoding(opened: Opened) -> str | None:
    """Return the encoding of a file, None where it is not text."""
    try:
        return choose_encoding(opened)
    except TenorError:
        return None


def _are_tagged_rows(text: str) -> bool:
    """Whether the first line is one of tagged words, or at least half of the first: some may be broken."""
    first = [line for line in text.split("\n")[:_LINES] if line.strip()]
    tagged = [_is_tagged_row(line) for line in first]
    return tagged[0] or 2 * sum(tagged) >= len(tagged)


def _is_tagged_row(line: str) -> bool:
    """Whether a line of JSON holds words with as many tags, or a text with spans."""
    row = _parsed(line)
    if not isinstance(row, dict):
        return False
    words, tags = (next((row[n] for n in names if n in row), None) for names in (WORD_FIELDS, TAG_FIELDS))
    if isinstance(words, list) and isinstance(tags, list):
        return len(words) == len(tags)
    return isinstance(row.get("text"), str) and any(holds_spans(row.get(name)) for name in SPAN_FIELDS)


def _timeml(path: str | Path, tag: int | str | None, problems: Problems) -> Iterator[TaggedSentence]:
    element = "TIMEX3" if tag is None else str(tag)
    return timeml_sentences(read_timeml(path), file=str(path), element=element, problems=problems)


def _ccg(path: str | Path, tag: int | str | None, problems: Problems) -> Iterator[TaggedSentence]:
    return read_ccg(path, problems=problems)


_READERS = {"timeml": _timeml, "ccg": _ccg}


def _is_jsonl(opened: Opened, encoding: str) -> bool:
    """Whether the first line is an object, or begins as one in a file that is named so."""
    try:
        text = opened.head.decode(encoding, errors="replace").lstrip("\ufeff \t\r\n")
    except UnicodeError:
        return False
    if not text.startswith("{"):
        return False
    named = opened.name.lower().removesuffix(".gz").endswith((".jsonl", ".ndjson"))
    return named or isinstance(_parsed(text.split("\n", 1)[0]), dict)


def _jsonl_sentences(
    opened: Opened, word: int | str | None, tag: int | str | None, encoding: str | None, problems: Problems
) -> Iterator[TaggedSentence]:
    lines = read_lines(opened, encoding=choose_encoding(opened, encoding), problems=problems)
    rows = jsonl_rows(lines, file=opened.name, problems=problems)
    head = take_head(rows)
    if not head:
        raise nothing_read(opened.name, _EXPECTED, problems)
    if word is None and (spans := span_field(head[0].values)) is not None:
        yield from span_sentences(chain(head, rows), spans, problems)
        return
    word_at, tag_at = _fields(column_names(head), word, tag, opened.name)
    any_sentence = False
    for row in chain(head, rows):
        if (sentence := _sentence(row, word_at, tag_at, problems)) is not None:
            any_sentence = True
            yield sentence
    if not any_sentence:
        raise nothing_read(opened.name, _EXPECTED, problems)


def _fields(
    names: Sequence[str], word: int | str | None, tag: int | str | None, file: str
) -> tuple[str, str | None]:
    word_at = _known(WORD_FIELDS, names) if word is None else resolve(word, names, file)
    if word_at is None:
        raise TenorError(
            f"{file} has no field {' or '.join(map(repr, WORD_FIELDS))} with a list of words. "
            f"Name the field; there are: {', '.join(names[:20])}."
        )
    return word_at, _known(TAG_FIELDS, names) if tag is None else resolve(tag, names, file)


def _known(known: Sequence[str], names: Sequence[str]) -> str | None:
    return next((name for name in known if name in names), None)


def _sentence(row: Row, word_at: str, tag_at: str | None, problems: Problems) -> TaggedSentence | None:
    words = _parsed(row.values.get(word_at, ""))
    tags = None if tag_at is None else _parsed(row.values.get(tag_at, ""))
    if tag_at is not None:
        _refuse_numbers(tags, tag_at, row)
    fault = _fault(words, f"words ({word_at})")
    if fault is None and tag_at is not None:
        fault = _fault(tags, f"tags ({tag_at})") or _unequal(words, tags)
    if fault is not None:
        problems.add(row.origin, f"{fault}; line left out")
        return None
    if any("\0" in word for word in words):
        problems.add(row.origin, "a NUL character in a word")
        words = [word.replace("\0", UNREADABLE) for word in words]
    stripped = None if tags is None else tuple(tag.strip() for tag in tags)
    return TaggedSentence(tuple(words), row.origin, stripped)


def _parsed(cell: str) -> Any:
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        return None


def _refuse_numbers(tags: Any, tag_at: str, row: Row) -> None:
    if isinstance(tags, list) and any(type(tag) is int for tag in tags):
        shown = ", ".join(map(str, tags[:5]))
        raise TenorError(
            f"{row.origin}: the tags ({tag_at}) are numbers ({shown}) where names such as B-PER were "
            f"expected. Write their names instead; a dataset of Hugging Face lists them as "
            f"features[{tag_at!r}].feature.names."
        )


def _fault(values: Any, what: str) -> str | None:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        return f"the {what} are not a list of texts"
    if not values:
        return f"the {what} are none"
    return None if all(value.strip() for value in values) else f"one of the {what} is empty"


def _unequal(words: Any, tags: Any) -> str | None:
    return None if len(words) == len(tags) else f"{len(words):,} words but {len(tags):,} tags"
