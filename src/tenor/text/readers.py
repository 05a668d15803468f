"""Reading text from files: rows, single texts, pairs; streaming, whatever the size of the file.

CSV, TSV, JSON lines and arrays, Parquet, Excel and plain lines are recognised by content and name, gzip is
unpacked on the way, and ``"-"`` is standard input. Nothing that is wrong with a row passes silently: it goes
to the given ``Problems``, which count it or stop there.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, Literal, TypeVar

from tenor.errors import TenorError
from tenor.text.columns import column_names, guess_roles, resolve, resolve_all, take_head
from tenor.text.delimited import delimited_rows
from tenor.text.examples import Origin, Pair, Row, Sentence
from tenor.text.excel import excel_rows
from tenor.text.header import as_number, is_number
from tenor.text.json_array import json_array_rows
from tenor.text.jsonl import as_text, flat, jsonl_rows
from tenor.text.lines import read_lines
from tenor.text.opening import STDIN, Opened, open_bytes
from tenor.text.parquet import parquet_rows
from tenor.text.problems import Problems
from tenor.text.sniff import Asked, Format, Kind, sniff

Item = TypeVar("Item")
LABELS = "|"
"""What separates the labels of an array."""
PAIR_ROLES = ("first", "second", "label", "score")


def find_format(path: str | Path, asked: Asked | None = None) -> Format:
    """Find out what kind of file this is, without reading further than its head."""
    with open_bytes(path) as opened:
        return sniff(opened, asked)


def read_rows(
    path: str | Path,
    *,
    format: Kind | None = None,
    delimiter: str | None = None,
    quote: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    named: Collection[str] = (),
    problems: Problems,
) -> Iterator[Row]:
    """Yield the rows of a file; what is left as None is found out from its content.

    ``named`` are names of columns by which a header is known, whatever it looks like.
    Plain lines have the single column "0", and every line is a row, also a blank one.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "films.csv"
    >>> _ = file.write_text('text,mood\\n"Fine, really.",4\\nDull.,1\\n')
    >>> [dict(row.values) for row in read_rows(file, problems=Problems())]
    [{'text': 'Fine, really.', 'mood': '4'}, {'text': 'Dull.', 'mood': '1'}]
    """
    asked = Asked(format, delimiter, quote, header, encoding)
    return _rows(path, asked, problems, named)


def _rows(path: str | Path, asked: Asked, problems: Problems, named: Collection[str] = ()) -> Iterator[Row]:
    with open_bytes(path) as opened:
        found = sniff(opened, asked, named=named)
        any_row = False
        for row in _rows_of(path, opened, found, problems, header=asked.header, named=named):
            any_row = True
            yield row
        if not any_row:
            if found.layout is not None and found.layout.names is not None and not problems.count:
                raise TenorError(f"{opened.name} has a header, but no rows below it.")
            raise TenorError(_nothing(opened.name, "rows", problems))


def _rows_of(
    path: str | Path,
    opened: Opened,
    found: Format,
    problems: Problems,
    *,
    header: bool | None,
    named: Collection[str],
) -> Iterator[Row]:
    if found.kind in ("parquet", "xlsx"):
        if opened.name == STDIN:
            what = "Parquet" if found.kind == "parquet" else "An Excel file"
            raise TenorError(f"{what} cannot be read from standard input; give the file's name.")
        if found.kind == "xlsx":
            return excel_rows(str(path), header=header, named=named, problems=problems)
        return parquet_rows(str(path), problems=problems)
    if found.kind == "json":
        return json_array_rows(opened, encoding=found.encoding, problems=problems)
    lines = read_lines(opened, encoding=found.encoding, problems=problems)
    if found.kind == "jsonl":
        return jsonl_rows(lines, file=opened.name, problems=problems)
    if found.layout is not None:
        return delimited_rows(lines, found.layout, file=opened.name, problems=problems)
    return (Row({"0": text.removesuffix("\r")}, Origin(opened.name, number)) for number, text in lines)


def _nothing(name: str, what: str, problems: Problems) -> str:
    return f"{name} has no {what} that could be read.{problems.first_told()}"


def read_texts(
    path: str | Path,
    *,
    column: str | int | None = None,
    label: str | int | None = None,
    unlabelled: Literal["skip", "keep"] = "skip",
    empty: Literal["skip", "keep"] = "skip",
    rows: bool = False,
    format: Kind | None = None,
    delimiter: str | None = None,
    quote: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    problems: Problems,
) -> Iterator[Sentence]:
    """Yield the texts of one column, with their labels where a label column is named.

    The column is found by content when only one can be meant. Empty texts are reported in any case, and
    left out unless ``empty="keep"``, which keeps texts and rows in step; a file with no other is refused.
    With ``rows`` every text has its whole row with it.
    With ``unlabelled="keep"`` an empty label says that none holds.
    """
    asked = Asked(format, delimiter, quote, header, encoding)
    head, found = _peek(path, asked, problems, (column, label))
    columns = column_names(head)
    file = _shown(path)
    text_at = resolve(column, columns, file) if column is not None else _text_column(head, columns, file)
    label_at = None if label is None else resolve(label, columns, file)
    _refuse_lists(head, text_at, file)
    sentences = _sentences(
        found,
        text_at,
        label_at,
        keep=empty == "keep",
        unlabelled=unlabelled == "keep",
        rows=rows,
        problems=problems,
    )
    return _nonempty(sentences, file, "texts", problems)


def _refuse_lists(head: list[Row], column: str, file: str) -> None:
    """Refuse a column of arrays: as JSON, brackets and quotes would count as text."""
    lists = sum(holds_array(row, column) for row in head)
    if lists > len(head) / 2:
        raise TenorError(f"{file}: the column {column!r} holds arrays, where a text was expected.")


def holds_array(row: Row, column: str) -> bool:
    """Whether the file has an array in a column of a row, as JSON may."""
    return isinstance(_original(row, column), list)


def _original(row: Row, column: str) -> Any:
    """Return the value of a column as the file has it, also inside objects."""
    return flat(row.original or {}).get(column)


def _sentences(
    found: Iterator[Row],
    text_at: str,
    label_at: str | None,
    *,
    keep: bool,
    unlabelled: bool,
    rows: bool,
    problems: Problems,
) -> Iterator[Sentence]:
    for row in found:
        if row.original is not None and isinstance(row.original.get(text_at), list):
            problems.add(row.origin, "an array where a text was expected; read as an empty text")
            row = replace(row, values={**row.values, text_at: ""}, reported=True)
        roles = {"text": text_at} if label_at is None else {"text": text_at, "label": label_at}
        if label_at is not None and row.original is not None:
            row = _with_joined_labels(row, label_at)
        if unlabelled and label_at is not None and not row.values.get(label_at, "?").strip():
            roles = {"text": text_at}
            if (text := _filled(row, roles, problems, left_out=not keep).get("text")) is not None or keep:
                yield Sentence(text or "", row.origin, "", row=row if rows else None)
            continue
        filled = _filled(row, roles, problems, left_out=not keep)
        if ("text" in filled or keep) and ("label" in filled or label_at is None):
            label = None if label_at is None else filled["label"].strip()
            yield Sentence(filled.get("text", ""), row.origin, label, row=row if rows else None)


def _with_joined_labels(row: Row, column: str) -> Row:
    if column not in row.values:
        return row
    return replace(row, values={**row.values, column: label_of(row, column)})


def label_of(row: Row, column: str) -> str:
    """Return the label of a row; several labels in an array, as JSON has them, are separated by "|"."""
    value = _original(row, column)
    if isinstance(value, list) and not any(isinstance(each, list | dict) for each in value):
        return LABELS.join(as_text(each).strip() for each in value)
    return row.values.get(column, "")


def _text_column(head: list[Row], columns: list[str], file: str) -> str:
    if len(columns) == 1:
        return columns[0]
    roles = guess_roles(head)
    if roles.text is not None:
        return roles.text
    found = f"could be {' or '.join(map(repr, roles.texts))}" if roles.texts else "was not found"
    raise TenorError(
        f"{file}: the column with the text {found}. Name the column; there are: {', '.join(columns[:20])}."
    )


def read_pairs(
    path: str | Path,
    *,
    columns: Mapping[str, str | int] | None = None,
    rows: bool = False,
    format: Kind | None = None,
    delimiter: str | None = None,
    quote: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    problems: Problems,
) -> Iterator[Pair]:
    """Yield pairs of texts; ``columns`` maps first, second and perhaps label and score to columns.

    Pairs without a label or score that was asked for are reported and left out. Without ``columns`` the two
    texts, label and score are found by content, and a missing label or score is None. With ``rows`` every
    pair has its whole row with it.
    """
    if columns is not None:
        _check_roles(columns)
    asked = Asked(format, delimiter, quote, header, encoding)
    head, read = _peek(path, asked, problems, (columns or {}).values())
    file = _shown(path)
    names = column_names(head)
    found = _pair_columns(head, names, file) if columns is None else resolve_all(columns, names, file)
    pairs = _pairs(read, found, guessed=columns is None, rows=rows, problems=problems)
    return _nonempty(pairs, file, "pairs", problems)


def _check_roles(columns: Mapping[str, str | int]) -> None:
    unknown = [role for role in columns if role not in PAIR_ROLES]
    missing = [role for role in PAIR_ROLES[:2] if role not in columns]
    if unknown or missing:
        wrong = f"{unknown[0]!r} is not one of them" if unknown else f"{missing[0]!r} is missing"
        raise TenorError(f"The columns of pairs are first, second and perhaps label and score; {wrong}.")


def _pair_columns(head: list[Row], names: list[str], file: str) -> dict[str, str]:
    roles = guess_roles(head)
    only = len(names) == 2 and roles.label is None and roles.score is None
    pair = roles.pair or ((names[0], names[1]) if only else None)
    if len(names) == 1:
        raise TenorError(f"{file} has one text in a row, where pairs are expected: two, separated by a tab.")
    if pair is None:
        shown = ", ".join(names[:20])
        raise TenorError(
            f"{file}: the columns with the two texts were not found. Name both; there are: {shown}."
        )
    found = {"first": pair[0], "second": pair[1], "label": roles.label, "score": roles.score}
    return {role: name for role, name in found.items() if name is not None}


def _pairs(
    read: Iterator[Row], at: dict[str, str], *, guessed: bool, rows: bool, problems: Problems
) -> Iterator[Pair]:
    for row in read:
        filled = _filled(row, {"first text": at["first"], "second text": at["second"]}, problems)
        if len(filled) < 2:
            continue
        label, score = (
            row.values.get(at.get("label", ""), ""),
            row.values.get(at.get("score", ""), "").strip(),
        )
        if not guessed and not _has_target(row, at, label, score, problems):
            continue
        known = as_number(score)
        if known is not None and not is_number(score):
            problems.note(f"{row.origin.file}: scores are read with a decimal comma (3,8 is 3.8).")
        texts = filled["first text"], filled["second text"]
        yield Pair(*texts, row.origin, label.strip() or None, known, row=row if rows else None)


def _has_target(row: Row, at: dict[str, str], label: str, score: str, problems: Problems) -> bool:
    if "label" in at and not label.strip():
        problems.add_row(row, f"the label ({at['label']}) is empty; row left out")
        return False
    if "score" in at and as_number(score) is None:
        what = "empty" if not score else f"not a number ({score[:40]!r})"
        problems.add_row(row, f"the score ({at['score']}) is {what}; row left out")
        return False
    return True


def _filled(row: Row, at: Mapping[str, str], problems: Problems, *, left_out: bool = True) -> dict[str, str]:
    """Return the cells that hold something, as they stand; all that do not are one problem of the row."""
    filled = {role: text for role, name in at.items() if (text := row.values.get(name, "")).strip()}
    if len(filled) < len(at):
        gone = [
            f"the {role} is empty" if name in row.values else f"no column {name!r} in the row"
            for role, name in at.items()
            if role not in filled
        ]
        problems.add_row(row, " and ".join(gone) + ("; row left out" if left_out else ""))
    return filled


def _peek(
    path: str | Path, asked: Asked, problems: Problems, columns: Iterable[str | int | None] = ()
) -> tuple[list[Row], Iterator[Row]]:
    """Read the first rows to judge the columns by; the iterator yields them again.

    ``columns`` are those that were asked for.
    """
    named = [column for column in columns if isinstance(column, str) and not column.isdigit()]
    rows = _rows(path, asked, problems, named)
    head = take_head(rows)
    return head, chain(head, rows)


def _shown(path: str | Path) -> str:
    return STDIN if str(path) == "-" else str(path)


def _nonempty(items: Iterator[Item], file: str, what: str, problems: Problems) -> Iterator[Item]:
    any_item = False
    for item in items:
        any_item = any_item or not isinstance(item, Sentence) or bool(item.text)
        yield item
    if not any_item:
        raise TenorError(_nothing(file, what, problems))
