"""IN is plain lines, CSV, TSV, JSON lines or Parquet, packed with gzip or not, or - for standard input.

OUT ends in .npy or .safetensors (vectors only), .parquet or .jsonl (with the texts). Row i is row i of IN: an
empty text keeps its row and is reported. A job that was killed goes on when the same command is run again.

\b
    tenor embed questions.txt --out questions.npy
    tenor embed shop.csv --column review --out reviews.parquet
    zcat *.txt.gz | tenor embed - --out all.npy
"""

from typing import Annotated

import typer

from tenor.cli.console import notes, out, progress_bar
from tenor.cli.options import (
    Column,
    Device,
    Long,
    LongChoice,
    Model,
    Out,
    Precision,
    PrecisionChoice,
    Quiet,
    Strict,
)

Source = Annotated[str, typer.Argument(metavar="IN", help="The file with the texts; - is standard input.")]
Prompt = Annotated[
    str | None,
    typer.Option(help="A prompt of the model, such as query or passage, or a text to put before every text."),
]
Encoding = Annotated[
    str | None, typer.Option(help="Encoding of IN. Default: UTF-8, or by its byte order mark.")
]


def embed(
    source: Source,
    out_: Out,
    column: Column = None,
    model: Model = "minilm",
    precision: Precision = PrecisionChoice.auto,
    device: Device = "auto",
    prompt: Prompt = None,
    long: Long = LongChoice.truncate,
    encoding: Encoding = None,
    strict: Strict = False,
    quiet: Quiet = False,
) -> None:
    """Turn texts into vectors."""
    from tenor.model import load
    from tenor.text.sniff import Asked
    from tenor.use.embed.embedding import embed_file

    loaded = load(model, precision=precision.value, device=device)
    with progress_bar("Embedding", quiet=quiet) as bar:
        done = embed_file(
            loaded,
            source,
            out_,
            column=column,
            prompt=prompt,
            long=long.value,
            strict=strict,
            reading=Asked(encoding=encoding),
            progress=bar.follow,
            note=None if quiet else notes.print,
        )
    for text in (done.problems.summary(), done.beyond_limit(), done.warning):
        if text and not quiet:
            notes.print(text)
    record = done.record
    rows = "1 vector" if record.rows == 1 else f"{record.rows:,} vectors"
    out.print(f"{rows} of {record.width} numbers in {out_} ({loaded.engine.name}, {record.precision}).")
