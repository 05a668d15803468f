"""XLing-Eval (Glavaš et al., 2019): bilingual dictionaries of eight languages, to learn from and to test on.

Tab-separated without header: source word, target word. The folder of a pair, ``en-de``, has three
dictionaries to learn from (500, 1k and 5k source words) and one to test on (2k).
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Literal

from tenor.corpora.corpus import Corpus, Split
from tenor.text.problems import Problems
from tenor.words.crosslingual.seed import read_dictionary

Part = Literal["train.freq.500", "train.freq.1k", "train.freq.5k", "test.freq.2k"]
PARTS: tuple[Part, ...] = ("train.freq.500", "train.freq.1k", "train.freq.5k", "test.freq.2k")
PAIRS = (
    "de-fi", "de-fr", "de-hr", "de-it", "de-ru", "de-tr", "en-de", "en-fi", "en-fr", "en-hr",
    "en-it", "en-ru", "en-tr", "fi-fr", "fi-hr", "fi-it", "fi-ru", "hr-fr", "hr-it", "hr-ru",
    "it-fr", "ru-fr", "ru-it", "tr-fi", "tr-fr", "tr-hr", "tr-it", "tr-ru",
)  # fmt: skip


def read_translations(
    folder: Path, pair: str, part: Part, *, lowercase: bool = True
) -> list[tuple[str, str]]:
    """Read a dictionary: words and their translations; German nouns are capitalised unless ``lowercase``."""
    file = folder / pair / f"yacle.{part}.{pair}.tsv"
    return read_dictionary(file, lowercase=lowercase, problems=Problems(strict=True))


def _all_parts(folder: Path, pair: str) -> Iterator[tuple[str, str]]:
    for part in PARTS:
        yield from read_translations(folder, pair, part, lowercase=False)


XLING_EVAL = Corpus(
    name="bli-xling-eval",
    about="seed and test dictionaries of XLing-Eval",
    licence="not stated",
    obtain="Get the dictionaries of https://github.com/codogogo/xling-eval.",
    splits={pair: Split(files=(f"{pair}/*.tsv",), read=partial(_all_parts, pair=pair)) for pair in PAIRS},
)
