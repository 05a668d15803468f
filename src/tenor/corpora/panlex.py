"""Bilingual dictionaries from PanLex (Vulić et al., 2019), to learn from and to test on.

An archive holds the dictionaries of one source language; a line has a word and a translation, separated by a
tab, in four sizes to learn from and one to test on.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from tenor.corpora.archives import zip_texts
from tenor.corpora.corpus import Corpus, Split
from tenor.corpora.rows import broken_row
from tenor.text.examples import Origin

_SOURCES = ("fi", "hu")
_TARGETS = (
    "bg", "ca", "eo", "et", "eu", "fi", "he", "hu", "id", "ka", "ko", "lt", "no", "th", "tr",
)  # fmt: skip
PAIRS = tuple(f"{source}-{target}" for source in _SOURCES for target in _TARGETS if target != source)


def read_panlex(folder: Path, pair: str, part: str = "train.5000") -> Iterator[tuple[str, str]]:
    """Yield words and their translations: the largest dictionary to learn from, unless another is named."""
    archive = zip_texts(folder / f"{pair[:2]}-l2.zip", f"{pair}/{pair}.{part}.cc.trans".__eq__)
    for file, text in archive:
        for number, line in enumerate(text.splitlines(), start=1):
            cells = [cell.strip() for cell in line.split("\t")]
            if len(cells) != 2 or not all(cells):
                raise broken_row(Origin(file, number), repr(line[:40]), "a word and its translation")
            yield cells[0], cells[1]


PANLEX = Corpus(
    name="bli-panlex",
    about="dictionaries of PanLex between Finnish or Hungarian and fourteen other languages",
    licence="Apache-2.0 (the repository)",
    obtain="Get fi-l2.zip and hu-l2.zip of https://github.com/cambridgeltl/panlex-bli.",
    splits={
        pair: Split(files=(f"{pair[:2]}-l2.zip",), read=partial(read_panlex, pair=pair)) for pair in PAIRS
    },
)
