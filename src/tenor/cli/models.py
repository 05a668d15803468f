"""Starters are fetched by name; any other model is a folder, given by its path."""

import json
from dataclasses import asdict

from tenor.cli.console import out
from tenor.cli.options import Json


def models(as_json: Json = False) -> None:
    """List the available models and those that are installed."""
    from tenor.assets.listing import listed_models

    rows = listed_models()
    if as_json:
        out.print(json.dumps([asdict(row) for row in rows], indent=2, default=str), markup=False)
        return
    head = f"{'name':<14} {'kind':<13} {'dimensions':>10} {'layers':>6} {'download':>9}  {'licence':<13}"
    out.print(f"{head} installed")
    for row in rows:
        size = f"{row.download_bytes / 1e6:.1f} MB" if row.download_bytes else ""
        shape = f"{row.dimensions or '':>10} {'' if row.layers is None else row.layers:>6}"
        state = "damaged" if row.damage else str(row.folder) if row.folder else f"no: tenor fetch {row.name}"
        out.print(f"{row.name:<14} {row.kind:<13} {shape} {size:>9}  {row.licence:<13} {state}")
        out.print(f"{'':<14} {row.description} Source: {row.source}.")
