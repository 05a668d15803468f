"""Summary statistics of word vectors."""

from typing import Any

import numpy as np

from tenor.words.neighbours import unit_rows
from tenor.words.vectors import WordVectors

_SAMPLE = 2000  # words of the mean cosine, spread evenly


def describe(vectors: WordVectors) -> dict[str, Any]:
    """Return size, norms, zero vectors and anisotropy (the mean cosine of two words).

    >>> describe(WordVectors(["a", "b"], [[3, 4], [0, 0]]))["zero vectors"]
    1
    """
    lengths = np.sqrt(np.einsum("nd,nd->n", vectors.vectors, vectors.vectors, dtype=np.float64))
    sample = np.unique(np.linspace(0, len(vectors) - 1, min(_SAMPLE, len(vectors))).astype(np.int64))
    units = unit_rows(np.asarray(vectors.vectors[sample])).astype(np.float64)
    count = len(units)
    # The sum of all pairs' cosines is that of the summed vector, less every vector with itself.
    total = float(np.sum(units.sum(axis=0) ** 2) - np.sum(units * units))
    return {
        "name": vectors.name,
        "words": len(vectors),
        "vector size": vectors.vector_size,
        "first words": vectors.words[:8],
        "counts": vectors.counts is not None,
        "context vectors": vectors.contexts is not None,
        "subword buckets": 0 if vectors.subwords is None else len(vectors.subwords.table),
        "mean norm": float(lengths.mean()),
        "smallest norm": float(lengths.min()),
        "largest norm": float(lengths.max()),
        "zero vectors": int(np.sum(lengths == 0)),
        "mean cosine": total / (count * (count - 1)) if count > 1 else 0.0,
    }
