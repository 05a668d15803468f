"""Splitting a text into words and punctuation, with their character offsets.

The rules are few and hold for every script:

- a run of letters, digits and combining marks is a word; soft hyphens and joiners stay inside it;
- each CJK ideograph is a word of its own, as in BERT's vocabularies;
- numbers keep their inner points and commas (``1,234.5``), abbreviations their points (``U.S.``);
- English clitics are words (``it`` + ``'s``, ``we`` + ``'ll``), while ``don't`` stays whole;
- every other visible character is a word of its own, with the combining marks that follow it.
"""

import re
import unicodedata
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# One letter per kind of character: a regular expression works on the string of a text's kinds.
_LETTER, _DIGIT, _IDEOGRAPH, _MARK, _FORMAT, _SPACE = "LDHMF "
_APOSTROPHE, _POINT, _COMMA, _SYMBOL = "A.,X"

_WORD = re.compile(
    r"(?P<abbreviation>(?<![LD])(?:L\.){2,})"
    r"|(?P<number>D+(?:[.,]D+)+(?![LDM]))"
    r"|[LD](?:[LDMF]*[LDM])?(?:A[LD](?:[LDMF]*[LDM])?)*"
    r"|HM*"
    r"|[AX.,]M*"
    r"|M+"
)
_CLITIC = re.compile(r"(?i)(?<=\w)['’ʼ](?:s|m|d|re|ve|ll)$")
_IDEOGRAPHS = (
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2A6DF),
    (0x2A700, 0x2CEAF), (0x2F800, 0x2FA1F),
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """The words of one text and the characters ``text[begin:end]`` that they take."""

    words: tuple[str, ...]
    spans: NDArray[np.int64]  # [n, 2]

    def __len__(self) -> int:
        return len(self.words)


class _Kinds(dict[int, str]):
    """The kind of each code point, worked out when first met, so that importing costs nothing."""

    def __missing__(self, code: int) -> str:
        kind = self[code] = _kind(code)
        return kind


def _kind(code: int) -> str:
    char = chr(code)
    if char in "'’ʼ":
        return _APOSTROPHE
    if char in ".,":
        return _POINT if char == "." else _COMMA
    if char.isspace():
        return _SPACE
    if any(low <= code <= high for low, high in _IDEOGRAPHS):
        return _IDEOGRAPH
    category = unicodedata.category(char)
    if category == "Nd":
        return _DIGIT
    return {"L": _LETTER, "N": _LETTER, "M": _MARK, "C": _FORMAT}.get(category[0], _SYMBOL)


_KINDS = _Kinds()


def split_words(text: str) -> Words:
    """Split a text into words and punctuation, in order, never overlapping.

    Spaces and bare control characters belong to no word; every other character belongs to exactly one.

    >>> split_words("It's 3.5 km, don't run!").words
    ('It', "'s", '3.5', 'km', ',', "don't", 'run', '!')
    >>> split_words("漢字 ok").spans.tolist()
    [[0, 1], [1, 2], [3, 5]]
    """
    spans: list[tuple[int, int]] = []
    for match in _WORD.finditer(text.translate(_KINDS)):
        begin, end = match.span()
        clitic = _CLITIC.search(text[begin:end])
        if clitic is None:
            spans.append((begin, end))
        else:
            spans += [(begin, begin + clitic.start()), (begin + clitic.start(), end)]
    words = tuple(text[begin:end] for begin, end in spans)
    return Words(words, np.asarray(spans, dtype=np.int64).reshape(-1, 2))


def join_words(words: tuple[str, ...] | list[str]) -> Words:
    """Return given words with their offsets in the text that they make when joined by single spaces.

    >>> join_words(["no", "way"]).spans.tolist()
    [[0, 2], [3, 6]]
    """
    lengths = np.fromiter((len(word) for word in words), dtype=np.int64, count=len(words))
    ends = np.cumsum(lengths + 1) - 1
    return Words(tuple(words), np.stack([ends - lengths, ends], axis=1))
