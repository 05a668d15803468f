"""Options that several commands share, so that they are spelt and explained alike everywhere."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


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
        help="Arithmetic of the model; auto: the fastest here that keeps the vectors; int8: coarser, faster."
    ),
]
Device = Annotated[str, typer.Option(help="cpu, cuda, cuda:1 or mps; auto: a GPU where there is one.")]
Long = Annotated[
    LongChoice, typer.Option(help="Texts beyond the model's limit: cut, or averaged over chunks.")
]
Strict = Annotated[bool, typer.Option("--strict", help="Stop at the first bad row instead of reporting it.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs instead of text for people.")]
Column = Annotated[
    str | None,
    typer.Option(help="Column with the text: a name or 0-based number. Default: found by content."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar and no notes.")]
Out = Annotated[Path, typer.Option("--out", "-o", help="Where to write.")]
