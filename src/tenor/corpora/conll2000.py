"""CoNLL-2000: sentences of the Wall Street Journal with their chunks (word, part of speech, chunk a line)."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Literal

from tenor.corpora.archives import zip_member
from tenor.corpora.corpus import Corpus, Split
from tenor.text.conll import conll_sentences
from tenor.text.examples import TaggedSentence
from tenor.text.problems import Problems

_FILE = "conll2000.zip"


def read_chunks(folder: Path, split: Literal["train", "test"]) -> Iterator[TaggedSentence]:
    """Yield the sentences with their chunk tags, such as "B-NP"."""
    opened = zip_member(folder / _FILE, f"conll2000/{split}.txt")
    return conll_sentences(opened, word=0, tag=2, problems=Problems(strict=True))


CONLL2000 = Corpus(
    name="conll2000",
    folder="nltk",
    about="CoNLL-2000, 10,948 sentences of the Wall Street Journal with their chunks",
    licence="from the Penn Treebank (LDC); not to be redistributed",
    obtain="Get packages/corpora/conll2000.zip of https://github.com/nltk/nltk_data.",
    splits={
        split: Split(files=(_FILE,), read=partial(read_chunks, split=split)) for split in ("train", "test")
    },
)
