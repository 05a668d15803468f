"""NLTK's lists of stop words, a word a line, a file a language."""

from collections.abc import Iterator
from pathlib import Path

from tenor.corpora.archives import zip_member
from tenor.corpora.corpus import Corpus, Split

_FILE = "stopwords.zip"


def read_stopwords(folder: Path, language: str = "english") -> Iterator[str]:
    """Yield the stop words of a language."""
    yield from zip_member(folder / _FILE, f"stopwords/{language}").stream.read().decode().split()


STOPWORDS = Corpus(
    name="stopwords",
    folder="nltk",
    about="NLTK's lists of stop words",
    licence="see the README in its archive",
    obtain="Get packages/corpora/stopwords.zip of https://github.com/nltk/nltk_data.",
    splits={"english": Split(files=(_FILE,), read=read_stopwords)},
)
