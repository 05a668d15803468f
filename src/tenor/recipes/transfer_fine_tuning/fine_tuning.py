"""A cell: fine-tune an encoder on some rows of each task, and score it on the rows held out.

Learning rate, batch size and epochs are the same for plain and transferred encoders. With a seed go the rows
drawn, the head's initialisation and the order of rows, so that plain and transferred are paired by it.
"""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np

from tenor.files import read_json, write_json
from tenor.metrics.outcomes import Outcome
from tenor.recipes.recipe import Cell, CellResult, Context
from tenor.recipes.rows import read_rows, write_rows
from tenor.recipes.transfer_fine_tuning.aligned import aligned_folder, counts_note
from tenor.recipes.transfer_fine_tuning.data import rows_of
from tenor.recipes.transfer_fine_tuning.drawing import drawn_rows
from tenor.recipes.transfer_fine_tuning.encoders import encoder_folder, stage_note, starter
from tenor.recipes.transfer_fine_tuning.rates import with_rate
from tenor.recipes.transfer_fine_tuning.scoring import Reading, predicted, scored, trained


def run_tasks(cell: Cell, context: Context) -> CellResult:
    """Fine-tune and score a cell's encoder on its tasks."""
    settings = cell.settings
    encoder, stage = settings["encoder"], settings.get("stage")
    tuning, chosen = with_rate(context, encoder, settings["fine_tuning"])
    folder = encoder_folder(context, encoder, stage, settings.get("stages"))
    reading = settings.get("reading", "joint")
    outcomes: dict[str, Outcome] = {}
    extras: dict[str, Any] = {}
    for number, task in enumerate(settings["tasks"]):
        context.progress(number, len(settings["tasks"]))
        found, extras[task] = _task(context, task, folder, settings["rows"], tuning, reading)
        outcomes |= found
    notes = [chosen] if chosen else []
    if stage is not None:
        pairs = aligned_folder(context, str(starter(context)), in_task=stage == "in-task")
        notes += [counts_note(pairs), stage_note(folder)]
    return CellResult(outcomes=outcomes, extras=extras, notes=tuple(notes))


def _task(
    context: Context,
    task: str,
    encoder: Path,
    count: int | Literal["all"],
    tuning: Mapping[str, Any],
    reading: Reading,
) -> tuple[dict[str, Outcome], dict[str, Any]]:
    """Fine-tune on one task, unless a run that was killed has done so, and score it."""
    work = context.work / task
    work.mkdir(exist_ok=True)
    rows, done = rows_of(context, task), work / "predicted.json"
    test = read_rows(rows / f"{task}.test.jsonl")
    if not done.is_file():
        drawn = drawn_rows(read_rows(rows / f"{task}.train.jsonl"), count, context)
        write_rows(work / "train.jsonl", drawn)
        run = trained(
            task, work / "train.jsonl", encoder, tuning, work / "run", seed=context.seed, reading=reading
        )
        metrics = read_json(run / "metrics.json")
        told = {"rows": len(drawn)} | {name: metrics[name] for name in ("steps", "seconds", "precision")}
        write_json(done, {"predicted": predicted(task, run, test).tolist(), "told": told})
        shutil.rmtree(run)
    kept = read_json(done)
    return scored(task, test, np.asarray(kept["predicted"])), kept["told"]
