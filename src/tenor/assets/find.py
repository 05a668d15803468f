"""Finding an asset on this machine: as a folder, in the cache, or in an installed package.

Nothing is fetched, except for a name that begins with ``hub:``, as the person asks for it by writing so.
"""

import logging
import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tenor.assets.cache import damage, folder_of
from tenor.assets.table import TABLE, Asset, Kind, look_up
from tenor.assets.untouched import remembered, was_seen
from tenor.errors import TenorError

HUB = "hub:"
_log = logging.getLogger("tenor")


@dataclass(frozen=True, slots=True)
class Location:
    """Where an asset lies, and what is wrong with it there, if anything."""

    folder: Path
    where: Literal["cache", "installed package"]
    damage: str | None = None


def find(name: str | Path, *, kinds: Collection[Kind] | None = None) -> Path:
    """Return the folder of a model, vectors or data: an existing folder, or the name of an asset at hand.

    ``kinds`` are those that the caller can use; an asset of another kind is refused with a sentence.
    """
    text = os.fspath(name)
    if text.startswith(HUB):
        from tenor.assets.hub import find_in_hub

        return find_in_hub(text.removeprefix(HUB))
    if text and Path(text).is_dir():
        return Path(text)
    _refuse_paths(text)
    asset = look_up(text, kinds=kinds)
    if kinds is not None and asset.kind not in kinds:
        raise TenorError(f"{text!r} is {asset.kind}, where a {' or '.join(sorted(kinds))} is expected.")
    location = at_hand(asset)
    if location is None:
        raise TenorError(f"{text} is not on this machine yet. Get it with: tenor fetch {text}")
    if wrong := location.damage or changed_contents(asset, location.folder):
        again = f"Get it again with: tenor fetch {text} --force"
        raise TenorError(f"{text} is damaged: {wrong}. {again}")
    return location.folder


def changed_contents(asset: Asset, folder: Path) -> str | None:
    """Say what is wrong with the contents of an asset, by digests that are taken when a file was touched."""
    paths = [folder / file.name for file in asset.files]
    what = f"asset {asset.fingerprint}"
    seen = was_seen(paths, what=what)
    taken = False

    def take_digests() -> str:
        nonlocal taken
        taken = True
        return damage(asset, folder, thoroughly=True) or ""

    wrong = remembered(paths, what=what, find_out=take_digests)
    if seen and taken and not wrong:
        _log.warning("%s was touched since it was last verified; its digests are right.", asset.name)
    return wrong or None


def at_hand(asset: Asset) -> Location | None:
    """Look for an asset in the cache, then in installed packages, by the lengths of its files."""
    folder = folder_of(asset)
    wrong = damage(asset, folder) if folder.is_dir() else None
    if folder.is_dir() and wrong is None:
        return Location(folder, "cache")
    if installed := _installed(asset):
        return Location(installed, "installed package")
    return Location(folder, "cache", wrong) if wrong else None


def _installed(asset: Asset) -> Path | None:
    """Look where a package's files were installed, without importing the package."""
    from importlib import metadata  # Here, as it is slow to import and seldom needed.

    for source in asset.sources:
        try:
            folder = Path(str(metadata.distribution(source.package).locate_file(source.folder)))
        except metadata.PackageNotFoundError:
            continue
        if damage(asset, folder) is None:
            return folder
    return None


def _refuse_paths(text: str) -> None:
    """Tell a path that leads nowhere from a name that is not in the table."""
    path = Path(text)
    if text in TABLE:
        return
    if path.is_file():
        raise TenorError(f"{text} is a file, where a folder or a name is expected.")
    if not text or path.is_absolute() or len(path.parts) > 1 or text.startswith((".", "~")):
        hint = f" For a model of the Hugging Face hub write {HUB}{text}." if text.count("/") == 1 else ""
        raise TenorError(f"There is no folder or file {text!r}.{hint}")
