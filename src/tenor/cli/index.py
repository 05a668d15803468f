"""IN is plain lines, CSV, TSV, JSON, Excel or Parquet, or - for standard input.

All columns beside the text are kept and can be used in filters. A job that was killed resumes when the same
command is run again. Without IN and without --remove, the command says what the index holds.

\b
    tenor index books.csv --out books --column title --id-column isbn
    tenor index more.csv --out books --add
    tenor index --out books --remove-where "year < 1950"
"""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from tenor.cli.console import counted, notes, out, print_notes, print_problems, progress_bar
from tenor.cli.options import (
    Column,
    Encoding,
    Long,
    LongChoice,
    OptionalSource,
    Precision,
    PrecisionChoice,
    Quiet,
    Strict,
)
from tenor.errors import TenorError

Folder = Annotated[Path, typer.Option("--out", "-o", help="The folder of the index.")]
Identity = Annotated[str | None, typer.Option(help="Column with an id for each text. Default: numbers.")]
Add = Annotated[
    bool, typer.Option("--add", help="Add to the index; a text with a known id replaces the old one.")
]
Remove = Annotated[
    list[str] | None, typer.Option(metavar="ID", help="Remove the text with this id; may be repeated.")
]
RemoveWhere = Annotated[
    str | None,
    typer.Option(metavar="FILTER", help="Remove all texts that meet a filter, as in `tenor search`."),
]
Name = Annotated[
    str | None,
    typer.Option(
        "--model",
        "-m",
        help="A starter name, a model folder, or hub:NAME. Default: the index's own; of a new one minilm.",
        show_default=False,
    ),
]


def index(
    source: OptionalSource = None,
    *,
    folder: Folder,
    column: Column = None,
    id_column: Identity = None,
    add: Add = False,
    remove: Remove = None,
    remove_where: RemoveWhere = None,
    model: Name = None,
    precision: Precision = PrecisionChoice.auto,
    long: Long = LongChoice.truncate,
    encoding: Encoding = None,
    strict: Strict = False,
    quiet: Quiet = False,
) -> None:
    """Build or change a searchable index of texts."""
    from tenor.use.limits import tell_beyond_limit
    from tenor.use.search.index import add_to_index, build_index, remove_from_index

    removing = bool(remove) or remove_where is not None
    if source is None and not removing:
        _describe(folder)
        return
    if source is not None and removing:
        raise TenorError("Give either a file to index or --remove, not both at once.")
    if add and (column or id_column):
        raise TenorError(
            "--add takes the columns that the index was built with; leave --column and --id-column out."
        )
    note = _silent if quiet else notes.print
    if source is None:
        report = remove_from_index(folder, ids=remove or [], where=remove_where, note=note)
        out.print(f"Removed {counted(report.removed, 'text')}; {folder} holds {report.card.rows:,}.")
        return
    with progress_bar("Indexing", quiet=quiet) as bar:
        if add:
            report = add_to_index(
                source,
                folder,
                model=model,
                precision=precision.value,
                encoding=encoding,
                strict=strict,
                progress=bar.follow,
                note=note,
            )
        else:
            report = build_index(
                source,
                folder,
                model=model or "minilm",
                precision=precision.value,
                column=column,
                id_column=id_column,
                long=long.value,
                encoding=encoding,
                strict=strict,
                progress=bar.follow,
                note=note,
            )
    beyond = tell_beyond_limit(report.beyond, report.card.long)
    print_problems(report.problems, quiet=quiet)
    print_notes((beyond, report.warning), quiet=quiet)
    replaced = f", replaced {report.replaced:,}" if report.replaced else ""
    changed = f"Added {counted(report.added, 'text')}{replaced}"
    next_step = f'tenor search {shlex.quote(str(folder))} "…"'
    out.print(f"{changed}; {folder} holds {report.card.rows:,}. Next: {next_step}")


def _silent(text: str) -> None:
    """Say nothing."""


def _describe(folder: Path) -> None:
    from tenor.use.search.card import read_card, read_unfinished

    card = read_card(folder)
    columns = ", ".join(f"{column.name} ({column.kind})" for column in card.filterable())
    how = f"approximate, trained on {card.trained_rows:,}" if card.trained_rows else "exact"
    texts = counted(card.rows, "text")
    out.print(f"{folder}: {texts}; model {card.model}, {card.precision}; vector search {how}.")
    out.print(f"Columns for filters: {columns}.")
    unfinished = read_unfinished(folder)
    if unfinished:
        notes.print(
            f"An addition from {unfinished.job.source} was interrupted after {unfinished.rows_read:,} rows "
            "and is not visible yet; run it again to finish it. Any other change discards it."
        )
