"""Texts that stand in two files, whatever their case, spacing and punctuation: train-test overlap.

Corpora come tokenised or not, cased or not, so texts are compared in a normal form that keeps letters, digits
and symbols only. This is the one overlap filter of the project: training data are compared by it with test
data.
"""

import re
import unicodedata
from array import array
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

# Brackets as treebanks spell them.
_BRACKETS = ("-lrb-", "-rrb-", "-lsb-", "-rsb-", "-lcb-", "-rcb-")

# Names in pointed brackets, <.spx>, as news agencies write them; 5 > 3 is something else.
_POINTED = re.compile(r"<([^<>\s]+)>")


class _Dropped(dict[int, int | None]):
    """For ``str.translate``: drops punctuation, spaces and control characters, judged once per character."""

    def __missing__(self, code: int) -> int | None:
        category = unicodedata.category(chr(code))
        # Sk holds the backtick, which treebanks quote with; Sc currencies, which often did not survive a
        # change of encoding; U+FFFD is what is left of such characters.
        drop = category[0] in "PZC" or category in ("Sk", "Sc") or code == 0xFFFD
        self[code] = None if drop else code
        return self[code]


_dropped = _Dropped()


def normalise(text: str) -> str:
    """Reduce a text to what is the same in all ways of writing it down.

    >>> normalise("It 's a `` lovely '' film -LRB- really -RRB- .")
    'itsalovelyfilmreally'
    >>> normalise("It's a “lovely” film (really).")
    'itsalovelyfilmreally'
    """
    text = unicodedata.normalize("NFKC", text).casefold()
    if "<" in text:
        text = _POINTED.sub(r"\1", text)
    if "-" in text:
        for bracket in _BRACKETS:
            text = text.replace(bracket, "")
    # A text of nothing but punctuation stays itself: "?!" and "…" are not the same.
    return unicodedata.normalize("NFC", text.translate(_dropped)) or text.strip()


def fingerprints(texts: Iterable[str | Sequence[str]]) -> NDArray[np.uint64]:
    """Return a 64-bit hash of the normal form of each text or, whatever the order of its sides, each pair.

    >>> one, two = fingerprints([("A cat.", "A dog."), ("a dog", "a cat")])
    >>> bool(one == two)
    True
    """
    numbers = array("Q", (_fingerprint(text) for text in texts))
    return np.frombuffer(numbers, dtype=np.uint64) if numbers else np.zeros(0, dtype=np.uint64)


def _fingerprint(text: str | Sequence[str]) -> int:
    sides = [normalise(text)] if isinstance(text, str) else sorted(map(normalise, text))
    whole = "\0".join(sides).encode("utf-8", errors="replace")
    return int.from_bytes(blake2b(whole, digest_size=8).digest(), "little")


def overlap(texts: Iterable[str | Sequence[str]], seen: Iterable[str | Sequence[str]]) -> NDArray[np.bool_]:
    """Say of each text (or pair) whether it also stands among those seen; 8 bytes per text are kept.

    >>> overlap(["A plane takes off.", "New here."], seen=["a plane takes off"]).tolist()
    [True, False]
    """
    return np.isin(fingerprints(texts), fingerprints(seen))


def shares_passage(
    texts: Iterable[str], seen: Iterable[str], *, letters: int = 30, least: int = 12
) -> NDArray[np.bool_]:
    """Say of each text whether a passage of so many letters of it also stands in one of those seen.

    For sources that cut the same writing otherwise, as two sentences in one row: no whole text is the same
    there. A shorter text, on either side, is looked for as a whole within the others; with fewer letters than
    ``least`` it counts only where it is all of the other too. All passages of what was seen are kept, about a
    hundred bytes for each of its letters.

    >>> seen = ["He somehow pulls it off!", "A giggle a minute."]
    >>> shares_passage(["Clever. But he somehow pulls it off.", "Under 15? A giggle a minute.", "New."], seen)
    array([ True,  True, False])
    """
    rows, others = [normalise(text) for text in texts], [normalise(text) for text in seen]
    passages = {passage for other in others for passage in _windows(other, letters)}
    whole, short = set(others), _by_length(others, least, letters)
    own = _by_length(rows, least, letters)
    within = {row for other in others for row in _held(other, own)}
    found = [
        row in whole
        or row in within
        or not passages.isdisjoint(_windows(row, letters))
        or any(True for _ in _held(row, short))
        for row in rows
    ]
    return np.array(found, dtype=np.bool_)


def _windows(text: str, letters: int) -> Iterator[str]:
    return (text[begin : begin + letters] for begin in range(len(text) - letters + 1))


def _by_length(texts: Iterable[str], least: int, letters: int) -> dict[int, set[str]]:
    found: dict[int, set[str]] = {}
    for text in texts:
        if least <= len(text) < letters:
            found.setdefault(len(text), set()).add(text)
    return found


def _held(text: str, short: dict[int, set[str]]) -> Iterator[str]:
    """Yield the short texts that stand in a text."""
    for letters, known in short.items():
        yield from (passage for passage in _windows(text, letters) if passage in known)
