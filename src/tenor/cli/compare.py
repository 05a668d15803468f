"""Prints whether the texts say the same and how sure that is, the similarity on a scale of 0 to 5, and the
phrases of both texts side by side: = the same words, ≈ other words for it (with the cosine of the two
phrases), - only in the first text, + only in the second.
A model of `tenor transfer` (its folder explaining/) says of each pair: paraphrase, related or unrelated.

With --file every pair of a file is scored, one line each: its line in the file, similarity, cosine, texts;
--out keeps all columns of the file and adds the scores.

\b
    tenor compare "How do I reset it?" "Ways of resetting the device"
    tenor compare --file pairs.tsv --out scores.tsv
    tenor compare --file questions.csv --columns question1,question2 --json
"""

import json
import math
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tenor.cli.console import counted, notes, one_line, out, print_problems, progress_bar
from tenor.cli.options import (
    Device,
    Encoding,
    Json,
    Long,
    LongChoice,
    PairColumns,
    Precision,
    PrecisionChoice,
    Quiet,
    RowsOut,
    Strict,
    pair_of,
)
from tenor.cli.options import Model as ModelName
from tenor.errors import TenorError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tenor.model import Model
    from tenor.model.encoding import Long as LongName
    from tenor.tasks.answer import LabelAnswer
    from tenor.use.align.explain import TextSpan
    from tenor.use.compare.comparing import Comparison, ScoredPair
    from tenor.use.compare.relations import Relation

_SHOWN = 500  # characters of a phrase or text
_CELLS = 20  # of the bar

First = Annotated[str | None, typer.Argument(metavar="A", help="A text.", show_default=False)]
Second = Annotated[str | None, typer.Argument(metavar="B", help="Another text.", show_default=False)]
File = Annotated[str | None, typer.Option("--file", "-f", help="A file of pairs; - is standard input.")]
Explain = Annotated[
    bool | None,
    typer.Option(
        "--explain/--no-explain",
        help="Also show the phrases of both texts, and how they are related. Default: yes.",
    ),
]


def compare(
    first: First = None,
    second: Second = None,
    file: File = None,
    columns: PairColumns = None,
    out_: RowsOut = None,
    model: ModelName = "minilm",
    precision: Precision = PrecisionChoice.auto,
    device: Device = "auto",
    long: Long = LongChoice.truncate,
    encoding: Encoding = None,
    explain: Explain = None,
    strict: Strict = False,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Say how close two texts are in meaning, and which of their phrases match."""
    from tenor.model import load

    if file is not None and first is not None:
        raise TenorError("Give either two texts or a file of pairs (--file), not both.")
    if file is None and (columns is not None or out_ is not None or encoding is not None):
        raise TenorError("--columns, --encoding and --out are for a file of pairs; give them with --file.")
    if file is not None and explain:
        raise TenorError(
            "--explain shows the phrases of two texts; for a file of pairs use `tenor align`, or compare its "
            "pairs one by one."
        )
    if file is not None:
        from tenor.use.row_files import check_out

        check_out(out_, file)
        how = _How(pair_of(columns), long.value, encoding, strict=strict, as_json=json_, quiet=quiet)
        _compare_file(load(model, precision=precision.value, device=device), file, out_, how)
    elif first is not None and second is not None:
        from tenor.use.compare.comparing import compare as compare_texts

        loaded = load(model, precision=precision.value, device=device)
        found = compare_texts(loaded, _readable(first), _readable(second), long=long.value)
        shown = explain is not False
        _print_json(found, explain=shown) if json_ else _print(found, explain=shown)
        if explain and not (quiet or json_) and loaded.phrases is None:
            notes.print(
                f"{model} has no phrasal classifier, so cosines are shown; `tenor transfer` makes "
                "models that say how phrases are related.",
                style="yellow",
            )
        for warning in () if quiet or json_ else found.warnings:
            notes.print(warning, style="yellow")
        if any(found.cut) and long.value == "truncate" and not (quiet or json_):
            notes.print("--long chunk uses all of both texts for the similarity.", style="yellow")
    else:
        raise TenorError(
            'Expected two texts (tenor compare "A" "B") or a file of pairs (--file pairs.tsv). '
            "Before texts that begin with a dash put --, after all options."
        )


@dataclass(frozen=True)
class _How:
    """How a file is compared and what is printed."""

    columns: dict[str, str | int] | None
    long: "LongName"
    encoding: str | None
    strict: bool
    as_json: bool
    quiet: bool


def _compare_file(model: "Model", file: str, path: Path | None, how: _How) -> None:
    from tenor.text.problems import Problems
    from tenor.use.compare.comparing import CompareReport, compare_file
    from tenor.use.row_files import STDOUT

    problems, report = Problems(how.strict), CompareReport()
    with progress_bar("Comparing", quiet=how.quiet) as bar:
        scored = compare_file(
            model,
            file,
            columns=how.columns,
            long=how.long,
            encoding=how.encoding,
            rows=path is not None,
            problems=problems,
            report=report,
            progress=bar.advance,
        )
        _write(scored, path, as_json=how.as_json)
    print_problems(problems, quiet=how.quiet)
    for warning in () if how.quiet else report.warnings(model, long=how.long):
        notes.print(warning, style="yellow")
    if path not in (None, STDOUT):
        out.print(f"{counted(report.pairs, 'row')} in {path}.")


def _write(scored: "Iterable[ScoredPair]", path: Path | None, *, as_json: bool) -> None:
    """Write to a file with all columns of the input, or print a line per pair."""
    from tenor.use.row_files import row_file

    if path is not None:
        with row_file(path, as_json=as_json) as rows:
            for scores in scored:
                rows.write(scores.pair.row, scores.added())
        return
    for number, scores in enumerate(scored):
        if not (as_json or number):  # Not before: a file that cannot be read leaves no output at all.
            typer.echo("line\tsimilarity\tcosine\tfirst\tsecond")
        if as_json:
            typer.echo(json.dumps(scores.to_json(), ensure_ascii=False))
        else:
            texts = "\t".join(one_line(text, _SHOWN) for text in scores.pair.texts)
            line = scores.pair.origin.line
            typer.echo(f"{line}\t{scores.similarity:.2f}\t{scores.cosine:.4f}\t{texts}")


def _readable(text: str) -> str:
    """Return an argument with U+FFFD in place of bytes that are not UTF-8."""
    return os.fsencode(text).decode("utf-8", "replace")


def _print_json(found: "Comparison", *, explain: bool) -> None:
    record = found.to_json()
    for name in () if explain else ("words", "links", "phrases", "only_first", "only_second"):
        del record[name]
    typer.echo(json.dumps(record, ensure_ascii=False, indent=2))


def _print(found: "Comparison", *, explain: bool) -> None:
    from rich.table import Table
    from rich.text import Text

    if found.verdict.says == "unknown":  # the numbers mean nothing
        out.print(found.verdict.text)
        return
    filled = round(found.similarity / 5 * _CELLS)
    bar = "█" * filled + "░" * (_CELLS - filled)
    sure = {"high": "sure", "medium": "fairly sure", "low": "unsure"}[found.verdict.certainty]
    out.print(f"{found.verdict.text} ({sure})")
    out.print(f"similarity {found.similarity:.1f} of 5  {bar}")
    for line in _of_tasks(found):
        out.print(line)
    if not explain:
        return
    out.print()
    table = Table.grid(padding=(0, 2))
    for _ in range(4):
        table.add_column(overflow="fold")
    for left, sign, right, score, style in _rows(found):
        table.add_row(*(Text(cell, style=style) for cell in (left, sign, right, score)))
    out.print(table, soft_wrap=False)
    beside = "by the phrasal classifier" if found.relations else "cosine"
    out.print(
        f"\n= same words   ≈ other words, {beside}   - only in the first   + only in the second", style="dim"
    )


def _of_tasks(found: "Comparison") -> list[str]:
    """Say what the model's tasks predict for the two texts, a line each."""
    lines = []
    if found.paraphrase is not None:
        lines.append(f"paraphrase {found.paraphrase:.0%} likely")
    if found.sentiments:
        first, second = (_label(each) for each in found.sentiments)
        lines.append(f"sentiment  first {first}, second {second}")
    if found.specificities is not None:
        one, two = found.specificities
        more = "neither" if one == two else "the first" if one > two else "the second"
        lines.append(f"more specific: {more} ({one:.2f} and {two:.2f})")
    return lines


def _label(sentiment: "LabelAnswer") -> str:
    from tenor.use.compare.comparing import is_clear

    if not is_clear(sentiment):
        return "unclear"
    probability = (sentiment.probabilities or {}).get(sentiment.label or "")
    return f"{sentiment.label}" if probability is None else f"{sentiment.label} ({probability:.0%})"


def _rows(found: "Comparison") -> list[tuple[str, str, str, str, str]]:
    """Return the lines of the table in the order of the first text: its cells, and their colour."""
    phrases = found.explanation.phrases
    placed: list[tuple[float, int, tuple[str, str, str, str, str]]] = []  # by position in both
    for number, pair in enumerate(phrases):
        sign, score, colour = ("=", "", "green") if pair.same_words else ("≈", f"{pair.score:.2f}", "yellow")
        if found.relations:
            score = _related(found.relations[number])
        line = (_shown(pair.first), sign, _shown(pair.second), score, colour)
        placed.append((pair.first.begin, -1, line))
    for span in found.explanation.only_first:
        placed.append((span.begin, -1, (_shown(span), "-", "", "", "red")))
    for span in found.explanation.only_second:
        # It stands after the phrase that it follows in the second text, or else before the first one there.
        before = [pair for pair in phrases if pair.second.end <= span.begin]
        if before:
            position = float(max(before, key=lambda pair: pair.second.end).first.begin)
        else:
            position = (
                min(phrases, key=lambda pair: pair.second.begin).first.begin - 0.5 if phrases else math.inf
            )
        placed.append((position, span.begin, ("", "+", _shown(span), "", "cyan")))
    return [line for _, _, line in sorted(placed)]


def _related(relation: "Relation | None") -> str:
    return "too far back" if relation is None else f"{relation.name} ({relation.probability:.0%})"


def _shown(span: "TextSpan") -> str:
    return one_line(span.text, _SHOWN)
