"""What is run at each scale: encoders, stages, numbers of rows, and their settings.

Cells are named ENCODER-STAGE-ROWS. ENCODER is the starter, the vanilla encoder that is pre-trained here, the
paired one, pre-trained with next sentences too, or the vanilla one's random initialisation. STAGE is plain
(none), transferred, simple (transferred with simple features), one of the ablations (sentence, 3way,
3way-simple, binary; with -x3 after three stages in place of one), format (a stage that teaches the joint
format alone) or in-task, whose stage has also seen the paraphrases among the tasks' training rows and which
no claim is about; siamese is fine-tuning of each text by itself, cosine and frozen train no encoder. ROWS is
the number of rows of each task that are fine-tuned on, or "all"; a task behind it is one of more test items,
with a cell of its own. Beside them, ENCODER-rate chooses the learning rate of fine-tuning, where there is a
choice, and pretraining-N is a piece of the pre-training.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from tenor.recipes.recipe import Cell, Plan, Scale
from tenor.recipes.transfer_fine_tuning.claims import ABLATED, EQUIVALENCE
from tenor.recipes.transfer_fine_tuning.data import MORE, TASKS

ABLATIONS = {
    "sentence": "sentential loss only",
    "3way": "phrasal loss only",
    "3way-simple": "phrasal loss only, simple features",
    "binary": "phrasal loss only, two classes",
}
STAGES = 3  # of what version 4 added, whatever the plan says of the cells of before
SEEDS, GATE_SEEDS = 5, 10
BEFORE = 3  # the version that computed the cells which later ones have left alone
PIECES = 6  # of the pre-training, a cell each
Rows = int | Literal["all"]
_FULL_SIZES: tuple[Rows, ...] = (250, 4000, 5000, 10_000, 20_000, "all")


@dataclass(frozen=True, slots=True)
class Base:
    """What the cells of a scale have in common: settings of fine-tuning, and assets that they read."""

    tuning: Mapping[str, Any]
    starter: tuple[str, ...] = ()
    """The starter, where it is an asset."""
    pairs: tuple[str, ...] = ()
    """Assets with pairs of the stage."""

    def weights(self, encoder: str, stage: str) -> tuple[str, ...]:
        """Name the assets that a cell reads; the starter aligns the pairs of every stage."""
        staged = stage != "plain"
        starter = self.starter if encoder == "starter" or staged else ()
        return (*starter, *(self.pairs if staged else ()))


def _cell(
    encoder: str,
    stage: str,
    rows: Rows,
    tasks: Sequence[str],
    base: Base,
    seeds: int | None = None,
) -> Cell:
    named = ABLATIONS.get(stage, stage)
    title = f"{encoder}, {named}, {'all' if rows == 'all' else format(rows, ',')} rows"
    own = {} if stage == "plain" else {"stage": stage}
    settings = {
        "encoder": encoder, "rows": rows, "tasks": list(tasks), "fine_tuning": dict(base.tuning), **own,
    }  # fmt: skip
    return Cell(
        name=f"{encoder}-{stage}-{rows}",
        settings=settings,
        title=title,
        most_seeds=seeds or SEEDS,
        weights=base.weights(encoder, stage),
        uses=_made_from(encoder),
        since=BEFORE,
    )


def _made_from(encoder: str) -> tuple[str, ...]:
    return {"vanilla": ("pretraining",), "paired": ("paired-pretraining",)}.get(encoder, ())


def _later(cell: Cell, name: str, title: str, *, without: Sequence[str] = (), **settings: Any) -> Cell:
    """Return a cell of version 4: one of before with other settings and a name of its own."""
    kept = {key: value for key, value in cell.settings.items() if key not in without}
    return replace(cell, name=name, title=title, settings=kept | settings, since=None)


def _sweep(encoder: str, base: Base, sizes: Sequence[Rows]) -> Iterator[Cell]:
    for rows in sizes:
        for stage in ("plain", "transferred"):
            yield _cell(encoder, stage, rows, EQUIVALENCE, base, 3)


def _rate(encoder: str, base: Base) -> Iterator[Cell]:
    if "learning_rates" in base.tuning:
        yield Cell(
            name=f"{encoder}-rate",
            seeded=False,
            settings={"encoder": encoder, "fine_tuning": dict(base.tuning)},
            title=f"{encoder}, the learning rate",
            weights=base.weights(encoder, "plain"),
            uses=_made_from(encoder),
            since=None if encoder == "paired" else BEFORE,
        )


def _cells(base: Base, sizes: Sequence[Rows] = (250, 4000)) -> Iterator[Cell]:
    """Yield all cells, the most telling first; ``sizes`` are the numbers of rows beside 1,000."""
    for stage in ("plain", "transferred"):
        yield _cell("starter", stage, 1000, TASKS, base)
    yield from _sweep("starter", base, sizes)
    yield from _rate("starter", base)
    seen = base.weights("starter", "transferred")
    yield Cell(name="seen", seeded=False, weights=seen, title="what is seen by a person", since=BEFORE)
    yield from _pieces()
    for encoder in ("random", "vanilla"):
        yield from _rate(encoder, base)
    yield _cell("random", "plain", 1000, ("mrpc", "stsb", "sst2"), base)
    for stage in ("plain", "transferred"):
        yield _cell("vanilla", stage, 1000, TASKS, base)
    yield from _sweep("vanilla", base, sizes)
    yield from (_cell("vanilla", stage, 1000, ABLATED, base, 3) for stage in ABLATIONS)
    yield _cell("starter", "in-task", 1000, (*EQUIVALENCE, "rte"), base, 3)
    yield from (_cell("starter", stage, 1000, ABLATED, base, 3) for stage in ABLATIONS)
    yield from _baselines(base)
    yield from _gate(base)
    yield from _with_more_items(base)
    yield from _further_stages(base)
    yield from _paired(base)


def _baselines(base: Base) -> Iterator[Cell]:
    """Yield what trains no encoder, with rows that are drawn once, and siamese fine-tuning."""
    for encoder in ("starter", "vanilla", "random"):
        plain = _cell(encoder, "plain", 1000, EQUIVALENCE, base)
        once = replace(plain, seeded=False, most_seeds=None)
        yield _later(once, f"{encoder}-cosine-1000", f"{encoder}, untrained: its cosine",
                     without=["fine_tuning"], untrained="cosine")  # fmt: skip
    for encoder in ("starter", "vanilla"):
        plain = _cell(encoder, "plain", 1000, [task for task in TASKS if task != "stsb"], base)
        once = replace(plain, seeded=False, most_seeds=None)
        yield _later(once, f"{encoder}-frozen-1000", f"{encoder}, frozen, logistic regression, 1,000 rows",
                     without=["fine_tuning"], untrained="frozen")  # fmt: skip
    for encoder in ("starter", "vanilla"):
        plain = _cell(encoder, "plain", 1000, EQUIVALENCE, base)
        yield _later(plain, f"{encoder}-siamese-1000", f"{encoder}, siamese, 1,000 rows", reading="siamese")


def _gate(base: Base) -> Iterator[Cell]:
    """Yield the tasks by which it is told whether pre-training taught the vanilla encoder anything."""
    for task, seeds in (("stsb-all", GATE_SEEDS), ("mrpc", SEEDS), ("sst2-all", SEEDS)):
        for encoder in ("random", "vanilla"):
            yield _on(_cell(encoder, "plain", 1000, (task,), base, seeds), task)


def _with_more_items(base: Base) -> Iterator[Cell]:
    for encoder in ("starter", "vanilla"):
        for task in MORE:
            for stage in ("plain", "transferred"):
                if (encoder, stage) != ("vanilla", "plain") or task not in ("stsb-all", "sst2-all"):
                    yield _on(_cell(encoder, stage, 1000, (task,), base), task)


def _on(cell: Cell, task: str) -> Cell:
    needs = ("sick",) if task == "sick" else ()
    return replace(_later(cell, f"{cell.name}-{task}", f"{cell.title}, {task}"), needs=needs)


def _further_stages(base: Base) -> Iterator[Cell]:
    """Yield stages that were never run: both losses with simple features, the joint format, three of each."""
    for encoder in ("starter", "vanilla"):
        for stage, title in (("simple", "transferred, simple features"), ("format", "joint format only")):
            cell = _cell(encoder, stage, 1000, (*EQUIVALENCE, "rte"), base, 3)
            yield _later(cell, cell.name, f"{encoder}, {title}, 1,000 rows", stages=STAGES)
        for stage, title in ABLATIONS.items():
            cell = _cell(encoder, stage, 1000, ABLATED, base, 3)
            yield _later(cell, f"{encoder}-{stage}-x3-1000", f"{encoder}, {title}, three stages, 1,000 rows",
                         stages=STAGES)  # fmt: skip


def _paired(base: Base) -> Iterator[Cell]:
    """Yield the encoder that was pre-trained with next sentences."""
    for piece in _pieces():
        yield _later(piece, f"paired-{piece.name}", f"{piece.title}, with next sentences", pairs=True)
    yield from _rate("paired", base)
    for stage in ("plain", "transferred"):
        cell = _cell("paired", stage, 1000, [task for task in TASKS if task != "cola"], base)
        yield _later(cell, cell.name, cell.title)


def _pieces() -> Iterator[Cell]:
    for piece in range(1, PIECES):
        share = piece / PIECES
        yield Cell(name=f"pretraining-{piece}", seeded=False, settings={"share": share},
                   title=f"pre-training, {share:.0%}", since=BEFORE)  # fmt: skip
    yield Cell(
        name="pretraining", seeded=False, settings={"share": 1.0}, title="pre-training, whole", since=BEFORE
    )


_FROM_SCRATCH = {
    "num_layers": 4, "hidden_size": 256, "num_heads": 4, "vocab_size": 10_000, "max_positions": 128,
}  # fmt: skip
_SMALL = {
    "starter": "minilm",
    "from_scratch": _FROM_SCRATCH,
    "paragraph": 80,  # words
    "pretraining": {
        "tokens": 60_000_000, "batch_size": 32, "pieces": PIECES, "encoder_lr": 8e-4, "head_lr": 8e-4,
        "micro_batch_tokens": 4096,
    },
    "stage": {
        "epochs": 1, "batch_size": 50, "max_tokens": 64, "learning_rates": {"starter": 1e-4, "vanilla": 2e-4},
        "head_lr": 5e-4, "precision": "auto",
    },
    "stages": 3,  # of each encoder, a seed each
    "stages_of_others": 1,  # of each ablation, and of in-task
    "evaluations": 5,
    "more_languages": False,
}  # fmt: skip
_FULL = _SMALL | {
    "starter": "hub:bert-base-uncased",
    "stage": {
        "epochs": 3, "batch_size": 50, "max_tokens": 128,
        "learning_rates": {"starter": 5e-5, "vanilla": 2e-4}, "head_lr": 5e-5, "precision": "auto",
    },
    "stages_of_others": 3,
    "evaluations": 10,
    "more_languages": True,
}  # fmt: skip
_TINY = {
    "starter": "new",
    "from_scratch": {
        "num_layers": 1, "hidden_size": 16, "num_heads": 2, "vocab_size": 120, "max_positions": 64,
    },
    "paragraph": 80,
    "pretraining": {
        "tokens": 4_000, "batch_size": 16, "pieces": 2, "encoder_lr": 3e-3, "head_lr": 3e-3,
        "precision": "fp32",
    },
    "stage": {
        "epochs": 1, "batch_size": 20, "max_tokens": 48, "learning_rates": {"starter": 1e-3, "vanilla": 1e-3},
        "head_lr": 1e-3, "precision": "fp32",
    },
    "stages": 1,
    "stages_of_others": 1,
    "evaluations": 1,
    "more_languages": False,
}  # fmt: skip
_TUNE_SMALL = {
    "epochs": 2, "least_steps": 187, "batch_size": 16, "max_tokens": 64, "learning_rates": [3e-5, 1e-4, 3e-4],
    "head_lr": 1e-3, "precision": "auto",
}  # fmt: skip
_TUNE_FULL = {
    "epochs": 4, "batch_size": 32, "max_tokens": 128, "encoder_lr": 3e-5, "head_lr": 3e-5,
    "precision": "auto",
}  # fmt: skip
_TUNE_TINY = {
    "epochs": 1, "batch_size": 16, "max_tokens": 48, "encoder_lr": 1e-3, "head_lr": 1e-2, "precision": "fp32",
}  # fmt: skip


def _tiny() -> tuple[Cell, ...]:
    """Keep a cell of each kind; nothing that was fetched is read."""
    names = (
        "starter-plain-1000",
        "starter-transferred-1000",
        "seen",
        "pretraining",
        "vanilla-transferred-1000",
        "starter-cosine-1000",
        "starter-frozen-1000",
        "starter-siamese-1000",
        "starter-format-1000",
        "vanilla-plain-1000-stsb-all",
        "starter-plain-1000-sick",
        "paired-pretraining",
    )
    cells = {cell.name: cell for cell in _cells(Base(_TUNE_TINY))}
    return tuple(replace(cells[name], needs=()) for name in names)


PLANS: Mapping[Scale, Plan] = {
    "tiny": Plan(
        cells=_tiny(), seeds=1, settings=_TINY, data=False, about="Made-up sentences, new encoders.",
    ),
    "small": Plan(
        cells=tuple(_cells(Base(_TUNE_SMALL, starter=("minilm",)))), seeds=GATE_SEEDS, settings=_SMALL,
        about=(
            "A starter of 6 layers × 384 and a vanilla encoder of 4 × 256 instead of BERT base; a stage "
            "of one epoch over about 22,000 pairs instead of 4.1 million; 250, 1,000 and 4,000 rows."
        ),
    ),
    "full": Plan(
        cells=tuple(_cells(Base(_TUNE_FULL, pairs=("tatoeba",)), _FULL_SIZES)), seeds=GATE_SEEDS,
        settings=_FULL,
        about=(
            "BERT base, the paper's settings, and about 33,000 pairs for the stage; 250 to 20,000 rows "
            "and all there are, of tasks that have fewer all of theirs."
        ),
    ),
}  # fmt: skip
