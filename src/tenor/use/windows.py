"""Cutting a stream into windows that bound the memory of a job, by number and by length of the texts."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def windows(
    items: Iterable[T], characters: Callable[[T], int], *, most: int, most_characters: int
) -> Iterator[list[T]]:
    """Yield the items in order, in lists that end at ``most`` items or where their texts are long enough.

    Where a window ends depends on its own items alone, so that a job taken up again cuts as it did before.

    >>> list(windows(["a", "bb", "ccc", "d", "e"], len, most=2, most_characters=3))
    [['a', 'bb'], ['ccc'], ['d', 'e']]
    """
    window: list[T] = []
    length = 0
    for item in items:
        window.append(item)
        length += characters(item)
        if len(window) >= most or length >= most_characters:
            yield window
            window, length = [], 0
    if window:
        yield window
