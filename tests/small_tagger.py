"""A tagger that learns in a second which words of a small world are animals and which are places."""

from pathlib import Path

import numpy as np

from tenor.training.api import train

TYPES = {"ANIMAL": ["cat", "dog"], "PLACE": ["river", "city", "house"]}
OTHERS = "the a is was good bad red we you like see in . ☂".split()  # noqa: SIM905


def tagged_rows(count, *, seed=0, spans=True):
    """Return words and tags: an animal is one word, a place may have ``old`` before it, in one entity."""
    random = np.random.default_rng(seed)
    return [_row(random, spans) for _ in range(count)]


def _row(random, spans):
    words, tags = [], []
    for _ in range(random.integers(1, 5)):
        between = random.choice(OTHERS, size=random.integers(1, 4)).tolist()
        words += between
        tags += ["O" if spans else "OTHER"] * len(between)
        kind = str(random.choice(list(TYPES)))
        name = str(random.choice(TYPES[kind]))
        several = kind == "PLACE" and random.random() < 0.5
        words += ["old", name] if several else [name]
        if spans:
            tags += [f"B-{kind}", f"I-{kind}"] if several else [f"B-{kind}"]
        else:
            tags += [kind, kind] if several else [kind]
    return words, tags


def train_tagger(encoder: Path, out: Path, *, spans=True, more=None, **settings) -> Path:
    """Train a tagger named ``names`` on a model folder and return the folder of the new model."""
    rows = tagged_rows(160, spans=spans)
    task = {"kind": "tag", "train": rows[:128], "dev": rows[128:], "batch_size": 8, **settings}
    run = train(
        encoder,
        {"names": task, **(more or {})},
        out=out,
        epochs=10,
        encoder_lr=3e-3,
        head_lr=3e-2,
        dropout=0.0,
        precision="fp32",
    )
    return run.model
