"""Each recipe is a published system with the claims of its paper; `tenor run NAME` runs it.

\b
    tenor recipes
    tenor run minbert-shared --scale tiny
"""

import json

from tenor.cli.console import counted, out
from tenor.cli.options import Json


def recipes(as_json: Json = False) -> None:
    """List the published systems that can be run."""
    from tenor.recipes.listing import listed

    rows = listed()
    if as_json:
        out.print(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    for row in rows:
        out.print(f"{row['name']:<26} {row['title']}")
        out.print(f"{'':<26} {row['paper']}")
        for scale in row["scales"]:
            data = f", reads {', '.join(scale['data'])}" if scale["data"] else ", needs no data"
            size = f"{counted(scale['cells'], 'cell')} × {counted(scale['seeds'], 'seed')}"
            out.print(f"{'':<26} {scale['scale']:<6} {size}{data}")
    out.print("\nRun one with: tenor run NAME --scale tiny")
