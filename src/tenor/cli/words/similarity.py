"""The cosine of the two words' vectors, from -1 to 1."""

import json
from typing import Annotated

import typer

from tenor.cli.console import out
from tenor.cli.options import Json, Quiet, Strict
from tenor.cli.words.options import Limit, Lower, Vectors, open_vectors

First = Annotated[str, typer.Argument(metavar="WORD", help="A word.")]
Second = Annotated[str, typer.Argument(metavar="OTHER", help="Another word.")]


def similarity(
    vectors: Vectors,
    first: First,
    second: Second,
    lower: Lower = False,
    limit: Limit = None,
    strict: Strict = False,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Say how alike two words are."""
    table = open_vectors(vectors, lower=lower, limit=limit, strict=strict, quiet=quiet or json_)
    cosine = table.similarity(first, second)
    if json_:
        out.print(json.dumps({"words": [first, second], "cosine": round(cosine, 6)}, ensure_ascii=False))
    else:
        out.print(f"{cosine:.4f}")
