"""Paraphrases to learn from, and what is measured: entailment, sentences made vaguer, similarity.

No pair to learn from stands in what is measured, nor does a text of four words or more.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path

import numpy as np

from tenor.corpora.minbert import MINBERT, read_quora
from tenor.corpora.mrpc import MRPC, read_mrpc
from tenor.corpora.nli import LABELS, NLI_WATSON, SNLI_HARD, read_nli_watson, read_snli_hard
from tenor.corpora.paraphrases import PAN, read_pan
from tenor.corpora.pivots import pivots, tatoeba_paraphrases
from tenor.corpora.sick import SICK, read_sick
from tenor.corpora.sts import SEMEVAL_STS, STSB, read_all_semeval, read_stsb
from tenor.corpora.tatoeba import ASSET, TATOEBA, read_tatoeba, read_tatoeba_asset
from tenor.corpora.treebank import TREEBANK, read_treebank
from tenor.objectives.paraphrase.leaks import Measured
from tenor.recipes.probabilistic_sentences import made_up
from tenor.recipes.probabilistic_sentences.modifiers import Vaguer, made_vaguer
from tenor.recipes.recipe import Context, DataFolder
from tenor.text.examples import Pair
from tenor.text.words import split_words

TextPair = tuple[str, str]
COMMAND, ALL = "command", "all"
"""Sources of pairs: what ``tenor specificity --learn tatoeba`` reads, or all."""
SAME = 4.0  # STS scores of pairs that count as paraphrases
ONE_WAY = ("NLI-Watson", "SNLI hard")
"""Sets whose premises and hypotheses are told apart; SICK's entailments may hold both ways."""
FOLDERS = (
    DataFolder.of(TATOEBA.take("fra", "deu")),
    DataFolder.of(MRPC),
    DataFolder.of(MINBERT.take("quora-dev")),
    DataFolder.of(PAN.take("train")),
    DataFolder.of(SEMEVAL_STS),
    DataFolder.of(STSB),
    DataFolder.of(SICK),
    DataFolder.of(NLI_WATSON),
    DataFolder.of(SNLI_HARD),
    DataFolder.of(TREEBANK),
)
ASSETS = (ASSET,)


@dataclass(frozen=True, slots=True)
class Tests:
    """What all cells are measured on, always the same."""

    entailment: Mapping[str, Mapping[str, list[TextPair]]]
    """Set -> label -> premises and hypotheses whose texts differ."""
    vaguer: list[Vaguer]
    similarity: list[Pair]


def count_words(text: str) -> int:
    """Return the number of words, punctuation included."""
    return len(split_words(text))


def equally_long(pairs: Iterable[TextPair]) -> list[TextPair]:
    """Return the pairs whose texts have equally many words."""
    return [pair for pair in pairs if count_words(pair[0]) == count_words(pair[1])]


def read_pairs(context: Context) -> tuple[list[TextPair], tuple[str, ...]]:
    """Return the paraphrases in an order that is always the same, and what became of each source."""
    if context.data is None:
        return made_up.paraphrases(context.settings["pairs"]), ()
    folders = tuple(context.folder(folder.name) for folder in FOLDERS)
    return _pairs(folders, context.settings["pairs"], every=context.settings["sources"] == ALL)


@cache
def _pairs(
    folders: tuple[Path, ...], most: int | None, *, every: bool
) -> tuple[list[TextPair], tuple[str, ...]]:
    place = {folder.name: path for folder, path in zip(FOLDERS, folders, strict=True)}
    measured = Measured(_measured_pairs(place))
    kept: dict[TextPair, None] = {}
    notes = []
    sources = _sources(place) if every else {"Tatoeba's asset, same translation": tatoeba_paraphrases()}
    for source, given in sources.items():
        pairs = [(" ".join(one.split()), " ".join(two.split())) for one, two in given]
        leaks = measured.holds(pairs)
        own = [pair for pair, leak in zip(pairs, leaks, strict=True) if not leak and pair[0] != pair[1]]
        notes.append(
            f"{source}: {len(pairs):,} pairs, {int(leaks.sum()):,} of them measured on and left out."
        )
        kept |= dict.fromkeys(own)
    pairs = list(kept)
    order = np.random.default_rng(0).permutation(len(pairs))[:most]
    return [pairs[number] for number in order.tolist()], tuple(notes)


def _sources(place: Mapping[str, Path]) -> dict[str, list[TextPair]]:
    translated = (
        read_tatoeba(place["tatoeba"], "fra"),
        read_tatoeba(place["tatoeba"], "deu"),
        read_tatoeba_asset("spa"),
        read_tatoeba_asset("ukr"),
    )
    mrpc = chain.from_iterable(read_mrpc(place["mrpc"], split) for split in ("train", "test"))
    graded = chain(read_all_semeval(place["semeval-sts"]), read_stsb(place["stsb"], "train"))
    return {
        "Tatoeba, same translation": list(pivots((pair.texts for pair in chain(*translated)), fewest=3)),
        "MRPC": [pair.texts for pair in mrpc if pair.label == "1"],
        "Quora": [pair.texts for pair in read_quora(place["minbert"]) if pair.label == "1"],
        "PAN, train": [
            pair.texts for pair in read_pan(place["pan-paraphrase"], "train") if pair.label == "1"
        ],
        "STS, 4 of 5 or more": [
            pair.texts for pair in graded if pair.score is not None and pair.score >= SAME
        ],
    }


def _measured_pairs(place: Mapping[str, Path]) -> Iterable[TextPair]:
    yield from (pair.texts for split in ("dev", "test") for pair in read_stsb(place["stsb"], split))
    yield from (pair.texts for pairs in _entailment(place).values() for pair in pairs)


def read_tests(context: Context) -> Tests:
    """Return what all cells are measured on."""
    most = int(context.settings["sentences"])
    if context.data is None:
        return made_up.tests(most)
    return _tests(tuple(context.folder(folder.name) for folder in FOLDERS), most)


@cache
def _tests(folders: tuple[Path, ...], most: int) -> Tests:
    place = {folder.name: path for folder, path in zip(FOLDERS, folders, strict=True)}
    return Tests(
        entailment={name: by_label(pairs) for name, pairs in _entailment(place).items()},
        vaguer=made_vaguer(read_treebank(place["nltk"]), most=most, generator=np.random.default_rng(0)),
        similarity=list(read_stsb(place["stsb"], "test")),
    )


def _entailment(place: Mapping[str, Path]) -> dict[str, list[Pair]]:
    return {
        "SICK": list(read_sick(place["sick"], "test")),
        "NLI-Watson": list(read_nli_watson(place["nli-watson"])),
        "SNLI hard": list(read_snli_hard(place["snli-hard"])),
    }


def by_label(pairs: Iterable[Pair]) -> dict[str, list[TextPair]]:
    """Put pairs of different texts under their label in small letters."""
    found: dict[str, list[TextPair]] = {label: [] for label in LABELS}
    for pair in pairs:
        if pair.first != pair.second:
            found[str(pair.label).lower()].append(pair.texts)
    return found


def notes_of(tests: Tests) -> tuple[str, ...]:
    """Say how many pairs of equal length there are."""
    return tuple(
        f"{name}, pairs of equally many words: "
        + ", ".join(f"{len(equally_long(pairs)):,} {label}" for label, pairs in labelled.items())
        + "."
        for name, labelled in tests.entailment.items()
    )
