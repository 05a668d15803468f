"""English prose, 53 books of Project Gutenberg with a paragraph a line, to learn vectors and models from."""

from collections.abc import Iterator
from pathlib import Path

from tenor.corpora.corpus import Corpus, Split
from tenor.corpora.rows import numbered_lines
from tenor.text.examples import Sentence
from tenor.words.corpus import Corpus as WordCorpus
from tenor.words.corpus import read_corpus

_FILE = "gutenberg_prose.txt.gz"


def read_prose(folder: Path) -> Iterator[Sentence]:
    """Yield the paragraphs; blank lines are none."""
    for origin, line in numbered_lines(folder / _FILE):
        if line.strip():
            yield Sentence(line, origin)


def read_prose_words(folder: Path, *, max_final_vocab: int | None = None) -> WordCorpus:
    """Read the text as numbers of its most frequent words, lower-cased, for training word vectors."""
    return read_corpus(folder / _FILE, max_final_vocab=max_final_vocab)


GUTENBERG = Corpus(
    name="gutenberg",
    folder="text-en",
    about="English prose, 53 books of Project Gutenberg, a paragraph a line",
    licence="public domain (United States)",
    obtain="Any long English text does, gzipped and with a paragraph a line, such as books of "
    "https://www.gutenberg.org; a result depends on it.",
    splits={"all": Split(files=(_FILE,), read=read_prose)},
)
