"""Word links: their properties on any scores, against references written out loop by loop."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tenor.use.align.words import (
    AlignSettings,
    align_words,
    cosines,
    grown_links,
    is_punctuation,
    iterated_best,
    links_from_scores,
    middle_layer,
    mutual_best,
    shared_links,
    stem,
    with_neighbours,
    word_scores,
)

# Few different values, so that ties and near ties occur all the time.
values = st.sampled_from([-0.5, -0.1, 0.0, 0.2, 0.3, 0.45, 0.5, 0.55, 0.7, 0.9, 1.0])
sizes = st.integers(0, 7)
scores = st.tuples(sizes, sizes).flatmap(lambda shape: arrays(np.float32, shape, elements=values))
filled = st.tuples(st.integers(1, 7), st.integers(1, 7)).flatmap(
    lambda shape: arrays(np.float32, shape, elements=values)
)


def pairs(links):
    return {(int(i), int(j)) for i, j in np.argwhere(links)}


@given(scores)
def test_mutual_best_equals_its_definition_and_is_one_to_one(matrix):
    n, m = matrix.shape
    expected = set()
    if matrix.size:
        row_best = [max(range(m), key=lambda j, i=i: (matrix[i, j], -j)) for i in range(n)]
        column_best = [max(range(n), key=lambda i, j=j: (matrix[i, j], -i)) for j in range(m)]
        expected = {(i, row_best[i]) for i in range(n) if column_best[row_best[i]] == i}
    links = mutual_best(matrix)
    assert links.shape == (n, m)
    assert pairs(links) == expected
    assert (links.sum(axis=0) <= 1).all()
    assert (links.sum(axis=1) <= 1).all()


@given(scores)
def test_swapping_the_texts_transposes_every_step(matrix):
    allowed = matrix >= 0.5
    assert (mutual_best(matrix.T) == mutual_best(matrix).T).all()
    assert (iterated_best(matrix.T, allowed.T) == iterated_best(matrix, allowed).T).all()
    assert (links_from_scores(matrix.T) == links_from_scores(matrix).T).all()


@given(filled)
def test_iterating_adds_one_to_one_links_until_no_allowed_pair_is_free(matrix):
    allowed = matrix >= 0.5
    links = iterated_best(matrix, allowed)
    assert (mutual_best(matrix) <= links).all()
    assert (links.sum(axis=0) <= 1).all()
    assert (links.sum(axis=1) <= 1).all()
    free = allowed & ~links.any(axis=1)[:, None] & ~links.any(axis=0)[None, :]
    assert not free.any()


@given(filled)
def test_no_final_link_is_below_its_threshold(matrix):
    settings = AlignSettings()
    links = links_from_scores(matrix, settings=settings)
    assert (matrix[links] >= settings.min_score).all()


def test_a_weak_pair_is_not_linked_even_in_good_company():
    matrix = np.full((3, 3), -0.5, dtype=np.float32)
    np.fill_diagonal(matrix, [0.9, 0.2, 0.9])
    assert pairs(links_from_scores(matrix)) == {(0, 0), (2, 2)}
    matrix[1, 1] = 0.3
    assert (1, 1) in pairs(links_from_scores(matrix))
    # And a middling one in bad company is not, when more support is asked for.
    assert pairs(links_from_scores(matrix[1:2, 1:2], settings=AlignSettings(min_context=0.6))) == set()


@given(filled)
def test_growing_only_links_lone_words_beside_a_link_of_their_best_counterpart(matrix):
    before = mutual_best(matrix)
    after = grown_links(before, matrix, matrix >= np.float32(0.3))
    assert (before <= after).all()
    for i, j in pairs(after) - pairs(before):
        own_row = not before[i].any() and matrix[i, j] == matrix[i].max()
        own_column = not before[:, j].any() and matrix[i, j] == matrix[:, j].max()
        assert own_row or own_column
        assert matrix[i, j] >= np.float32(0.3)
        near = [(i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)]
        assert any(pair in pairs(after) for pair in near)


@given(filled)
def test_neighbours_are_added_along_the_diagonal(matrix):
    total = with_neighbours(matrix, near=0.2, far=0.1)
    n, m = matrix.shape
    for i in range(n):
        for j in range(m):
            expected = float(matrix[i, j])
            for step, weight in ((-2, 0.1), (-1, 0.2), (1, 0.2), (2, 0.1)):
                if 0 <= i + step < n and 0 <= j + step < m:
                    expected += weight * float(matrix[i + step, j + step])
            assert total[i, j] == pytest.approx(expected, abs=1e-5)


@given(filled)
def test_sharing_is_the_geometric_mean_of_two_softmaxes(matrix):
    spread = np.exp(matrix.astype(np.float64) / 0.05)
    both = np.sqrt(spread / spread.sum(axis=0) * (spread / spread.sum(axis=1, keepdims=True)))
    clear = np.abs(both - 0.1) > 1e-4  # rounding may decide on either side of the threshold
    assert (shared_links(matrix, temperature=0.05, threshold=0.1) == (both > 0.1))[clear].all()


def test_the_context_decides_between_equal_words():
    words = ["the", "old", "man", "and", "the", "young", "woman"]
    vectors = np.stack([np.eye(8, dtype=np.float32)[sorted(set(words)).index(word)] for word in words])
    order = [4, 5, 6, 3, 0, 1, 2]  # "the young woman and the old man"
    other = [words[place] for place in order]
    links = align_words(words, other, (vectors, vectors[order]))
    assert pairs(links) == {(place, order.index(place)) for place in range(7)}


def test_identical_texts_are_linked_word_by_word():
    random = np.random.default_rng(0)
    words = [f"word{number}" for number in range(40)]
    vectors = random.normal(size=(40, 16)).astype(np.float32)
    assert (align_words(words, words, (vectors, vectors)) == np.eye(40, dtype=bool)).all()


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (1, 1)])
def test_texts_without_words_have_no_links(shape):
    first, second = (["word"] * size for size in shape)
    vectors = tuple(np.ones((size, 4), dtype=np.float32) for size in shape)
    links = align_words(first, second, vectors)
    assert links.shape == shape
    assert links.all()  # holds of no words, and of one word against itself


def test_zero_vectors_give_zero_cosines_not_nan():
    result = cosines(np.zeros((2, 3), dtype=np.float32), np.ones((1, 3), dtype=np.float32))
    assert result.tolist() == [[0.0], [0.0]]


def test_scores_reward_forms_of_a_word_and_punish_marks_and_distance():
    flat = np.zeros((3, 3), dtype=np.float32)
    adjusted = word_scores(["bills", ",", "the"], ["bill", "the", ","], flat)
    assert adjusted[0, 0] == pytest.approx(0.1)
    assert adjusted[2, 1] == pytest.approx(-0.1 / 3, abs=1e-6)  # a function word gets no reward
    assert adjusted[0, 2] == pytest.approx(-0.2 - 0.2 / 3, abs=1e-6)


@pytest.mark.parametrize(("layers", "expected"), [(0, 0), (1, 1), (2, 1), (6, 3), (12, 6), (24, 12)])
def test_the_middle_layer(layers, expected):
    assert middle_layer(layers) == expected


def test_stems_and_marks():
    assert stem("Buyers") == stem("buyer") != ""
    assert stem("studies") == stem("study")
    assert stem("The") == stem("…") == ""
    assert [is_punctuation(word) for word in ("?!", "…", "'s", "漢")] == [True, True, False, False]
