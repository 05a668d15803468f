"""Word vectors as an encoder and a model: means of words, unknown words, saving, and the common uses."""

import numpy as np
import pytest

import tenor
from tenor.errors import TenorError
from tenor.model.word_model import WordModel
from tenor.words import WordVectors

WORDS = ["the", "cat", "sat", "Paris", "漢", "."]


@pytest.fixture
def path(tmp_path):
    vectors = WordVectors(WORDS, np.random.default_rng(0).normal(size=(6, 5)))
    vectors.save(tmp_path / "v.safetensors")
    return tmp_path / "v.safetensors"


def test_a_text_is_the_mean_of_its_known_words(path):
    model, vectors = tenor.load(path), WordVectors.load(path)
    texts = ["The cat sat.", "paris cat", "Paris 漢 unknownword", "nothing known", ""]
    expected = [["the", "cat", "sat", "."], ["cat"], ["Paris", "漢"], [], []]
    made = model.encode(texts)
    for row, words in zip(made, expected, strict=True):
        mean = vectors.rows(words).mean(axis=0) if words else np.zeros(5)
        np.testing.assert_allclose(row, mean, rtol=1e-5, atol=1e-7)
    assert model.max_tokens is None
    assert model.width == 5
    assert np.isfinite(made).all()


def test_a_vector_does_not_depend_on_its_batch(path):
    model = tenor.load(path)
    texts = ["the cat", "cat " * 3000, "sat", "the cat"] * 20
    together = model.encode(texts)
    alone = np.concatenate([model.encode([text]) for text in texts[:4]])
    np.testing.assert_allclose(together[:4], alone, atol=1e-5)
    np.testing.assert_array_equal(together[0], together[3])


def test_word_states_are_the_vectors_of_the_words(path):
    model, vectors = tenor.load(path), WordVectors.load(path)
    states = model.word_states(["The cat purrs", ["sat", "Paris"]])
    assert states[0].words == ("The", "cat", "purrs")
    np.testing.assert_array_equal(states[0].vectors[1], vectors["cat"])
    assert not states[0].vectors[2].any()
    np.testing.assert_array_equal(states[1].vectors, vectors.rows(["sat", "Paris"]))


def test_saved_and_loaded_it_is_the_same_model(path, tmp_path):
    model = tenor.load(path)
    model.save(tmp_path / "model")
    again = tenor.load(tmp_path / "model")
    np.testing.assert_array_equal(again.encode(["the cat", "x"]), model.encode(["the cat", "x"]))
    assert again.fingerprint == model.fingerprint
    other = WordModel(WordVectors(WORDS, np.ones((6, 5))))
    assert other.fingerprint != model.fingerprint
    with pytest.raises(TenorError, match="exists already"):
        model.save(tmp_path / "model")


def test_a_file_that_is_no_vectors_is_told(tmp_path):
    (tmp_path / "x.txt").write_text("just a text\n")
    with pytest.raises(TenorError, match="no file of word vectors"):
        tenor.load(tmp_path / "x.txt")


def test_duplicates_are_found_with_it(path):
    from tenor.use.dedupe import dedupe

    groups = dedupe(tenor.load(path), ["the cat sat", "sat cat the", "Paris", "漢"], threshold=0.99)
    assert [sorted(member.row for member in group.members) for group in groups] == [[0, 1]]


def test_unknown_words_count_only_where_words_are_asked_for(path):
    """In training they are left out of every pooled text; a tagger needs one row per word."""
    from tenor.model.loading import find_model

    settings = find_model(path)
    assert (settings.model_type, settings.max_tokens) == ("words", None)
    tokenizer = settings.type.tokenizer(settings.encoder, max_tokens=3)
    tokens = tokenizer.tokenize(["The zebra cat sat ."])
    assert tokenizer.pieces(tokens.ids) == ["the", "cat", "sat"]
    assert tokens.dropped.tolist() == [1]
    whole = tokenizer.tokenize(["zebra cat"], words=True)
    assert whole.words.tolist() == [0, 1]
    assert whole.ids[0] == tokenizer.unknown


def test_a_file_is_read_once_while_it_is_in_use(path):
    from tenor.encoders.words.encoder_type import vectors_of

    first = vectors_of(path)
    assert vectors_of(path) is first
    WordVectors(WORDS, np.ones((6, 5))).save(path)
    assert vectors_of(path) is not first
