"""Encoding: same in, same out, alone or among others, whatever the length; and words with their vectors."""

import subprocess
import sys

import numpy as np
import pytest

import tenor
from tenor.model import encoding
from tenor.model.encoding import encode_texts
from tenor.model.model import _is_english
from tiny import VOCABULARY, WORDS


@pytest.fixture(scope="module", params=["the engine of this machine", "torch"])
def model(tiny_folder, request):
    if request.param != "torch":
        return tenor.load(tiny_folder, precision="fp32")
    with pytest.MonkeyPatch.context() as patch:
        # as if there were no other engine
        patch.setattr("tenor.encoders.bert.encoder_type.find_spec", lambda _: None)
        loaded = tenor.load(tiny_folder, precision="fp32")
    assert loaded.engine.name == "torch cpu"
    return loaded


@pytest.fixture(scope="module")
def texts():
    random = np.random.default_rng(0)
    made = [" ".join(random.choice(WORDS, random.integers(0, 60))) for _ in range(900)]
    return [*made, *made[:100], "", " ", "漢字 é", "x" * 300, "nul\0nul", "lone \ud800"]


def test_a_vector_does_not_depend_on_what_else_is_encoded(model, texts):
    together = model.encode(texts)
    assert together.shape == (len(texts), 32)
    assert together.dtype == np.float32
    for number in [*range(0, len(texts), 60), *range(1000, len(texts))]:
        np.testing.assert_allclose(model.encode([texts[number]])[0], together[number], atol=1e-5)
    order = np.random.default_rng(1).permutation(len(texts))
    np.testing.assert_allclose(model.encode([texts[n] for n in order]), together[order], atol=1e-5)


def test_same_texts_same_numbers(model, texts, tiny_folder):
    first = model.encode(texts)
    np.testing.assert_array_equal(model.encode(texts), first)
    again = tenor.load(tiny_folder, precision="fp32").encode(texts)
    np.testing.assert_allclose(again, first, atol=1e-5)  # perhaps by the other engine


def test_vectors_have_length_one_where_the_model_says_so(model, make_tiny, texts):
    assert model.normalized
    np.testing.assert_allclose(np.linalg.norm(model.encode(texts), axis=1), 1, atol=1e-5)
    plain = tenor.load(make_tiny(normalize=False), precision="fp32").encode(texts[:50])
    np.testing.assert_allclose(
        plain / np.linalg.norm(plain, axis=1)[:, None], model.encode(texts[:50]), atol=1e-5
    )


def test_no_texts_and_one_text(model):
    assert model.encode([]).shape == (0, 32)
    assert model.encode([""]).shape == (1, 32)
    assert model.word_states([]) == []
    with pytest.raises(TypeError, match="list"):
        model.encode("one text")


def test_windows_and_the_given_array_change_nothing(model, texts, monkeypatch, tmp_path):
    expected = model.encode(texts)
    monkeypatch.setattr(encoding, "_FIRST_WINDOW", 3)
    monkeypatch.setattr(encoding, "_LARGEST_WINDOW", 50)
    monkeypatch.setattr(encoding, "_WINDOW_CHARACTERS", 4_000)
    out = np.lib.format.open_memmap(tmp_path / "out.npy", mode="w+", dtype=np.float32, shape=expected.shape)
    done: list[int] = []
    assert model.encode(texts, out=out, progress=done.append) is out
    np.testing.assert_allclose(out, expected, atol=1e-5)
    assert sum(done) == len(texts)
    with pytest.raises(ValueError, match="shape"):
        model.encode(texts, out=np.zeros((3, 3), dtype=np.float32))


class Counting:
    """An engine whose vector is the sum of a text's ids, which runs batches ahead and counts texts."""

    name, precision, width, layers, token_budget = "counting", "fp32", 1, 0, 64

    def __init__(self):
        self.seen = 0

    def vectors(self, tokens):
        self.seen += len(tokens)
        assert len(tokens) == 1 or len(tokens) * tokens.lengths.max() <= 64
        return np.add.reduceat(tokens.ids, tokens.starts[:-1])[:, None].astype(np.float32)

    def states(self, tokens, *, layer):
        return tokens.ids[:, None].astype(np.float32)


class Ahead(Counting):
    def map(self, batches):
        waiting = []
        for batch in batches:
            waiting.append(self.vectors(batch))
            if len(waiting) == 4:
                yield waiting.pop(0)
        yield from waiting


@pytest.mark.parametrize("engine", [Counting, Ahead])
def test_engines_run_each_distinct_text_once_and_results_find_their_rows(engine, model, texts, monkeypatch):
    monkeypatch.setattr(encoding, "_FIRST_WINDOW", 700)
    engine = engine()
    vectors = encode_texts(engine, model.tokenizer, texts + texts)
    tokens = model.tokenizer.tokenize(texts)
    expected = np.add.reduceat(tokens.ids, tokens.starts[:-1])
    np.testing.assert_array_equal(vectors[:, 0], np.concatenate([expected, expected]))
    assert engine.seen < 1.6 * len(texts)


def test_chunks_are_averaged_by_their_tokens(model, make_tiny):
    long, short = "the cat " * 50, "a dog"  # 100 pieces: chunks of 38, 38 and 24
    words = long.split()
    parts = [" ".join(words[begin : begin + 38]) for begin in (0, 38, 76)]
    for network in (model, tenor.load(make_tiny(normalize=False), precision="fp32")):
        vectors = network.encode(parts)
        expected = np.average(vectors, axis=0, weights=[38, 38, 24])
        if network.normalized:
            expected /= np.linalg.norm(expected)
        done: list[int] = []
        got = network.encode([short, long, "", short], long="chunk", progress=done.append)
        np.testing.assert_allclose(got[1], expected, atol=1e-5)
        np.testing.assert_allclose(got[[0, 2, 3]], network.encode([short, "", short]), atol=1e-6)
        assert sum(done) == 4
    assert np.abs(model.encode([long])[0] - model.encode([long], long="chunk")[0]).max() > 1e-3


def test_a_megabyte_in_one_line(model):
    vectors = model.encode(["good day " * 110_000, "the cat"])
    np.testing.assert_allclose(vectors[0], model.encode(["good day " * 19])[0], atol=1e-5)


def test_word_vectors_are_means_over_pieces(model):
    text = "Unhappily, the cat isn't running 漢字"
    (states,) = model.word_states([text])
    assert states.words == tuple(text[begin:end] for begin, end in states.spans)
    assert states.words == ("Unhappily", ",", "the", "cat", "isn't", "running", "漢", "字")
    tokens = model.tokenizer.tokenize([text], words=True)
    pieces = model.engine.states(tokens, layers=[2])[0]
    for number in range(len(states.words)):
        np.testing.assert_allclose(
            states.vectors[number], pieces[tokens.words == number].mean(axis=0), atol=1e-5
        )


def test_words_given_or_split_many_or_one(model):
    texts = ["the cat sat", ["the", "cat", "sat"], "a dog", ["don't"], "", []]
    together = model.word_states(texts, layer=1)
    assert [len(states.words) for states in together] == [3, 3, 2, 1, 0, 0]
    np.testing.assert_allclose(together[0].vectors, together[1].vectors, atol=1e-5)
    np.testing.assert_array_equal(together[0].spans, together[1].spans)
    for text, states in zip(texts, together, strict=True):
        np.testing.assert_allclose(model.word_states([text], layer=1)[0].vectors, states.vectors, atol=1e-5)


def test_several_layers_at_once_are_those_of_one_at_a_time(model):
    texts = ["the cat sat", ["don't", "run"], ""]
    layers = [2, 0, 1]
    for together, *alone in zip(
        model.layered_word_states(texts, layers=layers),
        *(model.word_states(texts, layer=layer) for layer in layers),
        strict=True,
    ):
        assert {states.words for states in alone} == {together.words}
        assert together.vectors.shape == (len(together.words), 3, 32)
        for number, states in enumerate(alone):
            np.testing.assert_allclose(together.vectors[:, number], states.vectors, atol=1e-6)


def test_words_that_the_model_does_not_see_are_left_out(model):
    (states,) = model.word_states(["the " * 100])
    assert len(states.words) == 38
    assert states.vectors.shape == (38, 32)
    with pytest.raises(ValueError, match="no layer 3"):
        model.word_states(["a"], layer=3)
    with pytest.raises(ValueError, match="no layer 3"):
        model.layered_word_states(["a"], layers=[0, 3])


def test_which_models_are_english(model):
    assert model.english is None  # too few words to tell
    assert tenor.load("minilm", precision="fp32").english is True
    many = [f"word{chr(97 + n % 26)}{chr(97 + n // 26 % 26)}{chr(97 + n // 676)}" for n in range(6_000)]
    assert _is_english(many) is False
    english = [*many, "the", "which", "because", "through", "between", "would", "should", "people"]
    assert _is_english(english) is True
    assert _is_english([*english, *(word + "é" for word in many[:1_000])]) is False
    assert _is_english(VOCABULARY) is None


def test_importing_tenor_is_light():
    code = (
        "import sys, tenor, tenor.model; assert not {'torch', 'openvino', 'transformers'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
