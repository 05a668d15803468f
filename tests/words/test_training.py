"""Reading a corpus, training by gensim with everything kept, and PPMI against loops and a full SVD."""

import gzip
from itertools import pairwise

import numpy as np
import pytest

from tenor.errors import TenorError
from tenor.words.corpus import read_corpus
from tenor.words.counting import PpmiConfig, count_pairs, ppmi, train_ppmi
from tenor.words.training import Word2VecConfig, train_word2vec

LINES = ["The cat sat, the cat slept.", "A dog sat!", "", "the dog  slept; a cat slept", "rare"] * 3 + [
    "once"
]


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("\n".join(LINES), encoding="utf-8")
    return path


def test_a_corpus_is_counted_ranked_and_cut(text):
    corpus = read_corpus(text, min_count=2)
    assert corpus.words[0] in ("the", "cat", "slept")
    assert dict(zip(corpus.words, corpus.counts.tolist(), strict=True)) == {
        "the": 9, "cat": 9, "slept": 9, "sat": 6, "a": 6, "dog": 6, "rare": 3,
    }  # fmt: skip
    assert (np.diff(corpus.counts) <= 0).all()
    assert next(iter(corpus.sentences())) == ["the", "cat", "sat", "the", "cat", "slept"]
    assert list(corpus.sentences())[-1] == []  # "once" is too rare, its sentence stays empty
    assert "The" in read_corpus(text, lowercase=False, min_count=1).words
    assert "sat," in read_corpus(text, split="spaces", min_count=1).words
    assert len(read_corpus(text, min_count=1, max_final_vocab=3).words) == 3


def test_gzip_progress_and_too_little_text(text, tmp_path):
    packed = tmp_path / "text.gz"
    packed.write_bytes(gzip.compress(text.read_bytes()))
    told = []
    corpus = read_corpus(packed, min_count=2, progress=told.append)
    assert sum(told) == len(LINES)
    np.testing.assert_array_equal(corpus.ids, read_corpus(text, min_count=2).ids)
    with pytest.raises(TenorError, match="min-count"):
        read_corpus(text, min_count=100)
    (tmp_path / "empty").write_bytes(b"")
    with pytest.raises(TenorError, match="0 tokens"):
        read_corpus(tmp_path / "empty")


def test_sentences_beyond_gensims_limit_are_cut_not_lost(tmp_path):
    path = tmp_path / "long.txt"
    path.write_text("word " * 25_000)
    corpus = read_corpus(path)
    assert [len(sentence) for sentence in corpus.sentences()] == [10_000, 10_000, 5_000]


@pytest.mark.parametrize("architecture", ["skip-gram", "cbow"])
def test_word2vec_is_gensims_with_both_matrices_and_counts(text, architecture):
    from gensim.models import Word2Vec

    corpus = read_corpus(text, min_count=2)
    config = Word2VecConfig(architecture=architecture, vector_size=8, window=2, epochs=3, seed=7)
    told = []
    ours = train_word2vec(corpus, config, progress=told.append)
    theirs = Word2Vec(
        list(corpus.sentences()), vector_size=8, window=2, sg=int(architecture == "skip-gram"), epochs=3,
        seed=7, workers=1, min_count=1,
    )  # fmt: skip
    assert list(ours.words) == theirs.wv.index_to_key
    assert ours.counts.tolist() == [theirs.wv.get_vecattr(word, "count") for word in ours.words]
    np.testing.assert_array_equal(ours.vectors, theirs.wv.vectors)
    np.testing.assert_array_equal(ours.contexts, theirs.syn1neg)
    again = train_word2vec(corpus, config)
    np.testing.assert_array_equal(ours.vectors, again.vectors)
    np.testing.assert_array_equal(ours.contexts, again.contexts)
    assert ours.contexts.any()
    assert sum(told) == 3 * len(corpus)


@pytest.mark.parametrize("weighting", ["flat", "distance"])
def test_pairs_are_counted_as_by_hand(text, weighting):
    corpus = read_corpus(text, min_count=2)
    expected = np.zeros((len(corpus.words),) * 2)
    for begin, end in pairwise(corpus.starts.tolist()):
        some = corpus.ids[begin:end].tolist()
        for i, word in enumerate(some):
            for j, other in enumerate(some):
                if 0 < abs(i - j) <= 2:
                    expected[word, other] += 1 if weighting == "flat" else 1 / abs(i - j)
    np.testing.assert_allclose(count_pairs(corpus, 2, weighting=weighting).toarray(), expected)


def test_ppmi_is_the_formula_and_its_factors_give_it_back(text):
    corpus = read_corpus(text, min_count=2)
    pairs = count_pairs(corpus, 2).toarray()
    contexts = pairs.sum(axis=0) ** 0.75 / np.sum(pairs.sum(axis=0) ** 0.75)
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = np.log(pairs / pairs.sum(axis=1, keepdims=True) / contexts) - np.log(1.2)
    expected = np.nan_to_num(np.maximum(np.where(pairs > 0, expected, 0), 0))
    made = ppmi(count_pairs(corpus, 2), shift=1.2).toarray()
    np.testing.assert_allclose(made, expected, atol=1e-12)
    config = PpmiConfig(vector_size=3, window=2, shift=1.2, power=0.3)
    vectors = train_ppmi(corpus, config)
    left, values, right = np.linalg.svd(expected)
    best = left[:, :3] * values[:3] @ right[:3]
    np.testing.assert_allclose(vectors.vectors @ vectors.contexts.T, best, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(vectors.vectors, axis=0), values[:3] ** 0.3, rtol=1e-5)


@pytest.mark.parametrize(
    "wrong",
    [{"vector_size": 0}, {"window": 0}, {"epochs": 0}, {"learning_rate": 0.0}, {"negative": 0}],
    ids=str,
)
def test_settings_that_make_no_sense(wrong):
    with pytest.raises(TenorError):
        Word2VecConfig(**wrong)


def test_ppmi_refuses_what_cannot_be(text):
    corpus = read_corpus(text, min_count=2)
    with pytest.raises(TenorError, match="lower it"):
        train_ppmi(corpus, PpmiConfig(vector_size=500))
    with pytest.raises(TenorError, match="lower shift"):
        train_ppmi(corpus, PpmiConfig(vector_size=2, shift=1e9))
    with pytest.raises(TenorError):
        PpmiConfig(shift=0)
