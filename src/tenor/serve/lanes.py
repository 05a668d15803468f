"""Queues by cost: threads that work on requests, with a fair share for every route.

A *lane* is a few threads for work of one cost. Cheap look-ups have a lane of their own, so that they never
wait for the encoder, and a lane of heavy work runs at a lower priority, so that they do not wait for the CPU.
In a lane every route has its own queue: the queues take turns, none may use more than half of the threads,
and a queue that is full refuses its own route only.
"""

import asyncio
import threading
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from tenor.machine import lower_priority
from tenor.serve.errors import queue_full, shutting_down

T = TypeVar("T")
Task = tuple["Future[Any]", Callable[[], Any]]


class Lane:
    """A few threads that take work from the queues of the routes in turn.

    >>> lane = Lane("example", threads=2, waiting=8)
    >>> lane.submit("/api/compare", lambda: 6 * 7).result()
    42
    >>> lane.close()
    """

    def __init__(self, name: str, *, threads: int, waiting: int, step_back: int = 0) -> None:
        self._step_back = step_back  # by how much the priority of the threads is lowered
        self._waiting = waiting  # most requests that one route may have in the lane
        self._share = max(1, threads // 2)  # most threads for one route
        self._lock = threading.Condition()
        self._queues: dict[str, deque[Task]] = {}
        self._turns: deque[str] = deque()  # routes in the order of their next turn
        self._running: Counter[str] = Counter()
        self._closing = False
        self._threads = [
            threading.Thread(target=self._work, name=f"tenor-{name}-{number}", daemon=True)
            for number in range(threads)
        ]
        for thread in self._threads:
            thread.start()

    async def run(self, route: str, work: Callable[[], T]) -> T:
        """Run work in a thread of this lane, from the event loop; raise an error when the queue is full."""
        return await asyncio.wrap_future(self.submit(route, work))

    def submit(self, route: str, work: Callable[[], T]) -> "Future[T]":
        """Queue work; what is cancelled before its turn is never begun."""
        future: Future[T] = Future()
        with self._lock:
            if self._closing:
                raise shutting_down()
            if route not in self._queues:
                self._queues[route] = deque()
                self._turns.append(route)
            queue = self._queues[route]
            if len(queue) + self._running[route] >= self._waiting:
                raise queue_full(2.0)
            queue.append((future, work))
            self._lock.notify()
        return future

    def close(self) -> None:
        """Finish what was accepted and end the threads."""
        with self._lock:
            self._closing = True
            self._lock.notify_all()
        for thread in self._threads:
            thread.join()

    def _work(self) -> None:
        lower_priority(self._step_back)
        while (taken := self._next()) is not None:
            route, (future, work) = taken
            try:
                if future.set_running_or_notify_cancel():
                    future.set_result(work())
            except BaseException as error:
                future.set_exception(error)
            finally:
                del future, work, taken  # a thread that waits holds on to no result
                with self._lock:
                    self._running[route] -= 1
                    self._lock.notify()

    def _next(self) -> tuple[str, Task] | None:
        """Wait for the next piece of work: of the routes that have some and a free share, in turn."""
        with self._lock:
            while True:
                for _ in range(len(self._turns)):
                    route = self._turns[0]
                    self._turns.rotate(-1)
                    if self._queues[route] and self._running[route] < self._share:
                        self._running[route] += 1
                        return route, self._queues[route].popleft()
                if self._closing and not any(self._queues.values()):
                    return None
                self._lock.wait()
