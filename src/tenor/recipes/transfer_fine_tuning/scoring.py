"""Fine-tuning as plain BERT is: two texts as one sequence, the pooler, one linear layer; and its scores.

The pooler's output goes through dropout 0.1 and one linear layer; cross-entropy, for STS-B squared error.
The number of epochs is fixed beforehand (more for few rows, as they make few steps), and no dev score chooses
anything.
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tenor.metrics.outcomes import Outcome
from tenor.recipes.rows import Row
from tenor.recipes.transfer_fine_tuning.data import SINGLE

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


def trained(
    task: str, train: Path, encoder: Path, tuning: Mapping[str, Any], out: Path, *, seed: int
) -> Path:
    """Fine-tune an encoder on rows, or go on with it, and return the run folder."""
    from tenor.recipes.fixed_training import POOLING, fixed_training
    from tenor.tasks.table import task_config
    from tenor.training.config import RunConfig
    from tenor.training.running import train_run

    if (out / "metrics.json").is_file():
        return out
    given = dict(tuning)
    batch, limit = given.pop("batch_size"), given.pop("max_tokens")
    with train.open("rb") as lines:
        rows = sum(1 for _ in lines)
    # Few rows make few steps, after which no encoder has learned anything.
    given["epochs"] = max(given["epochs"], math.ceil(given.pop("least_steps", 0) * batch / max(1, rows)))
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
        own["encoding"] = "cross"
    config = task_config(train=train, batch_size=batch, head="linear", dropout=0.1, pooling="pooler", **own)
    run = RunConfig(
        encoder=str(encoder), pooling=POOLING, seed=seed, max_tokens=limit, tasks={task: config},
        training=fixed_training(**given),
    )  # fmt: skip
    train_run(run, out=out)
    return out


def predicted(task: str, run: Path, rows: Sequence[Row]) -> NDArray[Any]:
    """Return what the model of a run says of rows."""
    import tenor
    from tenor.model.predicting import predict

    model = tenor.load(run / "model", precision="fp32")
    return np.asarray(predict(model, model.tasks[task], [_texts(row) for row in rows]))


def _texts(row: Mapping[str, Any]) -> list[str]:
    return [row["text"]] if "text" in row else [row["first"], row["second"]]


def scored(task: str, test: Sequence[Row], predicted: NDArray[Any]) -> dict[str, Outcome]:
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
