"""Tasks of GLUE as their official files: RTE, textual entailment, and CoLA, linguistic acceptability.

``tenor.text.glue`` knows their columns. The labels of the test splits are not public. CoLA's train file is
expected in two parts, train and val.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Literal

from tenor.corpora.corpus import Corpus, Split
from tenor.text.examples import Pair, Sentence
from tenor.text.glue import GLUE, read_glue
from tenor.text.problems import Problems


def read_rte(folder: Path, split: Literal["train", "dev", "test"]) -> Iterator[Pair]:
    """Yield premise and hypothesis, labelled "entailment" or "not_entailment"; the test split is not."""
    for example in _read("rte", folder, split):
        assert isinstance(example, Pair)
        yield example


def read_cola(folder: Path, split: Literal["train", "val", "dev", "test"]) -> Iterator[Sentence]:
    """Yield sentences, labelled "1" where they are acceptable English, else "0"; the test split is not."""
    for example in _read("cola", folder, split):
        assert isinstance(example, Sentence)
        yield example


def _read(task: str, folder: Path, split: str) -> Iterator[Sentence | Pair]:
    part: Literal["train", "test"] = "test" if split == "test" else "train"
    return read_glue(GLUE[task], folder / f"{split}.tsv", part=part, problems=Problems(strict=True))


RTE = Corpus(
    name="rte",
    about="GLUE's RTE, 5,767 pairs of texts with whether the first entails the second",
    licence="not stated",
    obtain="Get RTE of GLUE, https://gluebenchmark.com/tasks.",
    splits={
        split: Split(files=(f"{split}.tsv",), read=partial(read_rte, split=split))
        for split in ("train", "dev", "test")
    },
)
COLA = Corpus(
    name="cola",
    about="GLUE's CoLA, 10,657 sentences of linguistic publications with whether they are acceptable",
    licence="not stated",
    obtain="Get CoLA of GLUE, https://gluebenchmark.com/tasks; the recipes have 1,301 rows of its train file "
    "in val.tsv, as https://github.com/amrnag/Specialized-Transformers has them.",
    splits={
        split: Split(files=(f"{split}.tsv",), read=partial(read_cola, split=split))
        for split in ("train", "val", "dev", "test")
    },
)
