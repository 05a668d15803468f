"""Going on with results that were computed elsewhere: cells are taken from the JSON file beside a page.

A record is taken only under the key of a cell that is to be computed: the same recipe, version, settings,
seed and data. Files written before records had keys give nothing. What other files belong to a result lies
beside the JSON file in ``NAME-files/CELL/``; without them their cell is not taken, nor is a cell that uses
them, as it would be compared with others that were made from something else. For the same reason a cell that
comes after others is taken only where theirs are the very same results.
"""

import json
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
from tenor.recipes.results import Results, files_place, read_results, unpacked, write_results


@dataclass(frozen=True, slots=True)
class Taken:
    """How many cells were taken, and which were not for want of a file."""

    count: int = 0
    lacking: tuple[str, ...] = ()
    """The files that are not there."""


def take_over(recipe: Recipe, path: str | Path, jobs: Sequence[Job]) -> Taken:
    """Keep those records of a results file that belong to jobs without a result."""
    earlier = read_results(recipe, path)
    try:
        found = {record["key"]: record for record in earlier.kept["cells"] if "key" in record}
    except (KeyError, TypeError) as error:
        raise TenorError(f"{path} is damaged: its cells cannot be read.") from error
    for job in jobs:  # of a file from before settings were renamed
        if job.old_key in found:
            found.setdefault(job.key, found[job.old_key])
    taken, lacking = 0, []
    fixed = {job.cell.name: job for job in jobs if job.seed is None}
    for job in sorted(jobs, key=_uses_files):  # what is used by others comes first
        if job.key not in found or kept(job) is not None:
            continue
        if not all(_same_files(fixed.get(name), found) for name in job.cell.uses):
            continue
        if not all(_same_result(upstream, found) for upstream in job.upstream):
            continue
        record = _whole(found[job.key], earlier, path)
        if (record["cell"], record["seed"]) != (job.cell.name, job.seed) or type(record["seed"]) is bool:
            raise TenorError(f"{path} is damaged: the record of cell {job.cell.name!r} names another one.")
        if "files" in record:
            place = Path(path).parent / files_place(recipe.name, record)
            if any((place / name).is_symlink() for name in record["files"]) or place.is_symlink():
                raise TenorError(f"{place} holds links in place of files; they are not followed.")
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


def _uses_files(job: Job) -> bool:
    return bool(job.cell.uses) or any(map(_uses_files, job.upstream))


def _same_files(job: Job | None, found: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether the files of a cell are here the very same as there."""
    here, there = (None, None) if job is None else (kept(job), found.get(job.key))
    return here is not None and there is not None and here.get("files") == there.get("files")


def _same_result(job: Job, found: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether the result of an upstream cell is here the very same as there: its scores and its files."""
    here, there = kept(job), found.get(job.key)
    if here is None or there is None or not _same_files(job, found):
        return False
    scores = ({name: one["score"] for name, one in record["outcomes"].items()} for record in (here, there))
    return next(scores) == next(scores)


def _check(place: Path, files: Mapping[str, str]) -> None:
    for name, digest in files.items():
        if sha256_of(place / name) != digest:
            raise TenorError(
                f"{place / name} has other contents than the results say. Put the right file there, or "
                "remove it, and its cell is computed anew."
            )


def _whole(record: Mapping[str, Any], earlier: Results, path: str | Path) -> dict[str, Any]:
    """Put columns and origin back into a record."""
    try:
        outcomes = {name: unpacked(one, earlier.columns) for name, one in record["outcomes"].items()}
        origin = earlier.kept["origins"][record["origin"]]
        rest = {name: record[name] for name in ("cell", "seed", "seconds", "notes", "series", "extras")}
        json.dumps(rest, allow_nan=False, ensure_ascii=False).encode()  # what cannot be written is not taken
        if "files" in record:
            rest["files"] = {name: str(digest) for name, digest in record["files"].items()}
            if not all(map(is_plain_name, [record["cell"], *rest["files"]])):
                raise ValueError("a name leads out of its folder")
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        name = record.get("cell") if isinstance(record, Mapping) else None
        raise TenorError(f"{path} is damaged: the record of cell {name!r} cannot be read.") from error
    found = {**rest, "origin": origin, "outcomes": {name: one.as_dict() for name, one in outcomes.items()}}
    return {name: found[name] for name in record if name in found}  # in their order, so that files stay alike


def rewrite(recipe: Recipe, path: str | Path) -> None:
    """Write a published results file anew in the format of today, without computing any cell.

    The records stay as they are: scores, hashes of columns, origins, keys. Columns of a file of format 1 move
    from the JSON file into the file of items beside it.
    """
    write_results(read_results(recipe, path), Path(path))
