"""Auxiliary languages (spec 15): do subword vectors of other languages help a tagger, and which ones?

A cell is one of the paper's settings, which says whose vectors a BiLSTM-CRF reads and how they are combined;
it is run on every target whose auxiliary languages it names. Beside them stand the most frequent tag of each
word, a BiLSTM that is left random, and the comparison of language distances with what languages were good
for, which comes after the others.
"""

import numpy as np

from tenor.metrics.outcomes import Outcome
from tenor.recipes.auxiliary_languages.claims import (
    CLAIMS,
    DISTANCES,
    FREQUENT,
    NER,
    OWN_ATTENTION,
    POS,
    TRIVIAL,
    UNTRAINED,
)
from tenor.recipes.auxiliary_languages.data import DATA, TARGETS, Target, read_rows
from tenor.recipes.auxiliary_languages.distance_use import distance_use
from tenor.recipes.auxiliary_languages.figures import attention, distances
from tenor.recipes.auxiliary_languages.subword_vectors import sources_of
from tenor.recipes.auxiliary_languages.tagging import train_tagger
from tenor.recipes.recipe import Cell, CellResult, Context, Figure, Plan, Recipe
from tenor.recipes.word_tags import most_frequent_tags, outcome

_SETTINGS = ("mono", "multi", "mono+multi", "mono+mono", "mono+all", "meta")


def run(cell: Cell, context: Context) -> CellResult:
    """Score a cell on its targets."""
    targets = [TARGETS[name] for name in cell.settings["targets"]]
    if cell.name == DISTANCES:
        return distance_use(targets, context)
    if cell.name == FREQUENT:
        return CellResult(outcomes={target.name: _frequent(target, context) for target in targets})
    return _taggers(cell, targets, context)


def _frequent(target: Target, context: Context) -> Outcome:
    train, test = read_rows(target, "train", context), read_rows(target, "test", context)
    return outcome(target, test, most_frequent_tags(train, test))


def _taggers(cell: Cell, targets: list[Target], context: Context) -> CellResult:
    """Train a tagger for each target."""
    setting, frozen = str(cell.settings["setting"]), bool(cell.settings.get("frozen"))
    outcomes, dev, shares = {}, {}, {}
    for number, target in enumerate(targets):
        context.progress(number, len(targets))
        found = train_tagger(setting, target, context, frozen=frozen)
        outcomes[target.name], dev[target.name] = found.test, found.dev
        if found.attention is not None:
            names = sources_of(setting, target)
            shares[target.name] = dict(zip(names, found.attention.tolist(), strict=True))
    if not shares:
        return CellResult(outcomes=outcomes, extras={"dev": dev})
    lead = [own - max(others) for own, *others in (list(each.values()) for each in shares.values())]
    outcomes[OWN_ATTENTION] = Outcome.number(float(np.mean(lead)))
    return CellResult(outcomes=outcomes, extras={"dev": dev, "attention": shares})


def cells_of(targets: tuple[str, ...]) -> tuple[Cell, ...]:
    """Return the cells of some targets: the paper's settings, baselines, and distances against use."""
    others = sorted({other for name in targets for other in TARGETS[name].others})
    single = tuple(
        Cell(
            name=f"mono+{other}",
            settings={
                "setting": f"mono+{other}",
                "targets": [name for name in targets if other in TARGETS[name].others],
            },
        )
        for other in others
    )
    named = tuple(
        Cell(name=setting, settings={"setting": setting, "targets": list(targets)}) for setting in _SETTINGS
    )
    return (
        Cell(name=FREQUENT, title="the most frequent tag of each word", settings={"targets": list(targets)}),
        Cell(
            name=UNTRAINED,
            title="mono, BiLSTM left random",
            settings={"setting": "mono", "frozen": True, "targets": list(targets)},
        ),
        *named,
        *single,
        Cell(
            name=DISTANCES,
            title="distances against use",
            settings={"targets": list(targets)},
            after=("meta", *(cell.name for cell in single)),
        ),
    )


_SMALL = ("NER en", "NER es", "NER nl", "NER swa", "POS af")

RECIPE = Recipe(
    name="auxiliary-languages",
    title="Auxiliary languages for sequence tagging",
    paper="Lange, Adel and Strötgen, On the Choice of Auxiliary Languages for Improved Sequence Tagging, "
    "2020",
    spec=15,
    summary="Subword vectors of other languages beside the tagged language's own: which help, whether "
    "attention over all of them is better than the best, and whether distances of languages tell.",
    version=1,
    scales={
        "tiny": Plan(
            cells=cells_of(tuple(TARGETS)),
            seeds=2,
            settings={
                "text_words": 1600, "pieces": 60, "vector_size": 6, "window": 2, "distance_words": 1000,
                "train_rows": 20, "dev_rows": 10, "test_rows": 10,
                "attention_size": 4, "hidden_size": 6, "epochs": 2, "encoder_lr": 0.01, "head_lr": 0.01,
            },
            data=False,
            about="20 made-up sentences of each target; a check only",
        ),
        "small": Plan(
            cells=cells_of(_SMALL),
            seeds=5,
            settings={
                "text_words": 150_000, "pieces": 4000, "vector_size": 32, "window": 3,
                "distance_words": 30_000,
                "train_rows": 400, "dev_rows": 150, "test_rows": 400,
                "attention_size": 10, "hidden_size": 32, "epochs": 8, "encoder_lr": 0.01, "head_lr": 0.01,
            },
            about="400 sentences to train on, drawn anew for every seed, and 400 to test on; 32 units in "
            "each direction, vectors of 32 dimensions for 4,000 pieces a language, 200 steps",
        ),
        "full": Plan(
            cells=cells_of((*NER, *POS)),
            seeds=5,
            settings={
                "text_words": 1_000_000, "pieces": 20_000, "vector_size": 100, "window": 3,
                "distance_words": 200_000,
                "train_rows": 1_000_000, "dev_rows": 1_000_000, "test_rows": 1_000_000,
                "attention_size": 10, "hidden_size": 256, "epochs": 30, "encoder_lr": 0.002, "head_lr": 0.002,
            },
            about="all sentences, the paper's BiLSTM; many hours of CPU",
        ),
    },
    run=run,
    data=DATA,
    claims=CLAIMS,
    trivial=TRIVIAL,
    figures=(
        Figure(
            name="distances",
            caption="How rankings by distance agree with the scores of mono+X; means and standard "
            "deviations over seeds.",
            draw=distances,
        ),
        Figure(
            name="attention",
            caption="Mean attention over the words of the test sentences (meta).",
            draw=attention,
        ),
    ),
    differs=(
        "Vectors are our own, as neither BPEmb nor FLAIR is at hand: byte-pair pieces and PPMI-SVD of "
        "150,000 words a language at the most (Afrikaans and the African languages have less), from the "
        "texts of CoNLL-2002, CoNLL-2003, MasakhaNER and UD (training parts, without tags) and of Tatoeba "
        "(German, Finnish). The target's vectors so come from texts of the kind that is tagged, those of "
        "German and Finnish from short everyday sentences. *multi* is trained on the five languages of a "
        "target together, with a vocabulary of the same size.",
        "NER in English, Spanish and Dutch; Swahili, with four other African languages, and parts of speech "
        "of Afrikaans stand for German and Finnish, whose tags are not at hand.",
        "Taggers are small (32 units a direction in place of 256) and see 400 sentences; Adam at 0.01 "
        "falling linearly, batches of 16 and a fixed number of steps in place of SGD halved on plateaus. The "
        "learning rate and the length of the vectors were chosen by few trials on Spanish (mono, mono+all "
        "and meta) with a seed that is not on the page; dev and test scores of those trials were seen.",
        "After 200 steps the target's vectors twice are better than once, which they are not in the paper: a "
        "part of what concatenation gains here is the wider input, so compare mono+X with mono+mono too. "
        "Attention gives the BiLSTM an input of one language's size, through projections that are learned in "
        "the same 200 steps; that more steps would change the verdict on meta was not tried.",
        "Perplexity is that of interpolated n-grams of characters (order 7) and of words (order 1, the "
        "stand-in for the character language models of FLAIR); dV* compares the tagged sentences of the "
        "target with the others' texts. The paper's text calls its model unigram, its source has 7-grams.",
        "The paper compares meta with the best mono+X by test score; here the best is chosen on dev.",
    ),
)  # fmt: skip
