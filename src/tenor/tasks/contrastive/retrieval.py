"""How well each text of a pair finds the other among all others of its side."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

_QUERIES = 512  # compared with all texts at once


def retrieval_columns(vectors: NDArray[Any], texts: NDArray[np.int64]) -> dict[str, NDArray[np.float64]]:
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
