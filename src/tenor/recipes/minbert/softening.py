"""Soft labels of sentiment: half the label that a sentence has, half what teachers of sentiment say of it.

A treebank sentence was labelled by few people, and most errors are off by one class of five. Teachers, models
of the same size that have learned sentiment alone from the same rows, spread the label over its neighbours.
A task of classes learns from one label a row, so that each sentence stands in the file several times, with
labels in proportion to its soft label: in expectation the cross-entropy with the soft label itself.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tenor.files import atomic_file, read_json
from tenor.recipes.minbert.data import COLUMNS, LABELS
from tenor.recipes.recipe import Context
from tenor.recipes.rows import Row, read_rows, write_rows

COPIES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Softening:
    """Some models of sentiment alone, whose mean softens the labels."""

    count: int
    task: Mapping[str, Any]
    training: Mapping[str, Any]

    def soften(self, context: Context, train: Path, choose: Path, *, encoder: str) -> tuple[Path, str]:
        """Train the teachers, or go on with it, and return the rows with soft labels, and what it took."""
        with context.lasting("teachers-sentiment", settings=asdict(self)) as folder:
            runs = [folder / f"run-{number}" for number in range(self.count)]
            for number, run in enumerate(runs):
                if not (run / "metrics.json").is_file():
                    # The seed of no student: none is to be nearer to a teacher than the others.
                    self._train(100 * number, train, choose, run, encoder, context)
            file = folder / "softened.jsonl"
            if not file.is_file():
                rows = read_rows(train)
                mean = np.mean([_said(run / "model", rows) for run in runs], axis=0)
                with atomic_file(file) as aside:
                    write_rows(aside, softened(rows, mean, LABELS["sentiment"]))
        tokens = sum(read_json(run / "metrics.json")["tokens"] for run in runs)
        return (
            file,
            f"The {self.count} teachers of sentiment took {tokens:,} training tokens, once for all seeds.",
        )

    def _train(self, seed: int, train: Path, choose: Path, run: Path, encoder: str, context: Context) -> None:
        from tenor.recipes.fixed_training import POOLING, fixed_training
        from tenor.tasks.classify.kind import ClassifyConfig
        from tenor.training.callbacks import StepProgress
        from tenor.training.config import RunConfig
        from tenor.training.running import train_run

        task = ClassifyConfig(
            train=train, dev=choose, columns=COLUMNS["sentiment"], labels=LABELS["sentiment"], **self.task
        )
        whole = RunConfig(
            encoder=encoder, pooling=POOLING, seed=seed, tasks={"sentiment": task},
            training=fixed_training(**self.training),
        )  # fmt: skip
        train_run(whole, out=run, callbacks=[StepProgress(context.progress)])


def _said(teacher: Path, rows: Sequence[Row]) -> NDArray[np.float64]:
    import tenor
    from tenor.model.predicting import predict

    model = tenor.load(teacher, precision="fp32")
    return np.asarray(predict(model, model.tasks["sentiment"], [[row["text"]] for row in rows]))


def softened(
    rows: Sequence[Row], said: NDArray[np.float64], labels: Sequence[str], *, copies: int = COPIES
) -> list[Row]:
    """Return each row ``copies`` times, its labels in proportion to half its label and half ``said`` [n, c].

    >>> rows = softened([{"text": "fine", "label": "3"}], np.array([[0, 0, 0.2, 0.6, 0.2]]), "01234")
    >>> [row["label"] for row in rows]
    ['3', '3', '3', '2']
    """
    own = np.array([[label == row["label"] for label in labels] for row in rows], dtype=np.float64)
    counts = apportioned((own + said / said.sum(axis=1, keepdims=True)) / 2, copies)
    order = np.argsort(-counts, axis=1, kind="stable")
    return [
        row | {"label": labels[place]}
        for row, places, count in zip(rows, order.tolist(), counts, strict=True)
        for place in places
        for _ in range(count[place])
    ]


def apportioned(shares: NDArray[np.float64], seats: int) -> NDArray[np.int64]:
    """Part so many seats by shares [n, c] that sum to 1, by the largest remainders, the first of equals."""
    exact = shares * seats
    counts = np.floor(exact + 1e-9).astype(np.int64)
    left = seats - counts.sum(axis=1)
    rank = np.argsort(np.argsort(counts - exact, axis=1, kind="stable"), axis=1, kind="stable")
    counts += rank < left[:, None]
    return counts
