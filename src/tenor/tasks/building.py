"""Tasks out of the sections of a run file and their examples, or out of what a model folder says."""

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

import torch

from tenor.errors import TenorError
from tenor.layers.pooling_config import PoolingConfig
from tenor.tasks.classify import ClassifyTask, LabelTask
from tenor.tasks.config import TaskConfig
from tenor.tasks.heads.head import TaskHead
from tenor.tasks.match import MatchTask
from tenor.tasks.pair import PairTask
from tenor.tasks.similarity import SimilarityTask
from tenor.tasks.spec import TaskSpec, joined, settle
from tenor.tasks.targets import balancing, label_targets
from tenor.tasks.text_task import TextTask
from tenor.tasks.vectors import TextVectors, check_apart

_LABELLED: Mapping[str, type[LabelTask]] = {"classify": ClassifyTask, "pair": PairTask}


def build_tasks(
    configs: Mapping[str, TaskConfig],
    examples: Mapping[str, Sequence[Any]],
    *,
    width: int,
    layers: int,
    pooling: PoolingConfig,
    seed: int = 1,
) -> dict[str, TextTask]:
    """Build the tasks of a run: ``examples`` to train on by task; ``width`` and ``layers`` of the encoder.

    A head's first weights depend on the seed and the task's name alone, not on what other tasks there are.
    """
    for name in configs:
        if not name or "." in name or ":" in name:
            raise TenorError(f"A task cannot be called {name!r}: a name has no dot and no colon.")
    specs = {name: settle(config, examples[name], name=name) for name, config in configs.items()}
    tasks = tasks_of(specs, width=width, layers=layers, pooling=pooling, seed=seed)
    for name, task in tasks.items():
        task.weight = configs[name].weight
        if isinstance(task, LabelTask) and task.spec.balanced and task.spec.separator is None:
            targets = label_targets(task.spec, examples[name], name=name)
            task.label_weights = torch.from_numpy(balancing(targets, len(task.spec.labels)))
    return tasks


def tasks_of(
    specs: Mapping[str, TaskSpec], *, width: int, layers: int, pooling: PoolingConfig, seed: int = 1
) -> dict[str, TextTask]:
    """Build tasks from settled specifications; a shared head and its pooling are the same objects in both."""
    specs = joined(specs)
    parts = {
        name: _parts(spec, width, layers, pooling, _own_seed(seed, name))
        for name, spec in specs.items()
        if spec.share is None
    }
    return {name: _task(name, spec, *parts[spec.share or name]) for name, spec in specs.items()}


def _parts(
    spec: TaskSpec, width: int, layers: int, pooling: PoolingConfig, seed: int
) -> tuple[TaskHead, TextVectors]:
    own = spec.own_pooling(pooling)
    if spec.apart:
        check_apart(own)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        head = TaskHead(spec, width * len(own.kinds), hidden=width)
        return head, TextVectors(own, layers=layers + 1)


def _own_seed(seed: int, name: str) -> int:
    return int.from_bytes(blake2b(f"{seed} {name}".encode(), digest_size=7).digest(), "little")


def _task(name: str, spec: TaskSpec, head: TaskHead, vectors: TextVectors) -> TextTask:
    if spec.kind in _LABELLED:
        return _LABELLED[spec.kind](name, spec, head=head, vectors=vectors)
    kind = SimilarityTask if spec.kind == "similarity" else MatchTask
    return kind(name, spec, head=head, vectors=vectors)
