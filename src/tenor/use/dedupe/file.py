"""Duplicates in a file: reading its texts, and the rows of groups or of what is left without duplicates."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tenor.errors import TenorError
from tenor.model import Model
from tenor.model.encoding import Long
from tenor.progress import Note, StageProgress
from tenor.text.examples import Row, Sentence
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
from tenor.use.row_files import is_plain
from tenor.use.text_watch import TextWatch

Written = Iterator[tuple[Row | None, dict[str, Any]]]
"""Rows of the source, and what is written beside their columns."""


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
    source: Callable[[], Iterator[Sentence]] | None = None  # reads the texts again, with their rows

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

    def grouped_rows(self) -> Written:
        """Yield the rows of the source that are in groups, group by group; those are in memory meanwhile."""
        wanted = {member.row for group in self.groups for member in group.members}
        found = dict(self._read_again(wanted))
        members = (member.row for group in self.groups for member in group.members)
        for row, added in zip(members, self.rows(), strict=True):
            yield found[row], {name: value for name, value in added.items() if name != "text"}

    def kept_rows(self) -> Written:
        """Yield the rows of the source that stay, as a stream."""
        gone = {member.row for group in self.groups for member in group.members[1:]}
        wanted = {row for row, text in enumerate(self.texts) if row not in gone and text.strip()}
        for (_, row), added in zip(self._read_again(wanted), self.kept(), strict=True):
            yield row, {name: value for name, value in added.items() if name != "text"}

    @property
    def plain_lines(self) -> bool:
        """Whether the source is a file of plain lines, whose rows are nothing but texts."""
        assert self.source is not None
        first = next(iter(self.source())).row
        return first is not None and is_plain(first)

    def _read_again(self, wanted: set[int]) -> Iterator[tuple[int, Row | None]]:
        assert self.source is not None
        for number, (sentence, text) in enumerate(zip(self.source(), self.texts, strict=False)):
            if sentence.text != text:
                raise TenorError(f"{sentence.origin}: the file has changed since it was first read.")
            if number in wanted:
                yield number, sentence.row


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
    read = partial(read_texts, source, column=column, empty="keep", rows=True, **asked)
    once = str(source) == "-" or not Path(source).is_file()
    kept: list[Sentence] = []  # what cannot be read again stays in memory
    for sentence in read(problems=problems):
        texts.append(sentence.text)
        lines.append(sentence.origin.line)
        if once:
            kept.append(sentence)
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
    again = (lambda: iter(kept)) if once else (lambda: read(problems=Problems()))
    return Deduped(texts, lines, groups, threshold, problems, beyond, watch.warning(), again)


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
