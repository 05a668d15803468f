"""Zero-resource NER (spec 03): learn entities from news, find them in domains without any labels.

A cell is a tagger: BiLSTM-CRF with or without a second task (where entities are, whatever their type) and
with or without a mixture of entity experts, over static vectors that are frozen or updated; the two baselines
that know descriptions of types; and trivial taggers. All learn from CoNLL-2003 alone, the best epoch is
chosen by its dev part, and the other domains are only tested on.
"""

from itertools import product
from typing import Any

from tenor.metrics.outcomes import Outcome
from tenor.recipes.recipe import Cell, CellResult, Composite, Context, Figure, Plan, Recipe
from tenor.recipes.zero_resource_ner.claims import (
    CLAIMS,
    CONCEPT,
    CROSSNER,
    FREQUENT,
    OUTSIDE,
    ROBUST,
    TRIVIAL,
    UNTRAINED,
    cell_name,
)
from tenor.recipes.zero_resource_ner.data import DOMAINS, FOLDERS, SCITECH, Data, read_data
from tenor.recipes.zero_resource_ner.figures import by_domain, gates_by_type, gates_of_words

SENTENCE = "Drudge told users in Norway that Tesla and Siri run on the software of Jane Doe ."
"""Of our own, for the figure of the gate: the paper shows how it splits on the name Drudge."""


def run(cell: Cell, context: Context) -> CellResult:
    """Train a cell's tagger on the source and score it on all test sets."""
    from tenor.recipes.zero_resource_ner.scoring import entity_outcomes, gate_outcomes, mean_gates
    from tenor.text.examples import Origin, TaggedSentence

    data = read_data(context)
    tag = _tagger(cell, context, data)
    outcomes: dict[str, Outcome] = {}
    extras: dict[str, Any] = {}
    for name, sentences in data.tests.items():
        tagged = tag(sentences)
        outcomes |= entity_outcomes(name, sentences, tagged.tags)
        if tagged.gates is not None and name == SCITECH:
            outcomes |= gate_outcomes(name, sentences, tagged.gates)
            words = tuple(SENTENCE.split())
            (weights,) = tag([TaggedSentence(words, Origin("the figure", 1))]).gates
            extras = {
                "gates by type": mean_gates(sentences, tagged.gates),
                "sentence": {"words": list(words), "gates": weights.astype(float).round(4).tolist()},
            }
    return CellResult(outcomes=outcomes, extras=extras, notes=data.notes)


def _tagger(cell: Cell, context: Context, data: Data) -> Any:
    """Return the function that tags sentences, after training where there is anything to train."""
    from tenor.recipes.zero_resource_ner import taggers
    from tenor.training.callbacks import StepProgress

    kind = cell.settings["tagger"]
    if kind == OUTSIDE:
        return taggers.all_outside
    if kind == FREQUENT:
        return lambda sentences: taggers.most_frequent_tags(data.train, sentences)
    network = taggers.NetworkTagger(
        cell.settings, context.settings, data, work=context.work, seed=context.seed
    )
    network.fit(context.work, callbacks=[StepProgress(context.progress)])
    return network.tag


def _grid_cell(boundaries: bool, experts: bool, frozen: bool, **more: Any) -> Cell:
    variant = {(0, 0): "crf", (1, 0): "mtl", (0, 1): "moee", (1, 1): "both"}[boundaries, experts]
    modules = [name for name, there in (("boundaries", boundaries), ("experts", experts)) if there]
    return Cell(
        name=cell_name(variant, frozen=frozen),
        title=", ".join([" + ".join(["BiLSTM-CRF", *modules]), "frozen" if frozen else "updated"]),
        settings={"tagger": "network", "boundaries": boundaries, "experts": experts, "freeze": frozen},
        **more,
    )


def _described(kind: str, frozen: bool, **more: Any) -> Cell:
    return Cell(
        name=cell_name(kind, frozen=frozen),
        title=f"{kind} tagger, {'frozen' if frozen else 'updated'}",
        settings={"tagger": kind, "freeze": frozen},
        **more,
    )


def _cells(*, baseline_seeds: int | None, baselines_updated: bool, **more: Any) -> tuple[Cell, ...]:
    grid = [
        _grid_cell(boundaries, experts, frozen, **more)
        for frozen, experts, boundaries in product((True, False), (False, True), (False, True))
    ]
    described = [
        _described(kind, frozen, most_seeds=baseline_seeds, **more)
        for frozen in (True, False)[: 1 + baselines_updated]
        for kind in (CONCEPT, ROBUST)
    ]
    trivial = [
        Cell(
            name=UNTRAINED,
            title="a CRF on an untrained BiLSTM, frozen vectors",
            settings={"tagger": "network", "freeze": True, "untrained": True},
            most_seeds=baseline_seeds,
            **more,
        ),
        Cell(name=FREQUENT, title="most frequent tag of a word", settings={"tagger": FREQUENT}, **more),
        Cell(name=OUTSIDE, title="all O", settings={"tagger": OUTSIDE}, seeded=False, **more),
    ]
    return (*grid, *described, *trivial)


_TINY = {
    "train": 60, "dev": 20, "test": 30, "vectors": "made-up", "hidden_size": 8, "expert_size": 8,
    "dropout": 0.0, "epochs": 4, "lr": 0.02, "batch_size": 8, "bucket_batches": 0, "patience": 0,
    "examples": 2,
}  # fmt: skip
_SMALL = {
    "train": 1500, "dev": 400, "test": 1000, "vectors": "glove-50d", "hidden_size": 50, "expert_size": 50,
    "dropout": 0.3, "epochs": 8, "lr": 0.004, "batch_size": 32, "bucket_batches": 20, "patience": 0,
    "examples": 2,
}  # fmt: skip
_FULL = {
    "train": None, "dev": None, "test": None, "vectors": "glove-300d", "hidden_size": 200, "expert_size": 200,
    "dropout": 0.3, "epochs": 100, "lr": 0.001, "batch_size": 32, "bucket_batches": 0, "patience": 5,
    "examples": 2,
}  # fmt: skip

RECIPE = Recipe(
    name="zero-resource-ner",
    title="Entities in domains without labels: a second task and entity experts",
    paper="Liu, Winata and Fung, Zero-Resource Cross-Domain Named Entity Recognition, 2020",
    spec=3,
    summary="Learns entities from news alone and is tested on technology news and five domains of "
    "Wikipedia, to see whether a second task (where entities are, whatever their type), a mixture of entity "
    "experts and frozen vectors help.",
    version=1,
    scales={
        "tiny": Plan(
            cells=_cells(baseline_seeds=None, baselines_updated=False), seeds=2, settings=_TINY, data=False,
            about="Made-up sentences of two domains with the same grammar and disjoint names.",
        ),
        "small": Plan(
            cells=_cells(baseline_seeds=5, baselines_updated=False, weights=("glove-50d",)), seeds=8,
            settings=_SMALL,
            about="1,500 of 14,041 train sentences, drawn anew for every seed, and 400 of 3,250 dev "
            "sentences; 1,000 of the source's 3,453 test sentences, all of the targets'; 8 epochs with "
            "sentences of like length in a batch; GloVe of 50 dimensions, LSTM and experts of size 50 "
            "(paper: fastText of 300, 200 and 200). Concept and robust tagger only with frozen vectors and 5 "
            "seeds.",
        ),
        "full": Plan(
            cells=_cells(baseline_seeds=None, baselines_updated=True, weights=("glove-300d",)), seeds=3,
            settings=_FULL,
            about="The paper's sizes, all sentences, up to 100 epochs with a patience of 5.",
        ),
    },
    run=run,
    data=FOLDERS,
    claims=CLAIMS,
    composites={CROSSNER: Composite.mean(*DOMAINS)},
    trivial=TRIVIAL,
    figures=(
        Figure(
            name="gates-by-type",
            caption="Mean weight of each expert on SciTech's words of each gold type, in per cent "
            "(BiLSTM-CRF with boundaries and experts, frozen vectors, mean of the seeds).",
            draw=gates_by_type,
        ),
        Figure(
            name="gates",
            caption="Weight of each expert on every word of a sentence of our own, in per cent (same cell).",
            draw=gates_of_words,
        ),
        Figure(
            name="domains",
            caption="Entity F1 by target domain, with frozen vectors.",
            draw=by_domain,
        ),
    ),
    differs=(
        "GloVe vectors instead of fastText's: a word without a vector gets the mean of all vectors, not that "
        "of its n-grams.",
        "The second task has the labels O, B-ENTITY and I-ENTITY. All losses are sums over words divided by "
        "the words of the batch, in the proportions of the paper's equations.",
        "The learning rate at `small` is 0.004 instead of 0.001, for the few steps that there are. Dropout "
        "is variational: one mask for a sentence.",
        "CrossNER's types become four: person, politician, scientist, researcher, writer, musicalartist → "
        "PER; location, country → LOC; organisation, university, politicalparty, band → ORG; all others, "
        "also those that news have no entities of (field, task, algorithm, genre), → MISC. CrossNER is "
        "not in the paper.",
        "The robust tagger's examples are the two most frequent entities of one word of each type; where the "
        "size of the states is not that of the vectors, a learned linear layer fits them.",
        "No BERT, and nothing of Jia et al. (2019), which needs large raw texts of both domains.",
    ),
)  # fmt: skip
