"""Fine-tuning as plain BERT is: two texts as one sequence, the pooler, one linear layer; and its scores.

The pooler's output goes through dropout 0.1 and one linear layer; cross-entropy, for STS-B squared error. Or
as a siamese network: each text by itself, the mean of its tokens, and one linear layer on |u - v|, u ∗ v and
the cosine, for STS-B the cosine alone.
The number of epochs is fixed beforehand (more for few rows, as they make few steps), and no dev score chooses
anything.
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tenor.metrics.outcomes import Outcome, StatisticName
from tenor.recipes.rows import Row
from tenor.recipes.transfer_fine_tuning.data import SINGLE

LABELS = {
    "mrpc": ("0", "1"),
    "quora": ("0", "1"),
    "rte": ("not_entailment", "entailment"),
    "sst2": ("0", "1"),
    "cola": ("0", "1"),
    "sst2-all": ("0", "1"),
    "quora-6000": ("0", "1"),
    "sick": ("NEUTRAL", "ENTAILMENT", "CONTRADICTION"),
}
# The official metric of each task, first, and what is printed beside it.
METRICS: Mapping[str, Mapping[str, StatisticName]] = {
    "mrpc": {"MRPC F1": "f1", "MRPC accuracy": "mean", "MRPC AUC": "auc"},
    "stsb": {"STS-B Pearson": "pearson", "STS-B Spearman": "spearman"},
    "quora": {"Quora F1": "f1", "Quora accuracy": "mean", "Quora AUC": "auc"},
    "rte": {"RTE accuracy": "mean"},
    "sst2": {"SST-2 accuracy": "mean"},
    "cola": {"CoLA Matthews": "matthews"},
    "stsb-all": {"STS-B dev and test Pearson": "pearson"},
    "sst2-all": {"SST-2 dev and test accuracy": "mean"},
    "quora-6000": {"Quora 6,000 F1": "f1", "Quora 6,000 AUC": "auc"},
    "sick": {"SICK entailment accuracy": "mean", "SICK entailment Matthews": "matthews"},
}
MAIN = {task: next(iter(named)) for task, named in METRICS.items()}
# Read off the same columns, also of results from before they were asked for.
MATTHEWS: Mapping[str, tuple[str, StatisticName]] = {
    f"{name} Matthews": (f"{name} F1", "matthews") for name in ("MRPC", "Quora", "Quora 6,000")
}
Reading = Literal["joint", "siamese"]


def trained(
    task: str,
    train: Path,
    encoder: Path,
    tuning: Mapping[str, Any],
    out: Path,
    *,
    seed: int,
    reading: Reading = "joint",
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
    config = task_config(train=train, batch_size=batch, **_task(task, reading))
    run = RunConfig(
        encoder=str(encoder), pooling=POOLING, seed=seed, max_tokens=limit, tasks={task: config},
        training=fixed_training(**given),
    )  # fmt: skip
    train_run(run, out=out)
    return out


def _task(task: str, reading: Reading) -> dict[str, Any]:
    """Return the settings of a task: two texts as one sequence or each by itself, and the head."""
    plain = {"head": "linear", "dropout": 0.1, "pooling": "pooler"}
    if task in SINGLE:
        return {"kind": "classify", "columns": _columns("text", "label"), "labels": LABELS[task], **plain}
    if task.startswith("stsb"):
        own = {"kind": "similarity", "columns": _columns("first", "second", "score"), "range": (0.0, 5.0)}
        if reading == "siamese":
            return own | {"head": "cosine", "loss": "mse"}
        return own | {"loss": "mse", "output": "linear", "encoding": "cross", **plain}
    own = {"kind": "pair", "columns": _columns("first", "second", "label"), "labels": LABELS[task]}
    if reading == "siamese":
        return own | {"head": "linear", "dropout": 0.1, "features": ("abs", "product", "cosine")}
    return own | {"encoding": "cross", **plain}


def _columns(*roles: str) -> dict[str, str]:
    return {role: role for role in roles}


def predicted(task: str, run: Path, rows: Sequence[Row]) -> NDArray[Any]:
    """Return what the model of a run says of rows."""
    import tenor
    from tenor.model.predicting import predict

    model = tenor.load(run / "model", precision="fp32")
    return np.asarray(predict(model, model.tasks[task], [texts_to_predict(row) for row in rows]))


def texts_to_predict(row: Mapping[str, Any]) -> list[str]:
    """Return the text of a row, or both texts of a pair."""
    return [row["text"]] if "text" in row else [row["first"], row["second"]]


def scored(task: str, test: Sequence[Row], predicted: NDArray[Any]) -> dict[str, Outcome]:
    """Return the official score of a task and what stands beside it, with their items.

    >>> rows = [{"label": "0"}, {"label": "1"}]
    >>> found = scored("cola", rows, np.array([[0.9, 0.1], [0.2, 0.8]]))
    >>> {name: one.score for name, one in found.items()}
    {'CoLA Matthews': 1.0}
    """
    items = f"{task} ({len(test)} rows)"
    if task.startswith("stsb"):
        gold = np.array([row["score"] for row in test])
        return {
            name: Outcome.of(statistic, gold, predicted, items=items)
            for name, statistic in METRICS[task].items()
        }
    truth = np.array([LABELS[task].index(row["label"]) for row in test])
    chosen = predicted.argmax(axis=1)
    columns = {
        "mean": (chosen == truth,),
        "f1": (truth, chosen),
        "matthews": (truth, chosen),
        "auc": (truth == 1, predicted[:, 1]),
    }
    return {
        name: Outcome.of(statistic, *columns[statistic], items=items)
        for name, statistic in METRICS[task].items()
    }
