"""DIR is what `tenor words align` wrote. Scores are CSLS: cosines, less what hubs have in common with all.

\b
    tenor words translate en-de house
    tenor words translate en-de Haus --reverse -k 10
"""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from tenor.cli.console import out
from tenor.cli.options import Json

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A folder made by `tenor words align`.")]
Words = Annotated[list[str], typer.Argument(metavar="WORD…", help="One or more words.")]
K = Annotated[int, typer.Option("--k", "-k", help="How many translations of each.")]
Reverse = Annotated[bool, typer.Option("--reverse", help="From the target language to the source language.")]


def translate(folder: Folder, words: Words, k: K = 5, reverse: Reverse = False, json_: Json = False) -> None:
    """Translate words, by two languages in one space."""
    from tenor.words.crosslingual.lexicon import Lexicon

    lexicon = Lexicon.load(folder)
    found = {word: lexicon.translate(word, k=k, way="backward" if reverse else "forward") for word in words}
    if json_:
        rows = {word: [asdict(one) for one in some] for word, some in found.items()}
        out.print(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    for word, some in found.items():
        if len(found) > 1:
            out.print(word)
        for one in some:
            out.print(f"{one.score:8.4f}  {one.word:<24} cosine {one.cosine:.3f}")
