"""What goes wrong for a reason that the person can fix."""

from collections.abc import Iterable
from difflib import get_close_matches


class TenorError(Exception):
    """A mistake in input, files or settings, told in one sentence.

    The message says what was found, where, what was expected and what to do. The command line prints it
    without a traceback and exits with code 2; anything else that escapes is a bug of ours.
    """


# What libraries say where the memory does not suffice: torch, the dynamic loader, C++.
_OUT_OF_MEMORY = (
    "can't allocate memory", "cannot allocate memory", "not enough memory", "bad_alloc",
    "failed to map segment",
)  # fmt: skip


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error, of Python or of a library below, is one of memory.

    >>> is_out_of_memory(RuntimeError("std::bad_alloc")), is_out_of_memory(RuntimeError("shape"))
    (True, False)
    """
    words = str(error).lower()
    return isinstance(error, MemoryError) or any(mark in words for mark in _OUT_OF_MEMORY)


OF_ONES_OWN = (
    "One of your own is known only to the process that registers it: put --import FILE.py before the command "
    "(tenor --import FILE.py …), or import the file in Python (docs/python.md)."
)
"""What commands say where a folder or a run file names something of one's own."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a sentence that names the nearest known word, to be put behind an error message, or nothing.

    >>> did_you_mean("wieght", ["batch", "weight"])
    " Did you mean 'weight'?"
    """
    by_case = {name.casefold(): name for name in known}
    near = get_close_matches(str(word).casefold(), by_case, n=1, cutoff=0.5)
    return f" Did you mean {by_case[near[0]]!r}?" if near else ""
