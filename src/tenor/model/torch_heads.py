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

from tenor.encoders.bert.checkpoint import BertCheckpoint
from tenor.encoders.bert.encoder import BertEncoder
from tenor.errors import TenorError
from tenor.machine import guard
from tenor.model.encoding import Progress
from tenor.model.folder import ModelFolder
from tenor.model.heads import TrainedTask, write_heads
from tenor.model.network import Network
from tenor.model.save import new_folder, write_settings
from tenor.tasks.building import tasks_of
from tenor.tasks.text_task import TextTask
from tenor.text.batching import plan_batches
from tenor.text.examples import Origin, Pair, Sentence

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
) -> None:
    """Write a trained network to a new folder.

    ``settings`` are those of the folder that the encoder came from, ``name`` is what it was called;
    ``scores`` holds dev scores by task, ``made`` says how it was trained. Tasks that have no specification
    (kinds of one's own) are left out and named in ``made``.
    """
    encoder = network.encoder
    if not isinstance(encoder, BertEncoder):
        raise TenorError(
            f"A {type(encoder).__name__} cannot be written as a model folder; BERT encoders can."
        )
    settings = replace(settings, pooling=network.pooling)
    tasks = trained_tasks(network, scores or {})
    others = [each for each in network.tasks if each not in tasks]
    with new_folder(folder) as aside:
        original = BertCheckpoint.load(settings.encoder)
        replace(original, encoder=encoder).save(aside, keep_formats=False)
        write_heads(aside, tasks)
        told = {"how": "trained", "from": name, **(made or {})} | ({"left_out": others} if others else {})
        write_settings(aside, settings, width=_width(network), name=Path(folder).name, made=told, tasks=tasks)


def trained_tasks(network: Network, scores: Mapping[str, Mapping[str, Any]]) -> dict[str, TrainedTask]:
    """Return the tasks of a network with the weights of their heads as arrays."""
    tasks = {}
    for name, task in network.tasks.items():
        if isinstance(task, TextTask):
            named = task.head.state_dict() | {
                f"vectors.{key}": value for key, value in task.vectors.state_dict().items()
            }
            # Batch norm's count of batches is no weight: with a fixed momentum nothing reads it.
            weights = {
                key: value.detach().float().cpu().numpy()
                for key, value in named.items()
                if not key.endswith("num_batches_tracked")
            }
            tasks[name] = TrainedTask(name, task.spec, weights, dict(scores.get(name, {})))
    return tasks


def predict_in_torch(
    model: "Model", task: TrainedTask, rows: Sequence[Sequence[str]], *, progress: Progress | None = None
) -> NDArray[Any]:
    """Return what a task says of rows of one or two texts, reading the encoder's states in torch."""
    network = model.network
    ready = network.task(task.name)
    data = ready.prepare([_example(row) for row in rows], model.tokenizer)
    lengths = data.tokens.lengths.reshape(-1, data.sides).sum(axis=1)
    found: list[NDArray[Any]] = []
    order: list[NDArray[np.int64]] = []
    with torch.inference_mode():
        for chosen in plan_batches(lengths, _BUDGET):
            batch = ready.collate(data, chosen)
            found.append(ready.predict(network({task.name: batch})[task.name], batch))
            order.append(chosen)
            if progress is not None:
                progress(len(chosen))
    if not found:
        return ready.predict(
            torch.zeros(0, task.spec.outputs), ready.collate(data, np.zeros(0, dtype=np.int64))
        )
    together = np.concatenate(found)
    out = np.empty_like(together)
    out[np.concatenate(order)] = together
    return out


def load_network(settings: ModelFolder, tasks: Mapping[str, TrainedTask]) -> Network:
    """Build the network of a model folder, for heads that numpy cannot run and for training on."""
    guard()  # before the process's first kernel
    encoder = BertCheckpoint.load(settings.encoder).encoder
    built = tasks_of(
        {name: task.spec for name, task in tasks.items()},
        width=encoder.config.width,
        layers=encoder.config.layers,
        pooling=settings.pooling,
    )
    for name, task in built.items():
        load_weights(task, tasks[name].weights)
    network = Network(encoder, pooling=settings.pooling, tasks=built)
    network.requires_grad_(False)
    return network.eval()


def load_weights(task: TextTask, weights: Mapping[str, NDArray[np.float32]]) -> None:
    """Put weights, as ``trained_tasks`` returns them, into a task's head and mix of layers."""
    for module, front in ((task.head, ""), (task.vectors, "vectors.")):
        for key, own in module.state_dict().items():
            if key.endswith("num_batches_tracked"):
                continue
            value = weights.get(front + key)
            if value is None or value.shape != tuple(own.shape):
                raise TenorError(f"The weight {key!r} of task {task.name} is missing or of another shape.")
            own.copy_(torch.from_numpy(np.array(value)))


def _example(row: Sequence[str]) -> Sentence | Pair:
    origin = Origin("given", 1)
    return Sentence(row[0], origin) if len(row) == 1 else Pair(row[0], row[1], origin)


def _width(network: Network) -> int:
    encoder = network.encoder
    assert isinstance(encoder, BertEncoder)
    return encoder.config.width * len(network.pooling.kinds)
