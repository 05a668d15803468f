"""Tiny wheels, whole and hostile, and the rows of the table that go with them."""

import hashlib
import stat
import zipfile
from pathlib import Path

from tenor.assets.table import Asset, File, Source

PAYLOAD = {"config.json": b'{"width": 2}', "sub/table.txt": b"a row\n" * 2000}


def write_wheel(folder, *, package="tiny-asset", version="1.0", payload=PAYLOAD, extra=(), requires=""):
    """Write a wheel whose payload lies below ``inner/``; ``extra`` are (ZipInfo or name, bytes) to add."""
    stem = f"{package.replace('-', '_')}-{version}"
    path = Path(folder) / f"{stem}-py3-none-any.whl"
    metadata = f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n{requires}"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in payload.items():
            archive.writestr(f"inner/{name}", content)
        archive.writestr("inner/__init__.py", "raise SystemExit('code of the package ran')")
        for entry, content in extra:
            archive.writestr(entry, content)
        archive.writestr(f"{stem}.dist-info/METADATA", metadata)
        archive.writestr(
            f"{stem}.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{stem}.dist-info/RECORD", "")
    return path


def link(name, target):
    """Return the entry of a symbolic link."""
    entry = zipfile.ZipInfo(name)
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    return entry, target.encode()


def source_of(wheel, **changes):
    package, version = wheel.name.split("-")[:2]
    content = wheel.read_bytes()
    settings = {
        "package": package.replace("_", "-"),
        "version": version,
        "file": wheel.name,
        "bytes": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
        "folder": "inner/",
    }
    return Source(**settings | changes)


def files_of(payload=PAYLOAD):
    return tuple(
        File(name, len(content), hashlib.sha256(content).hexdigest()) for name, content in payload.items()
    )


def asset_of(*sources, name="tiny", payload=PAYLOAD):
    return Asset(name, "model", "A tiny asset.", "MIT", sources, files_of(payload), dimensions=2, layers=1)
