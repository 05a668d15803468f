"""Going on with results that were computed elsewhere: cells are taken from the JSON file beside a page.

A record is taken only under the key of a cell that is to be computed: the same recipe, version, settings,
seed and data. Files written before records had keys give nothing. What other files belong to a result lies
beside the JSON file in ``NAME-files/CELL/``; without them their cell is not taken, nor is a cell that uses
them, as it would be compared with others that were made from something else.
"""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tenor.assets.cache import sha256_of
from tenor.assets.table import is_plain_name
from tenor.errors import TenorError
from tenor.files import atomic_file, writing
from tenor.recipes.cells import Job, keep_files, kept, write_record
from tenor.recipes.recipe import Recipe
from tenor.recipes.results import Results, files_place, read_results, unpacked


@dataclass(frozen=True, slots=True)
class Taken:
    """How many cells were taken, and which were not for want of a file."""

    count: int = 0
    lacking: tuple[str, ...] = ()
    """The files that are not there."""


def take_over(recipe: Recipe, path: str | Path, jobs: Sequence[Job]) -> Taken:
    """Keep those records of a results file that belong to jobs without a result."""
    content = read_results(recipe, path).kept
    try:
        found = {record["key"]: record for record in content["cells"] if "key" in record}
    except (KeyError, TypeError) as error:
        raise TenorError(f"{path} is damaged: its cells cannot be read.") from error
    taken, lacking = 0, []
    fixed = {job.cell.name: job for job in jobs if job.seed is None}
    for job in sorted(jobs, key=lambda job: bool(job.cell.uses)):  # what is used by others comes first
        if job.key not in found or kept(job) is not None:
            continue
        if not all(_same_files(fixed.get(name), found) for name in job.cell.uses):
            continue
        record = _whole(found[job.key], content, path)
        if "files" in record:
            place = Path(path).parent / files_place(recipe.name, record)
            if missing := [place / name for name in record["files"] if not (place / name).is_file()]:
                lacking.append(str(missing[0]))
                continue
            _check(place, record["files"])
            keep_files(job, {name: place / name for name in record["files"]})
        write_record(job, record)
        taken += 1
    return Taken(taken, tuple(lacking))


def publish_files(results: Results, out: Path, pages: Path) -> None:
    """Copy the files that belong to results to where ``take_over`` finds them."""
    for record in results.kept["cells"]:
        place = pages / files_place(results.recipe.name, record)
        for name, digest in record.get("files", {}).items():
            if (place / name).is_file() and sha256_of(place / name) == digest:
                continue
            with writing(place):
                (place / name).parent.mkdir(parents=True, exist_ok=True)
            with atomic_file(place / name) as aside:
                shutil.copyfile(out / "files" / record["key"] / name, aside)


def _same_files(job: Job | None, found: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether the files of a cell are here the very same as there."""
    here, there = (None, None) if job is None else (kept(job), found.get(job.key))
    return here is not None and there is not None and here.get("files") == there.get("files")


def _check(place: Path, files: Mapping[str, str]) -> None:
    for name, digest in files.items():
        if sha256_of(place / name) != digest:
            raise TenorError(
                f"{place / name} has other contents than the results say. Put the right file there, or "
                "remove it, and its cell is computed anew."
            )


def _whole(record: Mapping[str, Any], content: Mapping[str, Any], path: str | Path) -> dict[str, Any]:
    """Put columns and origin back into a record."""
    try:
        outcomes = {name: unpacked(one, content["columns"]) for name, one in record["outcomes"].items()}
        origin = content["origins"][record["origin"]]
        rest = {name: record[name] for name in ("cell", "seed", "seconds", "notes", "series", "extras")}
        if "files" in record:
            rest["files"] = {name: str(digest) for name, digest in record["files"].items()}
            if not all(map(is_plain_name, [record["cell"], *rest["files"]])):
                raise ValueError("a name leads out of its folder")
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        name = record.get("cell") if isinstance(record, Mapping) else None
        raise TenorError(f"{path} is damaged: the record of cell {name!r} cannot be read.") from error
    found = {**rest, "origin": origin, "outcomes": {name: one.as_dict() for name, one in outcomes.items()}}
    return {name: found[name] for name in record if name in found}  # in their order, so that files stay alike
