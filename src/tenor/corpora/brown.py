"""The Brown corpus with its tags of parts of speech: a sentence a line, words as ``jury/nn``."""

import re
from collections.abc import Iterator
from pathlib import Path

from tenor.corpora.archives import zip_texts
from tenor.corpora.corpus import Corpus, Split
from tenor.corpora.rows import broken_row
from tenor.text.examples import Origin, TaggedSentence

_FILE = "brown.zip"
_TEXT = re.compile(r"brown/c[a-r]\d\d")


def read_brown(folder: Path) -> Iterator[TaggedSentence]:
    """Yield the sentences with Brown's own tags, such as "vbd" and "np-tl"."""
    for file, text in zip_texts(folder / _FILE, lambda name: _TEXT.fullmatch(name) is not None):
        for number, line in enumerate(text.splitlines(), start=1):
            if line.strip():
                yield _sentence(line, Origin(file, number))


def _sentence(line: str, origin: Origin) -> TaggedSentence:
    pairs = [word.rpartition("/") for word in line.split()]
    for word, slash, tag in pairs:
        if not (slash and word and tag):
            raise broken_row(origin, f"{word}{slash}{tag}", "words with their tags, as in jury/nn,")
    return TaggedSentence(tuple(word for word, _, _ in pairs), origin, tuple(tag for _, _, tag in pairs))


BROWN = Corpus(
    name="brown",
    folder="nltk",
    about="the Brown corpus, a million words of American texts of 1961 with their parts of speech",
    licence="may be redistributed (its README)",
    obtain="Get packages/corpora/brown.zip of https://github.com/nltk/nltk_data.",
    splits={"all": Split(files=(_FILE,), read=read_brown)},
)
