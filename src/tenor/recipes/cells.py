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
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tenor.assets.cache import sha256_of
from tenor.errors import TenorError
from tenor.files import atomic_file, atomic_folder, read_json
from tenor.metrics.outcomes import Outcome
from tenor.recipes.locks import locked
from tenor.recipes.recipe import Cell, CellResult, Plan, Recipe, Scale, Settings
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
    recipe: Recipe, scale: Scale, cell: Cell, seed: int, *, found: Digests, data: Path | None, out: Path
) -> Job:
    """Name a cell by the hash of what it depends on."""
    plan, used = recipe.plan(scale), seed if cell.seeded else None
    depends = {
        "recipe": [recipe.name, recipe.version],
        "cell": [cell.name, dict(cell.settings)],
        "scale": [scale, dict(plan.settings)],
        "seed": used,
        **dependencies(recipe, cell, found),
    }
    try:
        key = fingerprint(depends)
    except TypeError as error:
        raise TenorError(f"The settings of {recipe.name}, cell {cell.name}, are no JSON: {error}.") from error
    return Job(recipe, scale, cell, used, key, data if plan.data else None, out)


@dataclass(slots=True, eq=False)
class CellContext:
    """The runner's side of ``Context``."""

    job: Job
    plan: Plan
    found: Digests
    watch: Callable[[int, int], None] = field(default=lambda done, total: None)

    @property
    def scale(self) -> Scale:
        """The scale of the run."""
        return self.job.scale

    @property
    def seed(self) -> int:
        """The seed of this cell; 0 where it does not depend on seeds."""
        return self.job.seed or 0

    @property
    def settings(self) -> Settings:
        """The plan's settings."""
        return self.plan.settings

    @property
    def data(self) -> Path | None:
        """The folder of ``--data``; None where the plan makes its own data."""
        return self.job.data

    @property
    def work(self) -> Path:
        """A folder of this cell and seed alone."""
        folder = self.job.out / "work" / self.job.key / "files"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def folder(self, name: str) -> Path:
        """Return a data folder of the recipe by name."""
        for folder in self.job.recipe.data:
            if folder.name == name and self.job.data is not None:
                return place_of(folder, self.job.data)
        raise TenorError(f"The recipe {self.job.recipe.name} has no data folder {name!r} at this scale.")

    def generator(self) -> np.random.Generator:
        """Return a new random generator of this cell's seed."""
        return np.random.default_rng(self.seed)

    def shared(self, name: str, make: Callable[[Path], None], *, settings: Settings) -> Path:
        """Return a folder that several cells use, made by the first that asks."""
        folder = self._place(name, settings)
        with locked(folder.with_name(f"{folder.name}.lock"), wait=True):
            if not folder.is_dir():
                clear_parts(folder)
                with atomic_folder(folder) as aside:
                    make(aside)
        return folder

    @contextmanager
    def lasting(self, name: str, *, settings: Settings) -> Iterator[Path]:
        """Hold a folder that several cells use and that a kill leaves as it is."""
        folder = self._place(name, settings)
        with locked(folder.with_name(f"{folder.name}.lock"), wait=True):
            folder.mkdir(parents=True, exist_ok=True)
            yield folder

    def _place(self, name: str, settings: Settings) -> Path:
        recipe, cell = self.job.recipe, self.job.cell
        depends = [recipe.name, recipe.version, name, dict(settings), self.scale, dict(self.settings)]
        key = fingerprint([depends, dependencies(recipe, cell, self.found)["data"]])
        return self.job.out / "shared" / key

    def made_by(self, cell: str) -> Path | None:
        """Return the folder of the files of another cell, one without seeds; None where it has no result."""
        own = self.job
        other = next((one for one in self.plan.cells if one.name == cell and not one.seeded), None)
        if other is None:
            return None
        job = make_job(own.recipe, own.scale, other, 0, found=self.found, data=own.data, out=own.out)
        return job.files if kept(job) is not None else None

    def progress(self, done: int, total: int) -> None:
        """Tell how far this cell is."""
        self.watch(done, total)


def clear_parts(path: Path) -> None:
    """Remove what a killed process left beside ``path`` while it wrote it; call it with the lock in hand."""
    for left in path.parent.glob(f".{path.name}.*.part"):
        shutil.rmtree(left) if left.is_dir() else left.unlink()


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
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
