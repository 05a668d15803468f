"""The Microsoft Research Paraphrase Corpus: pairs of news sentences, and whether they say the same.

Tab-separated with a byte order mark and a header: label, two numbers, two sentences, unquoted.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Literal

from tenor.corpora.corpus import Corpus, Split
from tenor.corpora.rows import broken_row, tab_rows
from tenor.text.examples import Pair

_COLUMNS = ("Quality", "#1 ID", "#2 ID", "#1 String", "#2 String")


def read_mrpc(folder: Path, split: Literal["train", "test"]) -> Iterator[Pair]:
    """Yield pairs of sentences, "1" for paraphrases."""
    for origin, cells in tab_rows(folder / f"msr_paraphrase_{split}.txt", _COLUMNS, header=True):
        label = cells[0].strip()
        if label not in ("0", "1"):
            raise broken_row(origin, repr(label[:40]), "0 or 1")
        yield Pair(cells[3], cells[4], origin, label)


MRPC = Corpus(
    name="mrpc",
    about="the Microsoft Research Paraphrase Corpus, 5,801 pairs of news sentences",
    licence="Microsoft's shared source licence; not to be redistributed",
    obtain="Get it from Microsoft Research; https://github.com/wasiahmad/paraphrase_identification holds its "
    "files.",
    splits={
        split: Split(files=(f"msr_paraphrase_{split}.txt",), read=partial(read_mrpc, split=split))
        for split in ("train", "test")
    },
)
