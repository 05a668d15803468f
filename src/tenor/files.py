"""Writing files so that nothing half-written ever stands under its final name.

What is written stands aside under a name of its own until it is whole, and the process that writes it holds a
lock on it. A killed process leaves such a thing behind without its lock; the next one that writes the same
name removes it.
"""

import contextlib
import errno
import json
import os
import re
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tenor.errors import TenorError

_REASONS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EACCES: "permission is denied",
    errno.EPERM: "permission is denied",
    errno.EROFS: "the file system is read-only",
    errno.ENOENT: "it does not exist",
    errno.ENOTDIR: "a part of its path is a file, not a folder",
    errno.EISDIR: "it is a folder",
    errno.ENOMEM: "there is not enough memory",
}


_MOST_JSON = 1 << 28  # bytes; our largest are vocabularies of some tens of megabytes
_STALE_SECONDS = 60.0  # a younger one may belong to a process that is about to lock it


class WriteError(TenorError):
    """A file could not be written: the disk is full, or the place is not writable."""


def why(error: OSError) -> str:
    """Say the reason of an operating-system error in plain words."""
    return _REASONS.get(error.errno or 0, error.strerror or str(error))


@contextmanager
def writing(path: str | Path) -> Iterator[None]:
    """Turn an operating-system error inside the block into one sentence about ``path``."""
    try:
        yield
    except OSError as error:
        reason = "its folder does not exist" if error.errno == errno.ENOENT else why(error)
        raise WriteError(f"Cannot write {path}: {reason}. Nothing was left under that name.") from error


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
        clear_stale(path)
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
        os.close(descriptor)
    aside = Path(name)
    try:
        with writing(path), _owned(aside):
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
        clear_stale(path)
        aside = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part"))
    try:
        with writing(path), _owned(aside):
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
        refuse_special(path)
        if (size := os.stat(path).st_size) > _MOST_JSON:
            raise TenorError(f"{path} has {size:,} bytes; a JSON file of at most {_MOST_JSON:,} is expected.")
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise TenorError(f"{path} does not exist.") from error
    except OSError as error:
        raise TenorError(f"Cannot read {path}: {why(error)}.") from error
    except (ValueError, RecursionError) as error:  # numbers of too many digits are ValueErrors, too
        raise TenorError(f"{path} is not valid JSON ({error}).") from error


def refuse_special(path: str | Path) -> None:
    """Refuse pipes, devices and sockets, whose reading may never end; a folder says so when it is opened."""
    mode = os.stat(path).st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise TenorError(f"{path} is a pipe, a device or a socket, where a file is expected.")


def refuse_outside(folder: Path, *, endings: tuple[str, ...]) -> None:
    """Refuse a folder of which a file is a pipe or a device, or a link to what lies outside of it.

    The cache of the Hugging Face hub keeps contents in ``blobs`` two folders up, and links to them.
    """
    home = folder.resolve()
    allowed = (home, home.parent.parent / "blobs")
    for path in [*folder.iterdir(), *folder.glob("*/*")]:
        if path.suffix not in endings or path.is_dir():
            continue
        if path.is_symlink() and not any(path.resolve().is_relative_to(place) for place in allowed):
            raise TenorError(
                f"{path} is a link to {path.resolve()}, outside of its folder; put the file itself there."
            )
        if path.exists():
            refuse_special(path)


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


def clear_stale(path: Path) -> None:
    """Remove what killed processes left beside ``path`` while they wrote it; that of living ones stays."""
    ours = re.compile(rf"\.{re.escape(path.name)}\.[a-z0-9_]{{8}}\.part")
    with contextlib.suppress(OSError), os.scandir(path.parent) as entries:
        for entry in entries:
            if ours.fullmatch(entry.name) and _is_stale(Path(entry.path)):
                remove(Path(entry.path))


def _is_stale(path: Path) -> bool:
    """Whether something is no longer new and no process holds its lock."""
    try:
        if time.time() - path.lstat().st_mtime < _STALE_SECONDS:
            return False
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return False
    try:
        return _try_lock(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _owned(path: Path) -> Iterator[None]:
    """Hold the lock of something that is being written, where the system has such locks.

    It is a lock on the file or folder itself, not on one beside it as in ``tenor.locks``, so that nothing is
    left when it is renamed. Elsewhere (Windows) it must not even be open, or it could not be renamed.
    """
    if find_spec("fcntl") is None:
        yield
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        _try_lock(descriptor)
        yield
    finally:
        os.close(descriptor)


def _try_lock(descriptor: int) -> bool:
    """Lock an open file or folder until it is closed; False where another holds it or there are no locks."""
    try:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):
        return False
    return True


def remove(path: Path) -> None:
    """Remove a file, or a folder with all that is in it, if it is there and may be removed."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink()


def clear_parts(path: Path) -> None:
    """Remove what a killed process left beside ``path`` while it wrote it; call it while holding its lock."""
    for left in path.parent.glob(f".{path.name}.*.part"):
        shutil.rmtree(left) if left.is_dir() else left.unlink()
