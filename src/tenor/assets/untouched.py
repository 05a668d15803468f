"""What was found out about files, kept in the cache while the files are untouched.

Digests and checks of big files take long, and most commands open the same files again and again. A finding
is kept with the sizes, times and inodes of its files; a file that was written to since is looked at anew.
"""

import hashlib
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from tenor.assets.cache import cache_folder
from tenor.errors import TenorError
from tenor.files import read_json, write_json

State = list[list[str | int]]


def remembered(paths: Sequence[Path], *, what: str, find_out: Callable[[], str]) -> str:
    """Return what ``find_out`` says of files, from the cache where they are untouched since it was asked.

    ``what`` names the question. An error of ``find_out`` is raised, and nothing is kept.
    """
    state = _state(paths)
    memory = _memory(paths, what)
    if memory is None:
        return find_out()
    if (known := _recall(memory, state)) is None:
        known = find_out()
        _keep(memory, {"state": state, "found": known})
    return known


def was_seen(paths: Sequence[Path], *, what: str) -> bool:
    """Whether a question was ever answered about files, touched since or not."""
    memory = _memory(paths, what)
    return memory is not None and memory.is_file()


def _state(paths: Sequence[Path]) -> State:
    rows: State = []
    for path in paths:
        status = path.stat()
        rows.append(
            [str(path.resolve()), status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]
        )
    return rows


def _memory(paths: Sequence[Path], what: str) -> Path | None:
    """Name the file of a finding; None where there is no cache."""
    names = b"\0".join([what.encode(), *(os.fsencode(path.resolve()) for path in paths)])
    try:
        return cache_folder() / "digests" / f"{hashlib.sha256(names).hexdigest()[:24]}.json"
    except TenorError:  # a user without a home folder
        return None


def _recall(memory: Path, state: State) -> str | None:
    try:
        entry = read_json(memory)
    except TenorError:
        return None
    known = entry.get("found") if isinstance(entry, dict) and entry.get("state") == state else None
    return known if isinstance(known, str) else None


def _keep(memory: Path, entry: object) -> None:
    try:
        memory.parent.mkdir(parents=True, exist_ok=True)
        write_json(memory, entry)
    except (OSError, TenorError):
        pass  # A cache that cannot be written costs time, nothing else.
