"""The class of word vectors: looking up, cutting, intersecting, and refusing what does not fit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tenor.errors import TenorError
from tenor.words import WordVectors, intersection
from tenor.words import vocabulary as vocabulary_module
from tenor.words.vocabulary import Vocabulary


@settings(max_examples=60, deadline=None)
@given(words=st.lists(st.text(max_size=80), unique=True, max_size=40), more=st.lists(st.text(max_size=8)))
def test_a_vocabulary_is_a_dictionary(words, more):
    words = list(dict.fromkeys(word.encode(errors="replace").decode() for word in words))
    numbers = {word: number for number, word in enumerate(words)}
    vocabulary = Vocabulary.of(words)
    assert list(vocabulary) == words
    assert [vocabulary[number] for number in range(len(words))] == words
    assert [vocabulary.find(word) for word in words + more] == [numbers.get(word) for word in words + more]
    assert vocabulary.find_all(words + more).tolist() == [numbers.get(word, -1) for word in words + more]


def test_words_with_equal_hashes_are_told_apart(monkeypatch):
    monkeypatch.setattr(vocabulary_module, "_HASHED", 1)  # only the first letter and the length count
    words = ["aa", "ab", "ac", "b"]
    vocabulary = Vocabulary.of(words)
    assert [vocabulary.find(word) for word in [*words, "ad"]] == [0, 1, 2, 3, None]
    with pytest.raises(TenorError, match="'ab' is there twice"):
        Vocabulary.of(["aa", "ab", "ac", "ab"])


def test_very_long_words_differ_by_their_ends():
    words = ["x" * 500 + end for end in "abc"]
    assert Vocabulary.of(words).find_all(words).tolist() == [0, 1, 2]


def test_oov_policies():
    vectors = WordVectors(["a", "b"], np.eye(2))
    assert vectors.rows(["b", "x"]).tolist() == [[0, 1]]
    assert vectors.rows(["b", "x"], oov="zero").tolist() == [[0, 1], [0, 0]]
    with pytest.raises(TenorError, match="no vector for 'x'"):
        vectors.rows(["b", "x"], oov="error")
    with pytest.raises(TenorError, match="no subwords"):
        vectors.rows(["b", "x"], oov="subword")
    with pytest.raises(TenorError, match="Did you mean 'a'"):
        vectors["A"]


def test_take_and_replace_keep_what_belongs_together():
    vectors = WordVectors(["a", "b", "c"], np.arange(6).reshape(3, 2), [5, 6, 7], np.ones((3, 2)))
    some = vectors.take(["c", "a"])
    assert (list(some.words), some.counts.tolist(), some["c"].tolist()) == (["c", "a"], [7, 5], [4, 5])
    assert list(vectors.take([1, 2]).words) == ["b", "c"]
    other = vectors.replace(np.zeros((3, 4)))
    assert (other.vector_size, other.counts.tolist(), other.contexts) == (4, [5, 6, 7], None)
    with pytest.raises(TenorError, match="no vector for 'x'"):
        vectors.take(["x"])
    with pytest.raises(IndexError):
        vectors.take(vectors.indices(["a", "x"]))


def test_intersection_and_its_absence():
    a, b = WordVectors(["x", "y", "z"], np.eye(3)), WordVectors(["z", "q", "x"], np.eye(3))
    first, second = intersection(a, b)
    assert list(first.words) == list(second.words) == ["x", "z"]
    assert second["z"].tolist() == [1, 0, 0]
    with pytest.raises(TenorError, match="No word is in all"):
        intersection(a, WordVectors(["X"], [[1]]))


@pytest.mark.parametrize(
    ("words", "vectors", "counts"),
    [(["a"], [[1], [2]], None), (["a"], [1], None), (["a"], [[1]], [1, 2]), (["a"], [[1]], [-1])],
)
def test_shapes_that_do_not_fit(words, vectors, counts):
    with pytest.raises(TenorError, match="There are 1 words"):
        WordVectors(words, vectors, counts)


def test_similarity_is_the_cosine_and_zero_for_zeros():
    vectors = WordVectors(["a", "b", "o"], [[3, 4], [4, 3], [0, 0]])
    assert vectors.similarity("a", "b") == pytest.approx(24 / 25)
    assert vectors.similarity("a", "o") == 0
    assert np.linalg.norm(vectors.unit().vectors, axis=1) == pytest.approx([1, 1, 0])


def test_words_are_looked_up_in_lower_case_where_they_are_not_there_as_written():
    vectors = WordVectors(["paris", "Rome", "rome"], np.eye(3))
    words = ["Paris", "Rome", "ROME", "Oslo"]
    assert vectors.indices(words).tolist() == [-1, 1, -1, -1]
    assert vectors.indices(iter(words), or_lowercase=True).tolist() == [0, 1, 2, -1]
