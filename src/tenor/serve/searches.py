"""Searching the index that the server was started with."""

import threading
from pathlib import Path

from tenor.model import Model
from tenor.serve import schemas, server_schemas
from tenor.serve.errors import check_texts
from tenor.serve.limits import Limits
from tenor.use.search.card import read_card
from tenor.use.search.searching import Searcher

_QUERY = Limits(characters=10_000)


class IndexSearch:
    """An index that is kept open, one search at a time; each uses all threads of the store anyway."""

    def __init__(self, folder: str | Path, model: Model) -> None:
        card = read_card(Path(folder))
        fits = (card.fingerprint, card.precision) == (model.fingerprint, model.precision)
        self._notes: list[str] = []
        # An index of another model brings its own; its queries then do not share passes with other requests.
        self._searcher = Searcher(folder, model=model if fits else None, note=self._notes.append)
        self._lock = threading.Lock()

    def search(self, request: schemas.SearchRequest) -> schemas.SearchResponse:
        """Return the best hits."""
        check_texts([request.query, request.where or ""], _QUERY)
        with self._lock:
            self._notes.clear()
            ranked = self._searcher.search(
                request.query, k=request.k, mode=request.mode, where=request.where or None
            )
            notes = list(self._notes)
        hits = [
            schemas.SearchHit(hit.id, hit.text, hit.score, hit.cosine, hit.bm25, dict(hit.columns))
            for hit in ranked
        ]
        return schemas.SearchResponse(hits, notes)

    def info(self) -> server_schemas.IndexInfo:
        """Describe the index."""
        card = self._searcher.card
        columns = [server_schemas.ColumnInfo(column.name, column.kind.value) for column in card.filterable()]
        return server_schemas.IndexInfo(self._searcher.folder.resolve().name, card.rows, columns)
