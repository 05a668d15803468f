"""IN is plain lines, CSV, TSV, JSON, Excel or Parquet, compressed with gzip or not, or - for standard input.

Prints the texts from vague to concrete, one line each: score, score per word, the words that make it
specific, its line in IN, the text. Longer texts say more: --per-word ranks by the mean over words instead.

The model is a folder of word operators. It is learned from pairs of texts that say the same: a file, or those
of Tatoeba, which `tenor fetch tatoeba` brings.

\b
    tenor specificity --learn tatoeba --out operators
    tenor specificity texts.txt --model operators
    tenor specificity shop.csv --column review -m operators --per-word
"""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tenor.cli.console import counted, one_line, out, print_problems
from tenor.cli.options import Column, Encoding, Json, OptionalSource, Quiet, Seed, Strict
from tenor.errors import TenorError

if TYPE_CHECKING:
    from tenor.use.specificity.scoring import Specificity

_SHOWN = 200  # characters of a text
_TATOEBA = "tatoeba"

Model = Annotated[
    str | None, typer.Option("--model", "-m", help="A folder of word operators.", show_default=False)
]
Learn = Annotated[
    str | None,
    typer.Option(metavar="PAIRS", help="Learn a model from a file of pairs, or from tatoeba, to --out."),
]
OutFolder = Annotated[Path | None, typer.Option("--out", "-o", help="The folder of the new model.")]
PerWord = Annotated[bool, typer.Option("--per-word", help="Rank by the mean over words, not by the sum.")]
Epochs = Annotated[int, typer.Option(min=1, metavar="N", help="With --learn: passes over the pairs.")]


def specificity(
    source: OptionalSource = None,
    model: Model = None,
    column: Column = None,
    per_word: PerWord = False,
    learn: Learn = None,
    out_: OutFolder = None,
    epochs: Epochs = 2,
    seed: Seed = 1,
    encoding: Encoding = None,
    strict: Strict = False,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Rank texts from vague to concrete."""
    if learn is not None:
        if source is not None or out_ is None or model is not None:
            raise TenorError(
                "--learn PAIRS needs --out FOLDER, and neither texts nor --model: learn first, then rank."
            )
        _learn(learn, out_, epochs=epochs, seed=seed, encoding=encoding, strict=strict, quiet=quiet)
        return
    if source is None or model is None:
        raise TenorError(
            "Expected texts and a model: tenor specificity texts.txt --model FOLDER. Without a model, make "
            "one: tenor fetch tatoeba, then tenor specificity --learn tatoeba --out FOLDER."
        )
    if out_ is not None:
        raise TenorError(
            "--out is the folder of a model that --learn makes; the ranking goes to standard output (> FILE)."
        )
    _rank(source, model, column, encoding, per_word=per_word, strict=strict, as_json=json_, quiet=quiet)


def _rank(
    source: str,
    model: str,
    column: str | None,
    encoding: str | None,
    *,
    per_word: bool,
    strict: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    from tenor.model.loading import find_model
    from tenor.text.problems import Problems
    from tenor.text.readers import read_texts
    from tenor.use.specificity.scoring import SpecificityScorer

    scorer = SpecificityScorer.of(find_model(model), name=model)
    problems = Problems(strict)
    rows = list(read_texts(source, column=column, encoding=encoding, problems=problems))
    found = [(scorer.explained(row.text), row.origin.line) for row in rows]
    found.sort(key=lambda pair: pair[0].per_word if per_word else pair[0].score)
    if not as_json and found:
        typer.echo("score\tper word\tspecific words\tline\ttext")
    for one, line in found:
        typer.echo(_as_json(one, line) if as_json else _as_row(one, line))
    print_problems(problems, quiet=quiet)


def _as_row(one: "Specificity", line: int) -> str:
    strongest = ", ".join(one.strongest())
    return f"{one.score:.2f}\t{one.per_word:.2f}\t{strongest}\t{line}\t{one_line(one.text, _SHOWN)}"


def _as_json(one: "Specificity", line: int) -> str:
    words = [{"word": word, "specificity": round(taken, 4)} for word, taken in one.words]
    record = {"line": line, "text": one.text, "specificity": round(one.score, 4)}
    return json.dumps(record | {"per_word": round(one.per_word, 4), "words": words}, ensure_ascii=False)


def _learn(
    pairs: str, folder: Path, *, epochs: int, seed: int, encoding: str | None, strict: bool, quiet: bool
) -> None:
    from tenor.text.problems import Problems
    from tenor.text.readers import read_pairs
    from tenor.text.same_labels import paraphrases
    from tenor.training.operators.api import OperatorSettings, learn_operators

    if folder.exists() and any(folder.iterdir()):
        raise TenorError(f"{folder} is not empty; choose a folder that is new or empty.")
    problems = Problems(strict)
    if pairs == _TATOEBA and not Path(pairs).exists():
        from tenor.corpora.pivots import tatoeba_paraphrases

        texts = tatoeba_paraphrases()
    else:
        read = read_pairs(pairs, encoding=encoding, problems=problems)
        texts = [pair.texts for pair in paraphrases(read, problems)]
    learn_operators(texts, folder, settings=OperatorSettings(epochs=epochs), seed=seed)
    print_problems(problems, quiet=quiet)
    out.print(f"Word operators from {counted(len(texts), 'pair')} in {folder}.")
