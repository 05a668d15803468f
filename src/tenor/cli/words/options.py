"""Options that the commands of `tenor words` share, and opening vectors as they ask for it."""

import functools
import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tenor.cli.console import counted, notes, progress_bar
from tenor.cli.options import Quiet, Strict

if TYPE_CHECKING:
    from tenor.words import WordVectors

Command = Callable[..., None]


class OovChoice(StrEnum):
    """What is done with words that have no vector."""

    skip = "skip"
    subword = "subword"


Vectors = Annotated[
    str, typer.Argument(metavar="VECTORS", help="A file of word vectors, or an asset's name.")
]
ManyVectors = Annotated[
    list[str], typer.Argument(metavar="VECTORS…", help="Files of word vectors, or names of assets.")
]
TopK = Annotated[int, typer.Option("--k", "-k", help="How many words to show for each query.")]
Lowercase = Annotated[bool, typer.Option("--lowercase", help="Lower-case all words when reading.")]
Oov = Annotated[
    OovChoice,
    typer.Option(
        "--oov", help="Words without a vector: skip, or subword: made from n-grams (fastText .bin files)."
    ),
]
Limit = Annotated[int | None, typer.Option(metavar="N", help="Read only the first N words of a file.")]


@dataclass(frozen=True, slots=True)
class Reading:
    """How a command reads word vectors: the values of the options that all of them share."""

    lowercase: bool
    limit: int | None
    strict: bool
    quiet: bool

    def open_for(self, path: str, words: Iterable[str], oov: OovChoice) -> "WordVectors":
        """Read vectors and, where that is asked for, make those of unknown words from subwords."""
        vectors = self.open(path)
        if oov == OovChoice.skip:
            return vectors
        extended = vectors.with_subwords_for(words)
        if not self.quiet:
            made = len(extended) - len(vectors)
            notes.print(f"{path}: {counted(made, 'unknown word')} made from subwords.")
        return extended

    def open(self, path: str) -> "WordVectors":
        """Read vectors with a progress bar, and report what is wrong with the file."""
        from tenor.text.problems import Problems
        from tenor.words import WordVectors

        problems = Problems(strict=self.strict)
        with progress_bar("reading", self.limit, quiet=self.quiet) as bar:
            vectors = WordVectors.load(
                path, lowercase=self.lowercase, limit=self.limit, problems=problems, progress=bar.advance
            )
        if not self.quiet and (summary := problems.summary()):
            notes.print(f"{path} has {summary}")
        if not self.quiet:
            notes.print(f"{path}: {counted(len(vectors), 'word')}, {vectors.vector_size} dimensions.")
        return vectors


def _options(
    lowercase: Lowercase = False, limit: Limit = None, strict: Strict = False, quiet: Quiet = False
) -> None:
    """Declare the shared options; only the signature is used."""


def reads_vectors(*, limit: int | None = None) -> Callable[[Command], Command]:
    """Give a command the shared options; it finds their values in its parameter ``reading``.

    A command that prints JSON is quiet. ``limit`` is the default of ``--limit``.
    """
    shared = dict(inspect.signature(_options).parameters)
    shared["limit"] = shared["limit"].replace(default=limit)

    def decorate(command: Command) -> Command:
        @functools.wraps(command)
        def run(**given: Any) -> None:
            values = {name: given.pop(name) for name in shared}
            values["quiet"] = values["quiet"] or given.get("json_", False)
            command(reading=Reading(**values), **given)

        signature = inspect.signature(command)
        own = [each for each in signature.parameters.values() if each.name != "reading"]
        parameters = [*own, *shared.values()]
        # typer reads a command's options from its signature and annotations.
        run.__annotations__ = {each.name: each.annotation for each in parameters}
        run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        return run

    return decorate
