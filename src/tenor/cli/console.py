"""Talking to the person: notes and progress on stderr, results on stdout."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from tenor.progress import Note

if TYPE_CHECKING:
    from tenor.text.problems import Problems

# Text of the user is never markup: a "[red]" in a file must be shown as it stands.
out = Console(markup=False, highlight=False, emoji=False, soft_wrap=True)
notes = Console(stderr=True, markup=False, highlight=False, emoji=False, soft_wrap=True)


class _Rate(ProgressColumn):
    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:,.0f}/s", style="cyan")


class Bar:
    """A progress bar that a long job advances; ``total`` may become known later."""

    def __init__(self, progress: Progress, label: str, total: int | None) -> None:
        self._progress = progress
        self._task = progress.add_task(label, total=total)

    def advance(self, count: int) -> None:
        """Say that so many more items are done."""
        self._progress.advance(self._task, count)

    def follow(self, count: int, total: int | None) -> None:
        """Say that so many more items are done, out of a total that is known by now."""
        self._progress.update(self._task, advance=count, total=total)


@contextmanager
def progress_bar(label: str, total: int | None = None, *, quiet: bool = False) -> Iterator[Bar]:
    """Show a bar with rate and time left on stderr, where stderr is a terminal."""
    columns = [
        SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), _Rate(),
        TimeElapsedColumn(), TimeRemainingColumn(),
    ]  # fmt: skip
    hidden = quiet or not notes.is_terminal
    with Progress(*columns, console=notes, disable=hidden, transient=True) as progress:
        yield Bar(progress, label, total)


def print_notes(texts: Iterable[str | None], *, quiet: bool = False) -> None:
    """Print what a person should know after a job, one sentence a line; None and empty ones are left out."""
    for text in texts:
        if text and not quiet:
            notes.print(text)


def print_problems(problems: "Problems", *, quiet: bool) -> None:
    """Say on stderr what was wrong with the rows of a file, if anything was; when quiet, in one line."""
    if summary := problems.brief() if quiet else problems.summary():
        notes.print(summary, style="yellow")


def note_printer(*, quiet: bool) -> Note | None:
    """Return what a long job calls with a note for the person: None where there are to be no notes."""
    return None if quiet else notes.print


def one_line(text: str, most: int) -> str:
    """Show a text of the user on one line, cut to size, without characters that would command the terminal.

    >>> one_line("two\\nlines and more", 12)
    'two lines a…'
    """
    line = "".join(letter if letter.isprintable() else " " for letter in text[: 4 * most])
    line = " ".join(line.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def counted(count: int, thing: str) -> str:
    """Count things in words that agree with the number.

    >>> counted(1, "text"), counted(2000, "text")
    ('1 text', '2,000 texts')
    """
    return f"{count:,} {thing}" if count == 1 else f"{count:,} {thing}s"
