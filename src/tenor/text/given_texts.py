"""Texts as callers hand them over: lists, columns of pandas, arrays, with whatever stands among them."""

from collections.abc import Sequence
from typing import Any

from tenor.errors import TenorError


def given_texts(texts: Sequence[Any], *, what: str) -> Sequence[str]:
    """Return texts in their order, or say which of them is none; ``what`` is the function that takes them.

    >>> given_texts(("a", "b"), what="encode")
    ('a', 'b')
    """
    if isinstance(texts, str):
        raise TypeError(f"{what} takes a list of texts; a single text goes in a list of its own.")
    # A column of pandas is indexed by its labels, not by places.
    given: Sequence[Any] = texts.tolist() if hasattr(texts, "tolist") else texts
    if isinstance(given, list | tuple):
        for place, text in enumerate(given):
            if not isinstance(text, str):
                raise TenorError(
                    f"{what} takes texts, but number {place} (from 0) is {text!r:.40} "
                    f"({type(text).__name__})."
                )
    return given
