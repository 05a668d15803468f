"""Locks between processes: a file that one process holds at a time.

The operating system lets go of a lock when the process that holds it ends, however it ends, so a killed one
blocks nobody. On a file system without locks every process is let through: work may then be done twice, and
nothing is harmed, as results appear by one rename.
"""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tenor.errors import TenorError
from tenor.files import writing

if TYPE_CHECKING:
    from filelock import BaseFileLock

_UNSUPPORTED = (errno.ENOSYS, errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP)


@contextmanager
def file_lock(path: Path, *, wait: bool) -> Iterator[bool]:
    """Hold the lock file ``path``, made if need be, while the block runs; yields whether it is held.

    With ``wait`` the block begins once the process that holds it lets go; without, False is yielded.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "lock"
    >>> with file_lock(path, wait=True) as first, file_lock(path, wait=False) as second:
    ...     first, second
    (True, False)
    """
    from filelock import FileLock  # here, as most commands lock nothing

    lock = FileLock(path, timeout=-1 if wait else 0, thread_local=False)
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        held = _acquire(lock)
    try:
        yield held
    finally:
        lock.release()


@contextmanager
def exclusive_lock(path: Path, *, busy: str) -> Iterator[None]:
    """Hold the lock file ``path`` while the block runs, or raise an error with the sentence ``busy``."""
    with file_lock(path, wait=False) as held:
        if not held:
            raise TenorError(busy)
        yield


def _acquire(lock: "BaseFileLock") -> bool:
    from filelock import Timeout

    try:
        lock.acquire()
    except Timeout:
        return False
    except NotImplementedError:  # what filelock raised before version 4 where the system has no locks
        return True
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
    return True
