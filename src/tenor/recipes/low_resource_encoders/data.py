"""Languages: their texts to pre-train on, and their sentences with entities, parts of speech and trees.

There is no Wikipedia here. A language's text is the training part of a labelled corpus without its labels;
what a tagger or parser learns from is drawn from the same sentences. Test sentences are in no text.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np

from tenor.corpora.columns_of_tags import CONLL2002, CONLL2003, MASAKHANER
from tenor.corpora.corpus import Corpus
from tenor.corpora.universal_dependencies import UD
from tenor.recipes.low_resource_encoders.made_up import made_up_sentences
from tenor.recipes.recipe import Context, DataFolder

Part = Literal["train", "test"]
TaskName = Literal["NER", "POS", "parse"]
Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Labelled:
    """A sentence with the tag of each word and, of a treebank, heads and relations without subtypes."""

    words: Words
    tags: Words
    heads: tuple[int, ...] = ()
    relations: Words = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A task in a language, with the partners that its encoder may be pre-trained with."""

    task: TaskName
    language: str
    related: str = ""
    unrelated: str = ""

    @property
    def name(self) -> str:
        """The task and the language."""
        return f"{self.task} {self.language}"

    @property
    def spans(self) -> bool:
        """Whether tags are those of entities."""
        return self.task == "NER"


_AFRICAN = ("amh", "hau", "ibo", "kin", "lug", "luo", "pcm", "swa", "wol", "yor")
_TREEBANKS = {
    treebank.partition("_")[0]: treebank
    for treebank in ("af_afribooms", "el_gdt", "en_ewt", "hu_szeged", "lt_hse", "ta_ttb", "te_mtg", "vi_vtb")
}
NER_LANGUAGES = ("en", "es", "nl", *_AFRICAN)
POS_LANGUAGES = tuple(_TREEBANKS)
LANGUAGES = tuple(dict.fromkeys((*NER_LANGUAGES, *POS_LANGUAGES)))
"""What the multilingual encoder is pre-trained on."""
TARGETS: Mapping[str, Target] = {
    target.name: target
    for target in (
        Target(task="NER", language="pcm", related="en", unrelated="es"),
        Target(task="NER", language="lug", related="kin", unrelated="hau"),
        Target(task="POS", language="af", related="nl", unrelated="es"),
        Target(task="parse", language="af", related="nl", unrelated="es"),
    )
}
"""Nigerian Pidgin with English, Luganda with Kinyarwanda, Afrikaans with Dutch; Spanish and Hausa are of
other families or branches."""
DATA = (
    DataFolder.of(CONLL2002),
    DataFolder.of(CONLL2003.take("train", "test")),
    DataFolder.of(
        MASAKHANER.take(*(f"{language}-{part}" for language in _AFRICAN for part in ("train", "test")))
    ),
    DataFolder.of(
        UD.take(*(f"{treebank}-{part}" for treebank in _TREEBANKS.values() for part in ("train", "test")))
    ),
)


def corpus_of(language: str, *, spans: bool) -> tuple[Corpus, str]:
    """Return the corpus of a language and the names of its splits, with {} for the part."""
    if not spans:
        return UD, f"{_TREEBANKS[language]}-{{}}"
    if language == "en":
        return CONLL2003, "{}"
    return (MASAKHANER if language in _AFRICAN else CONLL2002), f"{language}-{{}}"


def sentences_of(language: str, part: Part, context: Context, *, spans: bool) -> Sequence[Labelled]:
    """Return all sentences of a part, in the order of the corpus."""
    if context.data is None:
        return made_up_rows(language, part, spans=spans)
    corpus, _ = corpus_of(language, spans=spans)
    return _read(context.folder(corpus.folder), language, part, spans)


@cache
def _read(folder: Path, language: str, part: Part, spans: bool) -> tuple[Labelled, ...]:
    """Read all sentences of a part, once for the cells that one process computes."""
    corpus, split = corpus_of(language, spans=spans)
    sentences: Any = corpus.read(folder, split.format(part))
    if spans:
        return tuple(Labelled(each.words, each.tags) for each in sentences)
    return tuple(
        Labelled(each.words, each.tags, each.heads, tuple(name.split(":")[0] for name in each.relations))
        for each in sentences
    )


def made_up_rows(language: str, part: Part, *, spans: bool) -> list[Labelled]:
    """Return made-up sentences of a language."""
    return [Labelled(*row) for row in made_up_sentences(language, part, spans=spans)]


def read_text(language: str, context: Context, *, share: float = 1.0) -> list[Words]:
    """Return a share of the words of a language's text, which has at most the plan's number of words.

    A language with entities and trees has the text of the sentences with entities.
    """
    sentences = sentences_of(language, "train", context, spans=language in NER_LANGUAGES)
    whole = _first([sentence.words for sentence in sentences], int(context.settings["text_words"]))
    return whole if share == 1.0 else _first(whole, share * sum(map(len, whole)))


def _first(text: Sequence[Words], most: float) -> list[Words]:
    """Return the first sentences, up to a number of words."""
    ends = np.cumsum([len(words) for words in text])
    return list(text[: int(np.searchsorted(ends, most, side="right"))])


def read_rows(target: Target, part: Part, context: Context, *, rows: int | None = None) -> list[Labelled]:
    """Return labelled sentences of a part: drawn by the seed for training, else always the same."""
    every = sentences_of(target.language, part, context, spans=target.spans)
    most = int(context.settings[f"{part}_rows"]) if rows is None else rows
    seed = context.seed if part == "train" else 0
    order = np.random.default_rng(seed).permutation(len(every))[:most]
    return [every[place] for place in order.tolist()]
