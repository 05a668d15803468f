"""What goes wrong for a reason that the person can mend."""

from collections.abc import Iterable
from difflib import get_close_matches


class TenorError(Exception):
    """A mistake in input, files or settings, told in one sentence.

    The message says what was found, where, what was expected and what to do. The command line prints it
    without a traceback and exits with code 2; anything else that escapes is a bug of ours.
    """


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a sentence that names the nearest known word, to be put behind an error message, or nothing.

    >>> did_you_mean("wieght", ["batch", "weight"])
    " Did you mean 'weight'?"
    """
    by_case = {name.casefold(): name for name in known}
    near = get_close_matches(str(word).casefold(), by_case, n=1, cutoff=0.5)
    return f" Did you mean {by_case[near[0]]!r}?" if near else ""
