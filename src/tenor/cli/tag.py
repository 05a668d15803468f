"""IN is plain lines, CSV, TSV, JSON, Excel, Parquet or CoNLL columns, or - for standard input.

In a terminal the texts are shown with their entities in colour. Otherwise, and with --list, one line per
entity: its line in IN, its type, where it begins and ends in the text, the probability and its text. With
--words one line per word, as CoNLL columns (also for --out NAME.conll); with --json everything, one text a
line. --out keeps all columns of IN: a table has a row for every entity, JSON one for every text.

\b
    tenor tag news.txt --model runs/entities/model
    tenor tag shop.csv --column review --model runs/entities/model --json
    tenor tag news.txt --model runs/entities/model --words > tagged.conll
    tenor tag news.txt --model runs/entities/model --out tagged.jsonl
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tenor.cli.classify import tab_separated
from tenor.cli.coloured_tags import coloured_text, legend_line
from tenor.cli.console import counted, one_line, out, print_notes, print_problems, progress_bar
from tenor.cli.options import (
    Column,
    Device,
    Encoding,
    Json,
    Model,
    Precision,
    PrecisionChoice,
    Quiet,
    RowsOut,
    Source,
    Strict,
)
from tenor.errors import TenorError

if TYPE_CHECKING:
    from tenor.text.examples import Row
    from tenor.use.tag import Tagged

TaskName = Annotated[
    str | None,
    typer.Option("--task", "-t", metavar="TASK", help="A task of the model. Default: its only tagger."),
]
WordLines = Annotated[bool, typer.Option("--words", help="One line per word: CoNLL columns of word and tag.")]
EntityList = Annotated[
    bool, typer.Option("--list", help="One line per entity, also in a terminal, where they are coloured.")
]


def tag(
    source: Source,
    model: Model = "minilm",
    task: TaskName = None,
    column: Column = None,
    out_: RowsOut = None,
    words: WordLines = False,
    list_: EntityList = False,
    precision: Precision = PrecisionChoice.auto,
    device: Device = "auto",
    encoding: Encoding = None,
    strict: Strict = False,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Tag the words of texts: entities, parts of speech, whatever the model has learned."""
    from tenor.model import load
    from tenor.text.problems import Problems
    from tenor.use.row_files import STDOUT, check_out, ending
    from tenor.use.tag import tag_file
    from tenor.use.text_watch import TextWatch

    if words and json_:
        raise TenorError("Give either --words, for CoNLL columns, or --json, not both.")
    check_out(out_, source, also=(".conll",))
    problems = Problems(strict)
    loaded = load(model, precision=precision.value, device=device)
    watch = TextWatch(loaded)
    with progress_bar("Tagging", quiet=quiet) as bar:
        tagged = tag_file(
            loaded,
            source,
            task=task,
            column=column,
            encoding=encoding,
            watch=watch,
            problems=problems,
            progress=bar.advance,
        )
        conll = words or (out_ is not None and ending(out_) == ".conll")
        if conll:
            count = _write_words(tagged, out_)
        elif out.is_terminal and out_ is None and not (json_ or list_):
            count = _print_coloured(tagged)
        else:
            count = _write(tagged, out_, as_json=json_)
    print_problems(problems, quiet=quiet)
    print_notes((watch.warning(),), quiet=quiet)
    if out_ not in (None, STDOUT):
        out.print(f"{counted(count, 'text')} in {out_}.")


def _print_coloured(tagged: "Iterable[Tagged]") -> int:
    """Print texts with their entities in colour, and what the colours mean; count the texts."""
    count, legend = 0, dict[str, str]()
    for one in tagged:
        count += 1
        out.print(coloured_text(one, legend))
    if legend:
        out.print(legend_line(legend))
    return count


def _write(tagged: "Iterable[Tagged]", path: Path | None, *, as_json: bool) -> int:
    """Write to a file with all columns of the input, or print lines for people; count the texts."""
    from tenor.use.row_files import STDOUT, row_file

    count = 0
    if path is None and not as_json:
        for count, one in enumerate(tagged, start=1):
            if count == 1:
                typer.echo(tab_separated(["line", "type", "begin", "end", "probability", "text"]))
            for _, found in _found(one):
                typer.echo(tab_separated([_shown(value) for value in found.values()]))
        return count
    with row_file(path or STDOUT, as_json=as_json) as rows:
        for one in tagged:
            count += 1
            for row, found in [(one.row, _nested(one))] if rows.nested else _found(one):
                rows.write(row, found)
    return count


def _nested(one: "Tagged") -> dict[str, Any]:
    """Return words and entities; the text stands among the columns of the input, if it is a table."""
    record = one.to_json()
    if one.row is not None:
        del record["text"]
    return record


def _found(one: "Tagged") -> "Iterator[tuple[Row | None, dict[str, Any]]]":
    """Yield the cells of a line per entity; of plain tags a line per word."""
    line = None if one.origin is None else one.origin.line
    spans = [(each.type, each.begin, each.end, each.probability, each.text) for each in one.entities]
    if not one.spans:
        spans = [
            (tag, begin, end, probability, word)
            for tag, (begin, end), probability, word in zip(
                one.tags, one.offsets, one.probabilities, one.words, strict=True
            )
        ]
    for kind, begin, end, probability, text in spans:
        place = {"line": line, "type": kind, "begin": begin, "end": end}
        yield (
            one.row,
            {**place, "probability": round(probability, 4), "entity" if one.spans else "word": text},
        )


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4f}"
    return "" if value is None else str(value)


def _write_words(tagged: "Iterable[Tagged]", path: Path | None) -> int:
    from tenor.files import atomic_file
    from tenor.use.row_files import STDOUT

    count = 0
    if path in (None, STDOUT):
        for one in tagged:
            count += 1
            typer.echo(_conll(one), nl=False)
        return count
    assert path is not None
    with atomic_file(path) as aside, aside.open("w", encoding="utf-8", errors="replace", newline="") as file:
        for one in tagged:
            count += 1
            file.write(_conll(one))
    return count


def _conll(one: "Tagged") -> str:
    pairs = zip(one.words, one.tags, strict=False)
    return "".join(f"{one_line(word, len(word))}\t{one_line(tag, len(tag))}\n" for word, tag in pairs) + "\n"
