"""Learning an aligner by the one loop: its network against numpy, that it learns, that it may be killed."""

import dataclasses

import numpy as np
import pytest
import torch

import tenor
from small_aligner import SMALL, random_view, random_weights
from tenor.errors import TenorError
from tenor.text.alignments import AlignedPair
from tenor.training.aligner import learner as learner_module
from tenor.training.aligner.examples import Example, look_at
from tenor.training.aligner.learner import LinkLearner, best_threshold
from tenor.training.aligner.learning import (
    LearnSettings,
    learn_aligner,
    learn_from_examples,
    learn_from_file,
    learn_from_texts,
)
from tenor.training.aligner.network import GridNetwork, padded
from tenor.training.learner import Cut, StepContext
from tenor.training.plan import Update
from tenor.use.align.file import PairSource
from tenor.use.align.learned import load_aligner
from tenor.use.align.learned.network import link_logits
from tenor.use.align.pairs import Aligner, WordPair


def in_torch(weights, views):
    """Run views through the network in torch, padded into one batch."""
    network = GridNetwork(SMALL, word_dropout=0.3, cell_dropout=0.3).eval()
    network.load_state_dict({name: torch.from_numpy(value) for name, value in weights.items()})
    batch = [Example(seen, np.zeros(seen.grid.shape[:2], dtype=bool)) for seen in views]
    with torch.no_grad():
        logits = network(*padded(batch)[:4]).numpy()
    return [logits[k, : v.grid.shape[0], : v.grid.shape[1]] for k, v in enumerate(views)]


def test_the_network_in_numpy_equals_the_one_in_torch_in_any_company():
    views = [random_view(3, 5), random_view(1, 1, seed=1), random_view(6, 2, seed=2)]
    weights = random_weights()
    for seen, expected in zip(views, in_torch(weights, views), strict=True):
        assert link_logits(weights, seen) == pytest.approx(expected, abs=1e-4)


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


def write_gold(path, pairs):
    path.write_text("".join(pair.to_line() + "\n" for pair in pairs))
    return path


def test_learning_from_a_file_tells_bad_lines(model, tmp_path):
    gold = write_gold(tmp_path / "gold.jsonl", made_pairs(30, 0))
    with gold.open("a") as file:
        file.write('{"s": ["a"], "t": ["b"], "links": [[3, 0]], "alignments": []}\n')
        file.write('{"s": ["a"], "t": ["b"], "alignments": []}\n')
    with pytest.raises(TenorError, match=r"name ending in \.safetensors"):
        learn_from_file(model, gold, tmp_path / "a.bin")
    done = learn_from_file(
        model, gold, tmp_path / "a.safetensors", settings=dataclasses.replace(QUICK, epochs=1)
    )
    assert done.learned.pairs + done.learned.held_out == 30
    assert "gold.jsonl:31" in done.problems.summary()
    assert 'gold.jsonl:32: "links" is missing' in done.problems.summary()
    assert load_aligner(tmp_path / "a.safetensors").learned == done.learned
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.safetensors", "gold.jsonl"]


def test_what_is_regular_in_wrong_links_is_learned(model):
    random, wrong = np.random.default_rng(4), []
    for pair in made_pairs(300, 0):
        places = [second for _, second in pair.links]
        if random.random() < 0.5:  # two links of it change places
            one, two = random.choice(len(places), size=2, replace=False)
            places[one], places[two] = places[two], places[one]
        wrong.append(dataclasses.replace(pair, links=tuple(enumerate(places))))
    found = learn_from_examples(look_at(model, wrong, unlabelled=True), settings=QUICK)
    assert found.learned.unlabelled
    truth = {(pair.first, pair.second): set(pair.links) for pair in made_pairs(300, 0)}
    given = [(set(pair.links), truth[pair.first, pair.second]) for pair in wrong]
    right = sum(len(one & two) for one, two in given) / sum(len(one) for one, _ in given)
    assert right < 0.85
    assert f1_of(Aligner(model, learned=found), made_pairs(60, 1)) > right + 0.05


def write_texts(path, pairs):
    path.write_text("".join(f"{' '.join(pair.first)}\t{' '.join(pair.second)}\n" for pair in pairs))
    return path


def test_an_aligner_learns_from_texts_alone(model, tmp_path, monkeypatch):
    source = PairSource(write_texts(tmp_path / "in.tsv", made_pairs(60, 0)), shape="words")
    out, brief = tmp_path / "a.safetensors", dataclasses.replace(QUICK, epochs=1, fewest_steps=9)
    done = learn_from_texts(Aligner(model), source, out, settings=brief)
    assert done.learned.pairs + done.learned.held_out == 60
    found = load_aligner(out)
    assert found.learned == done.learned
    assert found.learned.unlabelled
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.safetensors", "in.tsv"]
    with pytest.raises(TenorError, match="not from those of another"):
        learn_from_texts(Aligner(model, learned=found), source, out, settings=brief)
    monkeypatch.setattr("tenor.training.aligner.learning.MOST_UNLABELLED", 40)
    drawn = [
        learn_from_texts(Aligner(model), source, out, settings=dataclasses.replace(brief, seed=seed)).learned
        for seed in (0, 0, 1)
    ]
    assert [one.pairs + one.held_out for one in drawn] == [40, 40, 40]
    assert drawn[0] == drawn[1]


class Killed(Exception):
    """Stands for a kill: nothing catches it."""


def killed_at(step):
    """Return a listener that kills the work after a step, and the steps that it has heard of."""
    heard = []

    def progress(count, most):
        heard.append(count)
        if sum(heard) == step:
            raise Killed

    return progress, heard


TWO_EPOCHS = dataclasses.replace(QUICK, epochs=2, fewest_steps=9, batch_size=4)  # of nine steps each


@pytest.fixture(scope="module")
def whole(model):
    """An aligner that was learned without a kill."""
    return learn_aligner(model, made_pairs(40, 2), settings=TWO_EPOCHS)


@pytest.mark.parametrize("step", [4, 13, 18], ids=["before a checkpoint", "after one", "at the end"])
def test_killed_learning_goes_on_to_the_very_same_aligner(model, whole, tmp_path, step):
    gold, out = write_gold(tmp_path / "gold.jsonl", made_pairs(40, 2)), tmp_path / "a.safetensors"
    progress, _ = killed_at(step)
    with pytest.raises(Killed):
        learn_from_file(model, gold, out, settings=TWO_EPOCHS, progress=progress)
    assert not out.exists()
    notes, (progress, heard) = [], killed_at(None)
    learn_from_file(model, gold, out, settings=TWO_EPOCHS, progress=progress, note=notes.append)
    assert load_aligner(out).fingerprint == whole.fingerprint
    assert sum(heard) == 18
    assert len(heard) == (18 if step < 9 else 9)
    assert len(notes) == 1 + (step > 9)


@pytest.mark.parametrize("what", ["links", "seed"])
def test_another_beginning_is_refused_in_a_sentence(model, tmp_path, what):
    gold, out = write_gold(tmp_path / "gold.jsonl", made_pairs(40, 2)), tmp_path / "a.safetensors"
    with pytest.raises(Killed):
        learn_from_file(model, gold, out, settings=TWO_EPOCHS, progress=killed_at(12)[0])
    settings = TWO_EPOCHS
    if what == "seed":
        settings = dataclasses.replace(TWO_EPOCHS, seed=5)
    else:
        write_gold(gold, made_pairs(41, 2))
    with pytest.raises(TenorError, match=r"a\.safetensors\.part.*delete the folder to start over"):
        learn_from_file(model, gold, out, settings=settings)


def test_a_batch_in_pieces_has_the_same_losses(monkeypatch):
    sizes = [(3, 5), (6, 2), (1, 1), (4, 4)]
    random = np.random.default_rng(0)
    batch = [Example(random_view(n, m, seed=n), random.random((n, m)) < 0.3) for n, m in sizes]
    learner = LinkLearner(GridNetwork(SMALL).eval(), batch, batch, batch=4)
    context = StepContext(step=1, epoch=0, steps=1, generator=random)

    def total(most):
        monkeypatch.setattr(learner_module, "MOST_CELLS", most)
        pieces = learner.micro_batches(batch, Cut(), Update())
        return len(pieces), sum(learner.losses(piece, context)["links"].item() for piece in pieces)

    (one, whole), (four, cut) = total(10_000), total(1)
    assert (one, four) == (1, 4)
    assert cut == pytest.approx(whole, rel=1e-5)
    cells = sum(n * m for n, m in sizes)
    by_hand = 0.0
    weights = {name: value.numpy() for name, value in learner.network.state_dict().items()}
    for example in batch:
        chances = 1 / (1 + np.exp(-link_logits(weights, example.seen).astype(np.float64)))
        by_hand -= np.where(example.links, np.log(chances), np.log(1 - chances)).sum()
    assert whole == pytest.approx(20 * by_hand / cells, rel=1e-4)


def test_every_example_is_drawn_as_often_as_an_epoch_passes_over_it():
    examples = [Example(random_view(2, 3, seed=seed), np.zeros((2, 3), dtype=bool)) for seed in range(7)]
    learner = LinkLearner(GridNetwork(SMALL), examples, examples, batch=3, passes=2)
    count = learner.begin_epoch(0, np.random.default_rng(0))
    drawn = [example for at in range(count) for example in learner.batch(at, np.random.default_rng(1))]
    assert count == 5
    seen = {id(example.seen.first) for example in examples} | {id(e.seen.second) for e in examples}
    assert {id(example.seen.first) for example in drawn} <= seen
    for example in examples:
        both = {id(example.seen.first), id(example.seen.second)}
        assert sum(id(each.seen.first) in both for each in drawn) == 2
