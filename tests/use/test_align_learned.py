"""Using a learned aligner: its features, its network, its file, and what is refused."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import tenor
from small_aligner import random_view, random_weights
from tenor.errors import TenorError
from tenor.tensors import Stored, read_with_metadata, write_safetensors
from tenor.use.align.learned import LearnedLinks, load_aligner
from tenor.use.align.learned.aligner import Learned
from tenor.use.align.learned.grid import features, layers_of, letter_overlap, view
from tenor.use.align.learned.network import Shape, convolved, link_logits, link_probabilities
from tenor.use.align.pairs import Aligner, WordPair
from tenor.use.align.states import mean_word_vectors
from tenor.use.align.words import middle_layer
from tiny import write_tiny_model

numbers = st.floats(-2, 2, width=32)


@given(arrays(np.float32, (3, 4, 2), elements=numbers), arrays(np.float32, (3, 2, 3, 3), elements=numbers))
def test_convolution_equals_its_definition(cells, kernel):
    found = convolved(cells, kernel)
    for i in range(3):
        for j in range(4):
            expected = np.zeros(3)
            for row in range(3):
                for column in range(3):
                    y, x = i + row - 1, j + column - 1
                    if 0 <= y < 3 and 0 <= x < 4:
                        expected += kernel[:, :, row, column].astype(np.float64) @ cells[y, x]
            assert found[i, j] == pytest.approx(expected, abs=1e-4)


def test_either_order_of_the_texts_gives_the_same_links():
    weights, seen = random_weights(), random_view(4, 6)
    other = seen.swapped()
    assert np.allclose(link_probabilities(weights, other).T, link_probabilities(weights, seen), atol=1e-5)
    assert not np.allclose(link_logits(weights, other).T, link_logits(weights, seen), atol=1e-3)
    back = seen.swapped().swapped()
    assert all((one == two).all() for one, two in zip(_parts(back), _parts(seen), strict=True))


def _parts(seen):
    return seen.grid, seen.first, seen.second


def test_a_view_of_swapped_texts_is_the_swapped_view():
    random = np.random.default_rng(0)
    first, second = ["The", "cats", "sat", "."], ["a", "cat", "sits"]
    vectors = tuple(random.normal(size=(len(words), 2, 8)).astype(np.float32) for words in (first, second))
    centre = random.normal(size=(2, 8)).astype(np.float32)
    seen = view(first, second, vectors, centre=centre, middle=1)
    assert seen.grid.shape == (4, 3, features(2))
    other = view(second, first, vectors[::-1], centre=centre, middle=1)
    for one, two in zip(_parts(seen.swapped()), _parts(other), strict=True):
        assert one == pytest.approx(two, abs=1e-5)


def test_an_unlabelled_view_tells_nothing_of_the_links_made_without_it():
    random = np.random.default_rng(0)
    words = ["the", "cat", "sat"]
    vectors = tuple(random.normal(size=(3, 2, 8)).astype(np.float32) for _ in range(2))
    told, untold = (
        view(words, words, vectors, centre=np.zeros((2, 8), np.float32), middle=1, unlabelled=unlabelled)
        for unlabelled in (False, True)
    )
    rules = np.array([8, 9, 14, 15])  # score, link and both shares; before them four cosines and four looks
    assert (told.grid[..., rules] != 0).any(axis=(0, 1)).all()
    assert (untold.grid[..., rules] == 0).all()
    others = np.setdiff1d(np.arange(features(2)), rules)
    assert (untold.grid[..., others] == told.grid[..., others]).all()


@given(
    st.lists(st.text("abc", min_size=1, max_size=5), max_size=4),
    st.lists(st.text("abc", min_size=1), max_size=4),
)
def test_letter_overlap_is_the_dice_of_letter_pairs(first, second):
    found = letter_overlap(first, second)
    assert found.shape == (len(first), len(second))
    for i, one in enumerate(first):
        for j, two in enumerate(second):
            a, b = ({f"^{word}$"[k : k + 2] for k in range(len(word) + 1)} for word in (one, two))
            assert found[i, j] == pytest.approx(2 * len(a & b) / (len(a) + len(b)), abs=1e-6)


@pytest.fixture(scope="module")
def model(tiny_folder):
    return tenor.load(tiny_folder, precision="fp32")


@pytest.fixture(scope="module")
def learned(model):
    """An aligner of random weights, which links some words and others not."""
    layers = layers_of(model.engine.layers)
    about = Learned(
        encoder=model.fingerprint, encoder_name=model.name, layers=layers,
        middle=layers.index(middle_layer(model.engine.layers)), threshold=0.5, pairs=20, held_out=3, f1=0.5,
        epochs=1, seed=0,
    )  # fmt: skip
    centre = mean_word_vectors(model, layers)
    shape = Shape(features=features(len(layers)), inputs=centre.size, channels=4, blocks=1)
    return LearnedLinks(about, centre, random_weights(shape))


PAIRS = [
    WordPair(("the", "old", "dog", "eats"), ("a", "dog", "eats", "fast")),
    WordPair(("music",), ("a", "small", "river")),
    WordPair(("red", "house"), ("red", "house")),
]


def test_a_saved_aligner_links_the_same(model, learned, tmp_path):
    learned.save(tmp_path / "a.safetensors")
    again = load_aligner(tmp_path / "a.safetensors")
    assert again.learned == learned.learned
    assert again.fingerprint == learned.fingerprint
    found = list(Aligner(model, learned=again).align(PAIRS))
    assert found == list(Aligner(model, learned=learned).align(PAIRS))
    assert any(pair.links for pair in found)


def test_words_that_the_model_drops_and_texts_without_words(model, learned):
    aligner = Aligner(model, learned=learned)
    pairs = [WordPair(("\u200b", "cat"), ("river", "\u200b")), WordPair(("\u200b",), ("river",))]
    one, two = aligner.align(pairs)
    assert set(one.links) <= {(1, 0)}
    assert two.links == ()


def test_another_encoder_is_refused(learned, tmp_path):
    other = tenor.load(write_tiny_model(tmp_path / "other", seed=7), precision="fp32")
    with pytest.raises(TenorError, match="another encoder"):
        Aligner(other, learned=learned)


def damaged(path, learned, *, change=None, metadata=None):
    """Write the aligner with one thing wrong."""
    learned.save(path)
    tensors, told = read_with_metadata(path)
    record = json.loads(told["tenor.aligner"]) | (metadata or {})
    for name, value in (change or {}).items():
        if value is None:
            del tensors[name]
        else:
            tensors[name] = Stored("F32", np.asarray(value, dtype=np.float32))
    tensors = {name: Stored(tensor.format, tensor.bits.copy()) for name, tensor in tensors.items()}
    write_safetensors(path, tensors, metadata={"tenor.aligner": json.dumps(record)})
    return path


@pytest.mark.parametrize(
    "wrong",
    [
        {"metadata": {"format": 99}},
        {"metadata": {"layers": [1]}},
        {"metadata": {"layers": "12"}},
        {"metadata": {"middle": 7}},
        {"metadata": {"threshold": 3}},
        {"metadata": {"threshold": "x"}},
        {"metadata": {"unknown": 1}},
        {"change": {"out.weight": None}},
        {"change": {"centre": None}},
        {"change": {"likeness.weight": None}},
        {"change": {"out.bias": [np.nan]}},
        {"change": {"out.bias": [1.0, 2.0]}},
        {"change": {"extra": [1.0]}},
    ],
    ids=lambda wrong: "-".join(next(iter(wrong.values()))) + "-" + next(iter(wrong)),
)
def test_a_damaged_aligner_is_refused_in_a_sentence(learned, tmp_path, wrong):
    path = damaged(tmp_path / "a.safetensors", learned, **wrong)
    with pytest.raises(TenorError, match="is not an aligner that this version of Tenor can use"):
        load_aligner(path)


def test_a_cut_file_and_another_file_are_refused(learned, tmp_path):
    path = tmp_path / "a.safetensors"
    learned.save(path)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(TenorError, match=r"damaged, so learn it again with `tenor align GOLD --learn"):
        load_aligner(path)
    write_safetensors(path, {"x": Stored("F32", np.zeros(3, dtype=np.float32))})
    with pytest.raises(TenorError, match="is not an aligner"):
        load_aligner(path)
    with pytest.raises(TenorError, match="Cannot read"):
        load_aligner(tmp_path / "missing.safetensors")
