"""Rows of JSON lines files: one object per line."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tenor.text.examples import Origin, Row
from tenor.text.lines import readable
from tenor.text.problems import Problems


def jsonl_rows(lines: Iterable[tuple[int, str]], *, file: str, problems: Problems) -> Iterator[Row]:
    """Yield one row per object; lines that are none are reported and left out, blank lines are passed over.

    >>> line = '{"text": "Hi", "label": 1, "note": null}'
    >>> rows = jsonl_rows([(1, line)], file="a.jsonl", problems=Problems())
    >>> dict(next(rows).values)
    {'text': 'Hi', 'label': '1'}
    """
    for number, line in lines:
        if not line.strip():
            continue
        origin = Origin(file, number)
        try:
            value = json.loads(line)
        except json.JSONDecodeError as error:
            problems.add(origin, f"not valid JSON ({error.msg.lower()}, column {error.colno}); line left out")
        except ValueError:
            problems.add(origin, "a number too long to read; line left out")
        except RecursionError:
            problems.add(origin, "JSON nested too deeply; line left out")
        else:
            row = jsonl_row(value, origin, problems)
            if row is not None:
                yield row


def jsonl_row(value: Any, origin: Origin, problems: Problems) -> Row | None:
    """Return an object as a row, and report anything else; fields of objects inside it are ``doc.title``."""
    if not isinstance(value, dict):
        problems.add(origin, f"a JSON {_name(value)} where an object {{…}} was expected; left out")
        return None
    cells = {
        _whole(key, origin, problems): _whole(as_text(cell), origin, problems)
        for key, cell in flat(value).items()
        if cell is not None
    }
    return Row(cells, origin, original=value)


_DEEPEST = 20  # objects inside objects; what lies deeper stays JSON


def flat(value: Mapping[str, Any], before: str = "", *, depth: int = 0) -> dict[str, Any]:
    """Return the fields of an object, those of objects inside it under names with dots.

    >>> flat({"id": 7, "doc": {"title": "Emma", "tags": ["a"]}})
    {'id': 7, 'doc.title': 'Emma', 'doc.tags': ['a']}
    """
    fields: dict[str, Any] = {}
    for key, cell in value.items():
        if isinstance(cell, dict) and depth < _DEEPEST:
            inner = flat(cell, f"{before}{key}.", depth=depth + 1)
            fields |= {name: field for name, field in inner.items() if name not in value}
        else:
            fields[f"{before}{key}"] = cell
    return fields


def _whole(text: str, origin: Origin, problems: Problems) -> str:
    whole = readable(text)
    if whole != text:
        problems.add(origin, "a NUL character or half a surrogate pair in the text")
    return whole


def as_text(value: Any) -> str:
    """Write a value of JSON or Parquet as the text of a cell: strings as they are, the rest as JSON."""
    if isinstance(value, bool | int | float | list | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def _name(value: Any) -> str:
    names = {str: "string", list: "array", bool: "truth value", type(None): "null"}
    return names.get(type(value), "number")
