"""Memory for large tensors: in large pages, and kept while a run makes and drops the same ones again."""

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_VARIABLE = "THP_MEM_ALLOC_ENABLE"  # torch's own name for it
# Numbers of glibc's mallopt: how much free memory it keeps, how much more than asked it takes, and from which
# size on a piece is a mapping of its own; at most 32 MB. Left alone, it comes to the same limits as _USUAL by
# itself, once large pieces were dropped.
_TRIM, _PAD, _MAPPED = -1, -2, -3
_KEPT = {_MAPPED: 1 << 25, _TRIM: (1 << 31) - 1, _PAD: 1 << 26}
_USUAL = {_MAPPED: 1 << 25, _TRIM: 1 << 26, _PAD: 0}


def use_huge_pages() -> None:
    """Let torch ask Linux for pages of 2 MB for large tensors, unless the environment says otherwise.

    A training step makes and drops some hundred of them, and large pages save time. torch looks at it when it
    makes its first tensor: later it does nothing, and neither does it on other systems.
    """
    os.environ.setdefault(_VARIABLE, "1")


@contextmanager
def kept_memory() -> Iterator[None]:
    """Keep the memory of dropped tensors for the next ones, while the block runs; then give it back.

    The C library of Linux returns what a step has dropped to the system, which must then find, clear and map
    every page again for the next step, which takes part of the time of a step of a small encoder. On other
    systems, and where the environment sets the library's own variables (``MALLOC_…``), nothing is changed.
    """
    library = _glibc()
    if library is None:
        yield
        return
    _set(library, _KEPT)
    try:
        yield
    finally:
        _set(library, _USUAL)
        library.malloc_trim(0)


def _glibc() -> ctypes.CDLL | None:
    if not sys.platform.startswith("linux") or any(name.startswith("MALLOC_") for name in os.environ):
        return None
    library = ctypes.CDLL(None)
    known = all(hasattr(library, name) for name in ("gnu_get_libc_version", "mallopt", "malloc_trim"))
    return library if known else None


def _set(library: ctypes.CDLL, settings: dict[int, int]) -> None:
    for number, value in settings.items():
        library.mallopt(number, value)
