"""The learned aligner: its features, its network against torch, its file, and that it learns."""

import dataclasses
import json

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import tenor
from tenor.errors import TenorError
from tenor.tensors import Stored, read_with_metadata, write_safetensors
from tenor.text.alignments import AlignedPair
from tenor.use.align.learned import LearnedLinks, load_aligner
from tenor.use.align.learned.aligner import Learned
from tenor.use.align.learned.from_file import learn_from_file
from tenor.use.align.learned.grid import View, features, letter_overlap, view
from tenor.use.align.learned.learning import GridNetwork, LearnSettings, best_threshold, learn_aligner
from tenor.use.align.learned.network import Shape, convolved, link_chances, link_logits
from tenor.use.align.pairs import Aligner, WordPair
from tiny import write_tiny_model

SMALL = Shape(features=5 + 6, inputs=7, likeness=3, kinds=2, channels=4, blocks=2)
numbers = st.floats(-2, 2, width=32)


def random_view(n, m, *, seed=0, shape=SMALL):
    random = np.random.default_rng(seed)
    sizes = (n, m, shape.features), (n, shape.inputs), (m, shape.inputs)
    return View(*(random.normal(size=size).astype(np.float32) for size in sizes))


def random_weights(shape=SMALL, *, seed=0):
    random = np.random.default_rng(seed)
    return {
        name: random.normal(0, 0.5, size).astype(np.float32) for name, size in sorted(shape.weights().items())
    }


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


def in_torch(weights, views):
    """Run views through the network in torch, padded into one batch."""
    network = GridNetwork(SMALL, LearnSettings()).eval()
    network.load_state_dict({name: torch.from_numpy(value) for name, value in weights.items()})
    n, m = (max(seen.grid.shape[side] for seen in views) for side in (0, 1))
    grid = torch.zeros(len(views), n, m, SMALL.features)
    first, second = (torch.zeros(len(views), size, SMALL.inputs) for size in (n, m))
    real = torch.zeros(len(views), n, m)
    for place, seen in enumerate(views):
        rows, columns = seen.grid.shape[:2]
        grid[place, :rows, :columns] = torch.from_numpy(seen.grid)
        first[place, :rows], second[place, :columns] = map(torch.from_numpy, (seen.first, seen.second))
        real[place, :rows, :columns] = 1
    with torch.no_grad():
        logits = network(grid, first, second, real).numpy()
    return [logits[k, : v.grid.shape[0], : v.grid.shape[1]] for k, v in enumerate(views)]


def test_the_network_in_numpy_equals_the_one_in_torch_in_any_company():
    views = [random_view(3, 5), random_view(1, 1, seed=1), random_view(6, 2, seed=2)]
    weights = random_weights()
    for seen, expected in zip(views, in_torch(weights, views), strict=True):
        assert link_logits(weights, seen) == pytest.approx(expected, abs=1e-4)


def test_either_order_of_the_texts_gives_the_same_links():
    weights, seen = random_weights(), random_view(4, 6)
    other = seen.swapped()
    assert np.allclose(link_chances(weights, other).T, link_chances(weights, seen), atol=1e-5)
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


def test_the_best_threshold_is_the_best_of_all_tried():
    random = np.random.default_rng(3)
    chances = [random.random((5, 4)), random.random((2, 7))]
    links = [chance + random.normal(0, 0.3, chance.shape) > 0.6 for chance in chances]
    f1, threshold = best_threshold(chances, links)

    def score(at):
        hits = sum(int(((c >= at) & k).sum()) for c, k in zip(chances, links, strict=True))
        return 2 * hits / (sum(int((c >= at).sum()) for c in chances) + sum(int(k.sum()) for k in links))

    assert f1 == pytest.approx(score(threshold))
    assert all(f1 >= score(at) - 1e-12 for at in np.arange(0.25, 0.71, 0.05).round(2))


@pytest.fixture(scope="module")
def model(tiny_folder):
    return tenor.load(tiny_folder, precision="fp32")


# Words that mean the same here, and that nothing else ties together.
TWINS = {"cat": "river", "dog": "money", "house": "music", "red": "fast", "old": "happy", "read": "walk",
         "man": "film", "tree": "price", "eat": "play", "small": "sad"}  # fmt: skip


def made_pairs(count, seed):
    """Make pairs in which the second text has the twin of every word, in another order."""
    random = np.random.default_rng(seed)
    pairs = []
    for _ in range(count):
        words = random.choice(sorted(TWINS), size=int(random.integers(3, 7)), replace=False).tolist()
        order = random.permutation(len(words)).tolist()
        links = tuple(sorted((place, spot) for spot, place in enumerate(order)))
        pairs.append(AlignedPair(tuple(words), tuple(TWINS[words[place]] for place in order), links))
    return pairs


def f1_of(aligner, pairs):
    found = aligner.align([WordPair(pair.first, pair.second) for pair in pairs])
    both = [(set(one.links), set(two.links)) for one, two in zip(found, pairs, strict=True)]
    hits = sum(len(one & two) for one, two in both)
    return 2 * hits / sum(len(one) + len(two) for one, two in both)


QUICK = LearnSettings(epochs=3, fewest_steps=40, rate=1e-2, steady=0.9)


@pytest.fixture(scope="module")
def learned(model):
    return learn_aligner(model, made_pairs(128, 0), settings=QUICK)


def test_what_people_link_is_learned(model, learned):
    new = made_pairs(60, 1)
    assert f1_of(Aligner(model), new) < 0.5
    assert f1_of(Aligner(model, learned=learned), new) > 0.75
    assert learned.learned.f1 > 0.75
    assert learned.learned.held_out == 16


def test_the_same_seed_gives_the_same_aligner_and_another_one_another(model):
    pairs, brief = made_pairs(40, 2), dataclasses.replace(QUICK, epochs=1, fewest_steps=1)
    one, two, three = (
        learn_aligner(model, pairs, settings=dataclasses.replace(brief, seed=seed)) for seed in (0, 0, 1)
    )
    assert one.fingerprint == two.fingerprint != three.fingerprint


def test_learning_leaves_the_random_numbers_of_others_alone(model):
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    learn_aligner(model, made_pairs(20, 0), settings=dataclasses.replace(QUICK, epochs=1, fewest_steps=1))
    assert (torch.rand(3) == expected).all()


def test_it_ends_when_nothing_gets_better(model):
    steps = []
    stuck = dataclasses.replace(QUICK, rate=1e-9, epochs=50, patience=2, fewest_steps=1)
    found = learn_aligner(
        model, made_pairs(40, 0), settings=stuck, progress=lambda n, most: steps.append(most)
    )
    assert found.learned.epochs == 1
    assert len(steps) == 3 * steps[0] // 50


def test_a_saved_aligner_links_the_same(model, learned, tmp_path):
    learned.save(tmp_path / "a.safetensors")
    again = load_aligner(tmp_path / "a.safetensors")
    assert again.learned == learned.learned
    assert again.fingerprint == learned.fingerprint
    pairs = [WordPair(pair.first, pair.second) for pair in made_pairs(5, 4)]
    assert list(Aligner(model, learned=again).align(pairs)) == list(
        Aligner(model, learned=learned).align(pairs)
    )


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


@pytest.mark.parametrize(
    ("pairs", "says"),
    [
        (made_pairs(5, 0), "at least 16 pairs"),
        ([dataclasses.replace(pair, links=()) for pair in made_pairs(20, 0)], "None of the pairs has a link"),
        (made_pairs(1, 0) * 20, "No pairs with links can be held out"),
    ],
    ids=["few", "no links", "one text"],
)
def test_what_cannot_be_learned_from_is_refused(model, pairs, says):
    with pytest.raises(TenorError, match=says):
        learn_aligner(model, pairs)


def test_learning_from_a_file_tells_bad_lines(model, tmp_path):
    gold = tmp_path / "gold.jsonl"
    lines = [pair.to_line() for pair in made_pairs(30, 0)]
    gold.write_text("\n".join([*lines, '{"s": ["a"], "t": ["b"], "links": [[3, 0]], "alignments": []}']))
    with pytest.raises(TenorError, match=r"name ending in \.safetensors"):
        learn_from_file(model, gold, tmp_path / "a.bin")
    done = learn_from_file(
        model, gold, tmp_path / "a.safetensors", settings=dataclasses.replace(QUICK, epochs=1)
    )
    assert done.learned.pairs + done.learned.held_out == 30
    assert "gold.jsonl:31" in done.problems.summary()
    assert isinstance(load_aligner(tmp_path / "a.safetensors").learned, Learned)
    assert isinstance(load_aligner(tmp_path / "a.safetensors"), LearnedLinks)
