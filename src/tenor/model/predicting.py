"""What a model's tasks say of rows.

A head that reads the model's own vectors runs in numpy on whatever engine encodes. Any other task (a pooling
of its own, two texts as one sequence, a tagger, a kind of one's own) reads other states of the encoder and
runs in torch, which is imported only then.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.model.encoding import Long
from tenor.model.heads import TrainedTask
from tenor.progress import Progress
from tenor.tasks.heads.in_numpy import run_head
from tenor.tasks.texts.jaccard import jaccard, special_ids
from tenor.tasks.texts.spec import TextSpec
from tenor.text.tokens import Tokens

if TYPE_CHECKING:
    from tenor.model.model import Model

Floats = NDArray[np.float32]


def predict(
    model: "Model",
    task: TrainedTask,
    rows: Sequence[Any],
    *,
    long: Long = "truncate",
    progress: Progress | None = None,
) -> Any:
    """Return what a task says of rows, each a tuple of texts or whatever its kind takes.

    Probabilities [n, labels], scores [n], vectors of both texts [n, 2, size] where a task gives nothing else,
    or a list with an array per row.
    """
    rows = _checked(task, rows)
    if not reads_vectors(model, task):
        from tenor.model.torch_heads import predict_in_torch

        return predict_in_torch(model, task, rows, progress=progress)
    sides = [[row[side] for row in rows] for side in range(task.spec.texts)]
    vectors = model.pooled([text for side in sides for text in side], long=long, progress=progress)
    return predict_from_vectors(model, task, np.split(vectors, len(sides)), sides)


def _checked(task: TrainedTask, rows: Sequence[Any]) -> Sequence[Any]:
    """Refuse rows that are not what the task reads; a plain text is a row of a task about one text."""
    if isinstance(rows, str):
        raise TypeError("predict takes a list of rows; a single text goes in a list of its own.")
    spec = task.spec
    if not isinstance(spec, TextSpec) or spec.answers_words:
        return rows
    rows = rows.tolist() if hasattr(rows, "tolist") else rows
    tuples = [(row,) if isinstance(row, str) else tuple(row) for row in rows]
    for place, row in enumerate(tuples):
        if len(row) < spec.texts or not all(isinstance(text, str) for text in row[: spec.texts]):
            needed = "a text" if spec.texts == 1 else f"a tuple of {spec.texts} texts"
            raise TenorError(
                f"Task {task.name} reads {needed} per row, but row {place} (from 0) is {rows[place]!r:.60}."
            )
    return tuples


def reads_vectors(model: "Model", task: TrainedTask) -> bool:
    """Whether the head reads nothing but the vectors that the model gives for single texts."""
    return isinstance(task.spec, TextSpec) and task.spec.reads_default(model.settings.pooling)


def predict_from_vectors(
    model: "Model",
    task: TrainedTask,
    vectors: Sequence[Floats],
    texts: Sequence[Sequence[str]],
    *,
    tokens: Sequence[Tokens] | None = None,
) -> NDArray[Any]:
    """Return the same from the pooled vectors of each side [n, size], where these are there already.

    ``tokens`` are those of each side, where they are there too.
    """
    spec = task.spec
    assert isinstance(spec, TextSpec)
    if not spec.answers_rows:
        return np.stack(vectors, axis=1)
    overlap = None
    if "jaccard" in spec.features:
        first, second = tokens or [model.tokenizer.tokenize(side) for side in texts]
        overlap = jaccard(first, second, specials=special_ids(model.tokenizer))
    logits = run_head(spec, task.weights, vectors, overlap)
    if not np.isfinite(logits).all():
        raise TenorError(
            f"Task {task.name} of {model.name} gives numbers that are not finite: the weights of its head "
            "are far too large, so train it again."
        )
    return spec.predictions(logits)
