"""The cosine of the two words' vectors, from -1 to 1."""

import json
from typing import Annotated

import typer

from tenor.cli.console import out
from tenor.cli.options import Json
from tenor.cli.words.options import Oov, OovChoice, Reading, Vectors, reads_vectors

First = Annotated[str, typer.Argument(metavar="WORD", help="A word.")]
Second = Annotated[str, typer.Argument(metavar="OTHER", help="Another word.")]


@reads_vectors()
def similarity(
    vectors: Vectors,
    first: First,
    second: Second,
    reading: Reading,
    oov: Oov = OovChoice.skip,
    json_: Json = False,
) -> None:
    """Print the cosine similarity of two words."""
    cosine = reading.open_for(vectors, [first, second], oov).similarity(first, second)
    if json_:
        out.print(json.dumps({"words": [first, second], "cosine": round(cosine, 6)}, ensure_ascii=False))
    else:
        out.print(f"{cosine:.4f}")
