"""Heads that read more of the encoder than its pooled vectors, run in torch; and trained networks as folders.

A network that was trained is written in the layout of its source: the encoder's weights under the names of
the original checkpoint, its tokenizer and settings, and the heads beside them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.machine import guard
from tenor.model.folder import ModelFolder
from tenor.model.heads import TrainedTask, write_heads
from tenor.model.network import Network
from tenor.model.save import new_folder, write_settings
from tenor.progress import Progress
from tenor.tasks.mlm.task import MlmTask
from tenor.tasks.table import kind_of, tasks_of
from tenor.tasks.task import join_predictions
from tenor.text.batching import plan_batches
from tenor.text.examples import Origin

if TYPE_CHECKING:
    from tenor.model.model import Model

_BUDGET = 1024  # tokens of a pass


def save_trained(
    network: Network,
    settings: ModelFolder,
    folder: str | Path,
    *,
    name: str,
    scores: Mapping[str, Mapping[str, Any]] | None = None,
    made: Mapping[str, Any] | None = None,
    columns: Mapping[str, Mapping[str, Any]] | None = None,
) -> None:
    """Write a trained network to a new folder.

    ``settings`` are those of the folder that the encoder came from, ``name`` is what it was called;
    ``scores`` holds dev scores by task, ``made`` says how it was trained, ``columns`` which
    columns of its files a task was trained on. Tasks that have no specification (kinds of one's own) are left
    out and named in ``made``.
    """
    if network.adapter is not None:
        raise TenorError(
            "The model has a module between encoder and heads, which a folder cannot keep; use it from "
            "Python."
        )
    settings = replace(settings, pooling=network.pooling)
    tasks = trained_tasks(network, scores or {}, columns or {})
    others = [each for each in network.tasks if each not in tasks]
    with new_folder(folder) as aside:
        _save_encoder(network, settings, aside)
        write_heads(aside, tasks)
        told = {"how": "trained", "from": name, **(made or {})} | ({"left_out": others} if others else {})
        write_settings(aside, settings, width=network.size, name=Path(folder).name, made=told, tasks=tasks)


def _save_encoder(network: Network, settings: ModelFolder, folder: Path) -> None:
    """Write the encoder; a pre-trained one with the head of its language model, as others open it."""
    tasks = network.all_tasks()
    heads = [task for task in tasks if isinstance(task, MlmTask) and task.spec.shares_head_of is None]
    if len(heads) == 1 and all(isinstance(task, MlmTask) for task in tasks):
        head = heads[0].published_weights()
        settings.type.save_language_model(network.encoder, folder, source=settings.encoder, head=head)
    else:
        settings.type.save(network.encoder, folder, source=settings.encoder)


def trained_tasks(
    network: Network, scores: Mapping[str, Mapping[str, Any]], columns: Mapping[str, Mapping[str, Any]]
) -> dict[str, TrainedTask]:
    """Return the tasks of a network that a folder can keep, with their weights as arrays."""
    tasks = {}
    for task in network.all_tasks():
        name = task.name
        if task.spec is not None:
            weights = {
                key: value.detach().float().cpu().numpy() for key, value in task.saved_weights().items()
            }
            made = {"columns": dict(columns[name])} if columns.get(name) else {}
            tasks[name] = TrainedTask(name, task.spec, weights, dict(scores.get(name, {})), made)
    return tasks


def predict_in_torch(
    model: "Model", task: TrainedTask, rows: Sequence[Any], *, progress: Progress | None = None
) -> Any:
    """Return what a task says of rows, reading the encoder's states in torch."""
    network = model.network
    ready = network.task(task.name)
    kind, origin = kind_of(task.spec.kind), Origin("given", 1)
    data = ready.prepare([kind.example(row, origin) for row in rows], model.tokenizer)
    parts: list[Any] = []
    order: list[NDArray[np.int64]] = []
    with torch.inference_mode():
        for chosen in plan_batches(data.costs(), _BUDGET):
            batch = ready.collate(data, chosen)
            parts.append(ready.predict(network({task.name: batch})[task.name], batch))
            order.append(chosen)
            if progress is not None:
                progress(len(chosen))
    if not parts:
        empty = ready.collate(data, np.zeros(0, dtype=np.int64))
        return ready.predict(ready(network.see({task.name: empty})[task.name], empty), empty)
    return join_predictions(parts, order)


def load_network(settings: ModelFolder, tasks: Mapping[str, TrainedTask], *, int8: bool = False) -> Network:
    """Build the network of a model folder, for tasks that numpy cannot run.

    ``int8`` is for encoders that have such products in torch; others stay in float32.
    """
    guard()  # before the process's first kernel
    encoder = settings.type.load(settings.encoder)
    specs = {name: task.spec for name, task in tasks.items()}
    built = tasks_of(specs, encoder=encoder, pooling=settings.pooling)
    for name, task in built.items():
        task.load_weights(tasks[name].weights)
    network = Network(encoder, pooling=settings.pooling, tasks=built)
    network.requires_grad_(False)
    if int8:
        encoder.quantize()
    return network.eval()
