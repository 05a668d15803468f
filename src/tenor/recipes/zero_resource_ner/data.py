"""The sentences of zero-resource-ner: one domain to learn from, others to be tested on, all in four types.

Trained on are CoNLL-2003's sentences alone. CrossNER's types become the four of CoNLL-2003 as ``FOUR_TYPES``
says; every other of its types is MISC.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from tenor.corpora.columns_of_tags import CBS_SCITECH, CONLL2003, CROSSNER
from tenor.recipes.recipe import Context, DataFolder
from tenor.recipes.zero_resource_ner.made_up import made_up_sentences, made_up_vectors
from tenor.text.examples import TaggedSentence
from tenor.text.tag_schemes import TagScheme, convert
from tenor.words.vectors import WordVectors

TYPES = ("LOC", "MISC", "ORG", "PER")
DOMAINS = ("politics", "science", "music", "literature", "ai")
SOURCE, SCITECH = "CoNLL-2003", "SciTech"
FOUR_TYPES = {
    "PER": ("person", "politician", "scientist", "researcher", "writer", "musicalartist"),
    "LOC": ("location", "country"),
    "ORG": ("organisation", "university", "politicalparty", "band"),
}
_TYPE_OF = {name: kind for kind, names in FOUR_TYPES.items() for name in names}
_CROSSNER_TESTS = CROSSNER.take(*(f"{domain}-test" for domain in DOMAINS))
FOLDERS = (
    DataFolder.of(CONLL2003),
    DataFolder.of(CBS_SCITECH),
    DataFolder.of(_CROSSNER_TESTS),
)
Sentences = list[TaggedSentence]


@dataclass(frozen=True, slots=True, kw_only=True)
class Data:
    """What a seed learns from and is tested on; ``vectors`` is the file of its words' vectors."""

    train: Sentences
    dev: Sentences
    tests: dict[str, Sentences]
    vectors: Path
    notes: tuple[str, ...] = ()


def four_types(tag: str) -> str:
    """Return a tag of CrossNER with one of the four types.

    >>> four_types("B-politician"), four_types("I-country"), four_types("B-poem"), four_types("O")
    ('B-PER', 'I-LOC', 'B-MISC', 'O')
    """
    prefix, dash, kind = tag.partition("-")
    return f"{prefix}-{_TYPE_OF.get(kind, 'MISC')}" if dash else tag


def read_data(context: Context) -> Data:
    """Return a seed's own part of the train sentences, the dev part, all tests, and their words' vectors.

    The parts of dev and of the source's test are the same for all seeds.
    """
    if context.data is None:
        return _made_up(context)
    settings = context.settings
    published = _read_all(*(context.folder(folder.name) for folder in FOLDERS))
    source, name = published.source, settings["vectors"]
    everything = [one for part in (*source.values(), *published.targets.values()) for one in part]
    words = _words(everything)
    return Data(
        train=part_of(source["train"], settings["train"], context.seed),
        dev=part_of(source["dev"], settings["dev"], 0),
        tests={SOURCE: part_of(source["test"], settings["test"], 0), **published.targets},
        vectors=_vectors_file(context, name, lambda: _only(WordVectors.load(name), words)),
        notes=(f"{published.repaired} tags of {SCITECH} were illegal in BIOES and were repaired.",),
    )


@dataclass(frozen=True, slots=True)
class _Published:
    """All sentences of the files, in BIO with four types."""

    source: dict[str, Sentences]
    targets: dict[str, Sentences]
    repaired: int


@lru_cache(maxsize=1)
def _read_all(conll: Path, scitech: Path, crossner: Path) -> _Published:
    """Read all files, once for the cells that one process computes."""
    source = {part: _in_bio(CONLL2003.read(conll, part), "iob1")[0] for part in ("train", "dev", "test")}
    targets = {}
    targets[SCITECH], repaired = _in_bio(CBS_SCITECH.read(scitech, "test"), "bioes")
    for domain in DOMAINS:
        targets[domain] = [
            replace(sentence, tags=tuple(map(four_types, sentence.tags or ())))
            for sentence in _in_bio(_CROSSNER_TESTS.read(crossner, f"{domain}-test"), "bio")[0]
        ]
    return _Published(source, targets, repaired)


def part_of(sentences: Sentences, count: int | None, seed: int) -> Sentences:
    """Draw so many sentences without replacement; all of them, in order, where ``count`` is None."""
    if count is None or count >= len(sentences):
        return sentences
    chosen = np.random.default_rng(seed).permutation(len(sentences))[:count]
    return [sentences[number] for number in chosen.tolist()]


def _in_bio(sentences: Iterable[object], scheme: TagScheme) -> tuple[Sentences, int]:
    """Rewrite the tags of sentences in BIO, and count those that were illegal in their scheme."""
    rewritten, repaired = [], 0
    for sentence in sentences:
        assert isinstance(sentence, TaggedSentence)
        tags, illegal = convert(sentence.tags or (), scheme, "bio")
        rewritten.append(replace(sentence, tags=tuple(tags)))
        repaired += illegal
    return rewritten, repaired


def _words(sentences: Sequence[TaggedSentence]) -> set[str]:
    words = {word for sentence in sentences for word in sentence.words}
    return words | {word.lower() for word in words}


def _only(vectors: WordVectors, words: set[str]) -> WordVectors:
    """Keep the vectors of some words: those of others would only take memory and time."""
    kept = [number for number, word in enumerate(vectors.words) if word in words]
    rows = np.asarray(vectors.vectors[kept], dtype=np.float32)
    return WordVectors([vectors.words[number] for number in kept], rows)


def _vectors_file(context: Context, name: str, make: Callable[[], WordVectors]) -> Path:
    def save(folder: Path) -> None:
        make().save(folder / "vectors.safetensors")

    return context.shared("vectors", save, settings={"vectors": name}) / "vectors.safetensors"


def _made_up(context: Context) -> Data:
    """Make two domains of one grammar whose names are disjoint, and vectors that know the types of names."""
    settings = context.settings
    generator = context.generator()
    source = made_up_sentences(settings["train"] + settings["dev"], generator, domain=0)
    tests = {
        name: made_up_sentences(settings["test"], np.random.default_rng(number), domain=domain)
        for number, (name, domain) in enumerate([(SOURCE, 0), (SCITECH, 1), *((each, 1) for each in DOMAINS)])
    }
    return Data(
        train=source[: settings["train"]],
        dev=source[settings["train"] :],
        tests=tests,
        vectors=_vectors_file(context, "made-up", made_up_vectors),
    )
