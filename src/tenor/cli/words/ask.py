"""Every dimension of the vectors is read as a feature that a word has with some probability, and a question
composes such sets: & what both have, | what either has, - without, ~ what it lacks, and parentheses. The
nearest words come first; lower distances are closer.

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
from tenor.cli.options import Json, Quiet, Strict
from tenor.cli.words.options import Limit, Lower, Vectors, open_vectors

if TYPE_CHECKING:
    from tenor.words.fuzzy import Near
    from tenor.words.vectors import WordVectors


class AxisChoice(StrEnum):
    """Over what the probabilities of a feature, or of a word, sum to 1."""

    column = "column"
    row = "row"


Asked = Annotated[str, typer.Argument(metavar="QUESTION", help='Words and signs, as in "noble & metal".')]
K = Annotated[int, typer.Option("--k", "-k", help="How many answers.")]
Axis = Annotated[
    AxisChoice,
    typer.Option(help="Probabilities sum to 1 over the words (column) or over a word's features (row)."),
]
Compare = Annotated[
    bool, typer.Option("--compare", help="Show beside it what sums and differences of vectors give.")
]


def ask(
    vectors: Vectors,
    question: Asked,
    k: K = 10,
    axis: Axis = AxisChoice.column,
    compare: Compare = False,
    lower: Lower = False,
    limit: Limit = None,
    strict: Strict = False,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Ask set questions about words."""
    from tenor.words.fuzzy import FuzzyWords, Question
    from tenor.words.fuzzy import ask as ask_words

    reading = Question.parse(question).reading  # first, as a question that cannot be read should cost no time
    table = open_vectors(vectors, lower=lower, limit=limit, strict=strict, quiet=quiet or json_)
    answers = ask_words(FuzzyWords.of(table, axis=axis.value), question, k)
    plain = _plain(table, question, k, quiet=quiet or json_) if compare else None
    if json_:
        found = {"question": question, "reading": reading, "answers": _rows(answers)}
        if compare:
            found["vectors"] = _rows(plain or [])
        out.print(json.dumps(found, ensure_ascii=False, indent=2))
        return
    for place, near in enumerate(answers):
        beside = f"   {plain[place].word}" if plain and place < len(plain) else ""
        out.print(f"{near.distance:9.5f}  {near.word:<24}{beside}".rstrip())


def _plain(table: "WordVectors", question: str, k: int, *, quiet: bool) -> "list[Near] | None":
    from tenor.errors import TenorError
    from tenor.words.fuzzy import ask_vectors

    try:
        return ask_vectors(table, question, k)
    except TenorError as error:
        if not quiet:
            notes.print(str(error), style="yellow")
        return None


def _rows(answers: "list[Near]") -> list[dict[str, str | float]]:
    return [{"word": near.word, "distance": round(near.distance, 8)} for near in answers]
