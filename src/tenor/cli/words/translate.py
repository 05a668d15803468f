"""DIR is what `tenor words align` wrote. Scores are CSLS: cosines, corrected for hubs.

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
from tenor.cli.words.options import TopK

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A folder made by `tenor words align`.")]
Words = Annotated[list[str], typer.Argument(metavar="WORD…", help="One or more words.")]
Reverse = Annotated[bool, typer.Option("--reverse", help="From the target language to the source language.")]


def translate(
    folder: Folder, words: Words, k: TopK = 5, reverse: Reverse = False, json_: Json = False
) -> None:
    """Translate words by cross-lingual word embeddings."""
    from tenor.words.crosslingual.lexicon import Lexicon

    lexicon = Lexicon.load(folder)
    translations = {
        word: lexicon.translate(word, k=k, direction="backward" if reverse else "forward") for word in words
    }
    if json_:
        rows = {word: [asdict(each) for each in some] for word, some in translations.items()}
        out.print(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    for word, some in translations.items():
        if len(translations) > 1:
            out.print(word)
        for each in some:
            out.print(f"{each.score:8.4f}  {each.word:<24} cosine {each.cosine:.3f}")
