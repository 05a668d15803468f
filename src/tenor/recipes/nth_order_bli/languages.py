"""Pairs of languages for the recipe on bilingual lexicons: vectors, seed pairs and test pairs."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tenor.corpora.gutenberg import read_prose
from tenor.corpora.static_vectors import read_vectors
from tenor.corpora.xling_eval import Part, read_translations
from tenor.recipes.recipe import Context
from tenor.words.crosslingual.seed import KnownPairs, known_pairs
from tenor.words.vectors import WordVectors, intersection

LANGUAGES = ("en", "de", "fr", "fi")
SIZES: Mapping[str, Part] = {"500": "train.freq.500", "1k": "train.freq.1k", "5k": "train.freq.5k"}
PRETRAINED = "en-fr, 300-d"
ASSETS = ("glove-300d", "french-300d")
Dictionary = list[tuple[str, str]]


@dataclass(frozen=True, slots=True, eq=False)
class Languages:
    """Two languages, pairs to learn from and pairs to test on."""

    name: str
    source: WordVectors
    target: WordVectors
    seed: Dictionary
    test: KnownPairs


def real(pair: str, size: str, context: Context) -> Languages:
    """Read the vectors and dictionaries of a pair; words of the largest seed are never tested."""
    if pair == PRETRAINED:
        pair = "en-fr"
        source, target = (WordVectors.load(asset, lowercase=True) for asset in ASSETS)
        name = PRETRAINED
    else:
        folder, name = context.folder("static-emb"), pair
        source, target = (read_vectors(folder, language) for language in pair.split("-"))
    dictionaries = context.folder("bli-xling-eval")
    seed = read_translations(dictionaries, pair, SIZES[size])
    largest = read_translations(dictionaries, pair, "train.freq.5k")
    test = read_translations(dictionaries, pair, "test.freq.2k")
    known = known_pairs(_unseen(test, largest), source.index, target.index)
    return Languages(name, source, target, seed, known)


def _unseen(test: Dictionary, seed: Dictionary) -> Dictionary:
    """Leave out test words that stand in the seed once both are lower-cased."""
    known = {first for first, _ in seed}
    return [pair for pair in test if pair[0] not in known]


def halves(settings: Mapping[str, Any], context: Context) -> Languages:
    """Two spaces of one language: vectors of two random halves of a text, U √S or U S."""
    folder = context.shared(
        "halves", lambda made: _train_halves(context, made), settings={"seed": context.seed, "width": 100}
    )
    source, target = intersection(*(WordVectors.load(folder / f"{side}.safetensors") for side in "ab"))
    if settings["halves"] == "US":  # the columns of U √S have lengths √S
        source, target = (
            one.replace(one.vectors * np.linalg.norm(one.vectors, axis=0)) for one in (source, target)
        )
    words = [source.words[number] for number in context.generator().permutation(min(5500, len(source)))]
    seed, test = ([(word, word) for word in some] for some in (words[:1000], words[1000:2500]))
    return Languages("halves", source, target, seed, known_pairs(test, source.index, target.index))


def _train_halves(context: Context, folder: Path) -> None:
    from tenor.words.corpus import read_corpus
    from tenor.words.counting import PpmiConfig, train_ppmi

    paragraphs = [paragraph.text for paragraph in read_prose(context.folder("text-en"))]
    side = context.generator().random(len(paragraphs)) < 0.5
    for name, chosen in (("a", side), ("b", ~side)):
        text = context.work / f"{name}.txt"
        lines = (f"{line}\n" for line, here in zip(paragraphs, chosen, strict=True) if here)
        text.write_text("".join(lines), encoding="utf-8", newline="\n")
        corpus = read_corpus(text, max_final_vocab=10_000)
        train_ppmi(corpus, PpmiConfig(vector_size=100)).save(folder / f"{name}.safetensors")


def made_up(pair: str, context: Context) -> Languages:
    """A language and its rotated, noisy image, of another order of similarity."""
    from tenor.words.postprocess.nth_order import nth_order

    rng = context.generator()
    count, width = 400, 10
    here = rng.normal(size=(count, width)) * np.linspace(2, 0.3, width)
    rotation, _ = np.linalg.qr(rng.normal(size=(width, width)))
    there = nth_order(here @ rotation + 0.4 * rng.normal(size=here.shape), -0.2)
    source, target = (WordVectors([f"w{n}" for n in range(count)], rows, name=pair) for rows in (here, there))
    words = [(f"w{number}", f"w{number}") for number in rng.permutation(count)]
    return Languages(pair, source, target, words[:100], known_pairs(words[100:], source.index, target.index))
