"""Candidate phrases of a text: constituents of a tree where there is one, else chunk-like n-grams.

An n-gram is chunk-like when it crosses no punctuation and neither ends in a word that leans on the next one
(``the``, ``of``, ``and``) nor begins with one that leans on the word before (``'s``). Stop words alone are no
phrases. A constituent counts under the same conditions, whatever its length.
"""

from collections.abc import Iterable, Sequence

from tenor.text.alignments import Span
from tenor.text.function_words import ENGLISH
from tenor.use.align.words import is_punctuation

LONGEST = 6  # words of an n-gram

# No chunk of English ends in one of these.
_FORWARD = frozenset(
    """
    a an the my your his its our their this that these those every each of in on at by for from to with
    into onto upon about after before between among during through under over against as than and or but nor
    if because while although though whether when where which who whose what is are was were be been being am
    will would shall should can could may might must has have had do does did not no n't very so too
    """.split()  # noqa: SIM905
)
_BACKWARD = frozenset(("'s", "'", "n't", "'m", "'re", "'ve", "'ll", "'d", "and", "or", "but", "nor", "of"))


def ngrams(words: Sequence[str], *, longest: int = LONGEST) -> list[Span]:
    """Return the chunk-like n-grams of a text, in order.

    >>> words = "the cat of my aunt , asleep".split()
    >>> [" ".join(words[b:e]) for b, e in ngrams(words, longest=3)]
    ['the cat', 'cat', 'my aunt', 'aunt', 'asleep']
    """
    lower = [word.casefold() for word in words]
    ends = [not is_punctuation(word) and word not in _FORWARD for word in lower]
    content = [word not in ENGLISH for word in lower]
    found = []
    for begin, word in enumerate(lower):
        if word in _BACKWARD:
            continue
        has_content = False
        for end in range(begin + 1, min(begin + longest, len(words)) + 1):
            if is_punctuation(lower[end - 1]):
                break
            has_content = has_content or content[end - 1]
            if has_content and ends[end - 1]:
                found.append((begin, end))
    return found


def constituents(words: Sequence[str], spans: Iterable[Span]) -> list[Span]:
    """Return those constituents of a tree that hold a content word and no punctuation, in order.

    The whole text is no phrase of itself, unless it is one word.
    """
    lower = [word.casefold() for word in words]
    punctuation = [is_punctuation(word) for word in lower]
    content = [not is_punctuation(word) and word not in ENGLISH for word in lower]
    kept = {
        (begin, end)
        for begin, end in spans
        if any(content[begin:end])
        and not any(punctuation[begin:end])
        and (end - begin < len(words) or end == 1)
    }
    return sorted(kept)
