"""New encoders: a folder that we and the other libraries open, the same for the same seed."""

import numpy as np
import pytest

import tenor
from tenor.errors import TenorError
from tiny import new_bert

TEXTS = ["a cat sat on the mat", "the dog ate the cat's food", "unreadable words are read"] * 3
SMALL = {"vocab_size": 80, "hidden_size": 16, "num_heads": 2, "num_layers": 1, "max_positions": 24}


def test_the_same_seed_gives_the_same_encoder(tmp_path):
    one, two = (new_bert(tmp_path / name, TEXTS, seed=3, **SMALL) for name in ("one", "two"))
    other = new_bert(tmp_path / "other", TEXTS, seed=4, **SMALL)
    for file in ("model.safetensors", "tokenizer.json", "config.json"):
        assert (one / file).read_bytes() == (two / file).read_bytes()
    assert (one / "model.safetensors").read_bytes() != (other / "model.safetensors").read_bytes()


def test_others_open_it_with_the_same_vectors(tmp_path):
    sentence_transformers = pytest.importorskip("sentence_transformers")
    folder = new_bert(tmp_path / "new", TEXTS, **SMALL)
    texts = ["The cat sat.", "dogs read", "word " * 50]
    theirs = sentence_transformers.SentenceTransformer(str(folder), device="cpu").encode(texts)
    ours = tenor.load(folder, precision="fp32").encode(texts)
    np.testing.assert_allclose(ours, theirs, atol=1e-5)


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
