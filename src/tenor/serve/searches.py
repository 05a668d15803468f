"""Searching the index that the server was started with."""

import contextlib
import logging
import threading
from functools import cached_property
from pathlib import Path

from tenor.errors import TenorError
from tenor.model import Model
from tenor.serve import schemas, server_schemas
from tenor.serve.errors import HTTPError
from tenor.use.search.card import read_card
from tenor.use.search.filters import compile_filter
from tenor.use.search.searching import Hit, Searcher

_log = logging.getLogger("tenor")
_EXAMPLES, _WORDS = 4, 5  # queries, and words of each


class IndexSearch:
    """An index that is kept open, one search by meaning at a time; each uses all threads of the store anyway.

    Encoding a query may wait for other requests' texts, so it is done before a search's turn comes. Searches
    by words alone, which are cheap, have a store of their own and wait for no turn.
    """

    def __init__(self, folder: str | Path, model: Model) -> None:
        card = read_card(Path(folder))
        self._fits = (card.fingerprint, card.precision) == (model.fingerprint, model.precision)
        self._said = threading.local()  # notes about the query of this thread
        # An index of another model brings its own; its queries then do not share passes with other requests.
        self._searcher = Searcher(folder, model=model if self._fits else None, note=self._note)
        self._by_words = Searcher(folder)
        self._turn = threading.Lock()

    def _note(self, text: str) -> None:
        self._said.notes.append(text)

    def search(self, request: schemas.SearchRequest) -> schemas.SearchResponse:
        """Return the best hits."""
        if not request.query.strip():
            return schemas.SearchResponse([], ["The query has no words."])
        if request.where:
            compile_filter(request.where, self._searcher.card.filterable())
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

    def warm_up(self) -> None:
        """Search once, as the store takes long to open; what is wrong with it is told to those who search.

        An index that brings its own model is not asked for its vectors: the model is loaded when needed.
        """
        for mode in ("lexical", "hybrid") if self._fits else ("lexical",):
            with contextlib.suppress(HTTPError):
                self.search(schemas.SearchRequest("Ready", mode=mode))

    def info(self) -> server_schemas.IndexInfo:
        """Describe the index."""
        searcher = self._searcher
        columns = [
            server_schemas.ColumnInfo(column.name, column.kind.value) for column in searcher.card.filterable()
        ]
        name = searcher.folder.resolve().name
        return server_schemas.IndexInfo(name, searcher.card.rows, columns, self._examples)

    @cached_property
    def _examples(self) -> list[str]:
        """Make queries of the beginnings of some texts, so that each has an answer."""
        try:
            texts = self._searcher.some_texts(_EXAMPLES)
        except TenorError as error:
            _log.error("No examples could be read from the index: %s", error)
            return []
        return list(dict.fromkeys(filter(None, map(_beginning, texts))))

    def _ranked(self, request: schemas.SearchRequest) -> tuple[list[Hit], list[str]]:
        where = request.where or None
        if request.mode == "lexical":
            return self._by_words.search(request.query, k=request.k, mode="lexical", where=where), []
        self._said.notes = notes = list[str]()
        vector = self._searcher.encode(request.query)
        with self._turn:
            found = self._searcher.search(
                request.query, k=request.k, mode=request.mode, where=where, vector=vector
            )
        return found, notes


def _beginning(text: str) -> str:
    return " ".join(text.split()[:_WORDS])[:60].strip(" .,;:")
