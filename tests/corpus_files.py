"""Files of corpora written by the tests: text, gzipped text, archives."""

import gzip
from collections.abc import Callable, Mapping
from pathlib import Path
from zipfile import ZipFile

Write = Callable[[str, str | Mapping[str, str]], Path]
"""Writes a file by name and content, and returns the folder that it lies in."""


def writer(folder: Path) -> Write:
    """Return a function that writes text, gzipped where the name says so, or the members of a zip archive."""

    def write(name: str, content: str | Mapping[str, str]) -> Path:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not isinstance(content, str):
            with ZipFile(path, "w") as archive:
                for member, text in content.items():
                    archive.writestr(member, text)
        elif path.suffix == ".gz":
            path.write_bytes(gzip.compress(content.encode()))
        else:
            path.write_text(content, encoding="utf-8", newline="")
        return folder

    return write
