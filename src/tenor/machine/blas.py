"""Threads of the products of numpy: as many as a piece of work sets, or one for good in a server.

A product in several threads waits for the slowest of them, turning in a loop meanwhile. That is quick where
nothing else runs, and ruins a server: there many requests are under way, so that a thread each is enough.
"""

from collections.abc import Iterator
from contextlib import contextmanager

_always_one = False


def use_one_blas_thread() -> None:
    """Set one thread for all products of this process from now on, whatever is set later."""
    global _always_one
    from threadpoolctl import threadpool_limits

    threadpool_limits(1, "blas")
    _always_one = True


@contextmanager
def blas_threads(count: int) -> Iterator[None]:
    """Set the threads of products for a while; nothing changes where one was set for good.

    The setting is that of the whole process: work in other threads sees it, too.
    """
    if _always_one:
        yield
        return
    from threadpoolctl import threadpool_limits

    with threadpool_limits(count, "blas"):
        yield
