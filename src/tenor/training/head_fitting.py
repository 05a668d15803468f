"""Heads that are fitted to the encoder as it stands, before training or before every evaluation."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray

from tenor.model.network import Network, evaluating
from tenor.tasks.task import Reads, TaskData
from tenor.text.batching import plan_batches
from tenor.training.callbacks import Callback
from tenor.training.config import FitHeads
from tenor.training.learner import Learner
from tenor.training.task_learner import TaskLearner

if TYPE_CHECKING:
    from tenor.training.progress import Progress

_MOST = 20000  # rows whose vectors a fit is made from


class HeadFitting(Callback):
    """Fits the heads of all tasks that can be: at the start, or also whenever dev is scored."""

    name = "head_fitting"

    def __init__(self, when: FitHeads, *, listeners: Sequence[Callback] = ()) -> None:
        self.when, self.listeners = when, listeners

    def on_train_begin(self, learner: Learner, progress: "Progress") -> None:
        """Fit the heads of a run that begins."""
        if progress.step or not isinstance(learner, TaskLearner):
            return
        for name, how in fit_heads(learner.network, learner.train).items():
            for listener in self.listeners:
                listener.note(f"Task {name}: the head starts from {how}.")

    def scoring(self, learner: Learner) -> AbstractContextManager[None]:
        """Fit the heads to the encoder as it is by now."""
        return self._fitted(learner)

    @contextmanager
    def _fitted(self, learner: Learner) -> Iterator[None]:
        if self.when == "always" and isinstance(learner, TaskLearner):
            fit_heads(learner.network, learner.train)
        yield


def fit_heads(network: Network, train: Mapping[str, TaskData]) -> dict[str, str]:
    """Fit the heads that can be, and say by task how."""
    found = {}
    for name, data in train.items():
        task = network.task(name)
        if task.fits and data.targets is not None:
            rows = _some(len(data))
            found[name] = task.fit(_inputs(network, name, data, rows), data.targets[rows])
    return found


def _some(count: int) -> NDArray[np.int64]:
    """Return all rows, or a random choice of them that is the same each time."""
    if count <= _MOST:
        return np.arange(count)
    return np.sort(np.random.default_rng(0).choice(count, size=_MOST, replace=False))


@torch.no_grad()
def _inputs(
    network: Network, name: str, data: TaskData, rows: NDArray[np.int64], *, budget: int = 2048
) -> NDArray[np.float32]:
    """Return what the fitted layer of a task reads of some rows [n, f]."""
    task, parts, places = network.task(name), [], []
    with evaluating(network):
        for few in plan_batches(data.costs()[rows], budget):
            batch = task.collate(data, rows[few]).to(network.device)
            seen = network.see({name: batch}, reads=Reads())
            parts.append(task.fit_inputs(seen[name], batch).float().cpu().numpy())
            places.append(few)
    out = np.empty((len(rows), parts[0].shape[1]), dtype=np.float32)
    out[np.concatenate(places)] = np.concatenate(parts)
    return out
