"""Semantic textual similarity: the STS benchmark, and the SemEval tasks of 2012 to 2014 before it.

Both are tab-separated without quoting or header. The benchmark has genre, file, year, number, score, two
sentences, and in some rows two further cells about their sources; the tasks have a score and two sentences,
and where no score was published an empty cell.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Literal

from tenor.corpora.corpus import Corpus, Split
from tenor.corpora.rows import number, tab_rows
from tenor.errors import TenorError
from tenor.text.examples import Pair

_BENCHMARK = ("genre", "file", "year", "number", "score", "first sentence", "second sentence")
_TASK = ("score", "first sentence", "second sentence")
_YEARS = ("2012", "2013", "2014")


def read_stsb(folder: Path, split: Literal["train", "dev", "test"]) -> Iterator[Pair]:
    """Yield the pairs of the benchmark with their similarity, 0 to 5."""
    for origin, cells in tab_rows(folder / f"sts-{split}.csv", _BENCHMARK):
        yield Pair(cells[5], cells[6], origin, score=number(cells[4], origin, "a similarity, 0 to 5"))


def read_semeval(folder: Path, year: str) -> Iterator[Pair]:
    """Yield the pairs of a year's tasks with their similarity, 0 to 5, or None where none was published."""
    files = sorted((folder / year).glob("*.tsv"))
    if not files:
        raise TenorError(f"{folder / year} holds no *.tsv; expected the SemEval tasks of {year}.")
    for file in files:
        for origin, cells in tab_rows(file, _TASK):
            score = number(cells[0], origin, "a similarity, 0 to 5") if cells[0].strip() else None
            yield Pair(cells[1].strip(), cells[2].strip(), origin, score=score)


def read_all_semeval(folder: Path) -> Iterator[Pair]:
    """Yield the pairs of the tasks of 2012 to 2014."""
    for year in _YEARS:
        yield from read_semeval(folder, year)


STSB = Corpus(
    name="stsb",
    about="the STS benchmark, 8,628 pairs of sentences with graded similarity",
    licence="scores CC BY-SA 4.0; the texts of each source have terms of their own (LICENSE.txt of the set)",
    obtain="Get Stsbenchmark.tar.gz of http://ixa2.si.ehu.eus/stswiki.",
    splits={
        split: Split(files=(f"sts-{split}.csv",), read=partial(read_stsb, split=split))
        for split in ("train", "dev", "test")
    },
)
SEMEVAL_STS = Corpus(
    name="semeval-sts",
    about="the SemEval STS tasks of 2012 to 2014, graded pairs that the STS benchmark was made from",
    licence="that of each source (LICENSE files of the set)",
    obtain="Get the folders 2012 to 2014 of data/sts/semeval-sts of https://github.com/brmson/dataset-sts.",
    splits={year: Split(files=(f"{year}/*.tsv",), read=partial(read_semeval, year=year)) for year in _YEARS},
)
