"""Queries of the store: each runs in an event loop of the thread that asks.

The store's blocking interface hands every small step of a query to one thread for all and back, six times for
a search by words. On a busy server every change of threads waits for the CPU, so that a search of two
milliseconds took hundreds. Here a thread changes only with the store's own.
"""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from tenor.use.search.vector_index import HnswConfig

T = TypeVar("T")


class StoreQueries:
    """A table of the store at one version, to be asked from any thread."""

    def __init__(self, folder: Path, table: str, version: int) -> None:
        self._table = _run(_open(folder, table, version))

    def nearest(
        self, vector: Any, k: int, *, fields: Sequence[str], condition: str | None, hnsw: HnswConfig | None
    ) -> Any:
        """Return an arrow table of the ``k`` rows of highest cosine, with the field ``_distance``."""

        def query(table: Any) -> Any:
            found = table.query().nearest_to(vector).column("vector").distance_type("cosine").limit(k)
            return hnsw.tune(found, k) if hnsw else found.bypass_vector_index()

        return self._ask(query, fields, condition)

    def matching(self, words: str, k: int, *, fields: Sequence[str], condition: str | None) -> Any:
        """Return an arrow table of the ``k`` rows of highest BM25, with the field ``_score``."""
        return self._ask(
            lambda table: table.query().nearest_to_text(words, columns="text").limit(k), fields, condition
        )

    def _ask(self, query: Callable[[Any], Any], fields: Sequence[str], condition: str | None) -> Any:
        async def ask() -> Any:
            asked = query(self._table).select(list(fields))
            return await (asked.where(condition) if condition else asked).to_arrow()

        return _run(ask())


async def _open(folder: Path, name: str, version: int) -> Any:
    import lancedb

    table = await (await lancedb.connect_async(str(folder))).open_table(name)
    await table.checkout(version)
    return table


def _run(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end, in a thread of its own where this one runs an event loop (notebooks do)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()
