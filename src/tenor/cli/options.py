"""Options that several commands share, so that they are spelt and explained alike everywhere."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tenor.errors import TenorError


class PrecisionChoice(StrEnum):
    """Precision of the linear layers; `auto` is the fastest one of this CPU that keeps the vectors."""

    auto = "auto"
    fp32 = "fp32"
    bf16 = "bf16"
    int8 = "int8"


class LongChoice(StrEnum):
    """What happens to texts beyond the model's limit."""

    truncate = "truncate"
    chunk = "chunk"


Model = Annotated[str, typer.Option("--model", "-m", help="A starter name, a model folder, or hub:NAME.")]
Precision = Annotated[
    PrecisionChoice,
    typer.Option(
        help="Numeric precision; auto: the fastest here that keeps the vectors; int8: faster, less exact."
    ),
]
Device = Annotated[str, typer.Option(help="cpu, cuda, cuda:1 or mps; auto: a GPU where there is one.")]
Long = Annotated[
    LongChoice, typer.Option(help="Texts beyond the model's limit: cut, or averaged over chunks.")
]
Strict = Annotated[bool, typer.Option("--strict", help="Stop at the first bad row instead of reporting it.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs instead of text for people.")]
Source = Annotated[str, typer.Argument(metavar="IN", help="The file with the texts; - is standard input.")]
OptionalSource = Annotated[
    str | None, typer.Argument(metavar="IN", help="The file with the texts; - is standard input.")
]
Prompt = Annotated[
    str | None,
    typer.Option(help="A prompt of the model, such as query or passage, or a text to put before every text."),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="Encoding of the file, as in cp1250. Default: UTF-8, or found by content."
    ),
]
Column = Annotated[
    str | None,
    typer.Option(help="Column with the text: a name or 0-based number. Default: found by content."),
]
PairColumns = Annotated[
    str | None,
    typer.Option(
        "--columns",
        metavar="FIRST,SECOND",
        help="The two columns with the texts, by name or 0-based number. Default: found by content.",
    ),
]
KindName = Annotated[
    str | None, typer.Option("--kind", metavar="KIND", help="The kind of task, such as classify or pair.")
]
RoleColumns = Annotated[
    str | None,
    typer.Option(
        "--columns", metavar="ROLE=COLUMN,…", help="Which column holds what: text=body,label=class."
    ),
]
Seed = Annotated[int, typer.Option(min=0, metavar="N", help="The same seed gives the same result.")]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="No progress bar and no notes; bad rows are still reported.")
]
Out = Annotated[Path, typer.Option("--out", "-o", help="Where to write.")]
RowsOut = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        help="Write all columns of the input and the results beside them, by the name's ending: .csv, .tsv, "
        ".jsonl, .json or .parquet; - is standard output, as CSV or with --json as JSON lines.",
    ),
]


def role_columns(text: str | None) -> dict[str, str] | None:
    """Read --columns ROLE=COLUMN,ROLE=COLUMN.

    >>> role_columns("text=body, label=2")
    {'text': 'body', 'label': '2'}
    """
    if text is None:
        return None
    parts = [part.partition("=") for part in text.split(",")]
    if not all(role.strip() and sign and column.strip() for role, sign, column in parts):
        raise TenorError(f"--columns {text!r} is not understood; write --columns text=body,label=class.")
    return {role.strip(): column.strip() for role, _, column in parts}


def pair_of(columns: str | None) -> dict[str, str | int] | None:
    """Read --columns FIRST,SECOND.

    >>> pair_of("question1, question2")
    {'first': 'question1', 'second': 'question2'}
    """
    if columns is None:
        return None
    names = [name.strip() for name in columns.split(",")]
    if len(names) != 2 or not all(names):
        raise TenorError(
            f"--columns is {columns!r}; expected two columns as in --columns question1,question2."
        )
    if names[0] == names[1]:
        raise TenorError(f"--columns is {columns!r}; name two different columns.")
    return {"first": names[0], "second": names[1]}
