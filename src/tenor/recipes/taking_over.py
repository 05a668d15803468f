"""Going on with results that were computed elsewhere: cells are taken from the JSON file beside a page.

A record is taken only under the key of a cell that is to be computed: the same recipe, version, settings,
seed and data. Files written before records had keys give nothing.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tenor.errors import TenorError
from tenor.recipes.cells import Job, kept, write_record
from tenor.recipes.recipe import Recipe
from tenor.recipes.results import read_results, unpacked


def take_over(recipe: Recipe, path: str | Path, jobs: Sequence[Job]) -> int:
    """Keep those records of a results file that belong to jobs without a result; return how many."""
    content = read_results(recipe, path).kept
    try:
        found = {record["key"]: record for record in content["cells"] if "key" in record}
    except (KeyError, TypeError) as error:
        raise TenorError(f"{path} is damaged: its cells cannot be read.") from error
    taken = 0
    for job in jobs:
        if job.key in found and kept(job) is None:
            write_record(job, _whole(found[job.key], content, path))
            taken += 1
    return taken


def _whole(record: Mapping[str, Any], content: Mapping[str, Any], path: str | Path) -> dict[str, Any]:
    """Put columns and origin back into a record."""
    try:
        outcomes = {name: unpacked(one, content["columns"]) for name, one in record["outcomes"].items()}
        origin = content["origins"][record["origin"]]
        rest = {name: record[name] for name in ("cell", "seed", "seconds", "notes", "series", "extras")}
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        name = record.get("cell") if isinstance(record, Mapping) else None
        raise TenorError(f"{path} is damaged: the record of cell {name!r} cannot be read.") from error
    return {**rest, "origin": origin, "outcomes": {name: one.as_dict() for name, one in outcomes.items()}}
