"""Temporal expressions in languages without labels (spec 16): taggers that cannot tell languages apart.

A cell is a tagger with its vectors (unaligned, or mapped onto English by identical strings or a dictionary),
with or without a learned map and a discriminator of languages. It learns from English and Spanish, or from
English alone, and is scored on English, Spanish and Estonian.
"""

from typing import Any

from tenor.metrics.outcomes import Outcome
from tenor.recipes.recipe import Cell, CellResult, Context, Figure, Plan, Recipe, with_weights
from tenor.recipes.temporal_adversarial.claims import (
    ADVERSARIAL,
    ADVERSARIAL_SEEN,
    CLAIMS,
    DICTIONARY,
    ENGLISH,
    FREQUENT,
    MAPPED,
    PROBE,
    PROBE_BEFORE,
    SPANISH_UNSEEN,
    STRINGS,
    TRIVIAL,
    UNALIGNED,
    UNTRAINED,
)
from tenor.recipes.temporal_adversarial.data import ASSET, FOLDERS, LANGUAGES, Data, read_data
from tenor.recipes.temporal_adversarial.figures import by_language, probes, significance


def run(cell: Cell, context: Context) -> CellResult:
    """Train a cell's tagger and score it, on all languages or on the one that its training lacks."""
    from tenor.recipes.temporal_adversarial.tagging import most_frequent_tags, outcomes

    data = read_data(context, cell.settings["labelled"])
    if cell.settings["tagger"] == FREQUENT:
        tags = {name: most_frequent_tags(data.train, rows) for name, rows in data.tests.items()}
        return CellResult(outcomes=_scored(cell, data, tags))
    tagger, probed = _trained(cell, context, data)
    scores = _scored(cell, data, {name: tagger.tag(rows) for name, rows in data.tests.items()})
    dev = {name: outcomes(name, rows, tagger.tag(rows)) for name, rows in data.dev.items()}
    extras = {"dev": {metric: one.score for own in dev.values() for metric, one in own.items()}}
    return CellResult(outcomes=scores | probed, extras=extras)


def _trained(cell: Cell, context: Context, data: Data) -> tuple[Any, dict[str, Outcome]]:
    """Return a trained tagger, and what a probe has right of its features before and after."""
    from tenor.recipes.temporal_adversarial.probe import probe, probe_words
    from tenor.recipes.temporal_adversarial.spaces import vectors_file
    from tenor.recipes.temporal_adversarial.tagging import TemporalTagger
    from tenor.training.callbacks import StepProgress

    tagger = TemporalTagger(
        cell.settings, context.settings, data, work=context.work, seed=context.seed,
        vectors=vectors_file(cell.settings["alignment"], context),
    )  # fmt: skip
    probed: dict[str, Outcome] = {}
    words = probe_words(data.texts, int(context.settings["probe_words"]))
    if cell.settings.get("map"):
        probed[PROBE_BEFORE] = probe(tagger.features, words, seed=context.seed)
    tagger.fit(context.work, callbacks=[StepProgress(context.progress)])
    if cell.settings.get("probed"):
        probed[PROBE] = probe(tagger.features, words, seed=context.seed)
    return tagger, probed


def _scored(cell: Cell, data: Data, tags: dict[str, list[list[str]]]) -> dict[str, Outcome]:
    """Score all languages; of a tagger that learned from English alone, Spanish as one that it never saw."""
    from tenor.recipes.temporal_adversarial.tagging import outcomes

    if "es" not in cell.settings["labelled"]:
        return outcomes(SPANISH_UNSEEN, data.tests["es"], tags["es"])
    return {
        metric: one
        for name in LANGUAGES
        for metric, one in outcomes(name, data.tests[name], tags[name]).items()
    }


def _cell(name: str, title: str, *, labelled: tuple[str, ...] = ("en", "es"), **settings: object) -> Cell:
    alone = labelled == ("en",)
    return Cell(
        name=name + (ENGLISH if alone else ""),
        title=title + (", English labels alone" if alone else ""),
        settings={"tagger": "network", "alignment": "none", "labelled": list(labelled)}
        | ({} if alone else {"probed": True})
        | settings,
    )


def _variants(labelled: tuple[str, ...]) -> tuple[Cell, ...]:
    return (
        _cell(FREQUENT, "most frequent tag of a word", labelled=labelled, tagger=FREQUENT),
        _cell(UNALIGNED, "unaligned vectors", labelled=labelled),
        _cell(STRINGS, "map by identical strings", labelled=labelled, alignment="strings"),
        _cell(DICTIONARY, "map by dictionary", labelled=labelled, alignment="dictionary"),
        _cell(
            ADVERSARIAL, "adversarial (en, es, et)", labelled=labelled, map=True, told_apart=list(LANGUAGES)
        ),
    )


_CELLS = (
    *_variants(("en", "es")),
    _cell(MAPPED, "learned map, no discriminator", map=True),
    _cell(ADVERSARIAL_SEEN, "adversarial (en, es)", map=True, told_apart=["en", "es"]),
    _cell(UNTRAINED, "a CRF on an untrained BiLSTM, unaligned vectors", untrained=True),
    *_variants(("en",)),
)

_TINY = {
    "train_rows": 40, "dev_rows": 10, "vector_size": 12, "window": 2, "translations": 0, "scale": 0.5,
    "kept": 6, "hidden_size": 8, "input_dropout": 0.1, "initialisation": "identity", "weight": 0.3,
    "every": 1, "discriminator_size": 20, "batch_size": 8, "epochs": 3, "lr": 0.02, "probe_words": 60,
}  # fmt: skip
_SMALL = {
    "train_rows": 800, "dev_rows": 200, "vector_size": 100, "window": 3, "translations": 30_000, "scale": 0.5,
    "kept": 0, "hidden_size": 64, "input_dropout": 0.1, "initialisation": "identity", "weight": 0.1,
    "every": 2, "discriminator_size": 100, "batch_size": 16, "epochs": 8, "lr": 0.01, "probe_words": 1000,
}  # fmt: skip
_FULL = {
    "train_rows": 10_000, "dev_rows": 0, "vector_size": 300, "window": 5, "translations": 140_000,
    "scale": 0.5, "kept": 0, "hidden_size": 128, "input_dropout": 0.1, "initialisation": "identity",
    "weight": 0.001, "every": 10, "discriminator_size": 100, "batch_size": 16, "epochs": 50, "lr": 0.001,
    "probe_words": 1000,
}  # fmt: skip

RECIPE = Recipe(
    name="temporal-adversarial",
    title="Temporal expressions across languages by adversarial alignment",
    paper="Lange, Iurshina, Adel and Strötgen, Adversarial Alignment of Multilingual Models for Extracting "
    "Temporal Expressions from Text, 2020",
    spec=16,
    summary="One tagger of dates, times, durations and sets for English and Spanish, tested on Estonian "
    "too, of which it has no labels: vectors unaligned, mapped onto English, or made language-neutral by a "
    "discriminator behind gradient reversal.",
    version=1,
    scales={
        "tiny": Plan(
            cells=_CELLS, seeds=2, settings=_TINY, data=False,
            about="Made-up languages, rotations of one space of concepts; a check only.",
        ),
        "small": Plan(
            cells=with_weights(_CELLS, ASSET), seeds=5, settings=_SMALL,
            about="800 train sentences of each language, drawn anew for every seed, and all test sentences; "
            "vectors of 100 dimensions, 64 units in each direction, 8 epochs.",
        ),
        "full": Plan(
            cells=with_weights(_CELLS, ASSET), seeds=5, settings=_FULL,
            about="All sentences and the paper's sizes and weight of the discriminator; hours of CPU.",
        ),
    },
    run=run,
    data=FOLDERS,
    claims=CLAIMS,
    trivial=TRIVIAL,
    figures=(
        Figure(name="languages", caption="Relaxed F1 by language; bars are one standard deviation over "
               "seeds.", draw=by_language),
        Figure(name="probe", caption="What a fresh probe has right of the language of words that it has not "
               "seen, by the features of each tagger; chance is 0.333.", draw=probes),
        Figure(name="significance", caption="Gains in strict F1 over the unaligned tagger; p of a paired "
               "permutation test over sentences, the median of the seeds.", draw=significance),
    ),
    differs=(
        "Estonian is the language without labels (80 newspaper articles), in place of French, German, "
        "Catalan and Basque, and there is no Portuguese. Beside it, taggers of English labels alone are "
        "tested on Spanish.",
        "Vectors are our own in place of fastText's: means over a word and its n-grams of 3 to 6 letters, "
        "whose vectors are PPMI-SVD of the words beside them, with 100 dimensions in place of 300. The "
        "texts, lower-cased, are news (CoNLL-2003 for English, CoNLL-2002 for Spanish), 30,000 sentence "
        "pairs of Tatoeba and the train sentences without their tags. Of Estonian there are 22,000 words in "
        "all, those of the test articles themselves, whose tags nothing but the scores sees: vectors, map "
        "and discriminator know the words that are tested on.",
        "The dictionaries: Spanish words and English ones that are each other's best match by Dice's "
        "coefficient in 30,000 sentence pairs of Tatoeba; Estonian words by way of Finnish (XLing-Eval's "
        "English-Finnish joined with PanLex's Finnish-Estonian). The paper has Wiktionary's.",
        "The discriminator reads the train sentences of English and Spanish and all Estonian ones, in place "
        "of Wikipedia, in batches of as many of each language; its target is the language of the sentence, "
        "for every word. The paper does not say on which texts its first table rests: *adversarial (en, "
        "es)* leaves Estonian out.",
        "The map's gradients of both losses are added in one step (the paper alternates steps, to the same "
        "equation for plain SGD). At `small` the discriminator has a batch at every second step and λ is "
        "0.1, in place of every tenth and 0.001, which in some 850 steps left the probe where the map alone "
        "does. λ was chosen from 0.001, 0.1, 0.3 and 1, with learning rate, epochs and sizes, by the probe "
        "and dev F1 in English and Spanish, with a seed that is not on the page. A first run of all cells, "
        "with vectors of 50 dimensions and 32 units, was seen with its test scores; sizes were raised then, "
        "as on dev the most frequent tag of a word had the better relaxed F1.",
        "Taggers are small (64 units a direction in place of 128); Adam at 0.01 falling linearly for a "
        "fixed number of steps in place of AdamW at 1e-5 with early stopping; five seeds and their means in "
        "place of the median of three. Some rows of the English train file are whole documents: those of "
        "more than 60 words are cut, at full stops where there are any. Rows that date a document are left "
        "out.",
        "Scores are of spans of words, as TempEval-3 counts them (relaxed: at least one word in common; "
        "type: that and the same type; a span over two gold ones has found both); the official scorer reads "
        "whole documents. The tests are the TempEval-3 ones as timex-bio has them (138 English and 199 "
        "Spanish expressions), and 610 Estonian ones.",
        "One map for all languages cannot undo a rotation of each of them, as the maps of dictionaries do: "
        "in made-up languages that are whole rotations of one another, adversarial training changes nothing; "
        "where they differ in some dimensions only, it beats the unaligned tagger (both are tests).",
        "The probe is a network with one hidden layer of 100 units, trained anew on two thirds of the 1,000 "
        "most frequent words of each language and scored on the others; the paper shows t-SNE pictures.",
    ),
)  # fmt: skip
