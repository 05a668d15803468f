"""Options that the commands of `tenor words` share, and opening vectors as they ask for it."""

from typing import TYPE_CHECKING, Annotated

import typer

from tenor.cli.console import counted, notes, progress_bar

if TYPE_CHECKING:
    from tenor.words import WordVectors

Vectors = Annotated[
    str, typer.Argument(metavar="VECTORS", help="A file of word vectors, or an asset's name.")
]
Lower = Annotated[bool, typer.Option("--lower", help="Lower-case all words when reading.")]
Limit = Annotated[int | None, typer.Option(metavar="N", help="Read only the first N words.")]


def open_vectors(
    path: str, *, lower: bool = False, limit: int | None = None, strict: bool = False, quiet: bool = False
) -> "WordVectors":
    """Read vectors with a bar, and tell what was wrong in the file."""
    from tenor.text.problems import Problems
    from tenor.words import WordVectors

    problems = Problems(strict=strict)
    with progress_bar("reading", limit, quiet=quiet) as bar:
        vectors = WordVectors.load(path, lower=lower, limit=limit, problems=problems, progress=bar.advance)
    if not quiet and (summary := problems.summary()):
        notes.print(f"{path} has {summary}")
    if not quiet:
        notes.print(f"{path}: {counted(len(vectors), 'word')}, {vectors.width} numbers each.")
    return vectors
