"""Writing files so that nothing half-written ever stands under its final name."""

import errno
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tenor.errors import TenorError

_REASONS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EACCES: "permission is denied",
    errno.EPERM: "permission is denied",
    errno.EROFS: "the file system is read-only",
    errno.ENOENT: "its folder does not exist",
    errno.ENOTDIR: "a part of its path is a file, not a folder",
    errno.EISDIR: "it is a folder",
}


def why(error: OSError) -> str:
    """Say the reason of an operating-system error in plain words."""
    return _REASONS.get(error.errno or 0, error.strerror or str(error))


@contextmanager
def writing(path: str | Path) -> Iterator[None]:
    """Turn an operating-system error inside the block into one sentence about ``path``."""
    try:
        yield
    except OSError as error:
        raise TenorError(f"Cannot write {path}: {why(error)}. Nothing was left under that name.") from error


@contextmanager
def atomic_file(path: str | Path) -> Iterator[Path]:
    """Yield a path beside ``path`` to write to; it takes the final name only when the block succeeds.

    >>> import tempfile, pathlib
    >>> target = pathlib.Path(tempfile.mkdtemp()) / "a.txt"
    >>> with atomic_file(target) as aside:
    ...     _ = aside.write_text("whole")
    >>> target.read_text()
    'whole'
    """
    path = Path(path)
    with writing(path):
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, "is a folder")
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
        os.close(descriptor)
    aside = Path(name)
    try:
        with writing(path):
            yield aside
            sync(aside)
            os.chmod(aside, 0o666 & ~_umask())
            os.replace(aside, path)
            sync(path.parent)
    finally:
        aside.unlink(missing_ok=True)


@contextmanager
def atomic_folder(path: str | Path) -> Iterator[Path]:
    """Yield a new folder beside ``path``; its final name, which must be free, is given at the end."""
    path = Path(path)
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part"))
    try:
        with writing(path):
            yield aside
            os.chmod(aside, 0o777 & ~_umask())
            for file in sorted(aside.rglob("*")):
                if file.is_file():
                    sync(file)
            if path.is_dir() and not any(path.iterdir()):
                path.rmdir()
            os.rename(aside, path)
            sync(path.parent)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def write_json(path: str | Path, value: Any) -> None:
    """Write a value as indented JSON, atomically."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    try:
        data = text.encode()
    except UnicodeEncodeError:  # a file's name that is not UTF-8; written in escapes it comes back as it was
        data = json.dumps(value, indent=2).encode()
    with atomic_file(path) as aside:
        aside.write_bytes(data + b"\n")


def read_json(path: str | Path) -> Any:
    """Read a JSON file, or say what is wrong with it."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise TenorError(f"{path} does not exist.") from error
    except OSError as error:
        raise TenorError(f"Cannot read {path}: {why(error)}.") from error
    except (ValueError, RecursionError) as error:  # numbers of too many digits are ValueErrors, too
        raise TenorError(f"{path} is not valid JSON ({error}).") from error


def sync(path: Path) -> None:
    """Make sure that a file, or the names in a folder, are on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def clear_parts(path: Path) -> None:
    """Remove what a killed process left beside ``path`` while it wrote it; call it while holding its lock."""
    for left in path.parent.glob(f".{path.name}.*.part"):
        shutil.rmtree(left) if left.is_dir() else left.unlink()
