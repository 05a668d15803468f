"""Cells on disk: one file per configuration and seed, under the hash of what it depends on.

OUT/cells/KEY.json    the result; it appears when it is whole
OUT/files/KEY/        files that belong to it
OUT/work/KEY/         checkpoints of a cell that is being computed
OUT/shared/KEY/       what several cells use
OUT/errors/KEY.txt    why a cell failed, with the traceback
"""

import json
import math
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tenor.assets.cache import sha256_of
from tenor.errors import TenorError
from tenor.files import atomic_file, atomic_folder, read_json
from tenor.metrics.outcomes import Outcome
from tenor.migration import unmigrated
from tenor.recipes.recipe import Cell, CellResult, Context, Recipe, Scale, Settings
from tenor.recipes.sources import Digests, dependencies, fingerprint, place_of

Origin = Mapping[str, Any]
"""The commit, machine and versions that computed a cell."""


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """A cell to be computed with a seed; ``seed`` is None for a cell that does not depend on seeds."""

    recipe: Recipe
    scale: Scale
    cell: Cell
    seed: int | None
    key: str
    data: Path | None
    out: Path
    old_key: str = ""
    """The key under which results stood before settings were renamed."""
    upstream: "tuple[Job, ...]" = ()
    """The jobs of the cells that this one comes after."""

    @property
    def name(self) -> str:
        """The cell and the seed, for people."""
        return self.cell.name if self.seed is None else f"{self.cell.name}, seed {self.seed}"

    @property
    def file(self) -> Path:
        """Where the result lies once it is there."""
        return self.out / "cells" / f"{self.key}.json"

    @property
    def files(self) -> Path:
        """The folder of the files that belong to the result."""
        return self.out / "files" / self.key

    @property
    def errors(self) -> Path:
        """Where the traceback of a failure lies."""
        return self.out / "errors" / f"{self.key}.txt"


def make_job(
    recipe: Recipe, scale: Scale, cell: Cell, seed: int, *, digests: Digests, data: Path | None, out: Path
) -> Job:
    """Name a cell by the hash of what it depends on; the keys of cells that it comes after are part of it."""
    plan, used = recipe.plan(scale), seed if cell.seeded else None
    upstream = tuple(
        make_job(recipe, scale, plan.cell(name), seed, digests=digests, data=data, out=out)
        for name in cell.after
    )
    depends = {
        "recipe": [recipe.name, recipe.version if cell.since is None else cell.since],
        "cell": [cell.name, dict(cell.settings)],
        "scale": [scale, dict(plan.settings)],
        "seed": used,
        **dependencies(recipe, cell, digests),
    }
    old = depends | {name: unmigrated(depends[name]) for name in ("cell", "scale")}
    if upstream:
        depends["after"] = [job.key for job in upstream]
        old["after"] = [job.old_key for job in upstream]
    try:
        key, old_key = fingerprint(depends), fingerprint(old)
    except TypeError as error:
        raise TenorError(f"The settings of {recipe.name}, cell {cell.name}, are no JSON: {error}.") from error
    return Job(recipe, scale, cell, used, key, data if plan.data else None, out, old_key, upstream)


def context_of(job: Job, digests: Digests, *, progress: Callable[[int, int], None]) -> Context:
    """Make what the recipe's ``run`` is handed beside the cell."""
    work = job.out / "work" / job.key / "files"
    work.mkdir(parents=True, exist_ok=True)
    return Context(
        scale=job.scale,
        seed=job.seed or 0,
        settings=job.recipe.plan(job.scale).settings,
        data=job.data,
        work=work,
        folder=lambda name: _data_folder(job, name),
        shared_place=lambda name, settings: _shared_place(job, digests, name, settings),
        made_by=lambda cell: _made_by(job, digests, cell),
        results={upstream.cell.name: _result(upstream) for upstream in job.upstream},
        progress=progress,
    )


def _data_folder(job: Job, name: str) -> Path:
    for folder in job.recipe.data:
        if folder.name == name and job.data is not None:
            return place_of(folder, job.data)
    raise TenorError(f"The recipe {job.recipe.name} has no data folder {name!r} at this scale.")


def _shared_place(job: Job, digests: Digests, name: str, settings: Settings) -> Path:
    recipe, plan = job.recipe, job.recipe.plan(job.scale)
    depends = [recipe.name, recipe.version, name, dict(settings), job.scale, dict(plan.settings)]
    key = fingerprint([depends, dependencies(recipe, job.cell, digests)["data"]])
    return job.out / "shared" / key


def _made_by(job: Job, digests: Digests, name: str) -> Path | None:
    cells = job.recipe.plan(job.scale).cells
    cell = next((cell for cell in cells if cell.name == name and not cell.seeded), None)
    if cell is None:
        return None
    maker = make_job(job.recipe, job.scale, cell, 0, digests=digests, data=job.data, out=job.out)
    return maker.files if kept(maker) is not None else None


def _result(job: Job) -> CellResult:
    """Read a result back as its cell gave it; the runner computes upstream cells first."""
    record = kept(job)
    if record is None:
        raise TenorError(f"The result of {job.name} is not there.")
    return CellResult(
        outcomes={name: Outcome.from_dict(outcome) for name, outcome in record["outcomes"].items()},
        notes=tuple(record["notes"]),
        series=record["series"],
        extras=record["extras"],
        files={name: job.files / name for name in record.get("files", ())},
    )


def keep(job: Job, result: CellResult, *, seconds: float, origin: Origin) -> None:
    """Write a result under its key, and clear what was only needed on the way."""
    record = {
        "cell": job.cell.name,
        "seed": job.seed,
        "seconds": round(seconds, 2),
        "origin": dict(origin),
        "outcomes": {name: outcome.as_dict() for name, outcome in result.outcomes.items()},
        "notes": list(result.notes),
        "series": _plain({name: dict(columns) for name, columns in result.series.items()}),
        "extras": _plain(dict(result.extras)),
    }
    if result.files:
        record["files"] = keep_files(job, result.files)
    write_record(job, record)
    shutil.rmtree(job.out / "work" / job.key / "files", ignore_errors=True)


def keep_files(job: Job, files: Mapping[str, Path]) -> dict[str, str]:
    """Copy the files of a result to where they belong, and return their digests by name."""
    shutil.rmtree(job.files, ignore_errors=True)  # of a process that was killed before it wrote the result
    with atomic_folder(job.files) as aside:
        for name, file in files.items():
            (aside / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, aside / name)
        return {name: sha256_of(aside / name) for name in sorted(files)}


def write_record(job: Job, record: Mapping[str, Any]) -> None:
    """Write what is kept of a job, whole or not at all; an earlier failure is forgotten."""
    text = json.dumps(record, ensure_ascii=False, allow_nan=False)
    job.file.parent.mkdir(parents=True, exist_ok=True)
    with atomic_file(job.file) as aside:
        aside.write_text(text + "\n", encoding="utf-8")
    job.errors.unlink(missing_ok=True)


def kept(job: Job) -> dict[str, Any] | None:
    """Read a result that was kept, None where there is none or it is not whole."""
    if not job.file.is_file():
        return None
    try:
        record: dict[str, Any] = read_json(job.file)
        for outcome in record["outcomes"].values():
            Outcome.from_dict(outcome)
        if not all((job.files / name).is_file() for name in record.get("files", ())):
            return None
    except (TenorError, KeyError, TypeError, AttributeError, ValueError):
        return None  # computed anew
    return record


def _plain(value: Any) -> Any:
    """Turn arrays and numpy's numbers into what JSON holds; a number that is none becomes null."""
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
