"""Learning word operators: settings reach the run, and it learns what is specific."""

import numpy as np
import pytest

from tenor.errors import TenorError
from tenor.model import load
from tenor.training import api
from tenor.training.operators.api import TASK, OperatorSettings, learn_operators


def paraphrases(count=600):
    """Pairs that share a rare word and differ in frequent ones: only the rare word tells pairs apart."""
    rng = np.random.default_rng(0)
    filler = [f"so{number}" for number in range(8)]
    pairs = []
    for number in range(count):
        name = f"name{number % 60}"
        pairs.append(tuple(" ".join([*rng.choice(filler, 3), name]) for _ in range(2)))
    return pairs


def test_words_that_tell_texts_apart_become_specific(tmp_path):
    settings = OperatorSettings(epochs=6, batch_size=20, mega_batch=2, lr=1e-2)
    folder = learn_operators(paraphrases(), tmp_path / "wlo", dimensions=8, min_count=2, settings=settings)
    model = load(folder)
    taken = model.settings.type.token_specificity(model.settings.encoder)
    words = model.tokenizer.pieces(range(len(taken)))
    names = np.mean([value for word, value in zip(words, taken, strict=True) if word.startswith("name")])
    filler = np.mean([value for word, value in zip(words, taken, strict=True) if word.startswith("so")])
    assert names > filler
    assert model.encode(["so1 name3"]).shape == (1, 16)


def test_the_same_seed_gives_the_same_model(tmp_path):
    settings = OperatorSettings(epochs=1, batch_size=20)
    folders = [
        learn_operators(paraphrases(200), tmp_path / str(place), dimensions=4, min_count=1, settings=settings)
        for place in range(2)
    ]
    one, two = (folder.joinpath("model.safetensors").read_bytes() for folder in folders)
    assert one == two


class Stop(Exception):
    """Ends learning where training would begin."""


def test_every_setting_reaches_the_run(tmp_path, monkeypatch):
    asked = {}

    def train(what, tasks, **settings):
        asked.update(settings, what=what, **tasks)
        raise Stop

    monkeypatch.setattr(api, "train", train)
    settings = OperatorSettings(
        epochs=3, batch_size=7, mega_batch=5, margin=2.0, prior=0.7, scramble=0.1, lr=0.02, held_out=4
    )
    pairs = paraphrases(60)
    with pytest.raises(Stop):
        learn_operators(pairs, tmp_path / "wlo", dimensions=9, min_count=3, settings=settings, seed=8)
    task = asked[TASK]
    assert (task["kind"], task["head"]) == ("contrastive", "expected_likelihood")
    assert (task["batch_size"], task["mega_batch"], task["margin"], task["scramble"]) == (7, 5, 2.0, 0.1)
    assert (task["dev"], task["train"]) == (pairs[:4], pairs[4:])
    assert asked["objectives"] == {"prior": {"method": "operator_prior", "weight": 0.7}}
    assert asked["from_scratch"] == {"model_type": "operators", "embedding_size": 9, "min_count": 3}
    assert (asked["epochs"], asked["encoder_lr"], asked["seed"]) == (3, 0.02, 8)
    with pytest.raises(Stop):
        learn_operators(pairs, tmp_path / "wlo", settings=OperatorSettings(prior=0.0))
    assert asked["objectives"] == {}


def test_too_few_pairs_and_folders_in_use_are_refused(tmp_path):
    with pytest.raises(TenorError, match="too few"):
        learn_operators([("a b", "b a")] * 3, tmp_path / "wlo")
    (tmp_path / "file").write_text("mine")
    with pytest.raises(TenorError, match="not empty"):
        learn_operators(paraphrases(40), tmp_path)
