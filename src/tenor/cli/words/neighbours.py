"""The search is exact. CSLS corrects for words that are near everything.

\b
    tenor words neighbours glove-50d king queen
    tenor words neighbours vectors.safetensors king --method csls -k 5
"""

import json
from enum import StrEnum
from typing import Annotated

import typer

from tenor.cli.console import out, progress_bar
from tenor.cli.options import Json, Quiet, Strict
from tenor.cli.words.options import Limit, Lower, Vectors, open_vectors


class MethodChoice(StrEnum):
    """How nearness is scored."""

    cosine = "cosine"
    csls = "csls"


Words = Annotated[list[str], typer.Argument(metavar="WORD…", help="Words to find neighbours of.")]
K = Annotated[int, typer.Option("--k", "-k", help="How many neighbours of each word.")]
Score = Annotated[MethodChoice, typer.Option("--method", help="cosine, or csls.")]


def neighbours(
    vectors: Vectors,
    words: Words,
    k: K = 10,
    method: Score = MethodChoice.cosine,
    lower: Lower = False,
    limit: Limit = None,
    strict: Strict = False,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Find the nearest words of words."""
    quiet = quiet or json_
    table = open_vectors(vectors, lower=lower, limit=limit, strict=strict, quiet=quiet)
    steps = len(words) if method == MethodChoice.cosine else 2 * len(words) + len(table)
    with progress_bar("comparing", steps, quiet=quiet) as bar:
        numbers, scores = table.neighbours(words, k, method=method.value, progress=bar.advance)
    found = {
        word: [
            {"word": table.words[number], "score": round(score, 6)}
            for number, score in zip(numbers[row].tolist(), scores[row].tolist(), strict=True)
            if number >= 0
        ]
        for row, word in enumerate(words)
    }
    if json_:
        out.print(json.dumps(found, ensure_ascii=False, indent=2))
        return
    for word, near in found.items():
        out.print(word)
        for entry in near:
            out.print(f"  {entry['score']:7.4f}  {entry['word']}")
