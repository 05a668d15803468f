"""What single words do: how far they shift a Gaussian, and how much entropy they take away.

Words of a small or a large shift that leave the entropy alone, and words of a small or a large shift that
take most of it away, are the four lists of the paper.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_LISTED = 8


@dataclass(frozen=True, slots=True)
class WordReport:
    """Words with their shift ‖B_w‖ and the entropy h(w) that they add to N(0, I), below 0 where they take."""

    words: Sequence[str]
    shifts: Floats
    entropies: Floats

    def lists(self, most: int = _LISTED) -> dict[str, list[str]]:
        """Return the four lists: of the half with small shifts and of the other."""
        small = self.shifts <= np.median(self.shifts)
        return {
            f"{size} shift, {what}": [self.words[place] for place in self._first(half, key, most)]
            for what, key in (
                ("entropy left alone", np.abs(self.entropies)),
                ("entropy taken away", self.entropies),
            )
            for size, half in (("small", small), ("large", ~small))
        }

    def _first(self, half: NDArray[np.bool_], key: Floats, most: int) -> list[int]:
        places = np.flatnonzero(half)
        listed: list[int] = places[np.argsort(key[places], kind="stable")][:most].tolist()
        return listed


def read_words(folder: Path, frequent: Sequence[str]) -> WordReport:
    """Read the operators of some words out of a model folder; those that it does not know are left out."""
    from tenor.encoders.stored import read_stored
    from tenor.encoders.table import encoder_type

    tokenizer = encoder_type("operators").tokenizer(folder, max_tokens=None)
    stored = read_stored(folder)
    unknown = tokenizer.tokenize(["\u2402"]).ids.tolist()  # no text holds this sign
    ids = {word: tokenizer.tokenize([word]).ids.tolist() for word in frequent}
    known = {word: of[0] for word, of in ids.items() if len(of) == 1 and of != unknown}
    rows = list(known.values())
    shift, log_scale = (
        stored[name].to_float32()[rows].astype(np.float64)
        for name in ("embeddings.weight", "embeddings_log_scale.weight")
    )
    return WordReport(list(known), np.linalg.norm(shift, axis=1), log_scale.sum(axis=1))


def spread(folder: Path) -> float:
    """Return the standard deviation of all log-scales of a model."""
    from tenor.encoders.stored import read_stored

    return float(read_stored(folder)["embeddings_log_scale.weight"].to_float32().std())
