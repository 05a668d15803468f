"""IN is plain lines, CSV, TSV, JSON lines or Parquet, packed with gzip or not, or - for standard input.

OUT ends in .npy or .safetensors (vectors only), .parquet or .jsonl (with the texts). Row i is row i of IN: an
empty text keeps its row and is reported. A job that was killed goes on when the same command is run again.

\b
    tenor embed questions.txt --out questions.npy
    tenor embed shop.csv --column review --out reviews.parquet
    zcat *.txt.gz | tenor embed - --out all.npy
"""

from tenor.cli.console import counted, notes, out, print_notes, progress_bar
from tenor.cli.options import (
    Column,
    Device,
    Encoding,
    Long,
    LongChoice,
    Model,
    Out,
    Precision,
    PrecisionChoice,
    Prompt,
    Quiet,
    Source,
    Strict,
)


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
    print_notes((done.problems.summary(), done.beyond_limit(), done.warning), quiet=quiet)
    record = done.record
    vectors = f"{counted(record.rows, 'vector')} of {record.dimensions} dimensions"
    out.print(f"{vectors} in {out_} ({loaded.engine.name}, {record.precision}).")
