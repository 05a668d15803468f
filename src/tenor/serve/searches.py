"""Searching the index that the server was started with."""

import logging
import threading
from pathlib import Path

from tenor.errors import TenorError
from tenor.model import Model
from tenor.serve import schemas, server_schemas
from tenor.serve.errors import HTTPError
from tenor.use.search.card import read_card
from tenor.use.search.filters import compile_filter
from tenor.use.search.searching import Hit, Searcher

_log = logging.getLogger("tenor")


class IndexSearch:
    """An index that is kept open, one search at a time; each uses all threads of the store anyway.

    By words and by meaning have a searcher each: encoding a query may wait for other requests' texts, and a
    search by words alone does not wait for that.
    """

    def __init__(self, folder: str | Path, model: Model) -> None:
        card = read_card(Path(folder))
        fits = (card.fingerprint, card.precision) == (model.fingerprint, model.precision)
        # An index of another model brings its own; its queries then do not share passes with other requests.
        chosen = model if fits else None
        self._by_words = _OneAtATime(Searcher(folder, model=chosen))
        self._notes: list[str] = []
        self._by_meaning = _OneAtATime(Searcher(folder, model=chosen, note=self._notes.append))

    def search(self, request: schemas.SearchRequest) -> schemas.SearchResponse:
        """Return the best hits."""
        if not request.query.strip():
            return schemas.SearchResponse([], ["The query has no words."])
        if request.where:
            compile_filter(request.where, self._by_words.searcher.card.filterable())
        try:
            ranked, notes = self._ranked(request)
        except TenorError as error:
            # The request was looked at before: what is wrong is wrong here, and its words name our files.
            _log.error("Searching failed: %s", error)
            raise HTTPError(503, "The index cannot be read at present; the server's log says why.") from error
        hits = [
            schemas.SearchHit(hit.id, hit.text, hit.score, hit.cosine, hit.bm25, dict(hit.columns))
            for hit in ranked
        ]
        return schemas.SearchResponse(hits, notes)

    def info(self) -> server_schemas.IndexInfo:
        """Describe the index."""
        searcher = self._by_words.searcher
        columns = [
            server_schemas.ColumnInfo(column.name, column.kind.value) for column in searcher.card.filterable()
        ]
        return server_schemas.IndexInfo(searcher.folder.resolve().name, searcher.card.rows, columns)

    def _ranked(self, request: schemas.SearchRequest) -> tuple[list[Hit], list[str]]:
        if request.mode == "lexical":
            return self._by_words.search(request), []
        with self._by_meaning.lock:
            self._notes.clear()
            return self._by_meaning.search(request), list(self._notes)


class _OneAtATime:
    """A searcher with the lock of its store."""

    def __init__(self, searcher: Searcher) -> None:
        self.searcher = searcher
        self.lock = threading.RLock()

    def search(self, request: schemas.SearchRequest) -> list[Hit]:
        with self.lock:
            return self.searcher.search(
                request.query, k=request.k, mode=request.mode, where=request.where or None
            )
