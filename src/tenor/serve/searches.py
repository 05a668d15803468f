"""Searching the index that the server was started with."""

import threading
from pathlib import Path

from tenor.model import Model
from tenor.serve import shapes
from tenor.serve.limits import Limits
from tenor.serve.refusals import check_texts
from tenor.use.search.card import read_card
from tenor.use.search.searching import Searcher

_QUERY = Limits(characters=10_000)


class Searches:
    """An index that is kept open, one search at a time; each uses all threads of the store anyway."""

    def __init__(self, folder: str | Path, model: Model) -> None:
        card = read_card(Path(folder))
        fits = (card.fingerprint, card.precision) == (model.fingerprint, model.precision)
        self._notes: list[str] = []
        # An index of another model brings its own; its queries then do not share passes with other requests.
        self._searcher = Searcher(folder, model=model if fits else None, note=self._notes.append)
        self._lock = threading.Lock()

    def search(self, request: shapes.SearchRequest) -> shapes.SearchAnswer:
        """Return the best hits."""
        check_texts([request.query, request.where or ""], _QUERY)
        with self._lock:
            self._notes.clear()
            found = self._searcher.search(
                request.query, k=request.k, mode=request.mode, where=request.where or None
            )
            notes = list(self._notes)
        hits = [
            shapes.SearchHit(hit.id, hit.text, hit.score, hit.cosine, hit.bm25, dict(hit.columns))
            for hit in found
        ]
        return shapes.SearchAnswer(hits, notes)

    def info(self) -> shapes.IndexInfo:
        """Say what the index holds."""
        card = self._searcher.card
        columns = [shapes.ColumnInfo(column.name, column.kind.value) for column in card.filterable()]
        return shapes.IndexInfo(self._searcher.folder.resolve().name, card.rows, columns)
