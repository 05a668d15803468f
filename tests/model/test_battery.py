"""The common battery: what every engine promises, whatever it is. A new engine adds a line to ENGINES."""

import json
import shutil

import numpy as np
import pytest
from safetensors.numpy import save_file

import tenor
from tenor.words import WordVectors
from tiny import VOCABULARY, WIDTH, WORDS, write_tiny_model

ENGINES = ["openvino", "torch cpu", "static", "words"]
ODD = ["", " ", "漢字 é", "x" * 300, "nul\0nul", "lone \ud800", "the cat " * 2_000, "\u202e‮ ½ 10⁵ 👩‍👩‍👧"]


@pytest.fixture(scope="module", params=ENGINES)
def folder(request, tmp_path_factory):
    """A folder and what opens it with the engine of the round."""
    place = tmp_path_factory.mktemp("battery")
    if request.param == "openvino":
        pytest.importorskip("openvino")
    if request.param == "static":
        return request.param, write_static(place / "model")
    if request.param == "words":
        table = np.random.default_rng(0).normal(size=(len(WORDS), WIDTH))
        WordVectors(list(dict.fromkeys(WORDS)), table[: len(set(WORDS))]).save(place / "words.safetensors")
        return request.param, place / "words.safetensors"
    return request.param, write_tiny_model(place / "model")


def write_static(folder):
    folder.mkdir()
    tiny = write_tiny_model(folder.parent / "tiny")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copyfile(tiny / name, folder / name)
    table = np.random.default_rng(0).normal(size=(len(VOCABULARY), WIDTH)).astype(np.float32)
    save_file({"embeddings": table}, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps({"model_type": "model2vec", "normalize": True}))
    return folder


def opened(engine, place):
    with pytest.MonkeyPatch.context() as patch:
        if engine == "torch cpu":
            # as if there were no other engine
            patch.setattr("tenor.encoders.bert.encoder_type.find_spec", lambda _: None)
        model = tenor.load(place, precision="fp32", device="cpu")
    assert model.engine.name == ("static" if engine == "words" else engine)
    return model


@pytest.fixture(scope="module")
def model(folder):
    return opened(*folder)


@pytest.fixture(scope="module")
def texts():
    random = np.random.default_rng(0)
    return [" ".join(random.choice(WORDS, random.integers(1, 70))) for _ in range(200)] + ODD


def test_same_numbers_again_and_from_the_disk_again(model, folder, texts):
    first = model.encode(texts)
    assert (first.shape, first.dtype) == ((len(texts), model.width), np.float32)
    np.testing.assert_array_equal(model.encode(texts), first)
    np.testing.assert_array_equal(opened(*folder).encode(texts), first)


def test_saved_and_loaded_it_gives_the_same(model, folder, texts, tmp_path):
    model.save(tmp_path / "saved")
    again = opened(folder[0], tmp_path / "saved")
    np.testing.assert_array_equal(again.encode(texts), model.encode(texts))
    assert again.fingerprint == model.fingerprint


def test_a_text_alone_or_among_others(model, texts):
    together = model.encode(texts)
    for number in [*range(0, 200, 20), *range(200, len(texts))]:
        np.testing.assert_allclose(model.encode([texts[number]])[0], together[number], atol=1e-5)
    backwards = model.encode(texts[::-1])[::-1]
    np.testing.assert_allclose(backwards, together, atol=1e-5)


@pytest.mark.parametrize("long", ["truncate", "chunk"])
def test_vectors_are_finite_and_of_the_length_that_the_model_says(model, texts, long):
    vectors = model.encode(texts, long=long)
    assert np.isfinite(vectors).all()
    lengths = np.linalg.norm(vectors, axis=1)
    # A static model has no special tokens: a text without a known token is zeros there.
    assert model.normalized != (model.settings.model_type == "words")
    assert (
        not model.normalized
        or (np.isclose(lengths, 1, atol=1e-5) | ((lengths == 0) & (model.engine.layers == 0))).all()
    )


def test_none_and_one(model):
    assert model.encode([]).shape == (0, model.width)
    assert model.encode(["the cat"]).shape == (1, model.width)
    assert model.word_states([]) == []


def test_words_have_vectors_at_every_layer(model):
    for layer in range(model.engine.layers + 1):
        (states,) = model.word_states(["the cat sat"], layer=layer)
        assert states.words == ("the", "cat", "sat")
        assert states.vectors.shape == (3, WIDTH)
    with pytest.raises(ValueError, match="no layer"):
        model.word_states(["a"], layer=model.engine.layers + 1)
