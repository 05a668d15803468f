"""Word links of two texts that are known to say the same.

There more can be linked than in texts of which that is to be found out. Four things come on top of the steps
of :mod:`tenor.use.align.words`:

1. the vectors are centred: what all words share says nothing about any of them;
2. the freer the wording, the more is linked: where two texts have few words in common, a word without an
   equal one has a counterpart more often than not, and lower scores are enough (``FREE``);
3. a stretch of words without links that stands between two links, in both texts (``because of`` between the
   counterparts around ``owing to``), is linked whole, each word with each, if the pairs are close on average;
4. an article without counterpart goes with the word after it, as people link it (``the removal`` and
   ``removal``).

A link raises F1 when its chance of being right is above half of F1, so that a chance of 0.45 is worth taking.
On the train parts of MultiMWA (1,200 rows of MTRef, 800 of Wiki; layer 3 of the starter) micro F1 was:

===============================  =====  =====
                                 MTRef   Wiki
===============================  =====  =====
the steps of ``words``           0.797  0.980
+ centred                        0.801  0.980
+ articles                       0.810  0.980
+ stretches between links        0.812  0.980
===============================  =====  =====

On other rows (every second one of MTRef, the same of Wiki) these give 0.8090 and 0.9795, with ``FREE`` below
an overlap of 0.55 they give 0.8128 and 0.9794. Without that limit, 0.8147 and 0.9750.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from tenor.use.align.words import (
    DEFAULTS,
    AlignSettings,
    Floats,
    Links,
    cosines,
    links_from_scores,
    stem,
    word_scores,
)

SHIFT = 0.1  # centred vectors have lower cosines; added, so that the floors keep their sense
FREE = AlignSettings(
    near=0.15, context=0.3, floor=0.6, content_floor=0.35, share=0.03, gap=0.15, longest_gap=6
)  # for texts in other words
FREE_BELOW = 0.55  # the part of the words that two texts have in common

_ARTICLES = frozenset(("the", "a", "an"))


def align_paraphrases(
    first: Sequence[str],
    second: Sequence[str],
    vectors: tuple[Floats, Floats],
    *,
    centre: Floats | None = None,
    bonus: Floats | None = None,
    settings: AlignSettings | None = None,
) -> Links:
    """Link the words of two texts that say the same, given a vector [d] for each word.

    ``centre`` [d] is the mean of word vectors; ``bonus`` [n, m] is added to the scores of the word pairs.
    Without ``settings`` the wording of the texts decides.
    """
    settings = settings_for(first, second) if settings is None else settings
    if centre is None:
        matrix = cosines(*vectors)
    else:
        matrix = cosines(vectors[0] - centre, vectors[1] - centre) + np.float32(SHIFT)
    scores = word_scores(first, second, matrix, settings=settings)
    return paraphrase_links(first, second, scores if bonus is None else scores + bonus, settings=settings)


def settings_for(first: Sequence[str], second: Sequence[str]) -> AlignSettings:
    """Choose by how much two texts have in common."""
    return FREE if shared_words(first, second) < FREE_BELOW else DEFAULTS


def shared_words(first: Sequence[str], second: Sequence[str]) -> float:
    """Return the part of the words of both texts that also stand in the other, each as often as it does.

    >>> shared_words(["the", "old", "man"], ["The", "man", "himself"])
    0.6666666666666666
    """
    counts = [Counter(word.casefold() for word in words) for words in (first, second)]
    return 2 * (counts[0] & counts[1]).total() / max(1, len(first) + len(second))


def paraphrase_links(
    first: Sequence[str], second: Sequence[str], scores: Floats, *, settings: AlignSettings
) -> Links:
    """Make links from the scores [n, m] of all word pairs, those of articles and of whole stretches too."""
    content = [np.array([stem(word) != "" for word in words], dtype=bool) for words in (first, second)]
    links = links_from_scores(scores, content=content[0][:, None] & content[1][None], settings=settings)
    links = with_articles(links, first, second)
    return with_gaps(links, scores, longest=settings.longest_gap, mean=settings.gap)


def with_articles(links: Links, first: Sequence[str], second: Sequence[str]) -> Links:
    """Link an article without counterpart to all counterparts of the word after it.

    >>> links = np.array([[False], [True]])
    >>> with_articles(links, ["The", "dogs"], ["dogs"]).tolist()
    [[True], [True]]
    """
    found = links.copy()
    for side, words in ((found, first), (found.T, second)):
        for place in range(len(words) - 2, -1, -1):
            if words[place].casefold() in _ARTICLES and not side[place].any():
                side[place] = side[place + 1]
    return found


def with_gaps(
    links: Links, scores: Floats, *, longest: int = DEFAULTS.longest_gap, mean: float = DEFAULTS.gap
) -> Links:
    """Link all of two stretches without links that stand between the same links, if close on average.

    The ends of the texts count as linked to each other.

    >>> links = np.zeros((4, 3), dtype=bool)
    >>> links[0, 0] = links[3, 2] = True
    >>> with_gaps(links, np.full((4, 3), 0.3, dtype=np.float32)).astype(int).tolist()
    [[1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 0, 1]]
    """
    found = links.copy()
    framed = np.pad(links, 1)  # word i is row i + 1
    framed[0, 0] = framed[-1, -1] = True
    columns = {begin: end for begin, end in _free(np.asarray(framed.any(axis=0))) if end - begin <= longest}
    for top, bottom in _free(np.asarray(framed.any(axis=1))):
        if bottom - top > longest:
            continue
        for left in np.flatnonzero(framed[top - 1]) + 1:
            right = columns.get(int(left))
            if right is not None and framed[bottom, right]:
                block = slice(top - 1, bottom - 1), slice(int(left) - 1, right - 1)
                if scores[block].mean() >= mean:
                    found[block] = True
    return found


def _free(linked: Links) -> Iterator[tuple[int, int]]:
    """Yield the stretches without links, which never touch the two ends of a frame."""
    edges = np.flatnonzero(np.diff(linked.astype(np.int8)))
    for begin, end in edges.reshape(-1, 2).tolist():
        yield begin + 1, end + 1
