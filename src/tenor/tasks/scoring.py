"""How good predictions are: every score of a kind of task, plain for the loop, with intervals for people."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tenor.metrics.classes import class_figures, class_scores, confusion, label_scores
from tenor.metrics.correlation import pearson, spearman
from tenor.metrics.intervals import Interval, bootstrap
from tenor.tasks.predictions import chosen
from tenor.tasks.spec import TaskSpec

_QUERIES = 512  # compared with all texts at once


def plain_scores(spec: TaskSpec, predictions: NDArray[Any], targets: NDArray[Any]) -> dict[str, float]:
    """Return all scores of a task without intervals, quickly."""
    if spec.kind == "similarity":
        found = {"pearson": pearson(targets, predictions), "spearman": spearman(targets, predictions)}
        return {name: float(value) for name, value in found.items()}
    if spec.kind == "match":
        return {name: float(values.mean()) for name, values in match_columns(predictions, targets).items()}
    if spec.separator is not None:
        labels = label_scores(targets, chosen(spec, predictions), repeats=1)
        return {name: interval.estimate for name, interval in labels.items()}
    table = confusion(targets, chosen(spec, predictions), len(spec.labels))
    return {name: float(value) for name, value in class_figures(table).items()}


def interval_scores(
    spec: TaskSpec,
    predictions: NDArray[Any],
    targets: NDArray[Any],
    *,
    repeats: int = 1000,
    seed: int = 0,
) -> dict[str, Interval]:
    """Return all scores of a task with their bootstrap intervals."""
    if spec.kind == "similarity":
        kinds = {"pearson": pearson, "spearman": spearman}
        return {
            name: bootstrap(kind, targets, predictions, repeats=repeats, seed=seed)
            for name, kind in kinds.items()
        }
    if spec.kind == "match":
        columns = match_columns(predictions, targets)
        return {
            name: bootstrap(_mean, values, repeats=repeats, seed=seed) for name, values in columns.items()
        }
    told = chosen(spec, predictions)
    if spec.separator is not None:
        return label_scores(targets, told, repeats=repeats, seed=seed)
    return class_scores(targets, told, len(spec.labels), repeats=repeats, seed=seed)


def match_columns(vectors: NDArray[Any], texts: NDArray[np.int64]) -> dict[str, NDArray[np.float64]]:
    """Return, per row, how well each text of a pair finds the other among all others of its side.

    ``vectors`` [n, 2, d] are the two sides; ``texts`` [n, 2 …] number the texts, so that a text that stands
    in several rows is never held against its own copies. ``mrr`` and ``recall_at_1`` are means of both
    directions.
    """
    unit = vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)
    found = {}
    for name, (query, other) in {"first": (0, 1), "second": (1, 0)}.items():
        rank = _ranks(unit[:, query], unit[:, other], texts[:, query], texts[:, other])
        found[f"mrr_{name}"] = 1.0 / rank
        found[f"recall_at_1_{name}"] = (rank == 1).astype(np.float64)
    for name in ("mrr", "recall_at_1"):
        found[name] = (found[f"{name}_first"] + found[f"{name}_second"]) / 2
    return found


def _ranks(
    queries: NDArray[Any], others: NDArray[Any], query: NDArray[np.int64], other: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the rank of each query's own partner; a tie counts against it, copies of it do not count.

    Equal texts of other rows are one candidate, and partners of the same query in other rows are none.
    """
    candidates, first = np.unique(other, return_index=True)
    place = np.searchsorted(candidates, other)
    ranks = np.empty(len(queries))
    partners: dict[int, list[int]] = {}
    for number, candidate in zip(query.tolist(), place.tolist(), strict=True):
        partners.setdefault(number, []).append(candidate)
    for start in range(0, len(queries), _QUERIES):
        rows = np.arange(start, min(start + _QUERIES, len(queries)))
        cosines = queries[rows] @ others[first].T  # [rows, candidates]
        own = cosines[np.arange(len(rows)), place[rows]].copy()
        for at, row in enumerate(rows):
            cosines[at, partners[int(query[row])]] = -np.inf
        ranks[rows] = 1 + (cosines >= own[:, None]).sum(axis=1)
    return ranks


def _mean(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(values.mean(axis=-1))
