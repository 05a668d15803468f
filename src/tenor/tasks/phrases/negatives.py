"""Phrase pairs of the three classes, drawn anew whenever a pair of texts is used.

For a pair of paraphrases (s, t) with aligned phrases:

    paraphrase       the aligned pairs
    in-paraphrase    for each of them, its phrase of s with another phrase of t, drawn from those that are not
                     aligned to it; it may be a part of the right one or around it, which makes it hard. Where
                     t has no other phrase there is none.
    random           phrases of s, each with a random phrase of another text t' of the corpus; the sequence
                     (s, t') is the negative of the sentential task as well

Of each class at most ``most`` pairs are taken, of random ones also not more than there are alignments on
average, so that the classes are about equal. A phrase that the length limit cuts is left out.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.tasks.phrases.aligned_tokens import AlignedTokens
from tenor.tasks.phrases.spec import IN_PARAPHRASE, PARAPHRASE, RANDOM
from tenor.text.tokenizer import Joined

Ints = NDArray[np.int64]
_TRIES = 16


@dataclass(frozen=True, slots=True, eq=False)
class PhrasePairs:
    """Phrase pairs of one class, as stretches (begin, end) of the pieces of the two texts."""

    label: str
    first: Ints  # [p, 2]
    second: Ints  # [p, 2]


def partner(data: AlignedTokens, pair: int, generator: np.random.Generator) -> int:
    """Draw a text of the corpus that is neither of the pair's own, nor equal to one of them."""
    own = data.prints[2 * pair : 2 * pair + 2]
    for text in generator.integers(0, len(data.prints), size=_TRIES):
        if data.prints[text] not in own:
            return int(text)
    others = np.flatnonzero(~np.isin(data.prints, own))
    if not len(others):
        raise TenorError("Every text of the corpus is one of a pair's own two; give more aligned pairs.")
    return int(generator.choice(others))


def paraphrases(
    data: AlignedTokens, pair: int, kept: Ints, *, most: int, generator: np.random.Generator
) -> tuple[PhrasePairs, PhrasePairs]:
    """Return aligned phrase pairs, and their in-paraphrase negatives; ``kept`` [2] pieces were left."""
    phrases = [data.phrases_of(2 * pair + side) for side in range(2)]
    whole = [spans[:, 1] <= left for spans, left in zip(phrases, kept, strict=True)]
    aligned = data.aligned(pair)
    seen = aligned[whole[0][aligned[:, 0]] & whole[1][aligned[:, 1]]]
    chosen = _some(seen, most, generator)
    wrong = _wrong_targets(chosen[:, 0], aligned, np.flatnonzero(whole[1]), generator)
    there = wrong >= 0
    return (
        PhrasePairs(PARAPHRASE, phrases[0][chosen[:, 0]], phrases[1][chosen[:, 1]]),
        PhrasePairs(IN_PARAPHRASE, phrases[0][chosen[there, 0]], phrases[1][wrong[there]]),
    )


def random_pairs(
    data: AlignedTokens, text: int, other: int, kept: Ints, *, most: int, generator: np.random.Generator
) -> PhrasePairs:
    """Return phrases of a text, each with a random phrase of another."""
    first, second = (
        spans[spans[:, 1] <= left]
        for spans, left in zip((data.phrases_of(text), data.phrases_of(other)), kept, strict=True)
    )
    wanted = min(most, max(1, round(data.mean_alignments)))
    chosen = _some(first, wanted if len(second) else 0, generator)
    drawn = generator.integers(0, max(1, len(second)), size=len(chosen))
    return PhrasePairs(RANDOM, chosen, second[drawn] if len(second) else second)


def placed(pairs: PhrasePairs, joined: Joined, row: int) -> Ints:
    """Return the phrase pairs [p, 4] as stretches (begin, end, begin, end) of a joint sequence."""
    begins = joined.begins[row]
    return np.concatenate([pairs.first + begins[0], pairs.second + begins[1]], axis=1)


def _some(items: Ints, most: int, generator: np.random.Generator) -> Ints:
    if len(items) <= most:
        return items
    return items[np.sort(generator.choice(len(items), size=most, replace=False))]


def _wrong_targets(sources: Ints, aligned: Ints, targets: Ints, generator: np.random.Generator) -> Ints:
    """Return for each source phrase a target phrase that is not aligned to it, or -1 where there is none."""
    found = np.full(len(sources), -1, dtype=np.int64)
    shares = generator.random(len(sources))
    for place, (source, share) in enumerate(zip(sources.tolist(), shares.tolist(), strict=True)):
        others = targets[~np.isin(targets, aligned[aligned[:, 0] == source, 1])]
        if len(others):
            found[place] = others[int(share * len(others))]
    return found
