"""The vector index of a large store: when it is built, of what kind, and how it is queried.

Below 50,000 rows there is none: comparing a query with every vector is fast enough there, and exact. Above,
a navigable graph (HNSW; Malkov and Yashunin, 2016) over vectors of one byte per number finds candidates, and
the vectors themselves rank twice as many of them as are asked for. Later additions join as small graphs of
their own. Inverted files (IVF) are built faster but need more time per query for the same recall, also under
filters; `bench/search.py` measures both.
"""

from dataclasses import dataclass
from math import ceil
from typing import Any

LEAST_ROWS = 50_000
MOST_SEGMENTS = 32  # small graphs of later additions; each costs a query some time
_ROWS_PER_GRAPH = 250_000  # bounds the memory that building one takes
_M, _EF_CONSTRUCTION = 20, 150
_EF, _EF_PER_HIT, _REFINE_FACTOR = 160, 3, 2


@dataclass(frozen=True)
class HnswConfig:
    """How to build and query the HNSW graphs.

    >>> hnsw_for(10_000), hnsw_for(2_500_000)
    (None, HnswConfig(graphs=10))
    """

    graphs: int

    def index_config(self) -> Any:
        """Return the store's description of the index to build."""
        from lancedb.index import HnswSq

        return HnswSq(
            distance_type="cosine", num_partitions=self.graphs, m=_M, ef_construction=_EF_CONSTRUCTION
        )

    def tune(self, query: Any, k: int) -> Any:
        """Return a query of the store, for ``k`` hits, that asks all graphs with enough candidates."""
        ef = max(_EF, _EF_PER_HIT * k)
        return query.nprobes(self.graphs).ef(ef).refine_factor(_REFINE_FACTOR)


def hnsw_for(rows: int) -> HnswConfig | None:
    """Return the configuration for so many rows, or None where an exact search is fast enough."""
    return HnswConfig(ceil(rows / _ROWS_PER_GRAPH)) if rows >= LEAST_ROWS else None
