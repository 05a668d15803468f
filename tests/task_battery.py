"""The tasks of the common battery, and small data for each; a new kind adds a line to TASKS and ROWS."""

from pathlib import Path

import torch

from tenor.encoders.bert.checkpoint import BertCheckpoint
from tenor.layers.pooling_config import PoolingConfig
from tenor.model.network import Network
from tenor.tasks.table import build_tasks, kind_of, task_config
from tenor.text.examples import Origin
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
    return task_config(
        kind, train=Path("a"), columns={role: role for role in kind_of(kind).config.roles}, **settings
    )


TASKS = {
    "classify linear": config("classify"),
    "classify mlp": config("classify", head="mlp", hidden_size=8),
    "classify residual, cls": config("classify", head="residual", pooling="cls"),
    "classify, several labels": config("classify", multi_label="|"),
    "classify, mix of layers": config("classify", pooling="mean@mix"),
    "classify, pooler and max": config("classify", pooling="pooler+max"),
    "pair": config("pair"),
    "pair residual with overlap": config("pair", head="residual", features=("diff", "jaccard")),
    "pair joint": config("pair", encoding="cross"),
    "pair joint, pooler": config("pair", encoding="cross", pooling="pooler"),
    "pair joint with overlap": config("pair", encoding="cross", features=("jaccard",), head="mlp"),
    "pair both ways": config(
        "pair",
        encoding="cross",
        symmetrize=True,
        head="mlp",
        features=("diff", "cosine", "jaccard", "whole"),
    ),
    "similarity cosine": config("similarity"),
    "similarity affine, order": config("similarity", head="affine", loss="cosent"),
    "similarity linear": config("similarity", head="linear", features=("diff",), output="linear", loss="mse"),
    "similarity joint": config("similarity", encoding="cross"),
    "similarity, chances": config("similarity", head="mlp", loss="cross_entropy"),
    "similarity both ways": config("similarity", encoding="cross", symmetrize=True, pooling="cls"),
    "contrastive": config("contrastive"),
    "contrastive with a margin": config("contrastive", margin=0.4, mega_batch=2),
    "contrastive, Gaussians": config("contrastive", head="gaussian"),
    "match one way, cls": config("contrastive", symmetric=False, pooling="cls"),
}


# A row of a kind, made from a text, another, their number and a label.
ROWS = {
    "classify": lambda text, other, number, label: {"text": text, "label": label},
    "pair": lambda text, other, number, label: {"first": text, "second": other, "label": label},
    "similarity": lambda text, other, number, label: {"first": text, "second": other, "score": number % 6},
    "contrastive": lambda text, other, number, label: {"first": text, "second": other},
}


def examples_of(kind, *, separator=None):
    """Return an example for every text; labels and scores go round."""
    made = []
    for number, text in enumerate(TEXTS):
        other = TEXTS[(number * 5 + 1) % len(TEXTS)]
        label = "ab"[number % 2] if separator is None else "a|b|c"[: 1 + 2 * (number % 3)]
        row = ROWS[kind](text, other, number, label)
        made.append(kind_of(kind).example(row, Origin("a.tsv", number + 1)))
    return made


def examples_for(config):
    """Return examples for the settings of a task; only some kinds know several labels per text."""
    return examples_of(config.kind, separator=getattr(config, "multi_label", None))


def network_of(folder, configs, *, seed=1, examples=None):
    """Return a network with the tasks of some configs on the encoder of a folder, in evaluation."""
    encoder = BertCheckpoint.load(folder).encoder
    pooling = PoolingConfig.parse("mean")
    examples = examples or {name: examples_for(each) for name, each in configs.items()}
    torch.manual_seed(0)
    tasks = build_tasks(configs, examples, encoder=encoder, pooling=pooling, seed=seed)
    return Network(encoder, pooling=pooling, tasks=tasks).eval()


def tokenizer_of(folder):
    return Tokenizer.load(folder, max_tokens=40)
