"""The tasks that the common battery runs over, and small data for each; a new kind adds a line to TASKS."""

from pathlib import Path

import torch

from tenor.encoders.bert.checkpoint import BertCheckpoint
from tenor.layers.pooling_config import PoolingConfig
from tenor.model.network import Network
from tenor.tasks.building import build_tasks
from tenor.tasks.config import ROLES, TaskConfig
from tenor.text.examples import Origin, Pair, Sentence
from tenor.text.tokenizer import Tokenizer

ODD = ["x", "漢字 é", "nul\0nul", "lone \ud800", "the cat " * 500, "👩‍👩‍👧 ½"]
TEXTS = [
    "the cat sat on the mat",
    "a dog ran home",
    "good food",
    "bad water",
    "no",
    "the old man reads",
    *ODD,
]


def config(kind, **settings):
    return TaskConfig(kind=kind, train=Path("a"), columns={role: role for role in ROLES[kind]}, **settings)


TASKS = {
    "classify linear": config("classify"),
    "classify mlp": config("classify", head="mlp", hidden=8),
    "classify residual, cls": config("classify", head="residual", pooling="cls"),
    "classify, several labels": config("classify", multi_label="|"),
    "classify, mix of layers": config("classify", pooling="mean@mix"),
    "classify, pooler and max": config("classify", pooling="pooler+max"),
    "pair": config("pair"),
    "pair residual with overlap": config("pair", head="residual", features=("diff", "jaccard")),
    "pair joint": config("pair", encoding="joint"),
    "pair joint, pooler": config("pair", encoding="joint", pooling="pooler"),
    "pair joint with overlap": config("pair", encoding="joint", features=("jaccard",), head="mlp"),
    "pair both ways": config(
        "pair",
        encoding="joint",
        both_orders=True,
        head="mlp",
        features=("diff", "cosine", "jaccard", "whole"),
    ),
    "similarity cosine": config("similarity"),
    "similarity affine, order": config("similarity", head="affine", loss="cosent"),
    "similarity linear": config("similarity", head="linear", features=("diff",), output="linear", loss="mse"),
    "similarity joint": config("similarity", encoding="joint"),
    "similarity, chances": config("similarity", head="mlp", loss="cross_entropy"),
    "similarity both ways": config("similarity", encoding="joint", both_orders=True, pooling="cls"),
    "match": config("match"),
    "match one way, cls": config("match", symmetric=False, pooling="cls"),
}


def examples_of(kind, *, separator=None):
    """Return an example for every text; labels and scores go round."""
    made = []
    for number, text in enumerate(TEXTS):
        origin, other = Origin("a.tsv", number + 1), TEXTS[(number * 5 + 1) % len(TEXTS)]
        label = "ab"[number % 2] if separator is None else "a|b|c"[: 1 + 2 * (number % 3)]
        if kind == "classify":
            made.append(Sentence(text, origin, label))
        else:
            label, score = (label if kind == "pair" else None), (number % 6 if kind == "similarity" else None)
            made.append(Pair(text, other, origin, label, score))
    return made


def network_of(folder, configs, *, seed=1, examples=None):
    """Return a network with the tasks of some configs on the encoder of a folder, in evaluation."""
    encoder = BertCheckpoint.load(folder).encoder
    pooling = PoolingConfig.parse("mean")
    examples = examples or {
        name: examples_of(each.kind, separator=each.multi_label) for name, each in configs.items()
    }
    torch.manual_seed(0)
    shape = {"width": encoder.config.width, "layers": encoder.config.layers}
    tasks = build_tasks(configs, examples, **shape, pooling=pooling, seed=seed)
    return Network(encoder, pooling=pooling, tasks=tasks).eval()


def tokenizer_of(folder):
    return Tokenizer.load(folder, max_tokens=40)
