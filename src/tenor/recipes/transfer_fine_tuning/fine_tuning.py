"""A cell: fine-tune an encoder on some rows of each task, as plain BERT is, and score it on rows held out.

Two texts are one sequence, the pooler's output goes through dropout 0.1 and one linear layer; cross-entropy,
for STS-B squared error. Epochs and rates are fixed beforehand, the same for plain and transferred encoders;
no dev score chooses anything. With a seed go the rows drawn, the head's first weights and the order of rows,
so that plain and transferred are paired by it.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tenor.files import read_json, write_json
from tenor.metrics.outcomes import Outcome
from tenor.recipes.recipe import Cell, CellResult, Context
from tenor.recipes.transfer_fine_tuning.aligned import aligned_folder, counts_note
from tenor.recipes.transfer_fine_tuning.data import SINGLE, read, rows_folder, write
from tenor.recipes.transfer_fine_tuning.encoders import encoder_folder, starter

LABELS = {
    "mrpc": ("0", "1"),
    "quora": ("0", "1"),
    "rte": ("not_entailment", "entailment"),
    "sst2": ("0", "1"),
    "cola": ("0", "1"),
}
# The official metric of each task, first, and what is printed beside it.
METRICS = {
    "mrpc": ("MRPC F1", "MRPC accuracy"),
    "stsb": ("STS-B Pearson", "STS-B Spearman"),
    "quora": ("Quora F1", "Quora accuracy"),
    "rte": ("RTE accuracy",),
    "sst2": ("SST-2 accuracy",),
    "cola": ("CoLA Matthews",),
}
MAIN = {task: names[0] for task, names in METRICS.items()}


def run_tasks(cell: Cell, context: Context) -> CellResult:
    """Fine-tune and score a cell's encoder on its tasks."""
    settings = cell.settings
    folder = encoder_folder(context, settings["encoder"], settings.get("stage"))
    outcomes: dict[str, Outcome] = {}
    extras: dict[str, Any] = {}
    for number, task in enumerate(settings["tasks"]):
        context.progress(number, len(settings["tasks"]))
        found, extras[task] = _task(context, task, folder, settings)
        outcomes |= found
    return CellResult(outcomes=outcomes, extras=extras, notes=_notes(context, settings.get("stage")))


def _notes(context: Context, stage: str | None) -> tuple[str, ...]:
    if stage is None:
        return ()
    pairs = aligned_folder(context, str(starter(context)), in_task=stage == "in-task")
    return (counts_note(pairs),)


def _task(
    context: Context, task: str, encoder: Path, settings: Mapping[str, Any]
) -> tuple[dict[str, Outcome], dict[str, Any]]:
    """Fine-tune on one task, unless a run that was killed has done so, and score it."""
    import tenor
    from tenor.model.predicting import predict

    work = context.work / task
    work.mkdir(exist_ok=True)
    rows = rows_folder(context)
    done = work / "predicted.json"
    test = read(rows / f"{task}.test.jsonl")
    if not done.is_file():
        drawn = _drawn(read(rows / f"{task}.train.jsonl"), int(settings["rows"]), context)
        write(work / "train.jsonl", drawn)
        run = work / "run"
        if not (run / "metrics.json").is_file():
            _train(context, task, work / "train.jsonl", encoder, settings["fine_tuning"], run)
        model = tenor.load(run / "model", precision="fp32")
        predicted = predict(model, model.tasks[task], [_texts(row) for row in test])
        metrics = read_json(run / "metrics.json")
        told = {"rows": len(drawn), "steps": metrics["steps"], "seconds": metrics["seconds"]}
        write_json(done, {"predicted": np.asarray(predicted).tolist(), "told": told})
    kept = read_json(done)
    return scored(task, test, np.asarray(kept["predicted"])), kept["told"]


def _drawn(rows: list[dict[str, Any]], count: int, context: Context) -> list[dict[str, Any]]:
    """Draw rows by the seed alone: the first 250 are among the first 1,000, for every encoder the same."""
    order = context.generator().permutation(len(rows))[:count]
    return [rows[place] for place in order.tolist()]


def _train(
    context: Context, task: str, train: Path, encoder: Path, fine_tuning: Mapping[str, Any], out: Path
) -> None:
    from tenor.tasks.config import TaskConfig
    from tenor.training.config import RunConfig, TrainingConfig
    from tenor.training.running import train_run

    given = dict(fine_tuning)
    batch, limit = given.pop("batch"), given.pop("max_tokens")
    own: dict[str, Any]
    if task in SINGLE:
        own = {"kind": "classify", "columns": {"text": "text", "label": "label"}, "labels": LABELS[task]}
    elif task == "stsb":
        columns = {"first": "first", "second": "second", "score": "score"}
        own = {
            "kind": "similarity",
            "columns": columns,
            "range": (0.0, 5.0),
            "loss": "mse",
            "output": "linear",
        }
    else:
        columns = {"first": "first", "second": "second", "label": "label"}
        own = {"kind": "pair", "columns": columns, "labels": LABELS[task]}
    if task not in SINGLE:
        own["encoding"] = "joint"
    config = TaskConfig(train=train, batch=batch, head="linear", dropout=0.1, pooling="pooler", **own)
    run = RunConfig(
        encoder=str(encoder), seed=context.seed, max_tokens=limit, tasks={task: config},
        training=TrainingConfig(**given),
    )  # fmt: skip
    train_run(run, out=out)


def _texts(row: Mapping[str, Any]) -> list[str]:
    return [row["text"]] if "text" in row else [row["first"], row["second"]]


def scored(task: str, test: list[dict[str, Any]], predicted: NDArray[Any]) -> dict[str, Outcome]:
    """Return the official score of a task and what stands beside it, with their items.

    >>> rows = [{"label": "0"}, {"label": "1"}]
    >>> found = scored("cola", rows, np.array([[0.9, 0.1], [0.2, 0.8]]))
    >>> {name: one.score for name, one in found.items()}
    {'CoLA Matthews': 1.0}
    """
    names, items = METRICS[task], f"{task} ({len(test)} rows)"
    if task == "stsb":
        gold = np.array([row["score"] for row in test])
        return {
            names[0]: Outcome.of("pearson", gold, predicted, items=items),
            names[1]: Outcome.of("spearman", gold, predicted, items=items),
        }
    truth = np.array([LABELS[task].index(row["label"]) for row in test])
    chosen = predicted.argmax(axis=1)
    if task == "cola":
        return {names[0]: Outcome.of("matthews", truth, chosen, items=items)}
    right = Outcome.of("mean", chosen == truth, items=items)
    if len(names) == 1:
        return {names[0]: right}
    return {names[0]: Outcome.of("f1", truth, chosen, items=items), names[1]: right}
