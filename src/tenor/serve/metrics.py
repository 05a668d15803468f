"""Counters of a server in the text format of Prometheus."""

import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tenor.serve.batcher import Counts
from tenor.version import VERSION

_BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 120.0)


class Metrics:
    """Counts requests by route and status, and how long they took.

    >>> metrics = Metrics()
    >>> metrics.observe("/api/embed", 200, 0.02)
    >>> 'tenor_requests_total{path="/api/embed",status="200"} 1' in metrics.text(Counts())
    True
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: Counter[tuple[str, int]] = Counter()
        self._buckets: Counter[tuple[str, float]] = Counter()
        self._seconds: Counter[str] = Counter()

    def observe(self, path: str, status: int, seconds: float) -> None:
        """Count a request; ``path`` is that of the route, so that clients cannot invent new ones."""
        bound = next((bound for bound in _BOUNDS if seconds <= bound), float("inf"))
        with self._lock:
            self._requests[path, status] += 1
            self._buckets[path, bound] += 1
            self._seconds[path] += seconds  # type: ignore[assignment]

    def text(self, counts: Counts) -> str:
        """Return everything, the batcher's counts included."""
        with self._lock:
            return "\n".join([*self._lines(), *_batcher_lines(counts), *_process_lines()]) + "\n"

    def _lines(self) -> Iterator[str]:
        yield "# HELP tenor_requests_total Requests by route and status."
        yield "# TYPE tenor_requests_total counter"
        for (path, status), count in sorted(self._requests.items()):
            yield f'tenor_requests_total{{path="{path}",status="{status}"}} {count}'
        yield "# HELP tenor_request_seconds Time from a request's head to the end of its response."
        yield "# TYPE tenor_request_seconds histogram"
        for path in sorted(self._seconds):
            total = 0
            for bound in (*_BOUNDS, float("inf")):
                total += self._buckets[path, bound]
                label = "+Inf" if bound == float("inf") else f"{bound:g}"
                yield f'tenor_request_seconds_bucket{{path="{path}",le="{label}"}} {total}'
            yield f'tenor_request_seconds_sum{{path="{path}"}} {self._seconds[path]:.6f}'
            yield f'tenor_request_seconds_count{{path="{path}"}} {total}'


def _batcher_lines(counts: Counts) -> Iterator[str]:
    values = (
        ("tenor_passes_total", "counter", "Passes of the encoder.", counts.passes),
        ("tenor_texts_total", "counter", "Texts that were encoded.", counts.texts),
        ("tenor_tokens_total", "counter", "Tokens that were encoded.", counts.tokens),
        ("tenor_pass_seconds_total", "counter", "Time in passes, of all threads.", counts.pass_seconds),
        ("tenor_waiting_texts", "gauge", "Texts that wait or are under way.", counts.waiting_texts),
        ("tenor_waiting_requests", "gauge", "Requests whose texts wait.", counts.waiting_requests),
    )
    for name, kind, about, value in values:
        yield from (f"# HELP {name} {about}", f"# TYPE {name} {kind}", f"{name} {value:.10g}")


def _process_lines() -> Iterator[str]:
    yield "# HELP tenor_info The version of the server."
    yield "# TYPE tenor_info gauge"
    yield f'tenor_info{{version="{VERSION}"}} 1'
    resident = resident_bytes()
    if resident is not None:
        yield "# HELP process_resident_memory_bytes Memory of the process."
        yield "# TYPE process_resident_memory_bytes gauge"
        yield f"process_resident_memory_bytes {resident}"


def resident_bytes(status: Path = Path("/proc/self/status")) -> int | None:
    """Return the memory of this process, where the system tells it."""
    try:
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS:"))
        return int(line.split()[1]) * 1024
    except (OSError, StopIteration, ValueError, IndexError):
        return None
