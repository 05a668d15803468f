"""The four corpora of the grid, each cut into train, dev and test sentences with one label a word."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from tenor.corpora.supertags import FILES, read_supertags
from tenor.corpora.universal_dependencies import read_dependencies
from tenor.recipes.ccg_primitives.grammar import Sampler, held_out_categories
from tenor.recipes.recipe import Context
from tenor.recipes.rows import read_rows, write_rows
from tenor.text.examples import TaggedSentence

TREEBANK = "ta_ttb"
SUPERTAGS = ("genia", "questions-train", "questions-test")
Part = Literal["train", "dev", "test"]
PARTS: tuple[Part, ...] = get_args(Part)
Labelled = tuple[list[str], list[str]]
"""Words and labels of a sentence."""
Splits = Mapping[str, list[Labelled]]


@dataclass(frozen=True, slots=True)
class GridCorpus:
    """A corpus of the grid: how it is read, which embeddings of words suit it, and whether labels are CCG."""

    title: str
    read: Callable[[Context, Mapping[str, int]], Splits]
    embeddings: tuple[Mapping[str, Any], ...]
    categories: bool = True

    @property
    def made_up(self) -> Callable[[Context, Mapping[str, int]], Splits]:
        """What is read without data: the generated corpus, with bundles of atoms in place of features."""
        return _generated if self.categories else _generated_bundles


def splits_of(context: Context, name: str) -> tuple[Path, Splits]:
    """Return the files of a corpus, ``train.jsonl`` and so on, and its sentences; made by the first cell."""
    sizes: Mapping[str, int] = context.settings["corpora"][name]

    def make(folder: Path) -> None:
        read = CORPORA[name].read if context.data is not None else CORPORA[name].made_up
        for part, sentences in read(context, sizes).items():
            rows = [{"words": words, "tags": tags} for words, tags in sentences]
            write_rows(folder / f"{part}.jsonl", rows)

    folder = context.shared(f"corpus-{name}", make, settings=dict(sizes))
    rows = {part: read_rows(folder / f"{part}.jsonl") for part in PARTS}
    return folder, {part: [(row["words"], row["tags"]) for row in rows[part]] for part in PARTS}


def _generated(context: Context, sizes: Mapping[str, int]) -> Splits:
    """Draw sentences of the small grammar; only test has the categories that are held out."""
    sampler = Sampler(np.random.default_rng(25))
    held_out = held_out_categories()
    drawn = {
        part: sampler.sentences(sizes[part], without=() if part == "test" else held_out) for part in PARTS
    }
    return {part: [_unzipped(sentence) for sentence in drawn[part]] for part in PARTS}


def _unzipped(sentence: list[tuple[str, str]]) -> Labelled:
    return [word for word, _ in sentence], [label for _, label in sentence]


def _generated_bundles(context: Context, sizes: Mapping[str, int]) -> Splits:
    """Write the atoms of every category as features: ``X|A=NP|B=N``."""
    splits = _generated(context, sizes)
    return {part: [(words, list(map(_bundle, labels))) for words, labels in splits[part]] for part in PARTS}


def _bundle(category: str) -> str:
    atoms = re.findall(r"[^()/\\]+", category)
    return "|".join(["X", *(f"{chr(65 + place)}={atom}" for place, atom in enumerate(atoms))])


def _genia(context: Context, sizes: Mapping[str, int]) -> Splits:
    """Cut the one file, in its order."""
    sentences = _labelled(read_supertags(context.folder("ccg"), FILES["genia"]))
    train, dev = sizes["train"], sizes["train"] + sizes["dev"]
    return {
        "train": sentences[:train],
        "dev": sentences[train:dev],
        "test": sentences[dev : dev + sizes["test"]],
    }


def _questions(context: Context, sizes: Mapping[str, int]) -> Splits:
    """Take the test file; dev is the end of the train file, and its sentences are in random order."""
    folder = context.folder("ccg")
    train = _labelled(read_supertags(folder, FILES["questions-train"]))
    train = [train[place] for place in np.random.default_rng(0).permutation(len(train)).tolist()]
    test = _labelled(read_supertags(folder, FILES["questions-test"]))
    dev = sizes["dev"]
    return {"train": train[dev : dev + sizes["train"]], "dev": train[:dev], "test": test[: sizes["test"]]}


def _labelled(sentences: Iterable[TaggedSentence]) -> list[Labelled]:
    return [(list(sentence.words), list(sentence.tags or ())) for sentence in sentences]


def _tamil(context: Context, sizes: Mapping[str, int]) -> Splits:
    """Take the treebank's own split; a label is a part of speech with its features."""
    folder = context.folder("ud")
    trees = {part: list(read_dependencies(folder, TREEBANK, part)) for part in PARTS}
    return {
        part: [(list(tree.words), list(tree.bundles)) for tree in trees[part][: sizes[part]]]
        for part in PARTS
    }


_GLOVE: tuple[Mapping[str, Any], ...] = (
    {"type": "static", "vectors": "glove-50d", "vocab_size": 30_000},
    {"type": "characters", "size": 30},
)
CORPORA: Mapping[str, GridCorpus] = {
    "generated": GridCorpus("generated", _generated, ({"type": "learned", "size": 40, "min_count": 1},)),
    "GENIA": GridCorpus("GENIA", _genia, _GLOVE),
    "questions": GridCorpus("questions", _questions, _GLOVE),
    "Tamil": GridCorpus(
        "Tamil features",
        _tamil,
        ({"type": "learned", "size": 40}, {"type": "characters", "size": 60}),
        categories=False,
    ),
}
