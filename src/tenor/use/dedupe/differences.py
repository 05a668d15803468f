"""In which words two texts differ, so that a person sees why they were paired and what to check."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from tenor.text.words import split_words

_MOST_WORDS = 200  # of each text: comparing is quadratic, and nobody reads more
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Difference:
    """Words of one text where the other has other words, or none."""

    here: str
    there: str

    def __str__(self) -> str:
        if not self.there:
            return f"adds “{self.here}”"
        if not self.here:
            return f"lacks “{self.there}”"
        return f"“{self.here}” for “{self.there}”"


def differences(here: str, there: str) -> tuple[Difference, ...]:
    """Compare two texts word by word, whatever their case.

    >>> [str(each) for each in differences("The quick fox ran", "A fox ran away")]
    ['“The quick” for “A”', 'lacks “away”']
    """
    one, two = split_words(here[:10_000]).words[:_MOST_WORDS], split_words(there[:10_000]).words[:_MOST_WORDS]
    matcher = SequenceMatcher(None, _folded(one), _folded(two), autojunk=False)
    return tuple(
        Difference(" ".join(one[a:b]), " ".join(two[c:d]))
        for kind, a, b, c, d in matcher.get_opcodes()
        if kind != "equal"
    )


def tell_differences(found: tuple[Difference, ...]) -> str:
    """Say the first few in one line.

    >>> tell_differences(differences("a red car", "a red auto"))
    '“car” for “auto”'
    >>> tell_differences(())
    'the same words'
    """
    return tell_few([str(each) for each in found]) if found else "the same words"


def tell_few(parts: Sequence[str]) -> str:
    """Join the first few, and count the rest."""
    more = f" and {len(parts) - _SHOWN} more" if len(parts) > _SHOWN else ""
    return ", ".join(parts[:_SHOWN]) + more


def _folded(words: tuple[str, ...]) -> list[str]:
    return [word.casefold() for word in words]
