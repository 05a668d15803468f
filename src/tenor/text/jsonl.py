"""Rows of JSON lines files: one object per line."""

import json
from collections.abc import Iterable, Iterator
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
            if isinstance(value, dict):
                yield Row(_cells(value, origin, problems), origin)
            else:
                problems.add(
                    origin, f"a JSON {_name(value)} where an object {{…}} was expected; line left out"
                )


def _cells(value: dict[str, Any], origin: Origin, problems: Problems) -> dict[str, str]:
    return {_whole(key, origin, problems): _whole(as_text(cell), origin, problems)
            for key, cell in value.items() if cell is not None}  # fmt: skip


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
