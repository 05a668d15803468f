"""What is linked on top in texts that say the same, against plain definitions."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tenor.use.align.paraphrases import (
    FREE,
    align_paraphrases,
    paraphrase_links,
    settings_for,
    with_articles,
    with_gaps,
)
from tenor.use.align.words import DEFAULTS, links_from_scores

words = st.lists(st.sampled_from(["The", "a", "cat", "dog", ","]), min_size=1, max_size=6)


@st.composite
def linked(draw):
    first, second = draw(words), draw(words)
    shape = len(first), len(second)
    links = draw(arrays(np.int8, shape, elements=st.integers(0, 3))) == 0
    scores = draw(arrays(np.float32, shape, elements=st.sampled_from([-0.2, 0.1, 0.2, 0.3, 0.9])))
    return first, second, links, scores


def pairs(links):
    return {(int(i), int(j)) for i, j in np.argwhere(links)}


def gaps_by_definition(links, scores, longest, mean):
    """Try every block of words without links, with both its corners at a link or at the ends of the texts."""
    n, m = links.shape
    known = pairs(links) | {(-1, -1), (n, m)}
    found = links.copy()
    for top, left in known:
        for bottom, right in known:
            rows, columns = slice(top + 1, bottom), slice(left + 1, right)
            size = bottom - top - 1, right - left - 1
            empty = not links[rows].any() and not links[:, columns].any()
            if min(size) >= 1 and max(size) <= longest and empty and scores[rows, columns].mean() >= mean:
                found[rows, columns] = True
    return found


@given(linked(), st.integers(1, 4))
def test_gaps_equal_their_definition(texts, longest):
    _, _, links, scores = texts
    expected = gaps_by_definition(links, scores, longest, 0.2)
    assert (with_gaps(links, scores, longest=longest, mean=0.2) == expected).all()


@given(linked())
def test_swapping_the_texts_transposes_the_links_and_nothing_is_lost(texts):
    first, second, links, scores = texts
    assert (links <= with_gaps(with_articles(links, first, second), scores)).all()
    # Articles of both texts may follow each other's links; gaps and each side alone are symmetric.
    assert (with_gaps(links.T, scores.T) == with_gaps(links, scores).T).all()


@given(linked())
def test_only_articles_without_links_get_those_of_the_next_word(texts):
    first, second, links, _ = texts
    for i, j in pairs(with_articles(links, first, second)) - pairs(links):
        row = first[i] in ("The", "a") and not links[i].any()
        column = second[j] in ("The", "a") and not links[:, j].any()
        assert row or column


def test_articles_follow_through_several():
    links = np.zeros((3, 1), dtype=bool)
    links[2, 0] = True
    assert with_articles(links, ["a", "the", "dog"], ["dog"]).all()
    assert not with_articles(links, ["my", "old", "dog"], ["dog"])[:2].any()
    assert not with_articles(np.zeros((1, 1), dtype=bool), ["the"], ["dog"]).any()


def test_the_centre_takes_away_what_all_words_share():
    north, east, up = np.eye(3, dtype=np.float32)
    shared = 10 * up
    vectors = np.stack([shared + north, shared + east]), np.stack([shared + east, shared + north])
    centred = align_paraphrases(["red", "wine"], ["vin", "rouge"], vectors, centre=shared)
    assert pairs(centred) == {(0, 1), (1, 0)}


def test_texts_without_words():
    for shape in ((0, 2), (2, 0), (0, 0)):
        vectors = tuple(np.ones((size, 4), dtype=np.float32) for size in shape)
        assert align_paraphrases(*(["x"] * size for size in shape), vectors).shape == shape


def test_the_wording_decides_how_much_is_linked():
    same = ["he", "sold", "the", "old", "car"]
    other = ["he", "gave", "away", "that", "vehicle"]
    assert settings_for(same, [*same[:4], "Car"]) == DEFAULTS
    assert settings_for(same, other) == settings_for(other, same) == FREE
    assert settings_for([], []) == FREE


def test_content_words_need_less_of_a_score():
    # The first word is the best counterpart of both; the second pair is left for the second round.
    scores = np.array([[0.9, 0.58], [0.1, 0.4]], dtype=np.float32)
    content = np.array([[False, False], [False, True]])
    alone = replace(FREE, shared_threshold=1.0)
    assert pairs(links_from_scores(scores, content=content, settings=alone)) == {(0, 0), (1, 1)}
    assert pairs(links_from_scores(scores, settings=alone)) == {(0, 0)}


@given(linked())
def test_settings_are_found_by_the_wording_when_none_are_given(texts):
    first, second, _, scores = texts
    random = np.random.default_rng(len(first) * 7 + len(second))
    vectors = tuple(random.normal(size=(len(words), 4)).astype(np.float32) for words in (first, second))
    expected = align_paraphrases(first, second, vectors, settings=settings_for(first, second))
    assert (align_paraphrases(first, second, vectors) == expected).all()
    assert paraphrase_links(first, second, scores, settings=FREE).shape == scores.shape
