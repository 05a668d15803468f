"""Locks between processes, so that two runs in one folder share the work and do nothing twice.

A lock goes with the process that holds it, so a killed one blocks nobody. Where the system has no such lock
every process is let through: work may then be done twice, and nothing is harmed, as results appear by one
rename.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tenor.files import writing


@contextmanager
def locked(path: Path, *, wait: bool) -> Iterator[bool]:
    """Hold the lock file ``path``; yields whether it is ours. With ``wait``, wait for who holds it."""
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        yield _flock(descriptor, wait=wait)
    finally:
        os.close(descriptor)


def _flock(descriptor: int, *, wait: bool) -> bool:
    try:
        import fcntl
    except ImportError:  # Windows
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    except OSError:  # a network file system without locks
        return True
    return True
