"""Duplicates in a file: reading its texts, and writing the groups or what is left without duplicates."""

import csv
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tenor.errors import TenorError
from tenor.files import atomic_file
from tenor.model import Model
from tenor.model.encoding import Long
from tenor.progress import Note, StageProgress
from tenor.text.problems import Problems
from tenor.text.readers import read_texts
from tenor.text.sniff import Asked
from tenor.use.dedupe.deduping import (
    DEFAULT_THRESHOLD,
    EXACT_LIMIT,
    Group,
    dedupe,
    group_texts,
)
from tenor.use.dedupe.neighbours import BLOCK, Floats, Rows
from tenor.use.dedupe.unknown import with_unknown_words
from tenor.use.embed.vector_files import digest_texts
from tenor.use.embed.vector_reading import read_vectors
from tenor.use.limits import count_beyond_limit, tell_beyond_limit
from tenor.use.text_watch import TextWatch

ENDINGS = (".csv", ".jsonl")


@dataclass(frozen=True, slots=True)
class Deduped:
    """The groups of a file, with what a person should know."""

    texts: list[str]
    lines: list[int]  # of the source, for every text
    groups: list[Group]
    threshold: float
    problems: Problems
    beyond_limit: str | None  # a sentence
    warning: str | None  # about the texts: their language, unknown words

    @property
    def grouped(self) -> int:
        """The number of texts that are in groups."""
        return sum(map(len, self.groups))

    @property
    def superfluous(self) -> int:
        """The number of texts that could go: all but the centre of each group."""
        return self.grouped - len(self.groups)

    @property
    def filled(self) -> int:
        """The number of texts that are not blank."""
        return sum(1 for text in self.texts if text.strip())

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one row per grouped text: group, line, role, score, why, text."""
        for number, group in enumerate(self.groups, start=1):
            for member in group.members:
                yield {
                    "group": number,
                    "line": self.lines[member.row],
                    "role": "centre" if member is group.centre else "member",
                    "score": round(member.score, 4),
                    "threshold": self.threshold,
                    "why": member.why,
                    "text": member.text,
                }

    def kept(self) -> Iterator[dict[str, Any]]:
        """Yield one row per text that stays: those without a group, and the centre of each group."""
        gone = {member.row for group in self.groups for member in group.members[1:]}
        sizes = {group.centre.row: len(group) for group in self.groups}
        for row, text in enumerate(self.texts):
            if row not in gone and text.strip():
                yield {"line": self.lines[row], "texts": sizes.get(row, 1), "text": text}


def dedupe_file(
    model: Model,
    source: str | Path,
    *,
    column: str | int | None = None,
    vectors: str | Path | None = None,
    threshold: float = DEFAULT_THRESHOLD,
    prompt: str | None = None,
    long: Long = "truncate",
    strict: bool = False,
    reading: Asked | None = None,
    exact_limit: int = EXACT_LIMIT,
    progress: StageProgress | None = None,
    note: Note | None = None,
) -> Deduped:
    """Find the groups of a file's texts that say the same; empty texts are reported and belong to none.

    ``vectors`` is a file that `tenor embed` made of the same texts by the same model; it spares encoding them
    again, for instance to try another threshold.
    """
    problems, watch = Problems(strict=strict), TextWatch(model)
    asked: dict[str, Any] = asdict(reading or Asked())
    texts: list[str] = []
    lines: list[int] = []
    for sentence in read_texts(source, column=column, empty="keep", problems=problems, **asked):
        texts.append(sentence.text)
        lines.append(sentence.origin.line)
    watch.see(texts)
    if vectors is None:
        groups = dedupe(
            model,
            texts,
            threshold=threshold,
            prompt=prompt,
            long=long,
            exact_limit=exact_limit,
            progress=progress,
            note=note,
        )
    else:
        lookup = _stored(model, texts, vectors, prompt, long)
        lookup, width = with_unknown_words(model, texts, lookup)
        groups = group_texts(texts, lookup, width, threshold, exact_limit, progress=progress, note=note)
    beyond = tell_beyond_limit(count_beyond_limit(model, texts, prompt=prompt), long)
    return Deduped(texts, lines, groups, threshold, problems, beyond, watch.warning())


def _stored(
    model: Model, texts: list[str], path: str | Path, prompt: str | None, long: Long
) -> Callable[[Rows, Floats], None]:
    """Give what copies vectors out of a file, if it belongs to these texts and settings."""
    file = read_vectors(path)
    file.check(model)
    record = file.record
    if digest_texts(hashlib.sha256(), texts) != record.digest:
        raise TenorError(
            f"{path} holds the vectors of other texts ({record.source}). Embed these texts again."
        )
    if (record.prompt, record.long) != (prompt, long):
        raise TenorError(
            f"{path} was made with the prompt {record.prompt!r} and --long {record.long}, not with "
            f"{prompt!r} and {long}."
        )

    def copy(rows: Rows, out: Floats) -> None:
        for start in range(0, len(rows), BLOCK):
            out[start : start + BLOCK] = file.vectors[rows[start : start + BLOCK]]

    return copy


def check_out(path: Path, source: str | Path | None = None) -> None:
    """Refuse, before the work, a name that cannot be written to or is that of the source."""
    if path.suffix not in ENDINGS:
        raise TenorError(f"Cannot tell the format of {str(path)!r} by its ending; expected .csv or .jsonl.")
    if not path.parent.is_dir():
        raise TenorError(f"Cannot write {path}: the folder {str(path.parent)!r} does not exist.")
    if source is not None and path.exists() and Path(source).exists() and path.samefile(source):
        raise TenorError(f"Cannot write {path}: it is the file that is to be read. Choose another name.")


def write_rows(path: Path, rows: Iterable[dict[str, Any]], columns: tuple[str, ...]) -> None:
    """Write rows as CSV or JSON lines, by the ending of the name."""
    check_out(path)
    with atomic_file(path) as aside, open(aside, "w", encoding="utf-8", newline="") as file:
        if path.suffix == ".jsonl":
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            return
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
