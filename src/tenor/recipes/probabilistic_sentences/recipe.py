"""Probabilistic sentences (spec 05): a sentence as a Gaussian, whose entropy says how specific it is.

A cell is a model that is trained on paraphrases alone (word operators with and without their prior, word
vectors, LSTMs), a pretrained encoder's norm, or a rule that needs no training. All are asked the same: which
of two texts says more?
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from tenor.metrics.outcomes import Outcome
from tenor.recipes.probabilistic_sentences.claims import (
    CHARACTERS,
    CLAIMS,
    IDF,
    LENGTH,
    LSTM_GAUSSIAN,
    LSTMAVG,
    NO_PRIOR,
    RANK_MEAN,
    RANK_SUM,
    SPREAD,
    STARTER,
    STS,
    TITLES,
    TRIVIAL,
    WLO,
    WORDAVG,
    WORDSUM,
)
from tenor.recipes.probabilistic_sentences.data import (
    ALL,
    ASSETS,
    COMMAND,
    FOLDERS,
    TextPair,
    notes_of,
    read_pairs,
    read_tests,
)
from tenor.recipes.probabilistic_sentences.figures import specificity, words
from tenor.recipes.recipe import Cell, CellResult, Context, Figure, Plan, Recipe

_FREQUENT = 400  # words of the report
_LSTM_SEEDS = 3  # they take most of the time, and no headline is about them
_MODELS: dict[str, dict[str, Any]] = {
    WLO: {"model": "wlo", "prior": 0.05},
    NO_PRIOR: {"model": "wlo", "prior": 0.0},
    WORDAVG: {"model": "wordavg"},
    WORDSUM: {"model": "wordsum"},
    LSTMAVG: {"model": "lstmavg"},
    LSTM_GAUSSIAN: {"model": "lstm_gaussian"},
}
_RULES = (LENGTH, CHARACTERS, IDF, RANK_SUM, RANK_MEAN)


def run(cell: Cell, context: Context) -> CellResult:
    """Train what the cell names, and ask it."""
    from tenor.recipes.probabilistic_sentences.scoring import outcomes_of, similarity_of

    (pairs, notes), tests = read_pairs(context), read_tests(context)
    if cell.name in _RULES:
        from tenor.recipes.probabilistic_sentences.baselines import Baseline

        about = (*notes, *notes_of(tests)) if cell.name == LENGTH else ()
        return CellResult(outcomes=outcomes_of(Baseline(cell.name, pairs), tests), notes=about)
    from tenor.recipes.probabilistic_sentences.models import Specifier, StarterNorm, train_model

    if cell.name == STARTER:
        starter = StarterNorm(cell.weights[0])
        return CellResult(outcomes={**outcomes_of(starter, tests), STS: similarity_of(starter, tests)})
    model = str(cell.settings["model"])
    folder = train_model(model, pairs, context, prior=float(cell.settings.get("prior", 0.0)))
    asked = Specifier(model, folder)
    outcomes = {**outcomes_of(asked, tests), STS: similarity_of(asked, tests)}
    if model != "wlo":
        return CellResult(outcomes=outcomes)
    return _with_words(cell, context, outcomes, pairs, asked)


def _with_words(
    cell: Cell, context: Context, outcomes: dict[str, Outcome], pairs: Sequence[TextPair], asked: Any
) -> CellResult:
    """Add what the words of operators do."""
    from tenor.recipes.probabilistic_sentences.baselines import words_of
    from tenor.recipes.probabilistic_sentences.words import read_words, spread

    counts = Counter(word for pair in pairs for text in pair for word in words_of(text))
    report = read_words(asked.folder, [word for word, _ in counts.most_common(_FREQUENT)])
    taken = {word: round(-float(h), 4) for word, h in zip(report.words, report.entropies, strict=True)}
    notes = tuple(
        f"Seed 1, of the {len(taken)} most frequent words, {name}: {', '.join(listed)}."
        for name, listed in report.lists().items()
        if cell.name == WLO and context.seed == 1
    )
    outcomes[SPREAD] = Outcome.number(spread(asked.folder))
    return CellResult(outcomes=outcomes, extras={"words": taken}, notes=notes)


def _cells(*, starter: bool) -> tuple[Cell, ...]:
    weights = ASSETS if starter else ()
    trained = tuple(
        Cell(
            name=name,
            title=TITLES[name],
            settings=settings,
            weights=weights,
            most_seeds=_LSTM_SEEDS if name in (LSTMAVG, LSTM_GAUSSIAN) else None,
        )
        for name, settings in _MODELS.items()
    )
    rules = tuple(Cell(name=name, title=TITLES[name], seeded=False, weights=weights) for name in _RULES)
    norm = Cell(name=STARTER, title=TITLES[STARTER], seeded=False, weights=("minilm", *weights))
    return (*trained, *((norm,) if starter else ()), *rules)


_SMALL: dict[str, Any] = {
    "sources": COMMAND, "pairs": None, "held_out": 500, "sentences": 1000,
    "epochs": 2, "batch_size": 100, "mega_batch": 2,
    "scramble": 0.4, "dimensions": 50, "lstm_size": 100, "min_count": 2, "l2": 1e-5,
    "lr": {"wlo": 0.01, "wordavg": 0.01, "lstmavg": 0.003, "lstm_gaussian": 0.003},
}  # fmt: skip

RECIPE = Recipe(
    name="probabilistic-sentences",
    title="How specific is a sentence",
    paper="Chen and Gimpel, Learning Probabilistic Sentence Representations from Paraphrases, 2020",
    spec=5,
    summary="Sentences as Gaussians, by words as operators, learned from paraphrases alone: how well the "
    "entropy says how specific a sentence is.",
    version=1,
    scales={
        "tiny": Plan(
            cells=_cells(starter=False),
            seeds=2,
            settings=_SMALL
            | {"pairs": 200, "held_out": 20, "sentences": 24, "epochs": 2, "batch_size": 20,
               "dimensions": 6, "lstm_size": 6},
            data=False,
            about="200 made-up pairs; a check only",
        ),
        "small": Plan(
            cells=_cells(starter=True),
            seeds=5,
            settings=_SMALL,
            about="21,602 pairs of Tatoeba in 2 epochs, as `tenor specificity --learn tatoeba` has them; "
            "dimensions as in the paper",
        ),
        "full": Plan(
            cells=_cells(starter=True),
            seeds=5,
            settings=_SMALL | {"sources": ALL, "epochs": 10, "mega_batch": 20},
            about="some 50,000 pairs of five sources in 10 epochs, negatives from mega-batches of 20 "
            "batches; hours of CPU",
        ),
    },
    run=run,
    data=FOLDERS,
    claims=CLAIMS,
    trivial=TRIVIAL,
    figures=(
        Figure(
            name="specificity",
            caption="How often each way tells the more specific of two texts of equally many words, above a "
            "coin (mean of entailment pairs and of replaced modifiers; standard deviation of seeds).",
            draw=specificity,
        ),
        Figure(
            name="words",
            caption="The frequent words that take most and least entropy away; means and standard deviations "
            "of seeds.",
            draw=words,
        ),
    ),
    differs=(
        "The rated sentences (News, Twitter, Yelp, Movie) are not at hand. In their place: premise and "
        "hypothesis of entailment pairs whose texts differ, and sentences of the Wall Street Journal "
        "against themselves with modifiers deleted or replaced by vague words. The claims are about pairs"
        " of equally many words. Modifiers are adjectives before a noun, adverbs in -ly and numbers "
        "before a plural; ten vague words replace them, so that this measure stands on how a model reads "
        "these ten.",
        "SICK gives no direction: what follows from its first sentence may entail it back, which no "
        "method can tell. In NLI-Watson and SNLI's hard part hypotheses were written to follow from "
        "premises. SNLI's whole test set, from which the paper takes 120 pairs, is not at hand.",
        "Learned from 21,602 pairs in place of 5 million: English sentences of Tatoeba with the same "
        "translation, less those that are measured on or hold a text of theirs of four words or more. So "
        "the model of word operators is the one that the command makes. The full scale adds more of "
        "Tatoeba, MRPC, Quora duplicates, PAN and STS pairs of 4 and more (some 50,000 pairs). A first run "
        "on those in 2 epochs was stopped after one seed, when its operators were no better than a coin at "
        "equal length (0.51). Words met once are unknown.",
        "Adam at 0.01 (tables of words) and 0.003 (LSTMs) falling to 0 over 2 epochs, negatives from "
        "mega-batches of 2 batches in place of 20, the best epoch by held-out pairs in place of STS. The "
        "prior's weight, 0.05, was chosen earlier by entailment pairs of SICK's train and trial parts; "
        "learning rates and epochs were not tuned.",
        "Scales A are positive, exp of what is learned; the paper does not say. The norm of WORDSUM is "
        "that of WORDAVG times the number of words: the cosine knows no scale, so both are one model. "
        "MiniLM (mean pooling) stands for BERT; GloVe, skip-thought, InferSent and ELMo were not run.",
    ),
)  # fmt: skip
