"""CCG supertags: words with their categories, from lines with pipes and from derivations."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tenor.corpora.corpus import Corpus, Split
from tenor.text.ccg import read_ccg
from tenor.text.examples import TaggedSentence
from tenor.text.problems import Problems

FILES = {
    "genia": "GENIA1000.staggedgold.gz",
    "questions-train": "qus_train.staggedGold.gz",
    "questions-test": "qus_test.staggedGold.gz",
    "geometry-train": "geo-train.auto.gz",
    "geometry-dev": "geo-dev.auto.gz",
    "switchboard": "test100.auto.gz",
}


def read_supertags(folder: Path, file: str) -> Iterator[TaggedSentence]:
    """Yield sentences with the category of every word; a broken line is refused."""
    return read_ccg(folder / file, problems=Problems(strict=True))


CCG = Corpus(
    name="ccg",
    about="CCG supertags of biomedical texts, questions, geometry and conversations, 3,053 sentences",
    licence="not stated",
    obtain="Get https://github.com/masashi-y/ud2ccg and pack the files with gzip.",
    splits={
        name: Split(files=(file,), read=partial(read_supertags, file=file)) for name, file in FILES.items()
    },
)
