"""IN is plain lines, CSV, TSV, JSON, Excel or Parquet, compressed with gzip or not, or - for standard input.

OUT ends in .npy or .safetensors (vectors only), .parquet or .jsonl (with all columns of IN), or is - for JSON
lines on standard output. Row i is row i of IN: an empty text keeps its row and is reported. A job that was
killed resumes when the same command is run again.

\b
    tenor embed questions.txt --out questions.npy
    tenor embed shop.csv --column review --out reviews.parquet
    zcat *.txt.gz | tenor embed - --out all.npy
"""

import sys
from typing import Any

from tenor.cli.console import counted, notes, out, print_notes, print_problems, progress_bar
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
    from tenor.use.embed.embedding import embed_file, embed_to_stream
    from tenor.use.row_files import STDOUT

    loaded = load(model, precision=precision.value, device=device)
    how: dict[str, Any] = {
        "column": column,
        "prompt": prompt,
        "long": long.value,
        "strict": strict,
        "reading": Asked(encoding=encoding),
    }
    with progress_bar("Embedding", quiet=quiet) as bar:
        if out_ == STDOUT:
            done = embed_to_stream(loaded, source, sys.stdout, **how, progress=bar.follow)
        else:
            note = None if quiet else notes.print
            done = embed_file(loaded, source, out_, **how, progress=bar.follow, note=note)
    print_problems(done.problems, quiet=quiet)
    print_notes((done.beyond_limit(), done.warning), quiet=quiet)
    if out_ == STDOUT:
        return
    record = done.record
    vectors = f"{counted(record.rows, 'vector')} of {record.dimensions} dimensions"
    out.print(f"{vectors} in {out_} ({loaded.engine.name}, {record.precision}).")
