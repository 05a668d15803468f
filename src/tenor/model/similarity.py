"""How alike vectors are, by the functions that sentence-transformers names: the higher, the more alike."""

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError

SimilarityName = Literal["cosine", "dot", "euclidean", "manhattan"]


def similarity_name(name: str | None, *, model: str) -> SimilarityName:
    """Return a function's name as a folder has it, cosine where it has none."""
    for known in get_args(SimilarityName):
        if name in (known, None):
            return known if name else "cosine"
    known = ", ".join(get_args(SimilarityName))
    raise TenorError(f"{model} asks for the similarity function {name!r}; known are {known}.")


def similarity(name: SimilarityName, first: Any, second: Any, *, pairwise: bool = False) -> Any:
    """Compare all rows of two arrays or tensors [n, m], or those in the same places [n] if ``pairwise``.

    Distances are negated. A zero vector has the cosine 0 with all.

    >>> similarity("cosine", [[1.0, 0.0], [1.0, 1.0]], [[2.0, 0.0]]).round(3).tolist()
    [[1.0], [0.7070000171661377]]
    >>> similarity("euclidean", [[0.0, 0.0]], [[3.0, 4.0]], pairwise=True).tolist()
    [-5.0]
    """
    tensors = any(hasattr(each, "detach") for each in (first, second))
    rows, others = _rows(first), _rows(second)
    if rows.shape[1] != others.shape[1]:
        raise ValueError(
            f"Vectors of {rows.shape[1]} and of {others.shape[1]} dimensions cannot be compared."
        )
    if pairwise and len(rows) != len(others):
        raise ValueError(f"Expected as many vectors on both sides, not {len(rows)} and {len(others)}.")
    found = np.asarray(_compare(name, rows, others, pairwise), dtype=np.float32)
    if not tensors:
        return found
    import torch

    return torch.from_numpy(found)


def _rows(vectors: Any) -> NDArray[np.float32]:
    if hasattr(vectors, "detach"):
        vectors = vectors.detach().cpu().float().numpy()
    rows = np.asarray(vectors, dtype=np.float32)
    return rows[None] if rows.ndim == 1 else rows


def _compare(name: SimilarityName, first: Any, second: Any, pairwise: bool) -> Any:
    if name == "cosine":
        first, second = _unit(first), _unit(second)
    if name in ("cosine", "dot"):
        return np.einsum("nw,nw->n", first, second) if pairwise else first @ second.T
    if pairwise:
        return -np.linalg.norm(first - second, ord=2 if name == "euclidean" else 1, axis=1)
    from scipy.spatial.distance import cdist

    return -cdist(first, second, "euclidean" if name == "euclidean" else "cityblock")


def _unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.maximum(lengths, 1e-12), dtype=np.float32)
