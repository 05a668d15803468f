"""What a result depends on outside the code: files of the data folders, fetched weights."""

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path

from tenor.assets import TABLE, find
from tenor.assets.cache import sha256_of
from tenor.errors import TenorError
from tenor.recipes.recipe import Cell, DataFolder, Plan, Recipe

Digests = Mapping[str, Mapping[str, str]]
"""data folder -> file -> sha256"""


def fingerprint(value: object) -> str:
    """Hash plain JSON values, whatever the order of their keys.

    >>> fingerprint({"a": 1, "b": 2}) == fingerprint({"b": 2, "a": 1})
    True
    """
    return sha256(json.dumps(value, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:20]


def place_of(folder: DataFolder, data: Path) -> Path:
    """Return where a data folder lies: below DIR, or DIR itself where it has that name."""
    below = data / folder.name
    return data if not below.is_dir() and data.resolve().name == folder.name else below


def digests(recipe: Recipe, plan: Plan, data: Path | None) -> Digests:
    """Hash the files that a plan reads; say what is missing, what it is and what to do."""
    if not plan.data or not recipe.data:
        return {}
    if data is None:
        wanted = "; ".join(f"{folder.name} ({folder.about})" for folder in recipe.data)
        raise TenorError(
            f"The recipe {recipe.name} reads data at this scale: {wanted}. Say where with --data DIR, "
            "or try --scale tiny, which needs none."
        )
    found = {folder.name: _of_folder(folder, data) for folder in recipe.data}
    for folder in recipe.data:
        if not found[folder.name] and not folder.optional:
            raise TenorError(_missing(folder, data))
    return {name: files for name, files in found.items() if files}


def _of_folder(folder: DataFolder, data: Path) -> dict[str, str]:
    place = place_of(folder, data)
    files = {path for pattern in folder.files for path in place.glob(pattern) if path.is_file()}
    complete = all(any(place.glob(pattern)) for pattern in folder.files)
    if not complete:
        return {}
    return {path.relative_to(place).as_posix(): sha256_of(path) for path in sorted(files)}


def _missing(folder: DataFolder, data: Path) -> str:
    place = place_of(folder, data)
    lacking = [pattern for pattern in folder.files if not any(place.glob(pattern))]
    what = f"{place} does not exist" if not place.is_dir() else f"{place} holds no {', '.join(lacking)}"
    advice = folder.advice or "Put it there, or name the folder above it with --data DIR."
    return f"{what}: {folder.about}. {advice}"


def missing_needs(cell: Cell, found: Digests, plan: Plan) -> list[str]:
    """Name the optional data folders that a cell, or one it comes after, needs and that are not there."""
    if not plan.data:
        return []
    upstream = (name for before in cell.after for name in missing_needs(plan.cell(before), found, plan))
    return list(dict.fromkeys([*(name for name in cell.needs if name not in found), *upstream]))


def dependencies(recipe: Recipe, cell: Cell, found: Digests) -> dict[str, object]:
    """Return the digests that a cell's result depends on: data that it reads, weights that it loads."""
    optional = {folder.name for folder in recipe.data if folder.optional}
    read = {name: files for name, files in found.items() if name not in optional or name in cell.needs}
    return {
        "data": read,
        "weights": {name: TABLE[name].fingerprint for name in assets_of(recipe, cell, read)},
    }


def assets_of(recipe: Recipe, cell: Cell, read: Iterable[str]) -> list[str]:
    """Name the assets that a cell reads: its own, and those that belong to the data folders that it reads."""
    beside = (asset for folder in recipe.data if folder.name in read for asset in folder.assets)
    return list(dict.fromkeys([*cell.weights, *beside]))


def used_assets(recipe: Recipe, plan: Plan, read: Iterable[str]) -> dict[str, str]:
    """Return the fingerprints of all assets that the cells of a plan read."""
    folders = list(read)
    names = (name for cell in plan.cells for name in assets_of(recipe, cell, folders))
    return {name: TABLE[name].fingerprint for name in sorted(set(names))}


def check_weights(cells: Iterable[Cell]) -> None:
    """Say at once which weights are not at hand, not after the first hour."""
    for name in dict.fromkeys(name for cell in cells for name in cell.weights):
        find(name)
