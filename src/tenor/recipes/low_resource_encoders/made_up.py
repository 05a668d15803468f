"""Made-up languages for a check: words of two syllables, tags from the first, chains as trees."""

from collections.abc import Iterator

import numpy as np

_SYLLABLES = ("ba", "do", "ki", "lu", "me", "no", "ra", "si", "ta", "vu")
_LENGTH, _COUNT = 8, 60
_ENTITIES, _PARTS = ("B-PER", "B-LOC", "O", "O"), ("NOUN", "VERB", "ADJ", "PUNCT")
Row = tuple[tuple[str, ...], tuple[str, ...], tuple[int, ...], tuple[str, ...]]


def made_up_sentences(language: str, part: str, *, spans: bool) -> Iterator[Row]:
    """Yield words, tags, heads and relations; every second word ends in the language's last letter."""
    random = np.random.default_rng([*language.encode(), *part.encode()])
    for _ in range(_COUNT):
        first, second = random.integers(0, len(_SYLLABLES), (2, _LENGTH))
        ends = np.where(random.random(_LENGTH) < 0.5, language[-1], "")
        words = tuple(
            _SYLLABLES[one] + _SYLLABLES[two] + str(end)
            for one, two, end in zip(first, second, ends, strict=True)
        )
        tags = tuple((_ENTITIES if spans else _PARTS)[one % 4] for one in first)
        if spans:
            yield words, tags, (), ()
        else:
            heads = (*range(2, _LENGTH + 1), 0)  # every word hangs on the next
            yield words, tags, heads, tuple("root" if not head else "dep" for head in heads)
