"""MultiMWA (Lan et al., 2021): pairs of English sentences whose words people have aligned, in two sets.

MTRef pairs translations of the same news, Wiki two revisions of a sentence. Tab-separated without header:
number, first sentence in words, -, second sentence, -, -, -, sure links ``i-j …``, and possible links.
"""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Literal

from tenor.corpora.corpus import Corpus, Split
from tenor.corpora.rows import broken_row, tab_rows
from tenor.text.alignments import AlignedPair

Part = Literal["mtref", "wiki"]
PARTS: tuple[Part, ...] = ("mtref", "wiki")
_COLUMNS = ("number", "first sentence", "-", "second sentence", "-", "-", "-", "links")
_LINK = re.compile(r"(\d+)-(\d+)")


def read_multimwa(folder: Path, part: Part, split: Literal["train", "dev"]) -> Iterator[AlignedPair]:
    """Yield pairs of sentences in words with the links between them, sure ones and then possible ones."""
    for origin, cells in tab_rows(folder / f"{part}-{split}.tsv.gz", _COLUMNS):
        first, second = tuple(cells[1].split()), tuple(cells[3].split())
        links = []
        for written in " ".join(cells[7:9]).split():
            match = _LINK.fullmatch(written)
            if match is None or int(match[1]) >= len(first) or int(match[2]) >= len(second):
                raise broken_row(origin, f"the link {written[:40]!r}", "links i-j between words of both,")
            links.append((int(match[1]), int(match[2])))
        yield AlignedPair(first, second, tuple(dict.fromkeys(links)), origin=origin)


MULTIMWA = Corpus(
    name="multimwa",
    about="MultiMWA, 6,243 pairs of English sentences with the alignment of their words",
    licence="not stated",
    obtain="Get the MultiMWA files of https://github.com/chaojiang06/neural-Jacana and pack them with gzip.",
    splits={
        f"{part}-{split}": Split(
            files=(f"{part}-{split}.tsv.gz",),
            read=partial(read_multimwa, part=part, split=split),
        )
        for part in PARTS
        for split in ("train", "dev")
    },
)
