"""The first file is a text of the target language, the others are texts of languages that may help it: their
word vectors beside the target's own. Files are plain text with a sentence a line, or tagged words (CoNLL,
CoNLL-U). Three measures rank the languages and vote: the perplexity of a character 7-gram model of the
target, that of a word unigram model (both lower is nearer), and the overlap of vocabularies.

\b
    tenor words languages es.txt nl.txt de.txt fi.txt
    tenor words languages es.conll nl.conll en.conll --each
    tenor words languages es.txt nl.txt de.txt --json

The nearest language is often not the most useful one (Lange et al., 2020): with vectors of several languages,
let attention choose among all of them; with multilingual vectors, take those beside the target's own; else
try the first two or three of the vote.
"""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tenor.cli.console import notes, out, print_problems
from tenor.cli.options import Json, Quiet, Strict

if TYPE_CHECKING:
    from tenor.words.languages.distances import LanguageRanking

Files = Annotated[
    list[Path], typer.Argument(metavar="TARGET OTHER…", help="A text of the target, and of each other one.")
]
Each = Annotated[bool, typer.Option("--each", help="Rank for every language in turn, not only the first.")]
Symmetric = Annotated[bool, typer.Option("--symmetric", help="Average the perplexities of both directions.")]
MostWords = Annotated[
    int, typer.Option("--words", metavar="N", min=10, help="Train language models on N words at the most.")
]


def languages(
    files: Files,
    each: Each = False,
    symmetric: Symmetric = False,
    words: MostWords = 200_000,
    json_: Json = False,
    strict: Strict = False,
    quiet: Quiet = False,
) -> None:
    """Rank auxiliary languages for a target by perplexity, vocabulary overlap and their vote."""
    from tenor.text.problems import Problems
    from tenor.words.languages.distances import rank_languages
    from tenor.words.languages.reading import read_languages

    problems = Problems(strict=strict)
    texts = read_languages(files, problems=problems)
    print_problems(problems, quiet=quiet)
    targets = list(texts) if each else [next(iter(texts))]
    found = [rank_languages(texts, name, symmetric=symmetric, most_words=words) for name in targets]
    if json_:
        rows = [
            {"target": one.target, "distances": one.distances, "rankings": one.rankings, "best": one.best}
            for one in found
        ]
        out.print(json.dumps(rows if each else rows[0], ensure_ascii=False, indent=2))
        return
    for ranking in found:
        _print(ranking)
    if not quiet:
        notes.print("The nearest is not always the most useful: try the first two or three, or all attended.")


def _print(found: "LanguageRanking") -> None:
    measures = list(found.distances)
    head = "  ".join(f"{measure:>15}" for measure in measures)
    width = max(map(len, [*found.rankings["vote"], found.target]))
    out.print(f"{found.target:<{width}}  {'vote':>4}  {head}")
    for name, rank in found.rankings["vote"].items():
        values = "  ".join(f"{found.distances[measure][name]:>15.4g}" for measure in measures)
        out.print(f"{name:<{width}}  {rank:>4g}  {values}")
    own = "  ".join(
        f"{found.distances[measure].get(found.target, float('nan')):>15.4g}" for measure in measures
    )
    out.print(f"{'itself':<{width}}  {'':>4}  {own}".replace("nan", "  –").rstrip())
