"""Embedding dimensions (spec 21): what principal components of word vectors carry, and what removing costs.

A cell is a table of vectors in one variant: as it is, a range of its principal components, or after
all-but-the-top. It is scored on word similarity (cosine), on nine sentence tasks and three syntactic probing
tasks (logistic regression on averaged vectors). One more cell probes every single component.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tenor.corpora.brown import BROWN
from tenor.corpora.conll2000 import CONLL2000
from tenor.corpora.gutenberg import GUTENBERG, read_prose_words
from tenor.corpora.mrpc import MRPC
from tenor.corpora.sentence_cls import SENTENCE_CLS
from tenor.corpora.sick import SICK
from tenor.corpora.universal_dependencies import UD_ENGLISH_EWT
from tenor.corpora.word_benchmarks import ASSET, WORD_BENCHMARKS, read_similarity
from tenor.metrics.outcomes import Outcome
from tenor.recipes.embedding_dimensions.claims import CLAIMS, SETS, SPLITS, TABLES, TRIVIAL
from tenor.recipes.embedding_dimensions.figures import KEPT, components, counts, curves
from tenor.recipes.embedding_dimensions.sentence_tasks import (
    PAIRED,
    TASK_SPLITS,
    TASKS,
    SentenceTask,
    read_tasks,
)
from tenor.recipes.embedding_dimensions.syntax_tasks import TASKS as SYNTAX_TASKS
from tenor.recipes.embedding_dimensions.syntax_tasks import SyntaxTask, read_syntax
from tenor.recipes.recipe import Cell, CellResult, Composite, Context, DataFolder, Figure, Plan, Recipe
from tenor.recipes.word_sets import correlated, cosine_score, made_up_similarity, shared_vectors
from tenor.words.dimensions.probe import ProbeConfig, component_outcomes, cross_validated, split_outcomes
from tenor.words.dimensions.sentences import Averager, pair_features
from tenor.words.evaluate.sets import SimilaritySet
from tenor.words.postprocess.principal import (
    AllButTheTop,
    AllButTheTopReduced,
    PrincipalComponents,
    PrincipalSpace,
)
from tenor.words.vectors import WordVectors


def run(cell: Cell, context: Context) -> CellResult:
    """Make a table in its variant and score it."""
    if context.data is None:
        vectors, similarity, tasks, syntax = _made_up(context)
    else:
        vectors = _table(str(cell.settings["table"]), context)
        folder = context.folder
        similarity = read_similarity(folder("word-benchmarks"), SETS)
        tasks = read_tasks(folder, context.settings.get("tasks", TASKS))
        syntax = read_syntax(folder, most=context.settings.get("probing", 4000))
    variant = cell.settings["variant"]
    if variant == "components":
        return _components(vectors, syntax, cell.label)
    rows = _variant(vectors, variant, context)
    config = ProbeConfig(folds=context.settings.get("folds", 5))
    outcomes = {one.name: correlated(vectors, one, cosine_score(rows)) for one in similarity}
    steps = len(tasks) + len(syntax)
    notes = []
    for done, task in enumerate(tasks):
        context.progress(done, steps)
        outcomes[task.name], covered = _sentences(vectors, rows, task, config)
        notes.append(f"{task.name} {covered:.0%}")
    for one in syntax:
        outcomes[one.name] = _syntax(vectors, rows, one, config)
    coverage = () if variant != "full" else (f"{cell.label}: tokens covered: {', '.join(notes)}.",)
    return CellResult(outcomes=outcomes, notes=(*coverage, *_shares(vectors, variant, cell.label)))


def _variant(vectors: WordVectors, variant: str, context: Context) -> NDArray[np.float32]:
    """Post-process the vectors as the name of a variant says."""
    width = vectors.vector_size
    third = width // 3
    name, _, number = variant.partition("-")
    if name == "full":
        return vectors.vectors
    if name == "random":
        return context.generator().normal(size=vectors.vectors.shape).astype(np.float32)
    if name in SPLITS:
        method: Any = PrincipalComponents(components=third, first=1 + SPLITS.index(name) * third)
    elif name == "first":
        method = PrincipalComponents(components=min(int(number), width))
    elif name == "ppa":
        method = AllButTheTop(components=int(number))
    else:
        method = AllButTheTopReduced(components=min(7, width // 4), dimensions=min(int(number), width // 2))
    made: NDArray[np.float32] = method.fit_transform(vectors).vectors
    return made


def _sentences(
    vectors: WordVectors, rows: NDArray[np.float32], task: SentenceTask, config: ProbeConfig
) -> tuple[Outcome, float]:
    averager = Averager.of(vectors, task.first)
    features = averager(rows)
    if task.second is not None:
        features = pair_features(features, Averager.of(vectors, task.second)(rows))
    if task.trained is None:
        right = cross_validated(features, task.labels, config)
    else:
        cut = task.trained
        right = split_outcomes(features[:cut], task.labels[:cut], features[cut:], task.labels[cut:], config)
    return Outcome.of("mean", right, items=task.name), averager.coverage


def _syntax(
    vectors: WordVectors, rows: NDArray[np.float32], task: SyntaxTask, config: ProbeConfig
) -> Outcome:
    features, cut = Averager.of(vectors, task.texts)(rows), task.trained
    right = split_outcomes(features[:cut], task.labels[:cut], features[cut:], task.labels[cut:], config)
    return Outcome.of("mean", right, items=task.name)


def _components(vectors: WordVectors, syntax: list[SyntaxTask], label: str) -> CellResult:
    """Probe every component by itself, and correlate its rank with what it knows, from the 11th on."""
    space = PrincipalSpace.of(vectors.vectors)
    scores = space.scores(vectors.vectors)
    ranks = np.arange(1, vectors.vector_size + 1)
    outcomes, series, notes = {}, {}, []
    for task in syntax:
        averaged, cut = Averager.of(vectors, task.texts)(scores), task.trained
        right = component_outcomes(averaged, task.labels, np.arange(cut), np.arange(cut, len(averaged)))
        accuracy = right.mean(axis=1)
        later = ranks > 10
        outcomes[f"rank and {task.name}"] = Outcome.of(
            "spearman", ranks[later], accuracy[later], items="components from the 11th"
        )
        series[task.name] = {"component": ranks.tolist(), "accuracy": accuracy.tolist()}
        notes.append(
            f"{label}, {task.name}: a component alone {accuracy.mean():.3f} ± {accuracy.std():.3f}, best is "
            f"number {int(accuracy.argmax()) + 1} with {accuracy.max():.3f}."
        )
    series["variance"] = {
        "component": ranks.tolist(),
        "share": (space.variances / space.variances.sum()).tolist(),
    }
    return CellResult(outcomes=outcomes, series=series, notes=tuple(notes))


def _shares(vectors: WordVectors, variant: str, label: str) -> tuple[str, ...]:
    if variant != "full":
        return ()
    space, third = PrincipalSpace.of(vectors.vectors), vectors.vector_size // 3
    shares = [space.share(1 + part * third, (part + 1) * third) for part in range(3)]
    return (f"{label}: variance shares of T, M, B: " + ", ".join(f"{share:.3f}" for share in shares) + ".",)


def _table(name: str, context: Context) -> WordVectors:
    if name != "ppmi-svd":
        return WordVectors.load(name)
    from tenor.words.counting import PpmiConfig, train_ppmi

    text = context.folder("text-en")

    def train() -> WordVectors:
        return train_ppmi(read_prose_words(text), PpmiConfig(vector_size=300))

    return shared_vectors(context, "ppmi-svd", train, settings={"width": 300})


def _made_up(
    context: Context,
) -> tuple[WordVectors, list[SimilaritySet], list[SentenceTask], list[SyntaxTask]]:
    """Make words whose hidden dimensions decide topics of sentences, and one strong common direction."""
    rng = context.generator()
    hidden = rng.normal(size=(300, 12)) * np.linspace(1.2, 0.5, 12)
    rows = hidden + rng.normal(size=(300, 1)) * 2.0 * rng.normal(size=12) + 1.0
    names = [f"w{number}" for number in range(300)]
    similarity = made_up_similarity(rng, names, hidden, SETS, pairs=150)
    words = rng.integers(0, 300, size=(200, 6))
    texts = [" ".join(names[word] for word in line) for line in words]
    labels = (hidden[words].mean(axis=1)[:, 8] > 0).astype(np.int64)
    tasks = [
        SentenceTask(name, texts, labels, texts[::-1] if name in PAIRED else None, 140) for name in TASKS
    ]
    return (
        WordVectors(names, rows),
        similarity,
        tasks,
        [SyntaxTask(name, texts, labels, 140) for name in SYNTAX_TASKS],
    )


def _cells(table: str, variants: tuple[str, ...]) -> tuple[Cell, ...]:
    asset, title = TABLES[table]
    return tuple(
        Cell(
            name=f"{table}-{variant}",
            title=f"{title}: {_TITLES.get(variant, variant)}",
            settings={"table": asset, "variant": variant},
            seeded=variant == "random",
            weights=(ASSET,) if asset == "ppmi-svd" else (ASSET, asset),
        )
        for variant in variants
    )


_TITLES: Mapping[str, str] = {
    "T": "components 1–100 (T)", "M": "components 101–200 (M)", "B": "components 201–300 (B)",
    "ppa-0": "mean removed", "ppa-2": "PPA, D = 2", "ppa-5": "PPA, D = 5", "ppa-10": "PPA, D = 10",
    "reduced-150": "PPA-PCA to 150", "components": "single components", "random": "random vectors",
    **{f"first-{k}": f"first {k} components" for k in KEPT},
}  # fmt: skip
_MAIN = ("full", *SPLITS, "first-200", "ppa-0", "ppa-2", "ppa-5", "ppa-10", "reduced-150")
_CURVE_ONLY = tuple(f"first-{k}" for k in KEPT if k != 200)
_MADE = tuple(
    replace(cell, weights=())
    for cell in _cells(
        "glove", ("full", *SPLITS, "ppa-0", "ppa-2", "ppa-5", "reduced-6", "components", "random")
    )
)


RECIPE = Recipe(
    name="embedding-dimensions",
    title="What the dimensions of word vectors carry",
    paper="Raunak, Kumar, Gupta and Metze, On Dimensional Linguistic Properties of the Word Embedding "
    "Space, 2020",
    spec=21,
    summary="Principal components of word vectors: variance against usefulness, syntax by component, and "
    "what removing the strongest costs in sentence classification.",
    version=1,
    scales={
        "tiny": Plan(
            cells=_MADE, seeds=2, settings={"folds": 3}, data=False, about="300 made-up words; a check only"
        ),
        "small": Plan(
            cells=_cells("glove", ("full", *SPLITS, "first-200", "ppa-0", "ppa-5", "components")),
            seeds=1,
            settings={"tasks": ["SST2", "TREC", "CR", "MRPC"], "probing": 2000, "folds": 3},
            about="GloVe only, four sentence tasks",
        ),
        "full": Plan(
            cells=(
                *_cells("glove", (*_MAIN, "components", "random", *_CURVE_ONLY)),
                *_cells("word2vec", _MAIN),
                *_cells("ppmi", _MAIN),
            ),
            seeds=3,
            about="34k words of GloVe 840B, 26k of GoogleNews word2vec, and PPMI-SVD of 6 million words of "
            "books in place of fastText; nine sentence tasks, five folds where there is no test set",
        ),
    },
    run=run,
    data=(
        DataFolder.of(WORD_BENCHMARKS.take("word-similarity/*")),
        DataFolder.of(SENTENCE_CLS.take(*(split for splits in TASK_SPLITS.values() for split in splits))),
        DataFolder.of(SICK),
        DataFolder.of(MRPC),
        DataFolder.of(CONLL2000, BROWN),
        DataFolder.of(UD_ENGLISH_EWT.take("train")),
        DataFolder.of(GUTENBERG),
    ),
    claims=CLAIMS,
    trivial=TRIVIAL,
    composites={"similarity": Composite.mean(*SETS), "sentences": Composite.mean(*TASKS)},
    figures=(
        Figure(name="curves", caption="How many components are needed (GloVe).", draw=curves),
        Figure(
            name="components", caption="What a single component of GloVe knows of syntax.", draw=components
        ),
        Figure(
            name="counts", caption="How often one part beats another (tables × sentence tasks).", draw=counts
        ),
    ),
    differs=(
        "GloVe is that of 840 billion tokens cut to 34k words, word2vec to 26k lower-case words; PPMI-SVD "
        "vectors of our own stand in for fastText, which no package carries.",
        "Probing tasks are made from treebanks and tagged text (chunk openings, tense, tree depth), as the "
        "files of the paper's are not at hand; nine of its thirteen similarity sets are.",
        "Sentence tasks without a test set use five folds; the regulariser is chosen among four values on a "
        "fifth of the training items, after features are scaled by one number for all tables alike.",
    ),
)
