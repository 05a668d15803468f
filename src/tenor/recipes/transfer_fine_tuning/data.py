"""Rows of the six tasks, and texts to pre-train on.

Tested on: MRPC's test part, STS-B's dev part, 2,000 Quora pairs that share no question with training rows,
and the dev parts of RTE, SST-2 and CoLA. Trained on: random rows of what is left of each. Tasks of ``MORE``
have more test items: dev and test parts together, 6,000 Quora pairs, the entailment of SICK.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np

from tenor.corpora.glue import COLA, RTE, read_cola, read_rte
from tenor.corpora.gutenberg import GUTENBERG, read_prose
from tenor.corpora.minbert import MINBERT, read_quora
from tenor.corpora.mrpc import MRPC, read_mrpc
from tenor.corpora.multimwa import MULTIMWA
from tenor.corpora.nltk_texts import NLTK_TEXTS, read_paragraphs
from tenor.corpora.paraphrases import PAN, TURKCORPUS
from tenor.corpora.quora import QUORA_10K, read_quora_10k
from tenor.corpora.reuters import REUTERS_21578, read_reuters
from tenor.corpora.sentence_cls import SENTENCE_CLS, read_sentences
from tenor.corpora.sick import SICK, read_sick
from tenor.corpora.sts import SEMEVAL_STS, STSB, read_stsb
from tenor.corpora.tatoeba import TATOEBA
from tenor.corpora.treebank_spelling import untokenised
from tenor.corpora.wikitext import WIKITEXT_2, read_wikitext
from tenor.files import write_json
from tenor.recipes.recipe import Context, DataFolder
from tenor.recipes.rows import Row, labelled, scored, texts_of, write_rows
from tenor.recipes.transfer_fine_tuning import made_up
from tenor.text.examples import Pair, Sentence
from tenor.text.grouped_split import hold_out
from tenor.text.overlap import overlap

Examples = Iterable[Sentence] | Iterable[Pair]
TASKS = ("mrpc", "stsb", "quora", "rte", "sst2", "cola")
MORE = ("stsb-all", "sst2-all", "quora-6000", "sick")
SINGLE = ("sst2", "cola", "sst2-all")  # one text a row
TESTED_QUORA = 2_000
MORE_TESTED_QUORA = 6_000
MADE_UP = {"train": 64, "test": 40, "pairs": 120, "texts": 80}

FOLDERS = (
    DataFolder.of(PAN.take("train")),
    DataFolder.of(TURKCORPUS.take("tune")),
    DataFolder.of(MULTIMWA.take("*-train")),
    DataFolder.of(TATOEBA),
    DataFolder.of(MRPC),
    DataFolder.of(STSB),
    DataFolder.of(SEMEVAL_STS),
    DataFolder.of(MINBERT.take("quora-dev")),
    DataFolder.of(QUORA_10K),
    DataFolder.of(RTE),
    DataFolder.of(SENTENCE_CLS.take("SST2-*")),
    DataFolder.of(COLA),
    DataFolder.of(GUTENBERG),
    DataFolder.of(WIKITEXT_2),
    DataFolder.of(REUTERS_21578),
    DataFolder.of(*NLTK_TEXTS.values()),
    DataFolder.of(SICK, optional=True),  # so that the cells of before, which do not read it, stay as they are
)


def rows_folder(context: Context) -> Path:
    """Return the folder of ``TASK.PART.jsonl`` (train, test), made by the first cell that asks."""
    return context.shared("rows", lambda folder: _make_rows(context, folder), settings={})


def rows_of(context: Context, task: str) -> Path:
    """Return the folder that holds ``TASK.PART.jsonl`` of a task, one of ``MORE`` too."""
    if task in TASKS:
        return rows_folder(context)
    return context.shared(
        "more-rows", lambda folder: _make(context, folder, (task,)), settings={"task": task}
    )


def _make_rows(context: Context, folder: Path) -> None:
    _make(context, folder, TASKS)


def _make(context: Context, folder: Path, tasks: Sequence[str]) -> None:
    generator = np.random.default_rng(0)
    dropped = {}
    for task in tasks:
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
    if task in ("quora", "quora-6000"):
        return _quora_rows(context, TESTED_QUORA if task == "quora" else MORE_TESTED_QUORA)
    name = task.removesuffix("-all")
    folder = context.folder("sentence-cls" if name == "sst2" else name)
    parts: dict[str, Callable[[], tuple[Examples, Examples]]] = {
        "mrpc": lambda: (read_mrpc(folder, "train"), read_mrpc(folder, "test")),
        "stsb": lambda: (read_stsb(folder, "train"), read_stsb(folder, "dev")),
        "rte": lambda: (read_rte(folder, "train"), read_rte(folder, "dev")),
        "sst2": lambda: (read_sst2(folder, "train"), read_sst2(folder, "dev")),
        "cola": lambda: (
            chain(read_cola(folder, "train"), read_cola(folder, "val")),
            read_cola(folder, "dev"),
        ),
        "stsb-all": lambda: (
            read_stsb(folder, "train"),
            chain(read_stsb(folder, "dev"), read_stsb(folder, "test")),
        ),
        "sst2-all": lambda: (
            read_sst2(folder, "train"),
            chain(read_sst2(folder, "dev"), read_sst2(folder, "test")),
        ),
        "sick": lambda: (
            chain(read_sick(folder, "train"), read_sick(folder, "trial")),
            read_sick(folder, "test"),
        ),
    }
    as_row = scored if name == "stsb" else labelled
    train, test = parts[task]()
    return [as_row(example) for example in train], [as_row(example) for example in test]


def read_sst2(folder: Path, split: str) -> Iterator[Sentence]:
    """Yield the sentences of SST-2 without the treebank's spelling."""
    for sentence in read_sentences(folder, f"SST2-{split}"):
        yield replace(sentence, text=untokenised(sentence.text))


def _quora_rows(context: Context, count: int) -> tuple[list[Row], list[Row]]:
    """Hold out pairs that share no question with those to train on."""
    pairs = chain(read_quora(context.folder("minbert")), read_quora_10k(context.folder("quora-10k")))
    rows = [labelled(pair) for pair in pairs]
    held = hold_out([(row["first"], row["second"]) for row in rows], count)
    test = {int(place) for place in np.flatnonzero(held)}
    return (
        [row for place, row in enumerate(rows) if place not in test],
        [row for place, row in enumerate(rows) if place in test],
    )


def pretraining_texts(context: Context, *, share: float = 1.0) -> Iterator[str]:
    """Yield paragraphs without labels, none of a file that a task is made from.

    ``share`` of the usual length: two paragraphs of one half make a sequence.
    """
    if context.data is None:
        yield from made_up.texts(MADE_UP["texts"], np.random.default_rng(2))
        return
    wikitext, nltk = context.folder("wikitext-2"), context.folder("nltk")
    texts = [
        read_prose(context.folder("text-en")),
        read_wikitext(wikitext, "test"),
        read_wikitext(wikitext, "valid"),
        read_reuters(context.folder("reuters21578")),
        *(read_paragraphs(nltk, name) for name in NLTK_TEXTS),
    ]
    for part in texts:
        paragraphs = (paragraph.text for paragraph in part)
        yield from packed(paragraphs, words=int(share * context.settings["paragraph"]))


def packed(texts: Iterable[str], *, words: int) -> Iterator[str]:
    """Put neighbouring texts together until they have so many words: short lines teach little.

    >>> list(packed(["a b", "c", "d e f", "g"], words=3))
    ['a b c', 'd e f', 'g']
    """
    held: list[str] = []
    count = 0
    for text in texts:
        held.append(text)
        count += len(text.split())
        if count >= words:
            yield " ".join(held)
            held, count = [], 0
    if held:
        yield " ".join(held)
