"""What a model's heads say of texts.

A head that reads the model's own vectors runs in numpy on whatever engine encodes. A head with a pooling of
its own, or one that reads two texts as one sequence, needs other states of the encoder and runs in torch,
which is imported only then.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tenor.model.encoding import Long, Progress
from tenor.model.heads import TrainedTask
from tenor.tasks.heads.in_numpy import run_head
from tenor.tasks.jaccard import jaccard, special_ids
from tenor.tasks.predictions import predictions_of

if TYPE_CHECKING:
    from tenor.model.model import Model

Floats = NDArray[np.float32]


def predict(
    model: "Model",
    task: TrainedTask,
    rows: Sequence[Sequence[str]],
    *,
    long: Long = "truncate",
    progress: Progress | None = None,
) -> NDArray[Any]:
    """Return what a task says of rows of one or two texts: probabilities [n, labels], scores [n], or for a
    match the vectors of both texts [n, 2, width].
    """
    sides = [[row[side] for row in rows] for side in range(1 if task.spec.kind == "classify" else 2)]
    if not task.spec.reads_default(model.settings.pooling):
        from tenor.model.torch_heads import predict_in_torch

        return predict_in_torch(model, task, rows, progress=progress)
    vectors = model.pooled([text for side in sides for text in side], long=long, progress=progress)
    return predict_from_vectors(model, task, np.split(vectors, len(sides)), sides)


def predict_from_vectors(
    model: "Model", task: TrainedTask, vectors: Sequence[Floats], texts: Sequence[Sequence[str]]
) -> NDArray[Any]:
    """Return the same from the pooled vectors of each side [n, width], where these are at hand."""
    if task.spec.kind == "match":
        return np.stack(vectors, axis=1)
    overlap = None
    if "jaccard" in task.spec.features:
        first, second = (model.tokenizer.tokenize(side) for side in texts)
        overlap = jaccard(first, second, specials=special_ids(model.tokenizer))
    return predictions_of(task.spec, run_head(task.spec, task.weights, vectors, overlap))
