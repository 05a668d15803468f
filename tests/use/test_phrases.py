"""Phrase pairs: against enumeration of all blocks on small texts."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tenor.use.align.phrases import (
    Block,
    content_blocks,
    extended_blocks,
    finest_blocks,
    merged_blocks,
    phrase_cosine,
    phrase_links,
    same_words,
    unmatched,
)
from tenor.use.align.words import is_punctuation

words = st.lists(st.sampled_from(["red", "wine", "the", ",", "wines", "."]), max_size=6)


@st.composite
def linked_texts(draw):
    first, second = draw(words), draw(words)
    # Sparse, as real links are: mostly one or two for a word.
    dense = draw(arrays(np.int8, (len(first), len(second)), elements=st.integers(0, 4)))
    return first, second, dense == 0


def all_blocks(n, m):
    spans = [[(b, e) for b in range(size) for e in range(b + 1, size + 1)] for size in (n, m)]
    return [Block(one, two) for one, two in product(*spans)]


def is_consistent(block, links):
    inside = np.zeros_like(links)
    inside[slice(*block.first), slice(*block.second)] = True
    reach = np.zeros_like(links)
    reach[slice(*block.first), :] = True
    reach[:, slice(*block.second)] = True
    return bool((links & inside).any()) and not (links & reach & ~inside).any()


def contains(outer, inner):
    return all(a[0] <= b[0] and b[1] <= a[1] for a, b in zip(
        (outer.first, outer.second), (inner.first, inner.second), strict=True
    ))  # fmt: skip


@given(linked_texts())
def test_finest_blocks_are_disjoint_consistent_and_cover_all_links(texts):
    _, _, links = texts
    blocks = finest_blocks(links)
    cover = np.zeros_like(links)
    for block in blocks:
        assert is_consistent(block, links)
        cover[slice(*block.first), slice(*block.second)] = True
    assert not (links & ~cover).any()
    for place, block in enumerate(blocks):
        assert not any(block.touches(other) for other in blocks[place + 1 :])


@given(linked_texts())
def test_no_finest_block_can_be_cut(texts):
    """A block could be cut if two or more disjoint consistent blocks inside it held all of its links."""
    _, _, links = texts
    every = [block for block in all_blocks(*links.shape) if is_consistent(block, links)]
    for block in finest_blocks(links):
        held = {
            (i, j) for i, j in np.argwhere(links).tolist() if contains(block, Block((i, i + 1), (j, j + 1)))
        }
        smaller = [other for other in every if other != block and contains(block, other)]
        assert not _tiles(held, smaller)


def _tiles(held, blocks):
    if not held:
        return True
    i, j = min(held)
    for block in blocks:
        if contains(block, Block((i, i + 1), (j, j + 1))):
            inside = {(a, b) for a, b in held if contains(block, Block((a, a + 1), (b, b + 1)))}
            if _tiles(held - inside, [other for other in blocks if not other.touches(block)]):
                return True
    return False


@given(linked_texts(), st.integers(1, 4))
def test_phrases_of_any_links_are_short_consistent_and_cross_no_mark(texts, longest):
    first, second, links = texts
    scores = np.random.default_rng(1).random(links.shape).astype(np.float32)
    kept = phrase_links(links, scores, first, second, longest=longest)
    assert (kept <= links).all()
    blocks = merged_blocks(finest_blocks(kept), first, second, longest=longest)
    vectors = tuple(
        np.random.default_rng(2).normal(size=(len(side), 4)).astype(np.float32) for side in (first, second)
    )
    for block in [*blocks, *extended_blocks(blocks, first, second, vectors, longest=longest)]:
        assert is_consistent(block, kept)
        assert not any(
            is_punctuation(word) for word in first[slice(*block.first)] + second[slice(*block.second)]
        )
        assert block.longer <= longest or _forms(first, block.first) == _forms(second, block.second)


def _forms(side, span):
    return [word.rstrip("s") for word in side[slice(*span)]]


@given(linked_texts())
def test_every_word_is_in_a_phrase_or_unmatched_once(texts):
    first, second, links = texts
    kept = phrase_links(links, np.ones(links.shape, dtype=np.float32), first, second)
    vectors = tuple(np.ones((len(side), 2), dtype=np.float32) for side in (first, second))
    blocks = extended_blocks(merged_blocks(finest_blocks(kept), first, second), first, second, vectors)
    for side, spans in (
        (first, [block.first for block in blocks]),
        (second, [block.second for block in blocks]),
    ):
        places = [place for span in [*spans, *unmatched(side, spans)] for place in range(*span)]
        assert sorted(places) == [place for place, word in enumerate(side) if not is_punctuation(word)]


def test_a_wrong_link_does_not_tie_the_texts_together():
    first = second = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    links = np.eye(10, dtype=bool)
    links[0, 9] = True
    scores = np.eye(10, dtype=np.float32) + np.float32(0.3)
    kept = phrase_links(links, scores, first, second, longest=6)
    assert (kept == np.eye(10, dtype=bool)).all()


def test_same_words_join_and_other_words_join_but_not_with_each_other():
    first, second = ["a", "fast", "red", "car", "stops"], ["a", "quick", "crimson", "car", "stops"]
    blocks = merged_blocks(finest_blocks(np.eye(5, dtype=bool)), first, second)
    assert blocks == [Block((0, 1), (0, 1)), Block((1, 3), (1, 3)), Block((3, 5), (3, 5))]
    assert [same_words(block, first, second) for block in blocks] == [True, False, True]


def test_extension_follows_the_meaning():
    first, second = ["BoE", "acts"], ["Bank", "of", "England", "acts"]
    links = np.zeros((2, 4), dtype=bool)
    links[0, 0] = links[1, 3] = True
    bank, other, act = np.eye(3, dtype=np.float32)
    vectors = np.stack([bank + other, act]), np.stack([bank, other, other, act])
    blocks = extended_blocks(finest_blocks(links), first, second, vectors)
    assert blocks[0] == Block((0, 1), (0, 3))
    assert phrase_cosine(blocks[0], vectors) == pytest.approx((1 + 2) / np.sqrt(2 * 5))


def test_small_words_alone_tell_nothing():
    first, second = ["the", "cat", "of", "a", "man"], ["a", "rock", "and", "the", "cat", "of"]
    links = np.zeros((5, 6), dtype=bool)
    links[0, 3] = links[1, 4] = links[2, 5] = links[3, 0] = True
    blocks = finest_blocks(links)
    assert Block((3, 4), (0, 1)) in blocks
    assert content_blocks(blocks, first, second) == [block for block in blocks if block.first != (3, 4)]
