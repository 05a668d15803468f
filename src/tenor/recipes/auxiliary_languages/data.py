"""Texts of languages, tagged sentences of targets, and made-up ones.

A language's text is what its vectors and its distances come from: the words of a tagging corpus's training
part, without the tags, or of Tatoeba's sentences. A target is a task in one language with four auxiliary
languages beside it; sentences to train on are drawn by the seed, those to test on are always the same.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal

import numpy as np

from tenor.corpora.columns_of_tags import CONLL2002, CONLL2003, MASAKHANER
from tenor.corpora.corpus import Corpus
from tenor.corpora.tatoeba import TATOEBA, TATOEBA_FINNISH
from tenor.corpora.universal_dependencies import UD
from tenor.recipes.recipe import Context, DataFolder
from tenor.text.words import split_words

Words = Sequence[str]
Part = Literal["train", "dev", "test"]


@dataclass(frozen=True, slots=True)
class Tagged:
    """A sentence with the tag of each word."""

    words: tuple[str, ...]
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A task in one language, and the languages whose vectors may help."""

    name: str
    language: str
    others: tuple[str, ...]
    corpus: Corpus
    split: str
    """The names of its splits, with {} for train, dev or test."""
    spans: bool = True
    """Whether tags are those of entities; else parts of speech."""

    @property
    def languages(self) -> tuple[str, ...]:
        """The language of the task and the others."""
        return (self.language, *self.others)


def _ner(language: str, others: str, corpus: Corpus, split: str) -> Target:
    return Target(
        name=f"NER {language}", language=language, others=tuple(others.split()), corpus=corpus, split=split
    )


def _pos(language: str, others: str, treebank: str) -> Target:
    return Target(
        name=f"POS {language}", language=language, others=tuple(others.split()), corpus=UD,
        split=f"{treebank}-{{}}", spans=False,
    )  # fmt: skip


TARGETS: Mapping[str, Target] = {
    target.name: target
    for target in (
        _ner("en", "de es fi nl", CONLL2003, "{}"),
        _ner("es", "de en fi nl", CONLL2002, "es-{}"),
        _ner("nl", "de en es fi", CONLL2002, "nl-{}"),
        _ner("swa", "hau kin lug yor", MASAKHANER, "swa-{}"),
        _pos("en", "de es fi nl", "en_ewt"),
        _pos("af", "de en fi nl", "af_afribooms"),
    )
}
AFRICAN = ("hau", "kin", "lug", "swa", "yor")
DATA = (
    DataFolder.of(CONLL2002),
    DataFolder.of(CONLL2003),
    DataFolder.of(MASAKHANER.take("swa-*", *(f"{language}-train" for language in AFRICAN))),
    DataFolder.of(UD.take("en_ewt-*", "af_afribooms-*")),
    DataFolder.of(TATOEBA.take("deu"), TATOEBA_FINNISH),
)


def _tagged_words(corpus: Corpus, split: str, context: Context) -> Iterator[Words]:
    for sentence in corpus.read(context.folder(corpus.folder), split):
        yield sentence.words  # type: ignore[attr-defined]


def _translations(corpus: Corpus, split: str, context: Context) -> Iterator[Words]:
    """Yield the words of all different translations, in an order of their own: the tables go by length."""
    pairs = corpus.read(context.folder(corpus.folder), split)
    texts = list(dict.fromkeys(pair.second for pair in pairs))  # type: ignore[attr-defined]
    for place in np.random.default_rng(0).permutation(len(texts)):
        yield split_words(texts[place]).words


_TEXTS: Mapping[str, Callable[[Context], Iterator[Words]]] = {
    "de": partial(_translations, TATOEBA, "deu"),
    "fi": partial(_translations, TATOEBA_FINNISH, "fin"),
    "en": partial(_tagged_words, CONLL2003, "train"),
    "es": partial(_tagged_words, CONLL2002, "es-train"),
    "nl": partial(_tagged_words, CONLL2002, "nl-train"),
    "af": partial(_tagged_words, UD, "af_afribooms-train"),
    **{language: partial(_tagged_words, MASAKHANER, f"{language}-train") for language in AFRICAN},
}  # fmt: skip


def read_text(language: str, context: Context) -> list[Words]:
    """Return the sentences of a language's text, the first ones up to the plan's number of words."""
    most = int(context.settings["text_words"])
    sentences = _made_up_text(language) if context.data is None else _TEXTS[language](context)
    return list(_up_to(sentences, most))


def _up_to(sentences: Iterable[Words], most: int) -> Iterator[Words]:
    total = 0
    for sentence in sentences:
        total += len(sentence)
        if total > most:
            return
        yield sentence


def read_rows(target: Target, part: Part, context: Context) -> list[Tagged]:
    """Return the tagged sentences of a part: drawn by the seed for training, else always the same."""
    most = int(context.settings[f"{part}_rows"])
    if context.data is None:
        rows = _made_up_rows(target, part)
    else:
        rows = _real_rows(context.folder(target.corpus.folder), target.name, part)
    seed = context.seed if part == "train" else 0
    order = np.random.default_rng(seed).permutation(len(rows))[:most]
    return [rows[place] for place in order.tolist()]


@cache
def _real_rows(folder: Path, name: str, part: Part) -> list[Tagged]:
    """Read all sentences of a part, once for the cells that one process computes."""
    target = TARGETS[name]
    sentences: list[Any] = list(target.corpus.read(folder, target.split.format(part)))
    return [Tagged(each.words, each.tags) for each in sentences]


_STEMS = ("ba", "do", "ki", "lu", "me", "no", "ra", "si", "ta", "vu")


def _made_up_text(language: str) -> Iterator[Words]:
    """Make sentences of a language whose words end in its own way."""
    random = np.random.default_rng(list(language.encode()))
    for _ in range(200):
        yield [_made_up_word(random, language) for _ in range(8)]


def _made_up_word(random: np.random.Generator, language: str) -> str:
    first, second = random.integers(0, len(_STEMS), 2)
    return _STEMS[first] + _STEMS[second] + (language[-1] if random.random() < 0.5 else "")


def _made_up_rows(target: Target, part: Part) -> list[Tagged]:
    """Make sentences whose tags follow from the first two letters of a word."""
    random = np.random.default_rng([*target.name.encode(), *part.encode()])
    tags = ("B-PER", "B-LOC", "O", "O") if target.spans else ("NOUN", "VERB", "ADJ", "ADV")
    rows = []
    for _ in range(40):
        words = tuple(_made_up_word(random, target.language) for _ in range(8))
        rows.append(Tagged(words, tuple(tags[_STEMS.index(word[:2]) % len(tags)] for word in words)))
    return rows


def shared_folder(context: Context, language: str, make: Callable[[Path], None], **settings: Any) -> Path:
    """Return the folder of something that is made once of a language's text, for all cells."""
    words = int(context.settings["text_words"])
    return context.shared(f"{language}-vectors", make, settings={**settings, "text_words": words})
