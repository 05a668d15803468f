"""Word vectors of three languages, the maps of two of them onto English, and all of them in one table.

Vectors stand for fastText's: a word is the mean of its own vector and the mean vector of its character
n-grams, which come from PPMI-SVD of what they stand beside, so that every word has one. Rows are of one
length. A map is the orthogonal one of seed pairs, which are strings that two vocabularies share, or the
translations of a dictionary (Smith et al., 2017); only the 5,000 most frequent words make pairs.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tenor.corpora.panlex import PANLEX, read_panlex
from tenor.corpora.xling_eval import XLING_EVAL, read_translations
from tenor.recipes.recipe import Context
from tenor.recipes.temporal_adversarial.data import (
    LANGUAGES,
    UNSEEN,
    Part,
    of_language,
    read_rows,
    texts_for_vectors,
    translations,
)
from tenor.recipes.temporal_adversarial.made_up import made_up_dictionary, made_up_space
from tenor.words.corpus import read_corpus
from tenor.words.counting import count_pairs, ppmi
from tenor.words.crosslingual.maps import orthogonal_map
from tenor.words.crosslingual.seed import known_pairs
from tenor.words.neighbours import unit_rows
from tenor.words.subwords import ngram_hashes
from tenor.words.vectors import WordVectors

Alignment = Literal["none", "strings", "dictionary"]
VECTORS = "vectors.safetensors"
PIVOT = "en"
_FREQUENT = 5000
_CONTEXTS = 4000  # the most frequent words
_LEAST = 3  # occurrences of an n-gram
Pairs = list[tuple[str, str]]
Floats = NDArray[np.floating[Any]]


def vectors_file(alignment: Alignment, context: Context) -> Path:
    """Return the file of the vectors of all languages, made by the first cell that asks."""
    settings = _settings(context)

    def make(folder: Path) -> None:
        spaces: dict[str, WordVectors] = {name: space_of(name, context) for name in LANGUAGES}
        mapped = {
            language: space
            if language == PIVOT
            else aligned(language, space, spaces[PIVOT], alignment, context)
            for language, space in spaces.items()
        }
        together(mapped, scale=float(context.settings["scale"])).save(folder / VECTORS)

    return context.shared(f"vectors-{alignment}", make, settings=settings) / VECTORS


def space_of(language: str, context: Context) -> WordVectors:
    """Return the vectors of a language's words, made by the first cell that asks."""
    if context.data is None:
        settings = context.settings
        return made_up_space(language, kept=settings["kept"], common=settings.get("common", 0.0))

    def make(folder: Path) -> None:
        parts: tuple[Part, ...] = ("test",) if language == UNSEEN else ("train", "test")
        rows = [row for part in parts for row in read_rows(language, part, context)]
        words = {word.partition(":")[2].lower() for row in rows for word in row.words}
        made = ngram_vectors(
            texts_for_vectors(language, context), words, folder=folder,
            size=int(context.settings["vector_size"]), window=int(context.settings["window"]),
        )  # fmt: skip
        made.save(folder / VECTORS)

    folder = context.shared(f"space-{language}", make, settings=_settings(context))
    return WordVectors.load(folder / VECTORS)


def _settings(context: Context) -> dict[str, Any]:
    return {
        name: context.settings[name] for name in ("vector_size", "window", "translations", "scale", "kept")
    }


def ngram_vectors(
    text: Iterable[Sequence[str]], more: Iterable[str], *, folder: Path, size: int, window: int
) -> WordVectors:
    """Make vectors of the words of a text and of more words, most frequent first."""
    from scipy.sparse import csr_matrix
    from sklearn.utils.extmath import randomized_svd

    lines = folder / "text.txt"
    lines.write_text("".join(" ".join(sentence) + "\n" for sentence in text), encoding="utf-8")
    corpus = read_corpus(lines, lowercase=False, split="spaces", min_count=1)
    lines.unlink()
    known = len(corpus.words)
    words = [*corpus.words, *sorted(set(more) - set(corpus.words))]
    units = _units(words)  # [words, units]
    of_words = count_pairs(corpus, window)[:, :_CONTEXTS]
    occurrences = np.asarray(units[:known].T @ corpus.counts).ravel()
    kept = np.flatnonzero(occurrences >= _LEAST)
    table = ppmi(csr_matrix(units[:known][:, kept].T @ of_words))  # [kept units, contexts]
    left, values, _ = randomized_svd(table.astype(np.float32), size, n_iter=5, random_state=1)
    vectors = _averaged(units[:, kept], left * np.sqrt(values), kept >= units.shape[1] - len(words))
    counts = np.concatenate([corpus.counts, np.zeros(len(words) - known, dtype=np.int64)])
    return WordVectors(words, vectors.astype(np.float32), counts)


def _units(words: Sequence[str]) -> Any:
    """Return which n-grams of 3 to 6 letters, and which word, each word is made of: [words, units]."""
    from scipy.sparse import csr_matrix

    hashes, of = ngram_hashes(list(words), 3, 6)
    found, columns = np.unique(hashes, return_inverse=True)
    rows = np.concatenate([of, np.arange(len(words))])
    columns = np.concatenate([columns, len(found) + np.arange(len(words))])
    count = len(found) + len(words)
    return csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(len(words), count))


def _averaged(units: Any, vectors: Floats, whole: NDArray[np.bool_]) -> Floats:
    """Return the mean of each word's own vector and the mean of its n-grams', as far as there are both.

    ``whole`` says which units are words.
    """
    counts = np.asarray(units[:, ~whole].sum(axis=1))
    own = np.asarray(units[:, whole].sum(axis=1))
    grams = np.asarray(units[:, ~whole] @ vectors[~whole]) / np.maximum(counts, 1.0)
    both = grams + np.asarray(units[:, whole] @ vectors[whole])
    averaged: Floats = both / np.maximum((counts > 0) + own, 1.0)
    return averaged


def aligned(
    language: str, space: WordVectors, pivot: WordVectors, alignment: Alignment, context: Context
) -> WordVectors:
    """Map the vectors of a language onto the pivot's by the seed pairs of an alignment."""
    if alignment == "none":
        return space
    pairs = identical(space, pivot) if alignment == "strings" else dictionary(language, context)
    known = known_pairs(pairs, _frequent(space), _frequent(pivot)).pairs
    rows, other = (unit_rows(np.asarray(each.vectors, dtype=np.float32)) for each in (space, pivot))
    maps = orthogonal_map(rows[known[:, 0]], other[known[:, 1]])
    return space.replace((rows @ maps.source).astype(np.float32))


def identical(one: WordVectors, two: WordVectors) -> Pairs:
    """Return the strings that two vocabularies share, paired with themselves."""
    return [(word, word) for word in list(one.words)[:_FREQUENT] if word in two.words]


def _frequent(space: WordVectors) -> Any:
    places = {word: place for place, word in enumerate(list(space.words)[:_FREQUENT])}
    return places.get


def dictionary(language: str, context: Context) -> Pairs:
    """Return the words of a language with English translations."""
    if context.data is None:
        return made_up_dictionary(language)
    if language == "es":
        return [
            (two, one) for one, two in by_co_occurrence(translations(int(context.settings["translations"])))
        ]
    to_finnish = read_translations(context.folder(XLING_EVAL.folder), "en-fi", "train.freq.5k")
    from_finnish = read_panlex(context.folder(PANLEX.folder), "fi-et")
    return [(two, one) for one, two in through(to_finnish, from_finnish)]


def through(first: Iterable[tuple[str, str]], second: Iterable[tuple[str, str]]) -> Pairs:
    """Join two dictionaries by the words in the middle, each pair once, in lower case.

    >>> through([("year", "vuosi"), ("moon", "kuu")], [("Vuosi", "aasta"), ("vuosi", "aastane")])
    [('year', 'aasta'), ('year', 'aastane')]
    """
    of: dict[str, list[str]] = defaultdict(list)
    for middle, last in second:
        of[middle.lower()].append(last.lower())
    return list(dict.fromkeys((one.lower(), last) for one, middle in first for last in of[middle.lower()]))


def by_co_occurrence(sentences: Sequence[tuple[Sequence[str], Sequence[str]]], *, least: int = 3) -> Pairs:
    """Return words that stand in translations of one another: each the other's best by Dice's coefficient.

    >>> by_co_occurrence([(["a", "cat"], ["un", "gato"]), (["a", "dog"], ["un", "perro"])] * 3)
    [('a', 'un'), ('cat', 'gato'), ('dog', 'perro')]
    """
    counts = [Counter(word for pair in sentences for word in set(pair[side])) for side in (0, 1)]
    words = [[word for word, count in each.most_common(_FREQUENT) if count >= least] for each in counts]
    tables = [_presence([pair[side] for pair in sentences], words[side]) for side in (0, 1)]
    both = (tables[0].T @ tables[1]).toarray()
    if not both.size:
        return []
    ones, twos = (np.array([each[word] for word in own]) for each, own in zip(counts, words, strict=True))
    dice = 2 * both / (ones[:, None] + twos[None, :])
    best, back = dice.argmax(axis=1), dice.argmax(axis=0)
    return [
        (words[0][row], words[1][column])
        for row, column in enumerate(best.tolist())
        if back[column] == row and both[row, column] >= least
    ]


def _presence(sentences: Sequence[Sequence[str]], words: Sequence[str]) -> Any:
    from scipy.sparse import csr_matrix

    places = {word: place for place, word in enumerate(words)}
    cells = [(row, places[word]) for row, own in enumerate(sentences) for word in set(own) if word in places]
    rows, columns = np.array(cells, dtype=np.int64).reshape(-1, 2).T
    shape = (len(sentences), len(words))
    return csr_matrix((np.ones(len(rows), dtype=np.float32), (rows, columns)), shape=shape)


def together(spaces: dict[str, WordVectors], *, scale: float) -> WordVectors:
    """Put the vectors of all languages into one table, rows of the length √size · ``scale``."""
    words = [word for language, space in spaces.items() for word in of_language(language, space.words)]
    rows = np.concatenate([unit_rows(np.asarray(space.vectors, np.float32)) for space in spaces.values()])
    return WordVectors(words, rows * np.float32(scale * np.sqrt(rows.shape[1])))
