"""Tatoeba: English sentences and their translations, written by volunteers.

The archives of manythings.org hold one table of two columns; the tables of the asset have further columns.
"""

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Literal

from tenor.assets import find
from tenor.corpora.archives import zip_texts
from tenor.corpora.corpus import Corpus, Split
from tenor.corpora.rows import broken_row, numbered_lines
from tenor.text.examples import Origin, Pair

ASSET = "tatoeba"


def read_tatoeba(folder: Path, language: Literal["fra", "deu"]) -> Iterator[Pair]:
    """Yield English sentences and their translations into French or German."""
    archive = zip_texts(folder / f"{language}-eng.zip", lambda name: not name.startswith("_"))
    for file, text in archive:
        lines = enumerate(text.split("\n"), start=1)
        yield from _pairs((Origin(file, number), line.rstrip("\r")) for number, line in lines)


def read_tatoeba_finnish(folder: Path) -> Iterator[Pair]:
    """Yield English sentences and their translations into Finnish."""
    return _pairs(numbered_lines(folder / "fin.txt.gz"))


def read_tatoeba_table(folder: Path, language: Literal["spa", "ukr"]) -> Iterator[Pair]:
    """Yield English sentences and their translations into Spanish or Ukrainian, from the asset's folder."""
    return _pairs(numbered_lines(folder / f"{language}.tsv"))


def read_tatoeba_asset(language: Literal["spa", "ukr"]) -> Iterator[Pair]:
    """Yield the translations of the asset, which must have been fetched."""
    return read_tatoeba_table(find(ASSET), language)


def _pairs(lines: Iterable[tuple[Origin, str]]) -> Iterator[Pair]:
    for origin, line in lines:
        if not line:
            continue
        cells = line.split("\t")
        if len(cells) < 2:
            raise broken_row(origin, "1 cell", "an English sentence and its translation, separated by a tab,")
        yield Pair(cells[0], cells[1], origin)


TATOEBA = Corpus(
    name="tatoeba",
    about="Tatoeba, English sentences with French and German translations",
    licence="CC BY 2.0",
    obtain="Get fra-eng.zip and deu-eng.zip of https://www.manythings.org/anki/.",
    splits={
        language: Split(files=(f"{language}-eng.zip",), read=partial(read_tatoeba, language=language))
        for language in ("fra", "deu")
    },
)
TATOEBA_FINNISH = Corpus(
    name="tatoeba-finnish",
    folder="tatoeba",
    about="Tatoeba, English sentences with Finnish translations",
    licence="CC BY 2.0",
    obtain="Get fin-eng.zip of https://www.manythings.org/anki/ and pack its table as fin.txt.gz with gzip.",
    splits={"fin": Split(files=("fin.txt.gz",), read=read_tatoeba_finnish)},
)
TATOEBA_MORE = Corpus(
    name="tatoeba-more",
    about="Tatoeba, English sentences with Spanish and Ukrainian translations",
    licence="CC BY 2.0",
    obtain="Get it with: tenor fetch tatoeba.",
    asset=ASSET,
    splits={
        language: Split(files=(f"{language}.tsv",), read=partial(read_tatoeba_table, language=language))
        for language in ("spa", "ukr")
    },
)
