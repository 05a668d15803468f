"""Labels that say whether two texts say the same, as files of labelled pairs write them."""

from collections.abc import Iterable, Iterator

from tenor.text.examples import Pair
from tenor.text.problems import Problems

_YES = ("1", "1.0", "yes", "true", "y", "t", "same", "duplicate", "paraphrase")
_NO = ("0", "0.0", "no", "false", "n", "f", "different", "not_duplicate", "not_paraphrase")


def says_the_same(label: str) -> bool | None:
    """Read a label; None where it is neither a yes nor a no.

    >>> says_the_same("1"), says_the_same("Not_duplicate"), says_the_same("sports")
    (True, False, None)
    """
    word = label.strip().casefold()
    return True if word in _YES else False if word in _NO else None


def paraphrases(pairs: Iterable[Pair], problems: Problems) -> Iterator[Pair]:
    """Yield the pairs but for those that are labelled as different, of which ``problems`` notes how many."""
    different = 0
    file = ""
    for pair in pairs:
        if pair.label is not None and says_the_same(pair.label) is False:
            different, file = different + 1, pair.origin.file
        else:
            yield pair
    if different:
        count = "1 pair is" if different == 1 else f"{different:,} pairs are"
        problems.note(f"{file}: {count} labelled as not saying the same and left out.")
