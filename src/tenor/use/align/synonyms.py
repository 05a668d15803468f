"""Synonym links: word pairs that WordNet has in one set of synonyms score higher, whatever their forms.

They enter the alignment as two forms of one word do: not as links of their own, but by a bonus to the score,
so that the context still decides which of several counterparts is meant. The encoder knows most synonyms
already. Micro F1 on the train parts of MultiMWA (all 2,398 rows of MTRef, 800 of Wiki) by the bonus:

=====  ======  ======
bonus   MTRef    Wiki
=====  ======  ======
0      0.8183  0.9787
0.05   0.8185  0.9788
0.1    0.8186  0.9788
0.2    0.8184  0.9786
0.4    0.8172  0.9786
=====  ======  ======

Of the pairs that it marks, people link 67 % in MTRef, whose texts say the same in other words, and 9 % in
Wiki, where words were changed for a reason.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tenor.text.wordnet import Synset, WordNet
from tenor.use.align.words import Floats, Links, stem

SYNONYM = np.float32(0.1)  # in units of cosine
_MOST_KEPT = 100_000  # words whose synsets are kept at hand


@dataclass(frozen=True, eq=False)
class Synonyms:
    """Tells which words of two texts are synonyms; small words and marks are none."""

    wordnet: WordNet
    fingerprint: str = ""
    _known: dict[str, frozenset[Synset]] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def load(cls) -> "Synonyms":
        """Load the fetched WordNet."""
        from tenor.assets import find
        from tenor.assets.table import look_up

        return cls(WordNet.load(find("wordnet")), look_up("wordnet").fingerprint)

    def pairs(self, first: Sequence[str], second: Sequence[str]) -> Links:
        """Mark the pairs [n, m] of synonyms that are not forms of one word."""
        marked = np.zeros((len(first), len(second)), dtype=bool)
        sides = [[(stem(word), self._synsets(word)) for word in words] for words in (first, second)]
        for row, (one, meanings) in enumerate(sides[0]):
            if meanings:
                for column, (two, others) in enumerate(sides[1]):
                    marked[row, column] = one != two and not meanings.isdisjoint(others)
        return marked

    def bonus(self, first: Sequence[str], second: Sequence[str]) -> Floats:
        """Return what is added to the scores of all word pairs [n, m]."""
        return SYNONYM * self.pairs(first, second).astype(np.float32)

    def _synsets(self, word: str) -> frozenset[Synset]:
        lower = word.casefold()
        found = self._known.get(lower)
        if found is None:
            found = self.wordnet.synsets(lower) if stem(lower) else frozenset()
            if len(self._known) < _MOST_KEPT:
                self._known[lower] = found
        return found
