"""The cache: where fetched assets lie, and whether they are whole.

``CACHE/assets/NAME/FINGERPRINT/`` holds an asset's files and an ``asset.json`` that says where they came
from. The fingerprint is that of the contents which the table asks for, so a row that changes gets a folder of
its own.
"""

import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tenor.assets.table import Asset
from tenor.errors import TenorError
from tenor.locks import file_lock

RECORD = "asset.json"
_CHUNK = 1 << 20


def cache_folder() -> Path:
    """Return the folder of what was fetched: TENOR_CACHE, else XDG_CACHE_HOME/tenor, else ~/.cache/tenor."""
    if own := os.environ.get("TENOR_CACHE"):
        return Path(own).expanduser()
    if base := os.environ.get("XDG_CACHE_HOME"):
        return Path(base) / "tenor"
    try:
        return Path.home() / ".cache" / "tenor"
    except RuntimeError as error:
        raise TenorError(
            "This user has no home folder: say where the cache is with TENOR_CACHE=FOLDER."
        ) from error


def room_of(asset: Asset) -> Path:
    """Return the folder of all versions of an asset, of its lock and of what is being fetched."""
    return cache_folder() / "assets" / asset.name


def folder_of(asset: Asset) -> Path:
    """Return the folder in which this version of an asset lies once it is fetched."""
    return room_of(asset) / asset.fingerprint[:12]


def damage(asset: Asset, folder: Path, *, thoroughly: bool = False) -> str | None:
    """Say what is wrong with an asset's files in a folder, by their lengths or thoroughly by digests."""
    for file in asset.files:
        path = folder / file.name
        if not path.is_file():
            return f"{path} is missing"
        if (length := path.stat().st_size) != file.bytes:
            return f"{path} has {length:,} bytes where {file.bytes:,} are expected"
        if thoroughly and sha256_of(path) != file.sha256:
            return f"{path} has other contents than those that the table of assets asks for"
    return None


def sha256_of(path: Path) -> str:
    """Return the digest of a file, read in pieces."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while piece := stream.read(_CHUNK):
            digest.update(piece)
    return digest.hexdigest()


@contextmanager
def sole_fetcher(asset: Asset) -> Iterator[None]:
    """Wait until no other process fetches this asset, then clear what a killed one left behind."""
    room = room_of(asset)
    with file_lock(room / ".lock", wait=True):
        for left in room.glob(".*.part"):
            shutil.rmtree(left, ignore_errors=True)
        yield
