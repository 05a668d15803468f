"""Pairs of sentences in parallel files, one sentence a line: the PAN paraphrase corpus and TurkCorpus.

PAN (Madnani et al., 2012) has a third file of labels. TurkCorpus (Xu et al., 2016) has sentences of
Wikipedia, what Simple Wikipedia says in their place, and what eight people made of them.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Literal

from tenor.corpora.corpus import Corpus, Split
from tenor.corpora.rows import broken_row, parallel_lines
from tenor.corpora.treebank_spelling import untokenised_lower
from tenor.text.examples import Pair

_PAN_PARTS = ("_s1.txt", "_s2.txt", ".labels")
_TURK = {  # the tune split at hand has the first two of eight simplifications only
    "tune": ("norm", "simp", "turk.0", "turk.1"),
    "test": ("norm", "simp", *(f"turk.{number}" for number in range(8))),
}


def read_pan(folder: Path, split: Literal["train", "test"]) -> Iterator[Pair]:
    """Yield pairs of sentences, "1" for paraphrases."""
    files = [folder / f"pan-{split}{part}.gz" for part in _PAN_PARTS]
    for origin, (first, second, label) in parallel_lines(*files):
        if label.strip() not in ("0", "1"):
            raise broken_row(origin, f"the label {label[:40]!r}", "0 or 1")
        yield Pair(first, second, origin, label.strip())


def read_turk(folder: Path, split: Literal["tune", "test"]) -> Iterator[Pair]:
    """Yield each sentence of Wikipedia with each of its simplifications."""
    files = [folder / f"{split}.8turkers.tok.{part}" for part in _TURK[split]]
    for origin, (sentence, *simplified) in parallel_lines(*files):
        for text in simplified:
            yield Pair(untokenised_lower(sentence), untokenised_lower(text), origin)


PAN = Corpus(
    name="pan-paraphrase",
    about="the PAN paraphrase corpus, 13,000 labelled pairs of sentences",
    licence="not stated",
    obtain="Get the PAN files of https://github.com/wasiahmad/paraphrase_identification and gzip them.",
    splits={
        split: Split(
            files=tuple(f"pan-{split}{part}.gz" for part in _PAN_PARTS), read=partial(read_pan, split=split)
        )
        for split in ("train", "test")
    },
)
TURKCORPUS = Corpus(
    name="turkcorpus",
    about="TurkCorpus, sentences of Wikipedia simplified by Simple Wikipedia and by people",
    licence="GPL-3.0 (the repository)",
    obtain="Get data/turkcorpus of https://github.com/cocoxu/simplification.",
    splits={
        split: Split(
            files=tuple(f"{split}.8turkers.tok.{part}" for part in parts),
            read=partial(read_turk, split=split),  # type: ignore[arg-type]
        )
        for split, parts in _TURK.items()
    },
)
