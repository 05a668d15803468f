"""One change of an index that reads a file: carried out in windows, killed at any moment, and taken up again.

Each window is read, encoded, stored as a new version of the table, and noted in unfinished.json. The change
counts once the card is replaced at the very end. Running the same command again goes on after the last noted
window; any other command first undoes what was left. Both are said.
"""

import contextlib
import shutil
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import dropwhile
from pathlib import Path
from typing import Literal

from tenor.errors import TenorError
from tenor.model import Model
from tenor.model.encoding import Long
from tenor.progress import Note, ProgressOf
from tenor.text.problems import Problems
from tenor.use.limits import count_beyond_limit
from tenor.use.search.card import (
    CARD,
    UNFINISHED,
    Card,
    Job,
    Unfinished,
    read_unfinished,
    write_card,
    write_unfinished,
)
from tenor.use.search.fusion import cosine_deviation
from tenor.use.search.intake import Taken, take_passages, windows
from tenor.use.search.passages import TABLE, Passages
from tenor.use.search.vector_index import hnsw_for
from tenor.use.text_watch import TextWatch
from tenor.use.unit_vectors import normalise

# Readers follow the card at every search, so an old version is needed only while one search runs.
_KEPT_FOR_READERS = timedelta(minutes=10)
_RETRAIN_GROWTH = 1.5
_SAMPLE = 512  # vectors by which the standard deviation of cosines is estimated


@dataclass
class Report:
    """What a change did to an index."""

    card: Card
    added: int = 0
    replaced: int = 0
    removed: int = 0
    beyond: int = 0  # texts beyond the model's limit
    problems: Problems = field(default_factory=Problems)
    warning: str | None = None  # about the language of the texts


@dataclass
class IndexJob:
    """A job on a file: resumes where it was interrupted, or starts, and publishes at the end."""

    folder: Path
    state: Unfinished
    model: Model
    problems: Problems
    progress: ProgressOf | None
    note: Note
    encoding: str | None = None  # of the file

    def run(self, file: Path, *, rows: int, base: Card | None) -> Report:
        """Take all passages of the file, whose rows were counted; ``base`` is the index as it was."""
        tidy(self.folder)
        store = self._begin(base)
        card, done = self.state.card, self.state.rows_read
        if self.progress:
            self.progress(done, rows)
        taken = take_passages(
            file,
            text_column=card.text_column,
            id_column=card.id_column,
            columns=card.columns,
            first_number=base.next_number if base else 1,
            encoding=self.encoding,
            problems=self.problems,
        )
        watch = TextWatch(self.model)
        try:
            self._store(store, dropwhile(lambda item: item.rows_read <= done, taken), rows, watch)
            if not store.count():
                raise TenorError(f"{self.state.job.source} has no text to index.")
        except BaseException:
            self._forget_if_empty(base)
            raise
        card = replace(self.state.card, change=self.state.change)
        card = publish(self.folder, store, card, self.note, kept=lambda: self._checkpoint(store))
        return Report(
            card,
            added=card.rows - (base.rows if base else 0),
            replaced=self.state.replaced,
            beyond=self.state.beyond,
            problems=self.problems,
            warning=watch.warning(),
        )

    def _begin(self, base: Card | None) -> Passages:
        old = read_unfinished(self.folder)
        if old and old.job == self.state.job and old.card.version:
            with contextlib.suppress(TenorError):  # a version that is gone: start afresh
                return self._resume(old)
        card = self.state.card
        if base:
            store = rolled_back(self.folder, base, self.note)
            store.extend(card.columns)
        else:
            if old:
                self.note(f"An earlier build from {old.job.source} was interrupted; starting over.")
            # Noted before the table is made, so that the folder is known as ours from the first moment.
            write_unfinished(self.folder, self.state)
            store = Passages.create(self.folder, card.columns, dimensions=card.dimensions)
        self._checkpoint(store)
        return store

    def _resume(self, old: Unfinished) -> Passages:
        store = Passages(self.folder, old.card.columns, dimensions=old.card.dimensions)
        store.return_to(old.card.version)
        self.state = old
        self.note(f"An earlier run was interrupted; resuming after its {old.rows_read:,} rows.")
        return store

    def _store(self, store: Passages, taken: Iterable[Taken], rows: int, watch: TextWatch) -> None:
        card = self.state.card
        upsert = self.state.job.kind == "add" and card.id_column is not None

        def advance(count: int) -> None:
            if self.progress:
                self.progress(count, rows)

        for window in windows(taken):
            passages = [item.passage for item in window]
            texts = [passage.text for passage in passages]
            watch.see(texts)
            vectors = normalise(
                self.model.encode(texts, prompt=card.prompt, long=_long(card.long), progress=advance)
            )
            replaced = store.upsert(passages, vectors) if upsert else store.append(passages, vectors)
            before = self.state.rows_read
            self._checkpoint(
                store,
                rows_read=window[-1].rows_read,
                numbered=len(window) if card.id_column is None else 0,
                replaced=replaced,
                beyond=count_beyond_limit(self.model, texts, prompt=card.prompt),
            )
            advance(self.state.rows_read - before - len(texts))  # rows that had no text

    def _checkpoint(
        self, store: Passages, *, rows_read: int = 0, numbered: int = 0, replaced: int = 0, beyond: int = 0
    ) -> None:
        """Note how far the job is: everything up to here survives a kill."""
        state = self.state
        number = state.card.next_number + numbered
        self.state = replace(
            state,
            card=replace(state.card, version=store.version, next_number=number),
            rows_read=max(state.rows_read, rows_read),
            replaced=state.replaced + replaced,
            beyond=state.beyond + beyond,
        )
        write_unfinished(self.folder, self.state)

    def _forget_if_empty(self, base: Card | None) -> None:
        """Leave no trace of a first build that failed before anything was stored."""
        if base is None and not self.state.rows_read:
            shutil.rmtree(self.folder / f"{TABLE}.lance", ignore_errors=True)
            (self.folder / UNFINISHED).unlink(missing_ok=True)


def publish(
    folder: Path, store: Passages, card: Card, note: Note, *, kept: Callable[[], None] = lambda: None
) -> Card:
    """Bring the lexical index and the vector index up to date and let the card name the result.

    ``kept`` is called when a step is done that a killed job need not do again.
    """
    rows = store.count()
    hnsw = hnsw_for(rows)
    rebuild = hnsw is not None and rows > _RETRAIN_GROWTH * card.trained_rows
    if rebuild:
        note(f"Building the vector index over {rows:,} vectors …")
    rebuild = store.refresh(hnsw, rebuild=rebuild, stem=card.stem)
    trained = rows if rebuild else card.trained_rows
    card = replace(card, rows=rows, trained_rows=trained, cosine_std=cosine_deviation(store.sample(_SAMPLE)))
    first = not (folder / CARD).exists()
    if first:
        kept()
        store.prune(older_than=timedelta(milliseconds=1))  # nobody reads it yet
        kept()
    card = _named(folder, store, card)
    # From here on the change counts; what follows only tidies up.
    (folder / UNFINISHED).unlink(missing_ok=True)
    if not first:
        with contextlib.suppress(TenorError):
            store.prune(older_than=_KEPT_FOR_READERS)
            if store.version != card.version:
                card = _named(folder, store, card)
    return card


def _named(folder: Path, store: Passages, card: Card) -> Card:
    card = replace(card, version=store.version)
    store.sync()
    write_card(folder, card)
    return card


def rolled_back(folder: Path, card: Card, note: Note) -> Passages:
    """Open the table for writing at the state that the card names, without what was interrupted since."""
    old = read_unfinished(folder)
    if old and old.change != card.change:
        note(f"An earlier change from {old.job.source} was interrupted; what it had stored is undone.")
    store = Passages(folder, card.columns, dimensions=card.dimensions)
    store.return_to(card.version)
    (folder / UNFINISHED).unlink(missing_ok=True)
    return store


def tidy(folder: Path) -> None:
    """Remove files that a killed writer left aside; call it as the sole writer."""
    for file in folder.glob(".*.part"):
        file.unlink(missing_ok=True)


def describe_job(kind: Literal["build", "add"], source: str | Path, file: Path, card: Card) -> Job:
    """Describe a job so that the same command on the same file is recognised; standard input never is."""
    status = file.stat()
    if str(source) == "-":
        return Job(kind, "standard input", status.st_size, 0, uuid.uuid4().hex)
    settings = (card.fingerprint, card.precision, card.long, card.text_column, card.id_column)
    return Job(kind, str(file.resolve()), status.st_size, status.st_mtime_ns, "|".join(map(str, settings)))


def _long(value: str) -> Long:
    return "chunk" if value == "chunk" else "truncate"
