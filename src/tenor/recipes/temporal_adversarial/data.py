"""Sentences with temporal expressions in English, Spanish and Estonian, and texts without labels.

English and Spanish are learned from, Estonian is never: its articles are tested on, and their words, without
tags, are the only Estonian text there is. A word is known by its language, as ``es:mayo``, so that the
vectors of several languages stand in one table.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np

from tenor.assets import find
from tenor.corpora.columns_of_tags import CONLL2002, CONLL2003, TIMEX_BIO
from tenor.corpora.panlex import PANLEX
from tenor.corpora.tatoeba import TATOEBA_MORE
from tenor.corpora.temporal import ESTONIAN_TIMEML
from tenor.corpora.xling_eval import XLING_EVAL
from tenor.recipes.recipe import Context, DataFolder
from tenor.recipes.temporal_adversarial.made_up import made_up_rows
from tenor.text.examples import TaggedSentence
from tenor.text.words import split_words

Language = Literal["en", "es", "et"]
LANGUAGES: tuple[Language, ...] = ("en", "es", "et")
Part = Literal["train", "test"]
UNSEEN: Language = "et"
TYPES = ("DATE", "DURATION", "SET", "TIME")
ASSET = "tatoeba"
FOLDERS = (
    DataFolder.of(TIMEX_BIO.take("timebank-*")),
    DataFolder.of(ESTONIAN_TIMEML),
    DataFolder.of(CONLL2003.take("train")),
    DataFolder.of(CONLL2002.take("es-train")),
    DataFolder.of(XLING_EVAL.take("en-fi")),
    DataFolder.of(PANLEX.take("fi-et")),
)
_NEWS = {"en": (CONLL2003, "train"), "es": (CONLL2002, "es-train")}
Rows = list[TaggedSentence]
Words = Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Data:
    """What a seed learns from and is tested on; the words of ``texts`` have no tags."""

    train: Rows
    dev: Mapping[str, Rows]
    tests: Mapping[str, Rows]
    texts: Mapping[str, list[tuple[str, ...]]]


def read_data(context: Context, languages: Sequence[str]) -> Data:
    """Return a seed's own draw of the train sentences of some languages, dev, and the tests of all.

    The sentences of dev are of the same files as those of train, and no training of the seed sees them.
    """
    train: Rows = []
    dev = {}
    most, held = (int(context.settings[name]) for name in ("train_rows", "dev_rows"))
    for language in languages:
        rows = read_rows(language, "train", context)
        order = np.random.default_rng(context.seed).permutation(len(rows)).tolist()
        train += [piece for place in order[:most] for piece in cut(rows[place])]
        dev[language] = [rows[place] for place in order[most : most + held]]
    return Data(
        train=train,
        dev=dev,
        tests={language: read_rows(language, "test", context) for language in LANGUAGES},
        texts={language: [row.words for row in unlabelled(language, context)] for language in LANGUAGES},
    )


def read_rows(language: str, part: Part, context: Context) -> Rows:
    """Return the sentences of a part, their words with the language before them."""
    if context.data is None:
        rows = made_up_rows(language, part)
    elif language == UNSEEN:
        rows = _read(context.folder(ESTONIAN_TIMEML.folder), language, part)
    else:
        rows = _read(context.folder(TIMEX_BIO.folder), language, part)
    return [replace(row, words=tuple(of_language(language, row.words))) for row in rows]


def unlabelled(language: str, context: Context) -> Rows:
    """Return sentences whose words may be read without tags: of train, or all there are in Estonian."""
    rows = read_rows(language, "test" if language == UNSEEN else "train", context)
    return [piece for row in rows for piece in cut(row)]


@cache
def _read(folder: Path, language: str, part: str) -> Rows:
    """Read all sentences of a part, once for the cells that one process computes."""
    corpus, split = (
        (ESTONIAN_TIMEML, "all") if language == UNSEEN else (TIMEX_BIO, f"timebank-{language}-{part}")
    )
    return list(corpus.read(folder, split))  # type: ignore[arg-type]


def of_language(language: str, words: Iterable[str]) -> list[str]:
    """Put the language before words.

    >>> of_language("es", ["mayo"])
    ['es:mayo']
    """
    return [f"{language}:{word}" for word in words]


_LONGEST = 60  # words: some rows of the English train file are whole documents


def cut(row: TaggedSentence) -> Rows:
    """Cut a long sentence at its full stops, else where no expression is, into pieces of at most 60 words."""
    pieces, begin = [], 0
    tags = row.tags or ()
    while len(row.words) - begin > _LONGEST:
        places = range(begin + _LONGEST, begin, -1)
        free = [place for place in places if not tags[place].startswith("I-")]
        stops = [place for place in free if row.words[place - 1].endswith(":.")]
        end = next(iter(stops or free), begin + _LONGEST)
        pieces.append(replace(row, words=row.words[begin:end], tags=tags[begin:end]))
        begin = end
    return [*pieces, replace(row, words=row.words[begin:], tags=tags[begin:])]


def texts_for_vectors(language: str, context: Context) -> Iterator[list[str]]:
    """Yield lower-cased sentences, without languages before the words, that vectors are made of."""
    for row in unlabelled(language, context):
        yield [word.partition(":")[2].lower() for word in row.words]
    if language == UNSEEN:
        return
    corpus, split = _NEWS[language]
    for sentence in corpus.read(context.folder(corpus.folder), split):
        yield [word.lower() for word in sentence.words]  # type: ignore[attr-defined]
    for pair in translations(int(context.settings["translations"])):
        yield pair[0 if language == "en" else 1]


def translations(count: int) -> list[tuple[list[str], list[str]]]:
    """Return lower-cased English sentences and Spanish translations, drawn once for all seeds."""
    pairs: list[Any] = list(TATOEBA_MORE.read(find(ASSET), "spa"))
    order = np.random.default_rng(0).permutation(len(pairs)).tolist()[:count]
    return [(_lower(pairs[place].first), _lower(pairs[place].second)) for place in order]


def _lower(text: str) -> list[str]:
    return list(split_words(text.lower()).words)
