"""Scoring tasks on dev rows, and keeping account of the best.

A row's prediction does not depend on what else is in its batch, so rows are grouped by length and put back
into order. The monitored score is one task's (``sentiment.accuracy``) or the mean of all tasks' main scores,
in which a score that is better when lower counts negated.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from tenor.errors import TenorError, did_you_mean
from tenor.model.network import Network, evaluating
from tenor.tasks.task import TaskData, join_predictions
from tenor.text.batching import plan_batches
from tenor.training.learner import Evaluation

MEAN = "mean"
_FEW = 8  # rows by which it is found out which scores there are


def evaluate_tasks(
    network: Network, dev: Mapping[str, TaskData], *, budget: int = 2048
) -> dict[str, Evaluation]:
    """Return the scores of every task that has dev rows."""
    found = {}
    for name, data in dev.items():
        predictions, loss = predict_task(network, name, data, budget=budget)
        task = network.task(name)
        found[name] = Evaluation(
            scores=task.score(predictions, data), metric=task.metric, rows=len(data), loss=loss
        )
    return found


@torch.no_grad()
def predict_task(
    network: Network, name: str, data: TaskData, *, budget: int = 2048
) -> tuple[Any, float | None]:
    """Return a task's predictions for all rows, in their order, and its mean loss where there are targets."""
    task, parts, places = network.task(name), [], []
    total = size = 0.0
    with evaluating(network):
        for rows in plan_batches(data.costs(), budget):
            batch = task.collate(data, rows).to(network.device)
            output = network({name: batch})[name]
            parts.append(task.predict(output, batch))
            places.append(rows)
            if data.targets is not None:
                own = task.size(batch)
                total += own * sum(float(loss) for loss in task.losses(output, batch).values())
                size += own
    if not parts:
        raise TenorError(f"The task {name!r} has no dev rows; leave its dev file out, or give one with rows.")
    return join_predictions(parts, places), total / size if size else None


def check_monitor(network: Network, dev: Mapping[str, TaskData], monitor: str) -> None:
    """Make sure before any training that there is such a score, by scoring a few rows."""
    some = {name: data.head(_FEW) for name, data in dev.items() if monitor.startswith(name)}
    if monitor != MEAN:
        known = {name: Evaluation(scores={}, metric=network.task(name).metric, rows=0) for name in dev}
        monitored(known | evaluate_tasks(network, some), monitor)


def monitored(evaluations: Mapping[str, Evaluation], monitor: str) -> float:
    """Return the monitored score, negated where lower is better."""
    if monitor == MEAN:
        return float(np.mean([oriented(each) for each in evaluations.values()]))
    task, _, name = monitor.rpartition(".")
    evaluation = evaluations.get(task or monitor)
    if evaluation is None:
        near = did_you_mean(task or monitor, evaluations) or f" Known are: {', '.join(evaluations)}."
        raise TenorError(f"monitor is {monitor!r}, but no task of that name has a dev file.{near}")
    if not task:
        return oriented(evaluation)
    if name not in evaluation.scores:
        near = did_you_mean(name, evaluation.scores) or f" Known are: {', '.join(evaluation.scores)}."
        raise TenorError(f"monitor is {monitor!r}, but the task {task!r} has no score {name!r}.{near}")
    if name == evaluation.metric.name:
        return oriented(evaluation)
    return evaluation.scores[name]


def oriented(evaluation: Evaluation) -> float:
    """Return a task's main score, negated where lower is better."""
    return evaluation.main if evaluation.metric.higher_is_better else -evaluation.main
