"""Baselines that train no encoder: its plain cosine, and a logistic regression on its frozen vectors.

A stage that raises a baseline which is worse than no training at all has shown little, so that these rows
stand in the table. Both see as many rows as fine-tuning, drawn once: the cosine takes its threshold (the one
with the best F1) from them, and needs none for a correlation and for the AUC.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tenor.metrics.binary import threshold_curve
from tenor.metrics.outcomes import Outcome
from tenor.recipes.recipe import Cell, CellResult, Context
from tenor.recipes.rows import Row, read_rows
from tenor.recipes.transfer_fine_tuning.data import rows_of
from tenor.recipes.transfer_fine_tuning.drawing import drawn_rows
from tenor.recipes.transfer_fine_tuning.encoders import encoder_folder
from tenor.recipes.transfer_fine_tuning.scoring import LABELS, scored, texts_to_predict

Floats = NDArray[np.float64]


def run_untrained(cell: Cell, context: Context) -> CellResult:
    """Score an encoder as it is on a cell's tasks."""
    settings = cell.settings
    folder = encoder_folder(context, settings["encoder"])
    predict = {"cosine": by_cosine, "frozen": by_logistic_regression}[settings["untrained"]]
    outcomes: dict[str, Outcome] = {}
    for number, task in enumerate(settings["tasks"]):
        context.progress(number, len(settings["tasks"]))
        rows = rows_of(context, task)
        train = drawn_rows(read_rows(rows / f"{task}.train.jsonl"), settings["rows"], context)
        test = read_rows(rows / f"{task}.test.jsonl")
        known = _encoded(context, folder, settings["encoder"], task, test)
        learned = known[:0] if task.startswith("stsb") else _vectors(folder, train)
        outcomes |= scored(task, test, predict(task, train, learned, known))
    return CellResult(outcomes=outcomes)


def by_cosine(task: str, train: list[Row], learned: Floats, tested: Floats) -> Floats:
    """Return the cosine [n], or as probabilities [n, 2], half at the threshold with the best F1 on ``train``.

    ``learned`` and ``tested`` are vectors [n, 2, d] of the rows to learn from and to tell.
    """
    cosines = _cosines(tested)
    if task.startswith("stsb"):
        return cosines
    truth = [row["label"] == LABELS[task][1] for row in train]
    curve = threshold_curve(truth, _cosines(learned))
    best = float(curve.thresholds[curve.f1.argmax()])
    # From [-1, 1] to [0, 1], with the threshold at one half: the order of the cosines stays.
    high = np.where(cosines >= best, 0.5 + (cosines - best) / 4, 0.5 - (best - cosines) / 4 - 1e-9)
    return np.stack([1 - high, high], axis=1)


def by_logistic_regression(task: str, train: list[Row], learned: Floats, tested: Floats) -> Floats:
    """Return probabilities [n, classes] of a logistic regression on u, or on |u - v| and u ∗ v."""
    from tenor.tasks.texts.logistic import fit_logistic

    labels = LABELS[task]
    truth = np.array([labels.index(row["label"]) for row in train])
    fit = fit_logistic(_features(learned), truth, outputs=len(labels))
    raw = _features(tested) @ fit.weight.T + fit.bias
    raised: Floats = np.exp(raw - raw.max(axis=1, keepdims=True))
    probabilities: Floats = raised / raised.sum(axis=1, keepdims=True)
    return probabilities


def _features(vectors: Floats) -> Floats:
    if vectors.shape[1] == 1:
        return vectors[:, 0]
    first, second = vectors[:, 0], vectors[:, 1]
    return np.concatenate([np.abs(first - second), first * second], axis=1)


def _cosines(vectors: Floats) -> Floats:
    lengths = np.maximum(np.linalg.norm(vectors, axis=2), 1e-12)
    cosines: Floats = (vectors[:, 0] * vectors[:, 1]).sum(axis=1) / (lengths[:, 0] * lengths[:, 1])
    return cosines


def _encoded(context: Context, folder: Path, encoder: str, task: str, rows: list[Row]) -> Floats:
    """Return the vectors of a task's tested rows, which all seeds share."""

    def make(place: Path) -> None:
        np.save(place / "vectors.npy", _vectors(folder, rows))

    kept = context.shared("vectors", make, settings={"encoder": encoder, "task": task})
    vectors: Floats = np.load(kept / "vectors.npy", allow_pickle=False)
    return vectors


def _vectors(folder: Path, rows: list[Row]) -> Floats:
    """Encode the texts of rows, to [n, texts of a row, d]."""
    import tenor

    model: Any = tenor.load(folder, precision="fp32")
    texts = [texts_to_predict(row) for row in rows]
    flat = np.asarray(model.encode([text for each in texts for text in each]), dtype=np.float64)
    return flat.reshape(len(rows), len(texts[0]), -1)
