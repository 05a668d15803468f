"""3CosAdd takes the words with the largest cosine to b - a + c, 3CosMul those with the largest product of
similarities to b and c divided by that to a.

\b
    tenor words analogy glove-300d man king woman
    tenor words analogy glove-300d paris france tokyo --method 3cosmul
"""

import json
from enum import StrEnum
from typing import Annotated

import typer

from tenor.cli.console import out
from tenor.cli.options import Json
from tenor.cli.words.options import Reading, TopK, Vectors, reads_vectors


class MethodChoice(StrEnum):
    """How an answer is scored."""

    add = "3cosadd"
    mul = "3cosmul"


A = Annotated[str, typer.Argument(metavar="A", help="a, in: a is to b as c is to …")]
B = Annotated[str, typer.Argument(metavar="B", help="b.")]
C = Annotated[str, typer.Argument(metavar="C", help="c.")]
Score = Annotated[MethodChoice, typer.Option("--method", help="3cosadd (sum), or 3cosmul (product).")]


@reads_vectors()
def analogy(
    vectors: Vectors,
    a: A,
    b: B,
    c: C,
    reading: Reading,
    k: TopK = 5,
    method: Score = MethodChoice.add,
    json_: Json = False,
) -> None:
    """Answer an analogy: a is to b as c is to …"""
    answers = reading.open(vectors).analogy(a, b, c, k, method=method.value)
    if json_:
        rows = [{"word": word, "score": round(score, 6)} for word, score in answers]
        out.print(json.dumps({"a": a, "b": b, "c": c, "answers": rows}, ensure_ascii=False, indent=2))
        return
    for word, score in answers:
        out.print(f"{score:7.4f}  {word}")
