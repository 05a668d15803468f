"""The files of the minBERT course project: sentiment of films, similarity of sentences, Quora's questions.

Tab-separated with a header and quoted cells. The course withholds the labels of its test files.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Literal

from tenor.corpora.corpus import Corpus, Split
from tenor.corpora.rows import number, quoted_rows
from tenor.text.examples import Pair, Sentence

CourseSplit = Literal["train", "dev", "test-student"]


def read_sst(folder: Path, split: CourseSplit) -> Iterator[Sentence]:
    """Yield sentences of film reviews with their sentiment, "0" to "4"; the test split has no labels."""
    columns = ("sentence",) if split == "test-student" else ("sentence", "sentiment")
    for row in quoted_rows(folder / f"ids-sst-{split}.csv", columns):
        yield Sentence(row.values["sentence"].strip(), row.origin, row.values.get("sentiment"))


def read_sts(folder: Path, split: CourseSplit) -> Iterator[Pair]:
    """Yield pairs of sentences with their similarity, 0 to 5; the test split has no scores."""
    columns = ("sentence1", "sentence2", "similarity")
    for row in quoted_rows(folder / f"sts-{split}.csv", columns[:2] if split == "test-student" else columns):
        graded = row.values.get("similarity")
        score = number(graded, row.origin, "a similarity") if graded else None
        yield Pair(row.values["sentence1"], row.values["sentence2"], row.origin, score=score)


def read_quora(folder: Path) -> Iterator[Pair]:
    """Yield pairs of questions, "1" for the same question; the two rows without a label are left out."""
    for row in quoted_rows(folder / "quora-dev.csv", ("sentence1", "sentence2", "is_duplicate")):
        if answer := row.values["is_duplicate"].strip():
            label = str(int(number(answer, row.origin, "1.0 or 0.0")))
            yield Pair(row.values["sentence1"], row.values["sentence2"], row.origin, label)


MINBERT = Corpus(
    name="minbert",
    about="the files of the minBERT course project: SST sentiment, STS similarity, Quora question pairs",
    licence="Apache-2.0 (the repository); each set has terms of its own",
    obtain="Get the data folder of https://github.com/gpoesia/minbert-default-final-project.",
    splits={
        **{
            f"sst-{split}": Split(files=(f"ids-sst-{split}.csv",), read=partial(read_sst, split=split))
            for split in ("train", "dev", "test-student")
        },
        **{
            f"sts-{split}": Split(files=(f"sts-{split}.csv",), read=partial(read_sts, split=split))
            for split in ("train", "dev", "test-student")
        },
        "quora-dev": Split(files=("quora-dev.csv",), read=read_quora),
    },
)
