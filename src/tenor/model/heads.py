"""The trained tasks of a model folder: ``tasks`` in ``tenor.json``, their weights in ``heads.safetensors``.

    "tasks": {"sentiment": {"spec": {"kind": "classify", "labels": […], …}, "scores": {…}, "made": {…}}}

A weight's name in the file is the task's name, a colon, and its name in the head. A task that shares the head
of another has no weights of its own. Everything is checked before it is used, and nothing here imports torch.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError, did_you_mean
from tenor.files import read_json
from tenor.layers.pooling_config import PoolingConfig
from tenor.migration import migrated
from tenor.model.folder import TENOR
from tenor.tasks.spec import TaskSpec
from tenor.tasks.table import joined, spec_from_json
from tenor.tensors import Stored, read_safetensors, write_safetensors

HEADS = "heads.safetensors"
Weights = Mapping[str, NDArray[np.float32]]


@dataclass(frozen=True, slots=True, eq=False)
class TrainedTask:
    """A task that a model can do: what it is, the weights of its head, how good it was on dev."""

    name: str
    spec: TaskSpec
    weights: Weights = field(default_factory=dict)
    scores: Mapping[str, Any] = field(default_factory=dict)
    made: Mapping[str, Any] = field(default_factory=dict)
    """How it was trained, for people."""

    def to_json(self) -> dict[str, Any]:
        """Return all but the weights."""
        return {"spec": self.spec.to_json(), "scores": dict(self.scores), "made": dict(self.made)}


def read_tasks(folder: str | Path, *, width: int, pooling: PoolingConfig) -> dict[str, TrainedTask]:
    """Read the tasks of a model folder; none where it has none. ``width`` is that of the encoder."""
    folder = Path(folder)
    if not (folder / TENOR).is_file():
        return {}
    content = read_json(folder / TENOR)
    tasks = content.get("tasks") if isinstance(content, dict) else None
    if tasks is None:
        return {}
    if content.get("format") == 1:
        tasks = _migrated(tasks)
    return tasks_from(tasks, folder / TENOR, folder / HEADS, width=width, pooling=pooling)


def tasks_from(
    tasks: Any, told: Path, heads: Path, *, width: int, pooling: PoolingConfig
) -> dict[str, TrainedTask]:
    """Build tasks from their table in the JSON file ``told`` and the weights in ``heads``, checking both."""
    if not isinstance(tasks, dict) or not all(isinstance(each, dict) for each in tasks.values()):
        raise TenorError(f"{told}: tasks must be a table of names and settings.")
    specs = joined(
        {name: spec_from_json(each.get("spec"), where=f"{told}: task {name}") for name, each in tasks.items()}
    )
    stored = read_safetensors(heads) if heads.is_file() else {}
    found = {}
    for name, spec in specs.items():
        weights = _weights_of(spec.shares_head_of or name, stored)
        shapes = spec.weight_shapes(width, pooling=pooling)
        check_weights(weights, shapes, where=f"{heads}: task {name}")
        scores, made = (tasks[name].get(key) or {} for key in ("scores", "made"))
        if not isinstance(scores, dict) or not isinstance(made, dict):
            raise TenorError(f"{told}: scores and made of task {name} must be tables.")
        found[name] = TrainedTask(name, spec, weights, scores, made)
    return found


def check_weights(weights: Weights, shapes: Mapping[str, tuple[int, ...]], *, where: str) -> None:
    """Refuse weights that are missing, of another shape or not finite, before anything is computed."""
    for name, shape in shapes.items():
        if name not in weights:
            raise TenorError(f"{where} lacks the weight {name!r} of its head.")
        if weights[name].shape != shape:
            found = weights[name].shape
            raise TenorError(f"{where}: {name!r} has the shape {found}, where the head asks for {shape}.")
    for name, weight in weights.items():
        if not np.isfinite(weight).all():
            raise TenorError(f"{where}: {name!r} holds numbers that are not finite; the file is damaged.")


def _migrated(tasks: Any) -> Any:
    """Return the tasks of an earlier format; what is no such table is refused where it is read."""
    if not isinstance(tasks, dict):
        return tasks
    return {
        name: each | {"spec": migrated(each["spec"])}
        if isinstance(each, dict) and isinstance(each.get("spec"), dict)
        else each
        for name, each in tasks.items()
    }


def write_heads(folder: Path, tasks: Mapping[str, TrainedTask]) -> None:
    """Write the weights of all heads, each once, as ``heads.safetensors``."""
    tensors = {
        f"{name}:{key}": Stored("F32", np.asarray(value, dtype=np.float32, order="C"))
        for name, task in tasks.items()
        if task.spec.shares_head_of is None
        for key, value in task.weights.items()
    }
    write_safetensors(folder / HEADS, tensors)


def trained_columns(task: TrainedTask, names: Sequence[str]) -> dict[str, str]:
    """Return the columns of a file, by role, that a task was trained on; none unless it has all of them."""
    given = task.made.get("columns")
    if not isinstance(given, dict) or not given:
        return {}
    found = {str(role): str(column) for role, column in given.items()}
    return found if set(found.values()) <= set(names) else {}


def find_task(tasks: Mapping[str, TrainedTask], name: str, *, model: str) -> TrainedTask:
    """Return a task by name, or say which there are."""
    if name in tasks:
        return tasks[name]
    known = f"It has: {', '.join(tasks)}." if tasks else "It has none: train some with tenor train."
    raise TenorError(f"{model} has no task {name!r}. {known}{did_you_mean(name, tasks)}")


def _weights_of(name: str, stored: Mapping[str, Stored]) -> dict[str, NDArray[np.float32]]:
    front = f"{name}:"
    return {
        key.removeprefix(front): tensor.to_float32()
        for key, tensor in stored.items()
        if key.startswith(front)
    }
