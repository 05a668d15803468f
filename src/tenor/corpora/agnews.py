"""AG News: news articles of four classes; CSV without header: class 1 to 4, title, body."""

from collections.abc import Iterator
from pathlib import Path

from tenor.corpora.corpus import Corpus, Split
from tenor.corpora.rows import broken_row
from tenor.text.examples import Sentence
from tenor.text.problems import Problems
from tenor.text.readers import read_rows

_FILE = "test.csv.gz"
CLASSES = ("World", "Sports", "Business", "Sci/Tech")


def read_agnews(folder: Path) -> Iterator[Sentence]:
    """Yield title and body of each article as one text, labelled "1" to "4" for ``CLASSES``."""
    problems = Problems(strict=True)
    rows = read_rows(folder / _FILE, format="csv", delimiter=",", quote='"', header=False, problems=problems)
    for row in rows:
        label, *texts = row.values.values()
        if label not in ("1", "2", "3", "4") or not texts:
            raise broken_row(row.origin, repr(label[:40]), "a class from 1 to 4, a title and a body")
        yield Sentence(" ".join(texts), row.origin, label)


AGNEWS = Corpus(
    name="agnews",
    about="the test file of AG News, 7,600 articles of four classes: class, title, body",
    licence="not stated",
    obtain="Get test.csv of AG News, as in https://github.com/mhjabreel/CharCnn_Keras, and gzip it.",
    splits={"test": Split(files=(_FILE,), read=read_agnews)},
)
