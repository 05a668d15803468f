"""Embedding a file of any length into a file of vectors, in bounded memory, and past any interruption.

Texts are read as a stream and taken in windows of about 100,000 rows (fewer where texts or vectors are big),
inside which the model sorts and de-duplicates them. Each finished window is put on disk and recorded in a
journal beside the output. A run that was killed resumes after the last recorded window: the rows already done
are read again and compared by hash, so that a changed source is noticed and starts over. Windows depend on
the source alone, which is why an interrupted run ends in the very same bytes as one that was not.

Row i of the output is row i of the source: an empty text keeps its row, with the vector of the empty text,
and is reported. Only rows that cannot be read at all are left out, reported too, and the recorded line of
every row tells where.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Any

import numpy as np

from tenor.errors import TenorError
from tenor.model import Model
from tenor.model.encoding import Long
from tenor.progress import Note, ProgressOf
from tenor.text.examples import Sentence
from tenor.text.problems import Problems
from tenor.text.readers import read_texts
from tenor.text.sniff import Asked
from tenor.use.embed.journal import Journal
from tenor.use.embed.vector_files import WRITERS, Record, WriterType, digest_texts, json_lines
from tenor.use.limits import count_beyond_limit, tell_beyond_limit
from tenor.use.text_watch import TextWatch
from tenor.use.windows import windows
from tenor.version import VERSION

WINDOW_ROWS = 100_000
_STREAMED = 1024  # rows that are encoded at once onto a stream, whose reader may be waiting
_WINDOW_CHARACTERS = 32_000_000
_WINDOW_NUMBERS = 50_000_000  # of vectors: 200 MB


@dataclass(frozen=True, slots=True)
class Embedded:
    """What became of an embedding: the record that stands with the file, and what a person should know."""

    record: Record
    resumed: int  # rows that an earlier run had done
    problems: Problems
    warning: str | None = None  # about the texts: their language, unknown words

    def beyond_limit(self) -> str | None:
        """Say how many texts the model could not take whole, and what became of them."""
        return tell_beyond_limit(self.record.beyond_limit, self.record.long)


@dataclass(slots=True)
class _Done:
    """How far the work is; kept in the journal."""

    rows: int = 0
    beyond: int = 0  # texts beyond the model's limit
    digest: str = ""  # of all texts so far


def embed_file(
    model: Model,
    source: str | Path,
    out: str | Path,
    *,
    column: str | int | None = None,
    prompt: str | None = None,
    long: Long = "truncate",
    strict: bool = False,
    reading: Asked | None = None,
    window: int = WINDOW_ROWS,
    progress: ProgressOf | None = None,
    note: Note | None = None,
) -> Embedded:
    """Embed the texts of ``source`` into ``out``, whose suffix is .npy, .safetensors, .parquet or .jsonl.

    .parquet and .jsonl keep all columns of the source.
    ``source`` may be "-" for standard input, whose rows cannot be counted beforehand. ``prompt`` is a name of
    ``model.prompts`` or a text to put in front of every text. ``note`` is called with what a person should
    know while it runs: that an earlier run is resumed or thrown away.
    """
    out = Path(out)
    maker = _writer_for(out, source)
    texts = _Source(source, column, strict, reading or Asked(), rows=maker.keeps_rows)
    total = texts.count()
    with Journal(out, _settings(model, texts, prompt, long, window), note=note) as journal:
        watch = TextWatch(model)
        done, hasher, rows = _begin(journal, texts, note)
        resumed = done.rows
        advance = (lambda count: progress(count, total)) if progress is not None else None
        if advance is not None:
            advance(resumed)
        writer = maker(journal.folder, model.width)
        most = min(window, _WINDOW_NUMBERS // model.width)
        for part in windows(rows, _characters, most=most, most_characters=_WINDOW_CHARACTERS):
            batch = [sentence.text for sentence in part]
            watch.see(batch)
            with journal.writing():
                vectors = writer.room(len(batch))
                model.encode(batch, prompt=prompt, long=long, progress=advance, out=vectors)
                writer.add(
                    vectors, part, np.array([sentence.origin.line for sentence in part], dtype=np.int64)
                )
            digest = digest_texts(hasher, batch)
            beyond = count_beyond_limit(model, batch, prompt=prompt)
            done = _Done(done.rows + len(batch), done.beyond + beyond, digest)
            journal.commit(asdict(done))
        record = _record(model, texts, prompt, long, done)
        with journal.writing():
            whole = writer.finish(record, out)
        journal.publish(whole)
    return Embedded(record, resumed, texts.problems, watch.warning())


def embed_to_stream(
    model: Model,
    source: str | Path,
    stream: IO[str],
    *,
    column: str | int | None = None,
    prompt: str | None = None,
    long: Long = "truncate",
    strict: bool = False,
    reading: Asked | None = None,
    progress: ProgressOf | None = None,
) -> Embedded:
    """Embed the texts of ``source`` as JSON lines onto a stream, with all columns of the source."""
    texts = _Source(source, column, strict, reading or Asked(), rows=True)
    watch, hasher, done = TextWatch(model), hashlib.sha256(), _Done()
    for part in windows(texts.read(), _characters, most=_STREAMED, most_characters=_WINDOW_CHARACTERS):
        batch = [sentence.text for sentence in part]
        watch.see(batch)
        stream.writelines(json_lines(model.encode(batch, prompt=prompt, long=long), part))
        beyond = count_beyond_limit(model, batch, prompt=prompt)
        done = _Done(done.rows + len(part), done.beyond + beyond, digest_texts(hasher, batch))
        if progress is not None:
            progress(len(part), None)
    return Embedded(_record(model, texts, prompt, long, done), 0, texts.problems, watch.warning())


def _writer_for(out: Path, source: str | Path) -> WriterType:
    if out.suffix not in WRITERS:
        known = ", ".join(WRITERS)
        raise TenorError(f"Cannot tell the format of {str(out)!r} by its ending; expected {known}.")
    if not out.parent.is_dir():
        raise TenorError(f"Cannot write {out}: the folder {str(out.parent)!r} does not exist.")
    if out.exists() and Path(source).exists() and out.samefile(source):
        raise TenorError(f"Cannot write {out}: it is the file that is to be read. Choose another name.")
    return WRITERS[out.suffix]


class _Source:
    """The texts of a file, which can be read several times unless it is standard input."""

    def __init__(
        self, path: str | Path, column: str | int | None, strict: bool, reading: Asked, *, rows: bool
    ) -> None:
        self.path, self.column, self.reading, self._rows = path, column, reading, rows
        self._strict = strict
        self.problems = Problems(strict=strict)

    @property
    def once(self) -> bool:
        """Whether it can be read only once."""
        return str(self.path) == "-" or not Path(self.path).is_file()

    def read(self) -> Iterator[Sentence]:
        """Read from the start; ``problems`` begin anew."""
        self.problems = Problems(strict=self._strict)
        asked: dict[str, Any] = asdict(self.reading)
        return read_texts(
            self.path, column=self.column, empty="keep", rows=self._rows, problems=self.problems, **asked
        )

    def count(self) -> int | None:
        """Count the rows by reading them all, which takes far less time than embedding them.

        It also finds a missing column or, when strict, a bad row before the long work and not after.
        """
        return None if self.once else sum(1 for _ in self.read())


def _settings(model: Model, texts: _Source, prompt: str | None, long: Long, window: int) -> dict[str, Any]:
    """All that decides the output, except the texts."""
    column = None if texts.column is None else str(texts.column)
    return {
        "source": str(texts.path), "column": column, "reading": asdict(texts.reading),
        "model": model.fingerprint, "precision": model.precision, "engine": model.engine.name,
        "prompt": prompt, "long": long, "window": window,
    }  # fmt: skip


def _begin(
    journal: Journal, texts: _Source, note: Note | None
) -> tuple[_Done, "hashlib._Hash", Iterator[Sentence]]:
    """Pass over the rows that an earlier run has done, if they are still the same."""
    rows, hasher = texts.read(), hashlib.sha256()
    if not journal.progress:
        return _Done(), hasher, rows
    before = _Done(**journal.progress)
    digest = digest_texts(hasher, (sentence.text for sentence in islice(rows, before.rows)))
    if digest == before.digest:
        if note is not None:
            note(f"Resuming after the {before.rows:,} rows that an earlier run has done.")
        return before, hasher, rows
    if texts.once:
        raise TenorError(
            f"{journal.folder} holds the start of a run on other input, which cannot be read again. "
            "Remove that folder, or pipe the same texts to resume it."
        )
    journal.restart("the texts have changed")
    return _Done(), hashlib.sha256(), texts.read()


def _characters(sentence: Sentence) -> int:
    return len(sentence.text) if sentence.row is None else sum(map(len, sentence.row.values.values()))


def _record(model: Model, texts: _Source, prompt: str | None, long: Long, done: _Done) -> Record:
    return Record(
        model=model.name,
        fingerprint=model.fingerprint,
        precision=model.precision,
        dimensions=model.width,
        rows=done.rows,
        source=str(texts.path),
        digest=done.digest,
        prompt=prompt,
        long=long,
        beyond_limit=done.beyond,
        problems=texts.problems.count,
        tenor=VERSION,
    )
