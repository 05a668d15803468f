"""Every dimension of the vectors is read as a feature that a word has with some probability, and a query
composes such fuzzy sets: & intersection, | union, - difference, ~ complement, and parentheses. The nearest
words come first; lower distances are closer.

\b
    tenor words ask glove-300d "noble & metal"
    tenor words ask glove-300d "french - british" --compare
    tenor words ask glove-300d "(rose | violet) - red" -k 5
"""

import json
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from tenor.cli.console import notes, out
from tenor.cli.options import Json
from tenor.cli.words.options import Reading, TopK, Vectors, reads_vectors

if TYPE_CHECKING:
    from tenor.words.fuzzy import Neighbour
    from tenor.words.vectors import WordVectors


class AxisChoice(StrEnum):
    """Over what the softmax is taken that turns vectors into probabilities."""

    column = "column"
    row = "row"


class ComplementChoice(StrEnum):
    """How an intersection with a complement is computed."""

    difference = "difference"
    paper = "paper"


QueryText = Annotated[str, typer.Argument(metavar="QUERY", help='Words and signs, as in "noble & metal".')]
Axis = Annotated[
    AxisChoice,
    typer.Option(help="Softmax over the vocabulary (column) or over the dimensions of a word (row)."),
]
Prenorm = Annotated[
    bool,
    typer.Option("--prenorm", help="Scale vectors to unit length first; then answers are close to cosine's."),
]
ComplementName = Annotated[
    ComplementChoice,
    typer.Option(
        "--complement",
        help="difference: a & ~b is a - b; paper: ~b is 1 - b, which is about 1 for every feature.",
    ),
]
Compare = Annotated[
    bool, typer.Option("--compare", help="Show beside it what sums and differences of vectors give.")
]


@reads_vectors()
def ask(
    vectors: Vectors,
    query: QueryText,
    reading: Reading,
    k: TopK = 10,
    axis: Axis = AxisChoice.column,
    prenorm: Prenorm = False,
    complement: ComplementName = ComplementChoice.difference,
    compare: Compare = False,
    json_: Json = False,
) -> None:
    """Answer set queries about words."""
    from tenor.words.fuzzy import FuzzyWords, Query
    from tenor.words.fuzzy import ask as ask_words

    parsed = Query.parse(query).reading  # first, as a query that cannot be parsed should cost no time
    table = reading.open(vectors)
    fuzzy = FuzzyWords.of(table, axis=axis.value, normalize=prenorm)
    answers = ask_words(fuzzy, query, k, complement=complement.value)
    plain = _plain(table, query, k, quiet=reading.quiet) if compare else None
    if json_:
        printed = {"query": query, "reading": parsed, "answers": _rows(answers)}
        if compare:
            printed["vectors"] = _rows(plain or [])
        out.print(json.dumps(printed, ensure_ascii=False, indent=2))
        return
    for position, near in enumerate(answers):
        beside = f"   {plain[position].word}" if plain and position < len(plain) else ""
        out.print(f"{near.distance:9.5f}  {near.word:<24}{beside}".rstrip())


def _plain(table: "WordVectors", query: str, k: int, *, quiet: bool) -> "list[Neighbour] | None":
    from tenor.errors import TenorError
    from tenor.words.fuzzy import ask_vectors

    try:
        return ask_vectors(table, query, k)
    except TenorError as error:
        if not quiet:
            notes.print(str(error), style="yellow")
        return None


def _rows(answers: "list[Neighbour]") -> list[dict[str, str | float]]:
    return [{"word": near.word, "distance": round(near.distance, 8)} for near in answers]
