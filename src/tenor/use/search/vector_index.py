"""The neighbour structure of a large index: when it is made, of what kind, and how it is asked.

Below 50,000 rows there is none: comparing a query with every vector takes the store about a millisecond per
thousand rows, and is exact. Above, a navigable graph (HNSW) over vectors of one byte per number finds
candidates, and the vectors themselves rank twice as many of them as are asked for.

Measured on 200,000 real sentences (MiniLM, 384 numbers, one thread): the graph reaches a recall@10 of 0.99 in
about 5 ms per query where inverted files (IVF flat, SQ, 448 lists) need 11 ms for 0.95, and keeps it under
filters; it takes 135 s to make against their 20 s, which encoding the texts exceeds. Additions join as small
graphs of their own within a second. `bench/search.py` shows the figures of a machine.
"""

from dataclasses import dataclass
from math import ceil
from typing import Any

LEAST_ROWS = 50_000
MOST_SEGMENTS = 32  # small graphs of later additions; each costs a query some 0.2 ms
_ROWS_PER_GRAPH = 250_000  # making one takes some 4 kB of memory per row at 384 numbers
_LINKS, _CARE = 20, 150  # per vector; candidates looked at when it is linked in
_CANDIDATES, _PER_HIT, _RERANKED = 160, 3, 2


@dataclass(frozen=True)
class Plan:
    """How to make and ask the neighbour structure.

    >>> plan_for(10_000), plan_for(2_500_000)
    (None, Plan(graphs=10))
    """

    graphs: int

    def config(self) -> Any:
        """Return the store's description of the structure to make."""
        from lancedb.index import HnswSq

        return HnswSq(distance_type="cosine", num_partitions=self.graphs, m=_LINKS, ef_construction=_CARE)

    def tune(self, query: Any, k: int) -> Any:
        """Return a query of the store, for ``k`` hits, that asks all graphs with enough candidates."""
        candidates = max(_CANDIDATES, _PER_HIT * k)
        return query.nprobes(self.graphs).ef(candidates).refine_factor(_RERANKED)


def plan_for(rows: int) -> Plan | None:
    """Return the plan for so many rows, or None where an exact search is fast enough."""
    return Plan(ceil(rows / _ROWS_PER_GRAPH)) if rows >= LEAST_ROWS else None
