"""New encoders: a folder that we and the other libraries open, the same for the same seed."""

import json

import numpy as np
import pytest

import tenor
from tenor.errors import TenorError
from tenor.tasks.mlm.task import vocabulary_of
from tenor.text.tokenizer import Tokenizer
from tiny import new_bert

SPACE = "\N{LOWER ONE EIGHTH BLOCK}"

TEXTS = ["a cat sat on the mat", "the dog ate the cat's food", "unreadable words are read"] * 3
SMALL = {"vocab_size": 80, "hidden_size": 16, "num_heads": 2, "num_layers": 1, "max_positions": 24}


@pytest.mark.parametrize("vocabulary", ["wordpiece", "unigram"])
def test_the_same_seed_gives_the_same_encoder(tmp_path, vocabulary):
    settings = {**SMALL, "vocabulary": vocabulary}
    one, two = (new_bert(tmp_path / name, TEXTS, seed=3, **settings) for name in ("one", "two"))
    other = new_bert(tmp_path / "other", TEXTS, seed=4, **settings)
    for file in ("model.safetensors", "tokenizer.json", "config.json"):
        assert (one / file).read_bytes() == (two / file).read_bytes()
    assert (one / "model.safetensors").read_bytes() != (other / "model.safetensors").read_bytes()


@pytest.mark.parametrize("vocabulary", ["wordpiece", "unigram"])
def test_others_open_it_with_the_same_vectors(tmp_path, vocabulary):
    sentence_transformers = pytest.importorskip("sentence_transformers")
    folder = new_bert(tmp_path / "new", TEXTS, **SMALL, vocabulary=vocabulary)
    texts = ["The cat sat.", "dogs read", "word " * 50]
    theirs = sentence_transformers.SentenceTransformer(str(folder), device="cpu").encode(texts)
    ours = tenor.load(folder, precision="fp32").encode(texts)
    np.testing.assert_allclose(ours, theirs, atol=1e-5)


def test_a_unigram_vocabulary_cuts_words_and_texts_alike_into_the_likeliest_pieces(tmp_path):
    new_bert(tmp_path / "new", TEXTS, **SMALL, lowercase=False, vocabulary="unigram")
    kept = json.loads((tmp_path / "new" / "tokenizer.json").read_text())["model"]
    tokenizer = Tokenizer.load(tmp_path / "new")
    words = ["the", "dog", "sat", "on", "unreadable", "mat"]
    whole, apart = tokenizer.tokenize([" ".join(words)]), tokenizer.tokenize([words], words=True)
    assert whole.ids.tolist() == apart.ids.tolist()
    assert apart.words.max() == len(words) - 1
    scores = dict(kept["vocab"])
    assert len(scores) <= SMALL["vocab_size"]
    for at, word in enumerate(words):
        pieces = tokenizer.pieces(apart.ids[apart.words == at])
        assert "".join(pieces) == SPACE + word
        assert sum(scores[piece] for piece in pieces) == pytest.approx(best_score(SPACE + word, scores))
    assert tokenizer.unknown == 1
    assert tokenizer.unknown in tokenizer.tokenize(["漢"]).ids
    inside = vocabulary_of(tokenizer).inside
    pieces = tokenizer.pieces(np.arange(tokenizer.size))
    assert all(inside[at] == (piece[0] not in (SPACE, "[")) for at, piece in enumerate(pieces))


def best_score(word, scores):
    """The sum of the likeliest way to cut a word."""
    if not word:
        return 0.0
    ends = (end for end in range(1, len(word) + 1) if word[:end] in scores)
    return max((scores[word[:end]] + best_score(word[end:], scores) for end in ends), default=-np.inf)


def test_an_unknown_vocabulary_is_told():
    from tenor.encoders.from_scratch import from_scratch_config

    with pytest.raises(TenorError, match="known are wordpiece, unigram"):
        from_scratch_config({"vocabulary": "unigrams"})


def test_a_folder_in_use_is_left_alone(tmp_path):
    (tmp_path / "kept.txt").write_text("mine")
    with pytest.raises(TenorError, match="exists already"):
        new_bert(tmp_path, TEXTS, **SMALL)
    assert [path.name for path in tmp_path.iterdir()] == ["kept.txt"]


@pytest.mark.parametrize(
    "settings",
    [
        {"hidden_size": 2**40},
        {"num_layers": 10**9},
        {"num_layers": 900, "hidden_size": 4096},
        {"vocab_size": 10**12},
        {"max_positions": 10**9},
        {"intermediate_size": 10**12},
        {"model_type": "lstm", "hidden_size": 60_000},
        {"model_type": "lstm", "num_layers": 10**6},
        {"model_type": "lstm", "vocab_size": 10**7, "embedding_size": 60_000},
        {"model_type": "cnn", "filters": 10**7},
        {"model_type": "cnn", "filters": 60_000, "embedding_size": 10_000},
        {"model_type": "cnn", "max_tokens": 10**9},
    ],
)
def test_absurd_sizes_are_refused_before_anything_is_allocated(settings):
    from tenor.encoders.from_scratch import from_scratch_config

    with pytest.raises(TenorError, match="at most"):
        from_scratch_config(settings)
