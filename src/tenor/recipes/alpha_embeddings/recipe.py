"""Natural alpha embeddings (spec 11): what does the geometry of the model add to its plain vectors?

A cell is one point of the family: a model and its dimensions, a reference distribution, a metric, and an α,
an α chosen by other items than those it is scored on, or the limit of α → −∞. Names are the paper's:
``E-50-ud-F-a-1`` is the alpha embedding of 50 dimensions with the unigram of the data, Fisher metric, α = −1.
All use the words' and the contexts' vectors together (U+V), unless they say U.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tenor.corpora.agnews import AGNEWS
from tenor.corpora.gutenberg import GUTENBERG
from tenor.corpora.sentence_cls import SENTENCE_CLS
from tenor.corpora.word_benchmarks import WORD_BENCHMARKS
from tenor.metrics.correlation import spearman
from tenor.metrics.outcomes import Outcome
from tenor.recipes.alpha_embeddings.cells import (
    CLASSIFIED,
    MAIN,
    PAPER_ALPHAS,
    REST,
    SKIP_GRAM,
    TINY,
    WIDTHS,
    classified,
)
from tenor.recipes.alpha_embeddings.claims import CLAIMS, curves
from tenor.recipes.alpha_embeddings.documents import DOCUMENTS, made_up_documents, read_documents
from tenor.recipes.alpha_embeddings.models import Model, made_up, trained
from tenor.recipes.alpha_embeddings.word_tests import SIMILARITY_SETS, Tests, made_up_tests, read_tests
from tenor.recipes.recipe import (
    CONSTANT,
    Cell,
    CellResult,
    Composite,
    Context,
    DataFolder,
    Figure,
    Plan,
    Recipe,
)
from tenor.words.alpha.choice import GRID, best_alpha, cross_validate, leave_one_out
from tenor.words.alpha.family import AlphaFamily
from tenor.words.alpha.metric import in_metric

Rows = NDArray[np.floating]


def run(cell: Cell, context: Context) -> CellResult:
    """Derive the embeddings of a cell and score them."""
    settings, made = cell.settings, context.data is None
    model = made_up(context) if made else trained(settings["model"], settings["width"], context)
    if "documents" in settings:
        return _documents(model, settings, context)
    if made:
        tests = made_up_tests(model.vectors, context)
    else:
        tests = read_tests(model.vectors, context.folder("word-benchmarks"))
    if settings["alpha"] == "tuned":
        return _tuned(model, tests, settings, context)
    rows, notes = _rows(model, settings)
    majority = tests.majority(rows, seed=context.seed)
    return CellResult(outcomes=tests.outcomes(tests.cosines(rows), tests.right(rows), majority), notes=notes)


def _rows(model: Model, settings: Mapping[str, Any]) -> tuple[Rows, tuple[str, ...]]:
    """Return rows whose lengths and products are those of the cell's metric, and notes for the page."""
    label, alpha = settings["label"], settings["alpha"]
    if alpha == "raw":
        return in_metric(model.raw(label), np.eye(model.vectors.vector_size), norm="I"), ()
    family = model.family(settings["reference"], label)
    if alpha == "limit":
        found = family.limit(settings["top"], weighted=settings["weighted"])
        distinct = len(np.unique(family.best_contexts()[0]))
        size, reference = model.vectors.vector_size, settings["reference"]
        words = f"{distinct:,} distinct χ* of {len(model.vectors):,} words."
        return _measured(family, found, settings), (f"{size} dimensions, reference {reference}: {words}",)
    return _measured(family, family.embed(alpha, scaled=False), settings), ()


def _measured(family: AlphaFamily, found: Rows, settings: Mapping[str, Any]) -> Rows:
    return in_metric(found, family.factor, norm=settings["norm"], product=settings["product"])


def _tuned(model: Model, tests: Tests, settings: Mapping[str, Any], context: Context) -> CellResult:
    """Score every α of the grid, and give each item the score of an α that was chosen without it."""
    family = model.family(settings["reference"], settings["label"])
    pairs, right, majority = {}, {}, {}
    for number, alpha in enumerate(GRID):
        rows = _measured(family, family.embed(alpha, scaled=False), settings)
        pairs[alpha], right[alpha] = tests.cosines(rows), tests.right(rows)
        majority[alpha] = tests.majority(rows, seed=context.seed)
        context.progress(number + 1, len(GRID))
    spearmans = {alpha: tests.spearmans(pairs[alpha]) for alpha in GRID}
    purity = {alpha: {name: float(one.mean()) for name, one in majority[alpha].items()} for alpha in GRID}
    by_set, by_category = leave_one_out(spearmans), leave_one_out(purity)
    answered = cross_validate(GRID, np.stack([right[alpha] for alpha in GRID]), seed=context.seed)
    outcomes = tests.outcomes(
        {name: pairs[alpha][name] for name, alpha in by_set.items()},
        answered.items,
        {name: majority[alpha][name] for name, alpha in by_category.items()},
    )
    series = {
        "α": list(GRID),
        "similarity": [float(np.mean(list(spearmans[alpha].values()))) for alpha in GRID],
        "analogies": [float(right[alpha].mean()) for alpha in GRID],
        "purity": [float(np.mean(list(purity[alpha].values()))) for alpha in GRID],
    }
    notes = (_chosen(settings, context, by_set, answered.chosen), _halved(tests, pairs, settings, context))
    return CellResult(outcomes=outcomes, series={"curve": series}, notes=notes)


def _chosen(
    settings: Mapping[str, Any], context: Context, by_set: Mapping[str, float], folds: tuple[float, ...]
) -> str:
    sets = ", ".join(f"{name} {alpha:g}" for name, alpha in by_set.items())
    point = f"{settings['model']} {settings['width']}-{settings['reference']}-{settings['norm']}"
    return (
        f"{point}, seed {context.seed}: α chosen by the other similarity sets: {sets}; for analogies by "
        f"three folds: {', '.join(f'{alpha:g}' for alpha in folds)}."
    )


def _halved(
    tests: Tests, pairs: Mapping[float, Mapping[str, Any]], settings: Mapping[str, Any], context: Context
) -> str:
    """Choose α on one half of the largest similarity set and say how it does on the other."""
    name = max(tests.similarity, key=lambda one: len(tests.similarity[one][1]))
    gold = tests.similarity[name][1]
    first = np.random.default_rng(context.seed).permutation(len(gold)) % 2 == 0
    here, there = (
        {alpha: float(spearman(gold[part], pairs[alpha][name][part])) for alpha in GRID}
        for part in (first, ~first)
    )
    best = best_alpha(here)
    point = f"{settings['model']} {settings['width']}-{settings['reference']}-{settings['norm']}"
    return (
        f"{point}, seed {context.seed}: α = {best:g}, chosen on one half of {name} ({here[best]:.3f} there, "
        f"{here[1.0]:.3f} at α = 1), gives {there[best]:.3f} on the other half ({there[1.0]:.3f} at α = 1)."
    )


def _documents(model: Model, settings: Mapping[str, Any], context: Context) -> CellResult:
    """Classify documents by the mean of their words, or by a BiLSTM over them; α by validation."""
    from tenor.recipes.alpha_embeddings.classifiers import classify

    name = settings["documents"]
    if context.data is None:
        documents = made_up_documents(model.vectors, name)
    else:
        documents = read_documents(name, context.folder(DOCUMENTS[name]), model.vectors)
    tuned = settings["alpha"] == "tuned"
    alphas = context.settings["document_alphas"] if tuned else [settings["alpha"]]
    found = {}
    for number, alpha in enumerate(alphas):
        rows, _ = _rows(model, {**settings, "alpha": alpha})
        epochs, architecture = int(context.settings["epochs"]), settings["architecture"]
        found[alpha] = classify(documents, rows, architecture=architecture, epochs=epochs, seed=context.seed)
        context.progress(number + 1, len(alphas))
    chosen = best_alpha({alpha: one.validation for alpha, one in found.items()}) if tuned else alphas[0]
    best, metric = found[chosen], name if settings["architecture"] == "linear" else f"{name}, BiLSTM"
    outcomes = {
        metric: Outcome.of("mean", best.right, items=f"{name} ({len(best.gold)} documents)"),
        f"{metric} AUC": Outcome.number(best.area),
    }
    cell = f"{name}, {settings['width']}-{settings['reference']}-{settings['norm']}, seed {context.seed}"
    return CellResult(
        outcomes=outcomes,
        notes=(f"{cell}: α = {chosen:g} chosen on validation.",) if tuned else (),
        series={"documents": _by_alpha(found)} if tuned else {},
    )


def _by_alpha(found: Mapping[float, Any]) -> dict[str, list[float]]:
    """Give the test accuracy of every α, for looking at and not for choosing."""
    return {"α": list(found), "accuracy": [float(one.right.mean()) for one in found.values()]}


RECIPE = Recipe(
    name="alpha-embeddings",
    title="Natural alpha embeddings",
    paper="Volpi and Malagò, Natural Alpha Embeddings on intrinsic and extrinsic tasks, 2020",
    spec=11,
    summary="From the two matrices of a trained model a family of word vectors is derived, one for each α.",
    version=2,
    scales={
        "tiny": Plan(
            cells=(*MAIN[:10], *classified("MR", 50)),
            seeds=1,
            data=False,
            settings=TINY,
            about="two made-up matrices of 120 words; a check only",
        ),
        "small": Plan(
            cells=(*MAIN, *SKIP_GRAM, *CLASSIFIED, *classified("MR", 150, "bilstm")),
            settings={
                "words": 5000,
                "rounds": 6,
                "epochs": 30,
                "document_alphas": [-3.0, -1.0, 0.0, 0.4, 1.0, 2.0],
            },
            about="GloVe and skip-gram on 6M words of English prose less function words, 5,000 words; the "
            "paper has 1.5 and 1.8 billion words of text and about 67,000 words",
        ),
        "full": Plan(
            cells=(*MAIN, *SKIP_GRAM, *CLASSIFIED, *REST, *classified("MR", 150, "bilstm")),
            settings={"words": 5000, "rounds": 6, "epochs": 30, "document_alphas": PAPER_ALPHAS},
            about="the same, with all references and metrics, mixed metrics, and limits of several contexts",
        ),
    },
    run=run,
    data=(
        DataFolder.of(GUTENBERG),
        DataFolder.of(WORD_BENCHMARKS),
        DataFolder.of(AGNEWS),
        DataFolder.of(SENTENCE_CLS.take("MR")),
    ),
    claims=CLAIMS,
    # Both document sets have classes of equal size.
    trivial={
        **dict.fromkeys(SIMILARITY_SETS, CONSTANT),
        "AG News": 0.25,
        **dict.fromkeys(("MR", "MR, BiLSTM", "MR AUC", "MR, BiLSTM AUC", "AG News AUC"), 0.5),
    },
    composites={
        "similarity": Composite.over_items(*SIMILARITY_SETS),
        "purity": Composite.mean("purity ap", "purity bless"),
    },
    figures=tuple(
        Figure(
            name=f"{task}-{width}",
            caption=f"{task.capitalize()} by α, {width} dimensions (GloVe); level lines: α → −∞.",
            draw=lambda results, task=task, width=width: curves(results, task, width),  # type: ignore[misc]
        )
        for width in WIDTHS
        for task in ("similarity", "analogies", "purity")
    ),
    differs=(
        "The text is about 300 times smaller than the paper's and the vocabulary 5,000 words, so that of "
        "every set only the pairs of frequent words are used; vectors have 50 and 150 dimensions, not 50 "
        "and 300.",
        "GloVe is minimised by alternating least squares with a small ridge instead of AdaGrad.",
        "α is never chosen on what is reported: for a similarity or category set on the other sets, for "
        "analogies on the other two thirds of the questions.",
        "For skip-gram, which the paper does not use, 0.75 ln count is added to each context's logits with "
        "the references u and ud, as its products leave the noise distribution out.",
        "RW and SCWS are missing; MTurk-771 is added. The mean over similarity sets is weighted by their "
        "pairs: the few of MC-30 and RG-65 do not outvote thousands.",
        "The columns of U and U+V are standardised, as in the GloVe paper, after a random rotation: our "
        "solver leaves singular vectors as axes, and standardising those would whiten the vectors.",
        "AG News (its test file, split 70 : 10 : 20) stands for 20 Newsgroups and MR for IMDB.",
    ),
)
