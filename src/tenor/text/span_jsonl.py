"""JSON lines with character spans: ``{"text": "Ada slept", "spans": [[0, 3, "PER"]]}``.

A span is an object (begin or start, end, and type or label) or a list of begin, end and type.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tenor.text.examples import Row, TaggedSentence
from tenor.text.problems import Problems
from tenor.text.text_spans import TextSpan, tagged_of

SPAN_FIELDS = ("spans", "entities", "labels", "label")
_BEGINS, _ENDS = ("begin", "start", "start_offset"), ("end", "end_offset")
_TYPES = ("type", "label", "entity")
_EXPECTED = '{"begin": 0, "end": 3, "type": "PER"} or [0, 3, "PER"]'


def span_field(first: Mapping[str, str]) -> str | None:
    """Return the field that holds spans beside a text, None where there is none."""
    if "text" not in first:
        return None
    return next((name for name in SPAN_FIELDS if first.get(name, "").lstrip().startswith("[")), None)


def holds_spans(value: Any) -> bool:
    """Whether a value is a list of spans, at least one.

    >>> holds_spans([[0, 3, "PER"]]), holds_spans(["sport", "news"]), holds_spans([])
    (True, False, False)
    """
    try:
        return isinstance(value, list) and bool([_span(item) for item in value])
    except (ValueError, TypeError):
        return False


def span_sentence(row: Row, field: str, problems: Problems) -> TaggedSentence | None:
    """Return a row's text as words with tags; what cannot be read is reported and left out."""
    try:
        spans = [_span(item) for item in json.loads(row.values.get(field) or "[]")]
    except (ValueError, TypeError, KeyError, RecursionError):
        problems.add(row.origin, f"{field} are not spans such as {_EXPECTED}; line left out")
        return None
    sentence = tagged_of(row.values.get("text", ""), spans, row.origin, problems=problems)
    if sentence is None:
        problems.add(row.origin, "the text has no words; line left out")
    return sentence


def span_sentences(rows: Iterator[Row], field: str, problems: Problems) -> Iterator[TaggedSentence]:
    """Yield the sentences of rows with spans."""
    for row in rows:
        if (sentence := span_sentence(row, field, problems)) is not None:
            yield sentence


def _span(item: Any) -> TextSpan:
    if isinstance(item, Mapping):
        begin, end, kind = (_first(item, names) for names in (_BEGINS, _ENDS, _TYPES))
    else:
        begin, end, kind = item
    if type(begin) is not int or type(end) is not int or not isinstance(kind, str) or not kind.strip():
        raise ValueError("no span")
    return TextSpan(begin, end, kind.strip())


def _first(item: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((item[name] for name in names if name in item), None)
