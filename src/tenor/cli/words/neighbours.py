"""The search is exact. CSLS (cross-domain similarity local scaling) corrects for hubs: words that are near
everything.

\b
    tenor words neighbours glove-50d king queen
    tenor words neighbours vectors.safetensors king --method csls -k 5
"""

import json
from enum import StrEnum
from typing import Annotated

import typer

from tenor.cli.console import out, progress_bar
from tenor.cli.options import Json
from tenor.cli.words.options import Oov, OovChoice, Reading, TopK, Vectors, reads_vectors


class MethodChoice(StrEnum):
    """How similarity is scored."""

    cosine = "cosine"
    csls = "csls"


Words = Annotated[list[str], typer.Argument(metavar="WORD…", help="Words to find neighbours of.")]
Score = Annotated[MethodChoice, typer.Option("--method", help="cosine, or csls.")]


@reads_vectors()
def neighbours(
    vectors: Vectors,
    words: Words,
    reading: Reading,
    k: TopK = 10,
    method: Score = MethodChoice.cosine,
    oov: Oov = OovChoice.skip,
    json_: Json = False,
) -> None:
    """Find the nearest neighbours of words."""
    table = reading.open_for(vectors, words, oov)
    steps = len(words) if method == MethodChoice.cosine else 2 * len(words) + len(table)
    with progress_bar("comparing", steps, quiet=reading.quiet) as bar:
        indices, scores = table.neighbours(words, k, method=method.value, progress=bar.advance)
    neighbours_of = {
        word: [
            {"word": table.words[index], "score": round(score, 6)}
            for index, score in zip(indices[row].tolist(), scores[row].tolist(), strict=True)
            if index >= 0
        ]
        for row, word in enumerate(words)
    }
    if json_:
        out.print(json.dumps(neighbours_of, ensure_ascii=False, indent=2))
        return
    for word, near in neighbours_of.items():
        out.print(word)
        for entry in near:
            out.print(f"  {entry['score']:7.4f}  {entry['word']}")
