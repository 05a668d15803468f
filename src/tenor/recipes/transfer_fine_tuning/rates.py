"""The learning rate of fine-tuning: chosen once, with the plain encoder, on training rows alone.

Each learning rate of a grid is tried on STS-B and MRPC: 1,000 rows are learned from and 500 others measure
it. The one with the best mean score is then that of the plain encoder and of all that a stage made of it,
whatever the task and the number of rows. The random encoder has a choice of its own: a baseline is tuned as
well as ours.
"""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tenor.files import read_json, write_json
from tenor.recipes.recipe import CellResult, Context
from tenor.recipes.rows import read_rows, write_rows
from tenor.recipes.transfer_fine_tuning.aligned import starter_version
from tenor.recipes.transfer_fine_tuning.data import rows_folder
from tenor.recipes.transfer_fine_tuning.encoders import encoder_folder
from tenor.recipes.transfer_fine_tuning.scoring import MAIN, predicted, scored, trained

TRIED_ON = ("stsb", "mrpc")
LEARNED, MEASURED = 1_000, 500


def with_rate(context: Context, encoder: str, tuning: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    """Return the settings with one learning rate in place of a grid, and how it was chosen."""
    settings = dict(tuning)
    grid = settings.pop("learning_rates", None)
    if not grid:
        return settings, ""
    if (made := context.made_by(f"{encoder}-rate")) is not None:
        told = read_json(made / "rate.json")
        return settings | {"encoder_lr": told["rate"]}, told["note"]
    own = {"encoder": encoder, "tuning": dict(tuning), **starter_version(context)}
    with context.lasting("rate", settings=own) as folder:
        found = {float(rate): _tried(context, encoder, float(rate), settings, folder) for rate in grid}
    best = max(found, key=lambda rate: found[rate])
    told = ", ".join(f"{rate:g}: {score:.3f}" for rate, score in found.items())
    note = (
        f"The learning rate of the {encoder} encoder is {best:g}, chosen with the plain one on {MEASURED} "
        f"training rows each of STS-B and MRPC (mean of Pearson and F1 by learning rate: {told})."
    )
    return settings | {"encoder_lr": best}, note


def choose(context: Context, encoder: str, tuning: Mapping[str, Any]) -> CellResult:
    """Choose a learning rate as a cell of its own, so that it stays the same for cells that run elsewhere."""
    settings, note = with_rate(context, encoder, tuning)
    file = context.work / "rate.json"
    write_json(file, {"rate": settings["encoder_lr"], "note": note})
    return CellResult(outcomes={}, notes=(note,), files={"rate.json": file})


def _tried(context: Context, encoder: str, rate: float, settings: Mapping[str, Any], folder: Path) -> float:
    """Return the mean score of a learning rate; what an earlier run has tried is not tried again."""
    scores = []
    for task in TRIED_ON:
        work = folder / f"{task}-{rate:g}"
        if not (work / "score.json").is_file():
            work.mkdir(exist_ok=True)
            pool = read_rows(rows_folder(context) / f"{task}.train.jsonl")
            order = np.random.default_rng(0).permutation(len(pool)).tolist()
            learned = min(LEARNED, 2 * len(pool) // 3)
            write_rows(work / "train.jsonl", [pool[place] for place in order[:learned]])
            measured = [pool[place] for place in order[learned : learned + MEASURED]]
            base, own = encoder_folder(context, encoder), {**settings, "encoder_lr": rate}
            run = trained(task, work / "train.jsonl", base, own, work / "run", seed=1)
            found = scored(task, measured, predicted(task, run, measured))
            write_json(work / "score.json", {"score": found[MAIN[task]].score})
            shutil.rmtree(run)  # a model of some hundred megabytes that nobody needs
        scores.append(float(read_json(work / "score.json")["score"]))
    return float(np.mean(scores))
