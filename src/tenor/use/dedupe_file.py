"""Duplicates in a file: reading its texts, and writing the groups or what is left without duplicates."""

import csv
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tenor.errors import TenorError
from tenor.files import atomic_file
from tenor.model import Model
from tenor.model.encoding import Long
from tenor.text.language import LanguageWatch
from tenor.text.problems import Problems
from tenor.text.readers import read_texts
from tenor.text.sniff import Asked
from tenor.use.dedupe import DEFAULT_THRESHOLD, EXACT_LIMIT, Group, Note, Progress, dedupe
from tenor.use.limits import count_beyond_limit, tell_beyond_limit

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
    warning: str | None  # about the language of the texts

    @property
    def grouped(self) -> int:
        """The number of texts that are in groups."""
        return sum(map(len, self.groups))

    @property
    def superfluous(self) -> int:
        """The number of texts that could go: all but the centre of each group."""
        return self.grouped - len(self.groups)

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
            if row not in gone:
                yield {"line": self.lines[row], "texts": sizes.get(row, 1), "text": text}


def dedupe_file(
    model: Model,
    source: str | Path,
    *,
    column: str | int | None = None,
    threshold: float = DEFAULT_THRESHOLD,
    prompt: str | None = None,
    long: Long = "truncate",
    strict: bool = False,
    reading: Asked | None = None,
    exact_limit: int = EXACT_LIMIT,
    progress: Progress | None = None,
    note: Note | None = None,
) -> Deduped:
    """Find the groups of a file's texts that say the same; empty texts are reported and left out."""
    problems, watch = Problems(strict=strict), LanguageWatch()
    asked: dict[str, Any] = asdict(reading or Asked())
    texts: list[str] = []
    lines: list[int] = []
    for sentence in read_texts(source, column=column, problems=problems, **asked):
        texts.append(sentence.text)
        lines.append(sentence.origin.line)
    watch.see(texts)
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
    beyond = tell_beyond_limit(count_beyond_limit(model, texts, prompt=prompt), long)
    warning = watch.warning(model.name) if model.english else None
    return Deduped(texts, lines, groups, threshold, problems, beyond, warning)


def check_ending(path: Path) -> None:
    """Refuse a name whose ending is neither .csv nor .jsonl, or whose folder is missing, before the work."""
    if path.suffix not in ENDINGS:
        raise TenorError(f"Cannot tell the format of {str(path)!r} by its ending; expected .csv or .jsonl.")
    if not path.parent.is_dir():
        raise TenorError(f"Cannot write {path}: the folder {str(path.parent)!r} does not exist.")


def write_rows(path: Path, rows: Iterable[dict[str, Any]], columns: tuple[str, ...]) -> None:
    """Write rows as CSV or JSON lines, by the ending of the name."""
    check_ending(path)
    with atomic_file(path) as aside, open(aside, "w", encoding="utf-8", newline="") as file:
        if path.suffix == ".jsonl":
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            return
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
