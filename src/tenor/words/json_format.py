"""Word vectors of wink-nlp: one JSON object with a table of words and numbers.

``vectors`` maps a word to its numbers, of which the first ``dimensions`` are the vector; the others belong to
that library.
"""

import json
from collections.abc import Callable
from typing import IO, Any

import numpy as np

from tenor.errors import TenorError
from tenor.text.examples import Origin
from tenor.text.problems import Problems
from tenor.words.growable_array import GrowableArray
from tenor.words.text_format import Table

_PROGRESS_EVERY = 10_000  # words between two calls of `progress`


def read_json_vectors(
    stream: IO[bytes],
    *,
    name: str,
    limit: int | None,
    problems: Problems,
    progress: Callable[[int], None] | None = None,
) -> Table:
    """Read the whole object, then its words in order; a word whose numbers do not fit is reported."""
    try:
        content: Any = json.load(stream)
        vector_size, entries = content["dimensions"], content["vectors"]
    except (ValueError, RecursionError) as error:
        raise TenorError(f"{name} is not valid JSON ({error}).") from error
    except (KeyError, TypeError) as error:
        raise TenorError(
            f"{name} is JSON, but has no 'dimensions' and 'vectors' as wink-nlp writes them."
        ) from error
    if not isinstance(vector_size, int) or not 1 <= vector_size <= 1 << 16 or not isinstance(entries, dict):
        raise TenorError(
            f"{name} has the dimensions {vector_size!r}; expected a number from 1, and a table of vectors."
        )
    table, rows = Table(), GrowableArray(vector_size)
    for number, (word, values) in enumerate(entries.items(), 1):
        if len(table.words) == limit:
            break
        row = _row(values, vector_size)
        if row is None:
            problems.add(
                Origin(name, number), f"the vector of {word!r} is not {vector_size} finite numbers; left out"
            )
            continue
        rows.add(row)
        table.words.append(word.encode(errors="replace"))
        table.lines.append(number)
        if progress is not None and number % _PROGRESS_EVERY == 0:
            progress(_PROGRESS_EVERY)
    table.vectors = rows.finish()
    return table


def _row(values: Any, vector_size: int) -> Any:
    try:
        row = np.array(values[:vector_size], dtype=np.float32)
    except (TypeError, ValueError, OverflowError):
        return None
    return row if row.shape == (vector_size,) and np.isfinite(row).all() else None
