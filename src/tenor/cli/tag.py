"""IN is plain lines, CSV, TSV, JSON lines, Parquet or CoNLL columns, or - for standard input.

Prints one line per entity: its line in IN, its type, where it begins and ends in the text, its text and the
probability. With --words one line per word, as CoNLL columns; with --json everything, one text a line.

\b
    tenor tag news.txt --model runs/entities/model
    tenor tag shop.csv --column review --model runs/entities/model --json
    tenor tag news.txt --model runs/entities/model --words > tagged.conll
"""

import json
from typing import TYPE_CHECKING, Annotated

import typer

from tenor.cli.classify import Out, Source, _opened, check_ending, written
from tenor.cli.console import counted, notes, one_line, out, progress_bar
from tenor.cli.options import Column, Device, Json, Model, Precision, PrecisionChoice, Quiet, Strict

if TYPE_CHECKING:
    from tenor.use.tag import Tagged

TaskName = Annotated[
    str | None,
    typer.Option("--task", "-t", metavar="TASK", help="A task of the model. Default: its only tagger."),
]
WordLines = Annotated[bool, typer.Option("--words", help="One line per word: CoNLL columns of word and tag.")]


def tag(
    source: Source,
    model: Model = "minilm",
    task: TaskName = None,
    column: Column = None,
    out_: Out = None,
    words: WordLines = False,
    precision: Precision = PrecisionChoice.auto,
    device: Device = "auto",
    strict: Strict = False,
    json_: Json = False,
    quiet: Quiet = False,
) -> None:
    """Tag the words of texts: entities, parts of speech, whatever the model has learned."""
    from tenor.model import load
    from tenor.text.problems import Problems
    from tenor.use.tag import tag_file

    check_ending(out_)
    problems, number = Problems(strict), 0
    loaded = load(model, precision=precision.value, device=device)
    as_json = json_ or (out_ is not None and out_.suffix.lower() in (".jsonl", ".json"))
    with progress_bar("Tagging", quiet=quiet) as bar, _opened(out_) as file:
        tagged = tag_file(loaded, source, task=task, column=column, problems=problems, progress=bar.advance)
        for number, one in enumerate(tagged, start=1):
            if as_json:
                file.write(json.dumps(one.to_json(), ensure_ascii=False) + "\n")
            elif words:
                file.write(_conll(one))
            else:
                header = [["line", "type", "begin", "end", "probability", "text"]] if number == 1 else []
                file.writelines(written(row, out_) for row in [*header, *_lines(one)])
    if (summary := problems.summary()) and not quiet:
        notes.print(summary, style="yellow")
    if out_ is not None:
        out.print(f"{counted(number, 'text')} in {out_}.")


def _lines(one: "Tagged") -> list[list[str]]:
    """Return the cells of a line per entity; of plain tags a line per word."""
    line = "" if one.origin is None else str(one.origin.line)
    rows = [(each.type, each.begin, each.end, each.probability, each.text) for each in one.entities]
    if not one.spans:
        rows = [
            (tag, begin, end, probability, word)
            for tag, (begin, end), probability, word in zip(
                one.tags, one.offsets, one.probabilities, one.words, strict=True
            )
        ]
    return [
        [line, kind, str(begin), str(end), f"{probability:.4f}", text]
        for kind, begin, end, probability, text in rows
    ]


def _conll(one: "Tagged") -> str:
    pairs = zip(one.words, one.tags, strict=False)
    return "".join(f"{one_line(word, len(word))}\t{one_line(tag, len(tag))}\n" for word, tag in pairs) + "\n"
