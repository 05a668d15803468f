"""Nearest words and analogies against sorting everything, and against gensim."""

import numpy as np
import pytest
from gensim.models import KeyedVectors

from tenor.errors import TenorError
from tenor.words import WordVectors
from tenor.words import neighbours as module
from tenor.words.analogies import analogies
from tenor.words.neighbours import csls, mean_of_nearest, nearest, unit_rows


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch):
    monkeypatch.setattr(module, "_QUERIES", 7)
    monkeypatch.setattr(module, "_TARGETS", 11)


def _random(rows, width=6, seed=0):
    return np.random.default_rng(seed).normal(size=(rows, width)).astype(np.float32)


def _sorted(scores, k):
    order = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    return order, np.take_along_axis(scores, order, axis=1)


@pytest.mark.parametrize("k", [1, 3, 10, 40])
@pytest.mark.parametrize("targets", [40, 97])
def test_nearest_is_what_sorting_gives(k, targets):
    queries, table = unit_rows(_random(23)), unit_rows(_random(targets, seed=1))
    numbers, scores = nearest(queries, table, k)
    right, best = _sorted(queries.astype(np.float64) @ table.T.astype(np.float64), k)
    np.testing.assert_array_equal(numbers, right)
    np.testing.assert_allclose(scores, best, atol=1e-6)


def test_ties_go_to_the_lower_number_across_blocks():
    table = np.tile(np.eye(2, dtype=np.float32), (30, 1))
    numbers, _ = nearest(table[:3], table, 5)
    assert numbers.tolist() == [[0, 2, 4, 6, 8], [1, 3, 5, 7, 9], [0, 2, 4, 6, 8]]


def test_excluded_targets_and_too_few():
    table = unit_rows(_random(12))
    exclude = np.stack([np.arange(12), np.full(12, -1)], axis=1)
    numbers, scores = nearest(table, table, 12, exclude=exclude)
    assert all(row not in numbers[row] for row in range(12))
    assert (numbers[:, -1] == -1).all()
    assert np.isneginf(scores[:, -1]).all()
    assert (np.sort(numbers, axis=1)[:, 1:] >= 0).all()


def test_penalty_and_csls_against_the_formula():
    queries, table = unit_rows(_random(20)), unit_rows(_random(50, seed=1))
    cosines = queries.astype(np.float64) @ table.T.astype(np.float64)
    of_queries = np.sort(cosines, axis=1)[:, -4:].mean(axis=1)
    of_targets = np.sort(cosines, axis=0)[-4:].mean(axis=0)
    np.testing.assert_allclose(mean_of_nearest(queries, table, 4), of_queries, atol=1e-6)
    numbers, scores = csls(queries, table, 5, csls_k=4)
    right, best = _sorted(2 * cosines - of_queries[:, None] - of_targets[None], 5)
    np.testing.assert_array_equal(numbers, right)
    np.testing.assert_allclose(scores, best, atol=1e-5)


def test_progress_counts_every_query_once():
    done = []
    nearest(_random(30), _random(20), 2, progress=done.append)
    assert sum(done) == 30


@pytest.mark.parametrize(("queries", "targets", "k"), [((3, 4), (3, 5), 1), ((3, 4), (3, 4), 0)])
def test_what_cannot_be_compared_is_told(queries, targets, k):
    with pytest.raises(TenorError):
        nearest(np.ones(queries, dtype=np.float32), np.ones(targets, dtype=np.float32), k)


def test_no_queries_and_no_targets():
    assert nearest(_random(0), _random(5), 2)[0].shape == (0, 2)
    assert nearest(_random(2), _random(0), 2)[0].tolist() == [[-1, -1], [-1, -1]]
    with pytest.raises(TenorError):
        mean_of_nearest(_random(2), _random(0), 2)


@pytest.fixture
def both():
    words = [f"w{number}" for number in range(60)]
    table = _random(60, 8, seed=3)
    theirs = KeyedVectors(8)
    theirs.add_vectors(words, table)
    return WordVectors(words, table), theirs


def test_neighbours_of_words_and_vectors_agree_with_gensim(both):
    ours, theirs = both
    numbers, scores = ours.neighbours(["w3", "w17"], k=5)
    for row, word in enumerate(["w3", "w17"]):
        expected = theirs.most_similar(word, topn=5)
        assert [ours.words[number] for number in numbers[row]] == [name for name, _ in expected]
        np.testing.assert_allclose(scores[row], [score for _, score in expected], atol=1e-6)
    itself, _ = ours.neighbours(ours.rows(["w3"]), k=1)
    assert itself.tolist() == [[3]]
    with pytest.raises(TenorError, match="no vector"):
        ours.neighbours(["nothing"])
    with pytest.raises(TenorError, match="shape"):
        ours.neighbours(np.ones((2, 3)))


def test_analogies_agree_with_gensim(both):
    ours, theirs = both
    expected = theirs.most_similar(positive=["w2", "w3"], negative=["w1"], topn=4)
    found = ours.analogy("w1", "w2", "w3", k=4)
    assert [word for word, _ in found] == [word for word, _ in expected]
    np.testing.assert_allclose([score for _, score in found], [score for _, score in expected], atol=1e-5)
    expected = theirs.most_similar_cosmul(positive=["w2", "w3"], negative=["w1"], topn=4)
    found = ours.analogy("w1", "w2", "w3", k=4, method="3cosmul")
    assert [word for word, _ in found] == [word for word, _ in expected]
    np.testing.assert_allclose([score for _, score in found], [score for _, score in expected], rtol=1e-4)


def test_analogies_with_fewer_words_than_asked():
    vectors = WordVectors(["a", "b", "c", "d"], _random(4, 3))
    for method in ("3cosadd", "3cosmul"):
        numbers, _ = analogies(vectors, np.array([[0, 1, 2]]), k=3, method=method)
        assert numbers.tolist() == [[3, -1, -1]]
