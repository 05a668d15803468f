"""Searching an index: by words, by meaning, or by both.

``lexical`` ranks by BM25 over the words of the texts, ``vector`` by the cosine between the model's vectors of
query and text, and ``hybrid`` adds the two up (``fusion.py``). A filter narrows what is searched
before ranking, so that ``k`` hits are found wherever there are as many.
"""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from tenor.errors import TenorError
from tenor.model import Model
from tenor.model.encoding import Long
from tenor.progress import Note
from tenor.text.examples import Sentence
from tenor.text.problems import Problems
from tenor.text.readers import read_texts
from tenor.use.limits import count_beyond_limit
from tenor.use.search.card import Card, read_card
from tenor.use.search.columns import Value
from tenor.use.search.filters import compile_filter
from tenor.use.search.fusion import fuse
from tenor.use.search.index import matching_model
from tenor.use.search.passages import Passages, StoredRow, Vectors
from tenor.use.search.vector_index import hnsw_for
from tenor.use.text_watch import TextWatch
from tenor.use.unit_vectors import normalise

MOST = 10_000
_CANDIDATES = 100  # of each kind that a hybrid search joins, at least
_QUERY_PROMPTS = ("query", "question")


class Mode(StrEnum):
    """How to search: by words and meaning, by meaning, by words."""

    hybrid = "hybrid"
    vector = "vector"
    lexical = "lexical"


@dataclass(frozen=True)
class Hit:
    """A text that was found; ``score`` is what it is ranked by.

    ``cosine`` and ``bm25`` are its two scores where the search looked at them: a hybrid hit that shares no
    word with the query has no ``bm25``.
    """

    id: str
    text: str
    score: float
    cosine: float | None
    bm25: float | None
    columns: Mapping[str, Value]


class Searcher:
    """An open index; it follows changes that others make, and loads the model at the first need of it."""

    def __init__(
        self,
        folder: str | Path,
        *,
        model: str | Model | None = None,
        precision: str = "auto",
        note: Note = lambda text: None,
    ) -> None:
        self.folder = Path(folder)
        self._note = note
        self.card: Card = read_card(self.folder)
        self._wanted = (model, precision)
        self._model: Model | None = None
        self._passages: Passages | None = None
        self._watch: TextWatch | None = None
        self._changing = threading.Lock()  # searches by words may run in several threads

    def warning(self) -> str | None:
        """Say what makes the hits of the queries so far doubtful: their language, unknown words."""
        return None if self._watch is None else self._watch.warning()

    def search(
        self,
        query: str,
        *,
        k: int = 10,
        mode: Mode | str = Mode.hybrid,
        where: str | None = None,
        exact: bool = False,
        vector: Vectors | None = None,
    ) -> list[Hit]:
        """Return the best ``k`` hits, best first; ``exact`` compares with every vector, whatever the size.

        ``vector`` is what :meth:`encode` returned for the query, where that was called before.
        """
        mode = _checked(query, k, mode)
        card = self._follow()
        condition = compile_filter(where, card.filterable()) if where is not None else None
        # The model comes first: loading it may start a process, which the store's threads do not like.
        if mode is Mode.lexical:
            vector = None
        elif vector is None:
            vector = self.encode(query)
        passages = self._open(card)
        depth = max(_CANDIDATES, 3 * k) if mode is Mode.hybrid else k
        near: list[StoredRow] = []
        if vector is not None:
            hnsw = None if exact or not card.trained_rows else hnsw_for(card.trained_rows)
            near = passages.nearest(vector, depth, condition=condition, hnsw=hnsw)
        words: list[StoredRow] = []
        if mode is not Mode.vector:
            words = passages.matching(query, depth, condition=condition, vector=vector)
        return _hits(card, near, words, mode)[:k]

    def encode(self, query: str) -> Vectors:
        """Return the query's vector [dimensions], with the model's query prompt where it has one.

        A query beyond the model's limit is treated as the texts of the index were, and ``note`` is called.
        """
        if self._model is None:
            model, precision = self._wanted
            self._model = matching_model(self.card, self.folder, model=model, precision=precision)
            self._watch = TextWatch(self._model)
        if self._watch is not None:
            self._watch.see([query])
        prompt = next((name for name in _QUERY_PROMPTS if self._model.prompts.get(name)), None)
        long: Long = "chunk" if self.card.long == "chunk" else "truncate"
        if count_beyond_limit(self._model, [query], prompt=prompt):
            fate = "only its beginning counts" if long == "truncate" else "its vector is a mean over chunks"
            limit = f"the model's limit of {self._model.max_tokens} tokens"
            self._note(f"The query is longer than {limit}: {fate}.")
        vector: Vectors = normalise(self._model.encode([query], prompt=prompt, long=long))[0]
        return vector

    def some_texts(self, count: int) -> list[str]:
        """Return a few texts of the index, the same ones for the same index."""
        return self._open(self._follow()).some_texts(count)

    def _follow(self) -> Card:
        """Take up the card as it is now, which another writer may have replaced, and return it."""
        with self._changing:
            card = read_card(self.folder)
            if card.version != self.card.version:
                self._passages = None
            if card.fingerprint != self.card.fingerprint:
                self._model = None
            self.card = card
            return card

    def _open(self, card: Card) -> Passages:
        """Return the table at the version of a card: the one kept open, unless another thread went on."""
        with self._changing:
            passages = self._passages
            if passages is None or card.version != self.card.version:
                passages = Passages(
                    self.folder, card.columns, dimensions=card.dimensions, version=card.version
                )
            if card.version == self.card.version:
                self._passages = passages
            return passages


def _hits(card: Card, near: Sequence[StoredRow], words: Sequence[StoredRow], mode: Mode) -> list[Hit]:
    rows = {row["id"]: row for row in [*near, *words]}
    bm25 = {row["id"]: float(row["_score"]) for row in words}
    if mode is Mode.lexical:
        scores = bm25
    else:
        cosines = {name: row["cosine"] for name, row in rows.items()}
        scores = fuse(cosines, bm25, cosine_std=card.cosine_std)
    return [_hit(card, rows[name], score, bm25.get(name)) for name, score in scores.items()]


def _hit(card: Card, row: StoredRow, score: float, bm25: float | None) -> Hit:
    columns = {column.name: row[column.field] for column in card.columns}
    return Hit(row["id"], row["text"], score, row.get("cosine"), bm25, columns)


def search(
    folder: str | Path,
    query: str,
    *,
    k: int = 10,
    mode: Mode | str = Mode.hybrid,
    where: str | None = None,
    model: str | Model | None = None,
    precision: str = "auto",
    note: Note = lambda text: None,
) -> list[Hit]:
    """Search an index once; for many queries keep a :class:`Searcher`."""
    searcher = Searcher(folder, model=model, precision=precision, note=note)
    hits = searcher.search(query, k=k, mode=mode, where=where)
    if warning := searcher.warning():
        note(warning)
    return hits


@dataclass(frozen=True)
class FoundFor:
    """A query of a file, and its hits."""

    query: Sentence
    hits: Sequence[Hit]


def search_file(
    searcher: Searcher,
    path: str | Path,
    *,
    column: str | int | None = None,
    k: int = 10,
    mode: Mode | str = Mode.hybrid,
    where: str | None = None,
    encoding: str | None = None,
    problems: Problems,
    progress: Callable[[int], None] | None = None,
) -> Iterator[FoundFor]:
    """Yield the hits of every query of a file, in order; empty queries are reported and left out."""
    for query in read_texts(path, column=column, rows=True, encoding=encoding, problems=problems):
        yield FoundFor(query, searcher.search(query.text, k=k, mode=mode, where=where))
        if progress is not None:
            progress(1)


def _checked(query: str, k: int, mode: Mode | str) -> Mode:
    if not query.strip():
        raise TenorError("The query is empty; give some words to search for.")
    if not 1 <= k <= MOST:
        raise TenorError(f"k is {k:,}; between 1 and {MOST:,} hits can be asked for.")
    if mode not in list(Mode):
        raise TenorError(f"There is no search mode {mode!r}; there are {', '.join(Mode)}.")
    return Mode(mode)
