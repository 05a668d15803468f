"""Ten thousand pairs of Quora's questions, as many duplicates as others: label, two questions, number."""

from collections.abc import Iterator
from pathlib import Path

from tenor.corpora.corpus import Corpus, Split
from tenor.corpora.rows import broken_row, tab_rows
from tenor.text.examples import Pair

_FILE = "dev.tsv.gz"


def read_quora_10k(folder: Path) -> Iterator[Pair]:
    """Yield pairs of questions, "1" for the same question."""
    for origin, cells in tab_rows(folder / _FILE, ("label", "first question", "second question")):
        if cells[0] not in ("0", "1"):
            raise broken_row(origin, repr(cells[0][:40]), "0 or 1")
        yield Pair(cells[1], cells[2], origin, cells[0])


QUORA_10K = Corpus(
    name="quora-10k",
    about="10,000 labelled pairs of Quora's questions, half of them duplicates",
    licence="not stated",
    obtain="Get dev.tsv of https://github.com/Deep1994/"
    "Quora-Question-Pairs-dataset-analysis-and-construction and pack it with gzip.",
    splits={"dev": Split(files=(_FILE,), read=read_quora_10k)},
)
