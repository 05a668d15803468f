"""Rows of the six tasks, and texts to pre-train on.

Tested on: MRPC's test part, STS-B's dev part, 2,000 Quora pairs that share no question with training rows,
and the dev parts of RTE, SST-2 and CoLA. Trained on: random rows of what is left of each.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from tenor.files import write_json
from tenor.recipes.minbert.sources import more_quora, quora
from tenor.recipes.recipe import Context, DataFolder
from tenor.recipes.rows import write_rows
from tenor.recipes.transfer_fine_tuning import corpora, made_up
from tenor.recipes.transfer_fine_tuning.corpora import Row, TextPair
from tenor.text.components import hold_out
from tenor.text.overlap import overlap

TASKS = ("mrpc", "stsb", "quora", "rte", "sst2", "cola")
SINGLE = ("sst2", "cola")  # one text a row
TESTED_QUORA = 2_000
MADE_UP = {"train": 64, "test": 40, "pairs": 120, "texts": 80}

NLTK = ("brown.zip", "abc.zip", "webtext.zip", "state_union.zip", "inaugural.zip")

FOLDERS = (
    DataFolder(name="pan-paraphrase", files=("pan-train*.gz",), about="paraphrases of the PAN corpus"),
    DataFolder(name="turkcorpus", files=("tune.8turkers.tok.*",), about="simplified Wikipedia sentences"),
    DataFolder(name="multimwa", files=("*-train.tsv.gz",), about="word alignment sets, of which the texts"),
    DataFolder(name="tatoeba", files=("fra-eng.zip", "deu-eng.zip"), about="translations of sentences"),
    DataFolder(name="mrpc", files=("msr_paraphrase_*.txt",), about="the Microsoft paraphrase corpus"),
    DataFolder(name="stsb", files=("sts-*.csv",), about="the STS benchmark"),
    DataFolder(name="semeval-sts", files=("*/*.tsv",), about="the sources of the STS benchmark"),
    DataFolder(name="minbert", files=("quora-dev.csv",), about="Quora pairs"),
    DataFolder(name="quora-10k", files=("dev.tsv.gz",), about="10,000 further Quora pairs"),
    DataFolder(name="rte", files=("*.tsv",), about="recognising textual entailment"),
    DataFolder(name="sentence-cls", files=("stsa.binary.*.gz",), about="SST-2"),
    DataFolder(name="cola", files=("*.tsv",), about="linguistic acceptability"),
    DataFolder(name="text-en", files=("gutenberg_prose.txt.gz",), about="53 books of Project Gutenberg"),
    DataFolder(name="wikitext-2", files=("*.txt.gz",), about="Wikipedia articles"),
    DataFolder(name="reuters21578", files=("reuters21578.tar.gz",), about="newswire articles"),
    DataFolder(
        name="nltk",
        files=NLTK,
        about="corpora of NLTK",
    ),
)


def rows_folder(context: Context) -> Path:
    """Return the folder of ``TASK.PART.jsonl`` (train, test), made by the first cell that asks."""
    return context.shared("rows", lambda folder: _make_rows(context, folder), settings={})


def texts_of(row: Row) -> str | TextPair:
    """Return what the overlap filter compares: the text, or both texts of a pair."""
    text: str | None = row.get("text")
    return text if text is not None else (row["first"], row["second"])


def _make_rows(context: Context, folder: Path) -> None:
    generator = np.random.default_rng(0)
    dropped = {}
    for task in TASKS:
        if context.data is None:
            train, test = (made_up.rows(task, MADE_UP[part], generator) for part in ("train", "test"))
        else:
            train, test = _task_rows(context, task)
        again = overlap(map(texts_of, train), map(texts_of, test))
        dropped[task] = 0 if context.data is None else int(again.sum())
        kept = (
            train if context.data is None else [r for r, drop in zip(train, again, strict=True) if not drop]
        )
        write_rows(folder / f"{task}.train.jsonl", kept)
        write_rows(folder / f"{task}.test.jsonl", test)
    write_json(folder / "dropped.json", dropped)


def _task_rows(context: Context, task: str) -> tuple[list[Row], list[Row]]:
    """Return the rows of a task to be trained on and those to be tested on."""
    if task == "quora":
        return _quora_rows(context)
    folder = context.folder("sentence-cls" if task == "sst2" else task)
    readers: dict[str, tuple[Callable[[Path], Iterator[Row]], str, str]] = {
        "mrpc": (corpora.mrpc, "msr_paraphrase_train.txt", "msr_paraphrase_test.txt"),
        "stsb": (corpora.stsb, "sts-train.csv", "sts-dev.csv"),
        "sst2": (corpora.sst2, "stsa.binary.train.gz", "stsa.binary.dev.gz"),
    }
    if task in readers:
        reader, trained, tested = readers[task]
        return list(reader(folder / trained)), list(reader(folder / tested))
    more = [folder / "val.tsv"] if task == "cola" else []
    train = list(corpora.glue(task, folder / "train.tsv", *more))
    return train, list(corpora.glue(task, folder / "dev.tsv"))


def _quora_rows(context: Context) -> tuple[list[Row], list[Row]]:
    """Hold out pairs that share no question with those to train on."""
    rows = [
        *quora(context.folder("minbert") / "quora-dev.csv"),
        *more_quora(context.folder("quora-10k") / "dev.tsv.gz"),
    ]
    held = hold_out([(row["first"], row["second"]) for row in rows], TESTED_QUORA)
    test = {int(place) for place in np.flatnonzero(held)}
    return (
        [row for place, row in enumerate(rows) if place not in test],
        [row for place, row in enumerate(rows) if place in test],
    )


def pretraining_texts(context: Context) -> Iterator[str]:
    """Yield paragraphs without labels, none of a file that a task is made from."""
    if context.data is None:
        yield from made_up.texts(MADE_UP["texts"], np.random.default_rng(2))
        return
    nltk = context.folder("nltk")
    texts = [
        corpora.prose(context.folder("text-en") / "gutenberg_prose.txt.gz"),
        *map(corpora.wikitext, sorted(context.folder("wikitext-2").glob("*.txt.gz"))),
        corpora.reuters(context.folder("reuters21578") / "reuters21578.tar.gz"),
        *(corpora.nltk_texts(nltk / name) for name in NLTK),
    ]
    for part in texts:
        yield from corpora.packed(part, words=int(context.settings["paragraph"]))
