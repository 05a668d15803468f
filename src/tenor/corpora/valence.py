"""Texts rated by twenty people each (Hutto and Gilbert, 2014): films, products, news, tweets.

Tab-separated: number, mean of the ratings from -4 to 4, text; the files of the asset have a header.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tenor.corpora.corpus import Corpus, Split
from tenor.corpora.rows import number, tab_rows
from tenor.text.examples import Sentence

ASSET = "valence"
SOURCES = ("amazonReviewSnippets", "movieReviewSnippets", "nytEditorialSnippets", "tweets")


def read_valence(folder: Path, source: str) -> Iterator[Sentence]:
    """Yield the texts of a source with the mean of their ratings, -4 to 4, as score."""
    file = folder / f"{source}_GroundTruth.txt"
    for origin, cells in tab_rows(file, ("number", "mean", "text"), header=True):
        score = number(cells[1], origin, "the mean of ratings from -4 to 4")
        yield Sentence("\t".join(cells[2:]).strip(), origin, score=score)


def rated_sources(folder: Path) -> list[str]:
    """Return the sources whose files are there, by name."""
    return [source for source in SOURCES if (folder / f"{source}_GroundTruth.txt").is_file()]


VALENCE = Corpus(
    name="valence",
    about="23,703 texts of films, products, news and tweets with the mean of twenty people's ratings",
    licence="MIT",
    obtain="Get it with: tenor fetch valence.",
    asset=ASSET,
    splits={
        source: Split(files=(f"{source}_GroundTruth.txt",), read=partial(read_valence, source=source))
        for source in SOURCES
    },
)
