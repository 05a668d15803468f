"""Transfer fine-tuning: a stage of phrasal and sentential paraphrases before fine-tuning (spec 00).

Cells are named ENCODER-STAGE-ROWS. ENCODER is the starter, the vanilla encoder that is pre-trained here, or
its random beginning; STAGE is plain (none), transferred, one of the ablations (sentence, 3way, 3way-simple,
binary) or in-task, whose stage has also seen the paraphrases among the tasks' training rows and which no
claim is about; ROWS is the number of rows of each task that are fine-tuned on, or "all".
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from tenor.metrics.outcomes import Outcome
from tenor.recipes.recipe import Cell, CellResult, Composite, Context, Plan, Recipe
from tenor.recipes.transfer_fine_tuning.claims import ABLATED, CLAIMS, EQUIVALENCE
from tenor.recipes.transfer_fine_tuning.data import FOLDERS, TASKS
from tenor.recipes.transfer_fine_tuning.encoders import exported, loss_curve, pretrained, pretraining_note
from tenor.recipes.transfer_fine_tuning.figures import FIGURES
from tenor.recipes.transfer_fine_tuning.fine_tuning import run_tasks
from tenor.recipes.transfer_fine_tuning.scoring import MAIN
from tenor.recipes.transfer_fine_tuning.seen import look

ABLATIONS = {
    "sentence": "sentential loss only",
    "3way": "phrasal loss only",
    "3way-simple": "phrasal loss only, simple features",
    "binary": "phrasal loss only, two classes",
}
PIECES = 6  # of the pre-training, a cell each
Rows = int | Literal["all"]
_FULL_SIZES: tuple[Rows, ...] = (250, 4000, 5000, 10_000, 20_000, "all")


def run(cell: Cell, context: Context) -> CellResult:
    """Run a cell: a piece of the pre-training, a look at some pairs, or fine-tuning."""
    if cell.name == "seen":
        return look(context)
    if cell.name.startswith("pretraining"):
        return _pretraining(context, float(cell.settings["share"]))
    return run_tasks(cell, context)


def _pretraining(context: Context, share: float) -> CellResult:
    folder = pretrained(context, share=share)
    if share < 1:
        return CellResult(outcomes={})
    curves, note = loss_curve(folder), pretraining_note(folder)
    (perplexity,) = re.findall(r"tokens is ([\d.]+)", note)
    made = exported(context)
    return CellResult(
        outcomes={"perplexity": Outcome.number(float(perplexity))},
        series=curves,
        notes=(note,),
        files={path.relative_to(made).as_posix(): path for path in made.rglob("*") if path.is_file()},
    )


def _cell(
    encoder: str,
    stage: str,
    rows: Rows,
    tasks: Sequence[str],
    tuning: Mapping[str, Any],
    seeds: int | None = None,
) -> Cell:
    named = ABLATIONS.get(stage, stage)
    title = f"{encoder}, {named}, {'all' if rows == 'all' else format(rows, ',')} rows"
    own = {} if stage == "plain" else {"stage": stage}
    settings = {"encoder": encoder, "rows": rows, "tasks": list(tasks), "fine_tuning": dict(tuning), **own}
    weights = ("minilm",) if encoder == "starter" or stage != "plain" else ()
    return Cell(
        name=f"{encoder}-{stage}-{rows}", settings=settings, title=title, most_seeds=seeds, weights=weights
    )


def _sweep(encoder: str, tuning: Mapping[str, Any], sizes: Sequence[Rows]) -> Iterator[Cell]:
    for rows in sizes:
        for stage in ("plain", "transferred"):
            yield _cell(encoder, stage, rows, EQUIVALENCE, tuning, 3)


def _cells(tuning: Mapping[str, Any], sizes: Sequence[Rows] = (250, 4000)) -> Iterator[Cell]:
    """Yield all cells, the most telling first; ``sizes`` are the numbers of rows beside 1,000."""
    for stage in ("plain", "transferred"):
        yield _cell("starter", stage, 1000, TASKS, tuning)
    yield from _sweep("starter", tuning, sizes)
    yield Cell(name="seen", seeded=False, weights=("minilm",), title="what is seen by a person")
    yield from _pieces()
    yield _cell("random", "plain", 1000, ("mrpc", "stsb", "sst2"), tuning)
    for stage in ("plain", "transferred"):
        yield _cell("vanilla", stage, 1000, TASKS, tuning)
    yield from _sweep("vanilla", tuning, sizes)
    yield from (_cell("vanilla", stage, 1000, ABLATED, tuning, 3) for stage in ABLATIONS)
    yield _cell("starter", "in-task", 1000, (*EQUIVALENCE, "rte"), tuning, 3)
    yield from (_cell("starter", stage, 1000, ABLATED, tuning, 3) for stage in ABLATIONS)


def _pieces() -> Iterator[Cell]:
    for piece in range(1, PIECES):
        name = f"pretraining-{piece}"
        share = piece / PIECES
        yield Cell(name=name, seeded=False, settings={"share": share}, title=f"pre-training, {share:.0%}")
    yield Cell(name="pretraining", seeded=False, settings={"share": 1.0}, title="pre-training, whole")


_FRESH = {"layers": 4, "width": 256, "heads": 4, "vocabulary": 10_000, "positions": 128}
_SMALL = {
    "starter": "minilm",
    "fresh": _FRESH,
    "paragraph": 80,  # words
    "pretraining": {
        "tokens": 60_000_000, "batch": 32, "pieces": PIECES, "encoder_rate": 8e-4, "head_rate": 8e-4,
        "tokens_per_pass": 4096,
    },
    "stage": {
        "epochs": 1, "batch": 50, "max_tokens": 64, "rates": {"starter": 1e-4, "vanilla": 2e-4},
        "head_rate": 5e-4, "precision": "auto",
    },
    "stages": 3,  # of each encoder, a seed each
    "stages_of_others": 1,  # of each ablation, and of in-task
    "evaluations": 5,
    "more_languages": False,
}  # fmt: skip
_FULL = _SMALL | {
    "starter": "hub:bert-base-uncased",
    "stage": {
        "epochs": 3, "batch": 50, "max_tokens": 128, "rates": {"starter": 5e-5, "vanilla": 2e-4},
        "head_rate": 5e-5, "precision": "auto",
    },
    "stages_of_others": 3,
    "evaluations": 10,
    "more_languages": True,
}  # fmt: skip
_TINY = {
    "starter": "new",
    "fresh": {"layers": 1, "width": 16, "heads": 2, "vocabulary": 120, "positions": 64},
    "paragraph": 80,
    "pretraining": {
        "tokens": 4_000, "batch": 16, "pieces": 2, "encoder_rate": 3e-3, "head_rate": 3e-3,
        "precision": "fp32",
    },
    "stage": {
        "epochs": 1, "batch": 20, "max_tokens": 48, "rates": {"starter": 1e-3, "vanilla": 1e-3},
        "head_rate": 1e-3, "precision": "fp32",
    },
    "stages": 1,
    "stages_of_others": 1,
    "evaluations": 1,
    "more_languages": False,
}  # fmt: skip
_TUNE_SMALL = {
    "epochs": 2, "least_steps": 187, "batch": 16, "max_tokens": 64, "rates": [3e-5, 1e-4, 3e-4],
    "head_rate": 1e-3, "precision": "auto",
}  # fmt: skip
_TUNE_FULL = {
    "epochs": 4, "batch": 32, "max_tokens": 128, "encoder_rate": 3e-5, "head_rate": 3e-5, "precision": "auto",
}  # fmt: skip
_TUNE_TINY = {
    "epochs": 1, "batch": 16, "max_tokens": 48, "encoder_rate": 1e-3, "head_rate": 1e-2, "precision": "fp32",
}  # fmt: skip


def _tiny() -> tuple[Cell, ...]:
    """Keep a cell of each kind; nothing that was fetched is read."""
    names = (
        "starter-plain-1000",
        "starter-transferred-1000",
        "seen",
        "pretraining",
        "vanilla-transferred-1000",
    )
    cells = {cell.name: cell for cell in _cells(_TUNE_TINY)}
    return tuple(replace(cells[name], weights=()) for name in names)


RECIPE = Recipe(
    name="transfer-fine-tuning",
    title="Transfer fine-tuning with phrasal and sentential paraphrases",
    paper="Arase and Tsujii, Transfer Fine-Tuning: A BERT Case Study, 2019",
    spec=0,
    summary=(
        "Between pre-training and fine-tuning, an encoder learns to tell aligned phrases and sentences of "
        "paraphrases from random ones; it should then need fewer labelled pairs, at the same size."
    ),
    version=3,
    scales={
        "tiny": Plan(
            cells=_tiny(), seeds=1, settings=_TINY, data=False, about="Made-up sentences, new encoders.",
        ),
        "small": Plan(
            cells=tuple(_cells(_TUNE_SMALL)), seeds=5, settings=_SMALL,
            about=(
                "A starter of 6 layers × 384 and a vanilla encoder of 4 × 256 instead of BERT base; a stage "
                "of one epoch over about 22,000 pairs instead of 4.1 million; 250, 1,000 and 4,000 rows."
            ),
        ),
        "full": Plan(
            cells=tuple(_cells(_TUNE_FULL, _FULL_SIZES)), seeds=5, settings=_FULL,
            about=(
                "BERT base, the paper's settings, and about 33,000 pairs for the stage; 250 to 20,000 rows "
                "and all there are, of tasks that have fewer all of theirs."
            ),
        ),
    },
    run=run,
    data=FOLDERS,
    claims=CLAIMS,
    composites={"equivalence": Composite.mean(*(MAIN[task] for task in EQUIVALENCE))},
    figures=FIGURES,
    differs=(
        "The stage learns from pairs of PAN, TurkCorpus, MultiMWA and Tatoeba (texts with the same "
        "translation), aligned by Tenor's own aligner, instead of 4.1 million pairs aligned by a parser.",
        "The starter was tuned for sentence similarity by others; the vanilla encoder was pre-trained here "
        "and knows nothing of it. Its claims are undecided unless it beats its own random beginning.",
        "At the small scale the stage makes about 430 steps of 100 sequences instead of some ten thousands, "
        "so that its rates, fixed beforehand, are higher than the paper's 5e-5: 1e-4 for the starter, 2e-4 "
        "for the vanilla encoder, 5e-4 for the classifiers.",
        "Pre-training was run once; the stage three times for each encoder, one for each of the first three "
        "seeds, which also draw the rows, the heads and the order of fine-tuning. A fourth and a fifth seed "
        "take the first two stages again. At the small scale the stages of ablations and in-task were run "
        "once each: their intervals do not hold the luck of a stage.",
        "The starter's vectors align the phrases for both encoders, so that something of what it knows of "
        "similarity reaches the vanilla encoder in its stage.",
        "Batch and epochs of fine-tuning were fixed beforehand (at the small scale 12 epochs of 250 rows, 3 "
        "of 1,000 and 2 of 4,000), the rate was chosen with the plain encoder on training rows alone; both "
        "are the same for plain and transferred, and no checkpoint is chosen.",
        "Products are in bf16, weights in float32, where the machine is clearly faster with it; "
        "the results say for each cell which precision it was and on which machine.",
        "Scores are those of MRPC's labelled test part, of 2,000 Quora pairs that share no question with "
        "others, and of the dev parts of STS-B, RTE, SST-2 and CoLA; the paper's are of GLUE's test server "
        "or, by training size, of dev.",
        "Cells named in-task had a stage that also saw the paraphrases among the tasks' training rows; no "
        "claim is about them.",
    ),
)  # fmt: skip
