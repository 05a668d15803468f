"""Word links of two texts that are known to say the same.

There more can be linked than in texts of which that is to be found out. Four things come on top of the steps
of :mod:`tenor.use.align.words`:

1. the vectors are centred: what all words share says nothing about any of them;
2. the freer the wording, the more is linked: where two texts have few words in common, a word without an
   equal one has a counterpart more often than not, and lower scores are enough (``FREE``);
3. a span of words without links that stands between two links, in both texts (``because of`` between the
   counterparts around ``owing to``), is linked whole, each word with each, if the pairs are close on average;
4. an article without counterpart goes with the word after it, as people link it (``the removal`` and
   ``removal``).

A link raises F1 when its probability of being right is above half of F1, so that low thresholds pay where F1
is low. docs/align.md says what each of the four brings.
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
    near=0.15,
    min_context=0.3,
    floor=0.6,
    content_floor=0.35,
    shared_threshold=0.03,
    gap_score=0.15,
    max_gap=6,
)  # for texts in other words
FREE_BELOW = 0.55  # the fraction of the words that two texts have in common

_ARTICLES = frozenset(("the", "a", "an"))


def align_paraphrases(
    first: Sequence[str],
    second: Sequence[str],
    vectors: tuple[Floats, Floats],
    *,
    centre: Floats | None = None,
    settings: AlignSettings | None = None,
) -> Links:
    """Link the words of two texts that say the same, given a vector [d] for each word.

    ``centre`` [d] is the mean of word vectors. Without ``settings`` the wording of the texts decides.
    """
    settings = settings_for(first, second) if settings is None else settings
    if centre is None:
        matrix = cosines(*vectors)
    else:
        matrix = cosines(vectors[0] - centre, vectors[1] - centre) + np.float32(SHIFT)
    scores = word_scores(first, second, matrix, settings=settings)
    return paraphrase_links(first, second, scores, settings=settings)


def settings_for(first: Sequence[str], second: Sequence[str]) -> AlignSettings:
    """Choose by how much two texts have in common."""
    return FREE if shared_words(first, second) < FREE_BELOW else DEFAULTS


def shared_words(first: Sequence[str], second: Sequence[str]) -> float:
    """Return the fraction of the words of both texts that also stand in the other, counted with repetition.

    >>> shared_words(["the", "old", "man"], ["The", "man", "himself"])
    0.6666666666666666
    """
    counts = [Counter(word.casefold() for word in words) for words in (first, second)]
    return 2 * (counts[0] & counts[1]).total() / max(1, len(first) + len(second))


def paraphrase_links(
    first: Sequence[str], second: Sequence[str], scores: Floats, *, settings: AlignSettings
) -> Links:
    """Make links from the scores [n, m] of all word pairs, those of articles and of whole gaps too."""
    content = [np.array([stem(word) != "" for word in words], dtype=bool) for words in (first, second)]
    links = links_from_scores(scores, content=content[0][:, None] & content[1][None], settings=settings)
    links = with_articles(links, first, second)
    return with_gaps(links, scores, longest=settings.max_gap, mean=settings.gap_score)


def with_articles(links: Links, first: Sequence[str], second: Sequence[str]) -> Links:
    """Link an article without counterpart to all counterparts of the word after it.

    >>> links = np.array([[False], [True]])
    >>> with_articles(links, ["The", "dogs"], ["dogs"]).tolist()
    [[True], [True]]
    """
    found = links.copy()
    for side, words in ((found, first), (found.T, second)):
        for position in range(len(words) - 2, -1, -1):
            if words[position].casefold() in _ARTICLES and not side[position].any():
                side[position] = side[position + 1]
    return found


def with_gaps(
    links: Links, scores: Floats, *, longest: int = DEFAULTS.max_gap, mean: float = DEFAULTS.gap_score
) -> Links:
    """Link all of two spans without links that stand between the same links, if close on average.

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
    """Yield the spans without links, which never touch the two ends of a frame."""
    edges = np.flatnonzero(np.diff(linked.astype(np.int8)))
    for begin, end in edges.reshape(-1, 2).tolist():
        yield begin + 1, end + 1
