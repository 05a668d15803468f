"""Tests of word vectors: similarity of pairs, analogies, categories (vecto-ai/word-benchmarks).

``tenor.words.evaluate`` reads the files. SimLex-999 and WordSim-353 are taken from the asset ``word-tests``:
the collection has the pairs of SimLex with the scores of other people, and WordSim in two parts.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path

from tenor.corpora.corpus import Corpus, Split
from tenor.errors import TenorError
from tenor.words.evaluate.reading import (
    read_analogy_set,
    read_benchmarks,
    read_category_set,
    read_similarity_set,
)
from tenor.words.evaluate.sets import AnalogySet, CategorySet, SimilaritySet

ASSET = "word-tests"
_ENGLISH = Path("monolingual/en")
FROM_ASSET: Mapping[str, str] = {"WS-353": "wordsim353", "SimLex-999": "simlex999"}
SIMILARITY_FILES: Mapping[str, str] = {
    "RG-65": "rg-65",
    "MC-30": "mc-30",
    "MTurk-771": "mturk-771",
    "MEN": "men",
    "MTurk-287": "mturk-287",
    "YP-130": "yp-130",
    "Verb-143": "verb-143",
}
ANALOGY_FILES: Mapping[str, str] = {"Google": "google-analogies", "MSR": "msr"}
_KINDS: Mapping[str, tuple[str, ...]] = {
    "word-similarity": (
        "mc-30", "men", "mturk-287", "mturk-771", "rg-65", "simlex999", "verb-143", "wordsim353-rel",
        "wordsim353-sim", "yp-130",
    ),
    # sat lists the choices of each question without saying which is right: it can be read, not scored.
    "word-analogy": ("google-analogies", "jair", "msr", "sat", "semeval"),
    "word-categorization": ("ap", "battig", "bless", "essli-2008"),
}  # fmt: skip


def read_similarity(folder: Path, names: Iterable[str]) -> list[SimilaritySet]:
    """Read similarity sets of the collection and of the asset, by their usual names."""
    tests = []
    for name in names:
        if name in FROM_ASSET:
            test = _of_asset(name)
        else:
            test = read_similarity_set(_file(folder, "word-similarity", SIMILARITY_FILES[name]))
        tests.append(SimilaritySet(name, test.pairs, test.scores))
    return tests


def read_analogies(folder: Path, names: Iterable[str] = ANALOGY_FILES) -> list[AnalogySet]:
    """Read analogy sets of the collection, by their usual names."""
    tests = [(name, read_analogy_set(_file(folder, "word-analogy", ANALOGY_FILES[name]))) for name in names]
    return [AnalogySet(name, test.questions, test.categories) for name, test in tests]


def read_categories(folder: Path) -> list[CategorySet]:
    """Read the sets of words by category that are there, named after their files."""
    files = sorted((folder / "word-categorization" / _ENGLISH).glob("*.csv"))
    return [read_category_set(file) for file in files]


def _of_asset(name: str) -> SimilaritySet:
    tests = {test.name: test for test in read_benchmarks().similarity}
    if FROM_ASSET[name] not in tests:
        raise TenorError(f"The asset {ASSET} holds no {FROM_ASSET[name]}; get it again: tenor fetch {ASSET}.")
    return tests[FROM_ASSET[name]]


def _file(folder: Path, kind: str, name: str) -> Path:
    file = folder / kind / _ENGLISH / f"{name}.csv"
    if not file.is_file():
        raise TenorError(f"{file} does not exist; expected the sets of word-benchmarks in {folder.name}.")
    return file


def _items(folder: Path, kind: str, name: str) -> Iterator[object]:
    """Yield the items of one file: pairs with scores, questions with categories, words with categories."""
    file = _file(folder, kind, name)
    if kind == "word-similarity":
        pairs = read_similarity_set(file)
        yield from zip(pairs.pairs, pairs.scores, strict=True)
    elif kind == "word-analogy":
        questions = read_analogy_set(file)
        yield from zip(questions.questions, questions.categories, strict=True)
    else:
        words = read_category_set(file)
        yield from zip(words.words, words.categories, strict=True)


WORD_BENCHMARKS = Corpus(
    name="word-benchmarks",
    about="word similarity, analogy and category sets as CSV",
    licence="not stated; each set has terms of its own",
    obtain="Get the repository https://github.com/vecto-ai/word-benchmarks.",
    also_reads=(ASSET,),
    splits={
        f"{kind}/{file}": Split(
            files=(f"{kind}/{_ENGLISH}/{file}.csv",), read=partial(_items, kind=kind, name=file)
        )
        for kind, files in _KINDS.items()
        for file in files
    },
)
