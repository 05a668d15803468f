"""Fuzzy words (spec 06): do feature probabilities and set algebra beat cosine and vector arithmetic?

A cell is a table of word vectors: skip-gram of several vector sizes trained here, one for each seed, or a
pretrained one. All readings of it (cosine; feature probabilities over columns or rows, of raw or unit
vectors; divergence or cross-entropy) are metrics of that cell, measured on the same items.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from tenor.corpora.gutenberg import GUTENBERG, read_prose_words
from tenor.corpora.stopwords import STOPWORDS, read_stopwords
from tenor.corpora.word_benchmarks import ASSET, WORD_BENCHMARKS, read_analogies, read_similarity
from tenor.metrics.outcomes import Outcome
from tenor.recipes.fuzzy_words.claims import CLAIMS, TRIVIAL, WIDTHS
from tenor.recipes.recipe import Cell, CellResult, Context, DataFolder, Figure, Plan, Recipe
from tenor.recipes.results import Results
from tenor.recipes.word_sets import (
    PairScore,
    correlated,
    cosine_score,
    known_questions,
    made_up_similarity,
    shared_vectors,
)
from tenor.words.evaluate.sets import AnalogySet, SimilaritySet
from tenor.words.fuzzy import FuzzyWords, ask, sets
from tenor.words.fuzzy.fuzzy_words import Measure
from tenor.words.fuzzy.readouts import analogies as fuzzy_analogies
from tenor.words.fuzzy.readouts import function_words
from tenor.words.vectors import WordVectors

_TOPS = (15, 30, 50)
# reading -> options of the conversion, and the measure
_READINGS: dict[str, tuple[dict[str, Any], Measure]] = {
    "KL": ({}, "kl"),
    "cross-entropy": ({}, "cross-entropy"),
    "KL as printed": ({}, "kl-paper"),
    "KL, unit": ({"normalize": True}, "kl"),
    "KL, rows": ({"axis": "row"}, "kl"),
    "cross-entropy, rows": ({"axis": "row"}, "cross-entropy"),
    "KL, rows, unit": ({"axis": "row", "normalize": True}, "kl"),
}
_QUESTIONS = ("noble & metal", "noble & good", "computer & power", "french - british", "rose | violet")


def run(cell: Cell, context: Context) -> CellResult:
    """Read one table of vectors in every way, on similarity, analogies and function words."""
    if context.data is None:
        vectors, similarity, analogies, listed = _made_up(context)
    else:
        vectors = _vectors(cell, context)
        folder = context.folder("word-benchmarks")
        similarity = read_similarity(folder, ("SimLex-999", "MTurk-771"))
        analogies = read_analogies(folder, ("Google",))[0]
        listed = set(read_stopwords(context.folder("nltk")))
    outcomes = _similarities(vectors, similarity)
    outcomes |= _analogies(vectors, analogies, context.settings.get("questions"))
    notes = [_directed(vectors, cell.label)]
    if vectors.counts is not None:
        found, note = _function_words(vectors, listed)
        outcomes |= found
        notes.append(f"{cell.label}: {note}")
    notes += _answers(vectors, cell.label)
    return CellResult(outcomes=outcomes, notes=tuple(note for note in notes if note))


def _vectors(cell: Cell, context: Context) -> WordVectors:
    """Open pretrained vectors, or train skip-gram vectors once for all that ask for them."""
    if "asset" in cell.settings:
        return WordVectors.load(str(cell.settings["asset"]))
    from tenor.words.training import Word2VecConfig, train_word2vec

    width, text = int(cell.settings["width"]), context.folder("text-en")

    def train() -> WordVectors:
        return train_word2vec(read_prose_words(text), Word2VecConfig(vector_size=width, seed=context.seed))

    return shared_vectors(context, "skip-gram", train, settings={"width": width, "seed": context.seed})


def _similarities(vectors: WordVectors, similarity: Iterable[SimilaritySet]) -> dict[str, Outcome]:
    similarity = list(similarity)
    outcomes = {
        f"{one.name}: cosine": correlated(vectors, one, cosine_score(vectors.vectors)) for one in similarity
    }
    for name, (options, measure) in _READINGS.items():
        fuzzy = FuzzyWords.of(vectors, **options)
        for one in similarity:
            outcomes[f"{one.name}: {name}"] = correlated(vectors, one, _score_by(fuzzy, measure))
    return outcomes


def _score_by(fuzzy: FuzzyWords, measure: Measure) -> PairScore:
    return lambda first, second: -fuzzy.distances(first, second, measure)


def _analogies(vectors: WordVectors, questions: AnalogySet, most: int | None) -> dict[str, Outcome]:
    from tenor.words.analogies import analogies

    numbers, semantic = known_questions(vectors, questions, most)
    asked, wanted = numbers[:, :3], numbers[:, 3]
    answers = {"3CosAdd": analogies(vectors, asked, k=1)[0][:, 0]}
    for name, options in (("sets", {}), ("sets, rows", {"axis": "row"}), ("sets, unit", {"normalize": True})):
        answers[name] = fuzzy_analogies(FuzzyWords.of(vectors, **options), asked)[0][:, 0]
    outcomes = {}
    for name, given in answers.items():
        right = given == wanted
        for part, chosen in (("all", slice(None)), ("semantic", semantic), ("syntactic", ~semantic)):
            if right[chosen].size:
                items = f"Google, {part} ({right[chosen].size} questions)"
                outcomes[f"analogies, {part}: {name}"] = Outcome.of("mean", right[chosen], items=items)
    return outcomes


def _function_words(vectors: WordVectors, listed: set[str]) -> tuple[dict[str, Outcome], str]:
    """Count function words among the words of highest entropy, of highest frequency, and among all."""
    counts = np.zeros(len(vectors)) if vectors.counts is None else vectors.counts
    least = 100
    found = function_words(FuzzyWords.of(vectors, axis="row"), max(_TOPS), min_count=least)
    outcomes: dict[str, Outcome] = {}
    for top in _TOPS:
        for name, words in (("entropy", found.by_entropy), ("frequency", found.by_frequency)):
            flags = [word in listed for word in words[:top]]
            outcomes[f"function words: {name}, top {top}"] = Outcome.of("mean", flags, items=f"{name} {top}")
    every = [vectors.words[int(number)] in listed for number in np.flatnonzero(counts >= least)]
    outcomes["function words: all frequent words"] = Outcome.of("mean", every, items="frequent words")
    return outcomes, "highest entropies: " + " ".join(found.by_entropy[:15]) + "."


def _directed(vectors: WordVectors, label: str) -> str:
    """Give the paper's example of a directed distance, where the vocabulary has its words."""
    if any(word not in vectors for word in ("north", "korea", "china")):
        return ""
    fuzzy = FuzzyWords.of(vectors)
    both, china = sets.intersection(fuzzy["north"], fuzzy["korea"]), fuzzy["china"]
    there, back = float(sets.kl_paper(both, china)), float(sets.kl_paper(china, both))
    return f"{label}: D(north ∩ korea ‖ china) = {there:.4g}, reverse {back:.4g} (as printed, columns)."


def _answers(vectors: WordVectors, label: str) -> list[str]:
    fuzzy, answers = FuzzyWords.of(vectors), []
    for question in _QUESTIONS:
        if all(word in vectors for word in question.replace("|", "-").replace("&", "-").split(" - ")):
            answers.append(f"{question}: " + ", ".join(near.word for near in ask(fuzzy, question, 6)))
    return [f"{label}: {'; '.join(answers)}."] if answers else []


def _made_up(context: Context) -> tuple[WordVectors, list[SimilaritySet], AnalogySet, set[str]]:
    """Make words of ten groups, half of them moved by one offset, and fifty words that are near nothing."""
    rng = context.generator()
    groups = rng.normal(size=(10, 12))
    stems = groups[np.arange(150) % 10] + 0.3 * rng.normal(size=(150, 12))
    offset = rng.normal(size=12)
    small = 0.1 * rng.normal(size=(50, 12))
    rows = np.vstack([stems, stems + offset + 0.1 * rng.normal(size=stems.shape), small])
    names = [f"{kind}{number}" for kind in "ab" for number in range(150)] + [f"f{one}" for one in range(50)]
    vectors = WordVectors(names, rows, rng.integers(150, 900, size=len(names)))
    similarity = made_up_similarity(rng, names[:300], rows, ("SimLex-999", "MTurk-771"), pairs=200, noise=0.3)
    quads = [(f"a{one}", f"b{one}", f"a{two}", f"b{two}") for one, two in rng.integers(0, 150, size=(60, 2))]
    kept = [quad for quad in quads if quad[0] != quad[2]]
    return vectors, similarity, AnalogySet("MSR", kept, ["offset"] * len(kept)), set(names[300:])


def _draw(found: Results) -> str | None:
    """Draw SimLex by vector size: cosine, divergence, cross-entropy."""
    from tenor.report.plots import line_plot

    curves = {}
    for name in ("cosine", "KL", "cross-entropy", "KL, rows, unit"):
        points = [(width, found.mean(f"skip-gram-{width}", f"SimLex-999: {name}")) for width in WIDTHS]
        kept = [(x, y) for x, y in points if y == y]
        if len(kept) > 1:
            curves[name] = ([float(x) for x, _ in kept], [y for _, y in kept])
    if not curves:
        return None
    return line_plot(curves, x_label="dimensions", y_label="Spearman on SimLex-999")


_TRAINED = tuple(
    Cell(
        name=f"skip-gram-{width}", title=f"skip-gram, {width}-d", settings={"width": width}, weights=(ASSET,)
    )
    for width in WIDTHS
)
_PRETRAINED = tuple(
    Cell(name=asset, title=title, settings={"asset": asset}, seeded=False, weights=(ASSET, asset))
    for asset, title in (("word2vec-300d", "GoogleNews word2vec, 300-d"), ("glove-300d", "GloVe 840B, 300-d"))
)


RECIPE = Recipe(
    name="fuzzy-words",
    title="Words as fuzzy sets of features",
    paper="Bhat, Debnath, Banerjee and Shrivastava, Word Embeddings as Tuples of Feature Probabilities, 2020",
    spec=6,
    summary="Each dimension of a word vector is read as a feature that the word has with some probability: "
    "directed similarity, set algebra for analogies, entropy for function words.",
    version=1,
    scales={
        "tiny": Plan(
            cells=tuple(replace(cell, settings={"width": 12}, weights=()) for cell in _TRAINED),
            seeds=2,
            data=False,
            about="350 made-up words in place of training; a check only",
        ),
        "small": Plan(
            cells=_TRAINED[1:3],
            seeds=2,
            settings={"questions": 2000},
            about="50 and 100 dimensions, 2,000 analogies",
        ),
        "full": Plan(
            cells=(*_TRAINED, *_PRETRAINED),
            seeds=3,
            about="skip-gram on 6 million words of books (the paper's corpus is not stated; its code uses 17 "
            "million words of Wikipedia), and two pretrained tables; all analogies in vocabulary",
        ),
    },
    run=run,
    data=(
        DataFolder.of(
            WORD_BENCHMARKS.take(
                "word-similarity/simlex999", "word-similarity/mturk-771", "word-analogy/google-analogies"
            )
        ),
        DataFolder.of(GUTENBERG),
        DataFolder.of(STOPWORDS),
    ),
    claims=CLAIMS,
    trivial=TRIVIAL,
    figures=(
        Figure(
            name="dimensions", caption="Similarity by the number of dimensions; means over seeds.", draw=_draw
        ),
    ),
    differs=(
        "The vectors are trained on other and less text, and function words are those of a stop-word list.",
        "The divergence counts both sides of a feature (has it, lacks it); the printed one is in the table.",
        "Composed sets are scaled to the mean cardinality of words before the nearest words are sought: as "
        "they are, the ranking of columns hardly depends on the question.",
        "Analogies count only the best answer, over all questions; the paper's rows are running totals.",
    ),
)
