"""The answers are the words nearest to b - a + c, or the best by products of cosines.

\b
    tenor words analogy glove-300d man king woman
    tenor words analogy glove-300d paris france tokyo --method 3cosmul
"""

import json
from enum import StrEnum
from typing import Annotated

import typer

from tenor.cli.console import out
from tenor.cli.options import Json, Quiet, Strict
from tenor.cli.words.options import Limit, Lower, Vectors, open_vectors


class MethodChoice(StrEnum):
    """How an answer is scored."""

    add = "3cosadd"
    mul = "3cosmul"


A = Annotated[str, typer.Argument(metavar="A", help="a, in: a is to b as c is to …")]
B = Annotated[str, typer.Argument(metavar="B", help="b.")]
C = Annotated[str, typer.Argument(metavar="C", help="c.")]
K = Annotated[int, typer.Option("--k", "-k", help="How many answers.")]
Score = Annotated[MethodChoice, typer.Option("--method", help="3cosadd (sum), or 3cosmul (product).")]


def analogy(
    vectors: Vectors,
    a: A,
    b: B,
    c: C,
    k: K = 5,
    method: Score = MethodChoice.add,
    lower: Lower = False,
    limit: Limit = None,
    strict: Strict = False,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Complete: a is to b as c is to …"""
    table = open_vectors(vectors, lower=lower, limit=limit, strict=strict, quiet=quiet or json_)
    answers = table.analogy(a, b, c, k, method=method.value)
    if json_:
        found = [{"word": word, "score": round(score, 6)} for word, score in answers]
        out.print(json.dumps({"a": a, "b": b, "c": c, "answers": found}, ensure_ascii=False, indent=2))
        return
    for word, score in answers:
        out.print(f"{score:7.4f}  {word}")
