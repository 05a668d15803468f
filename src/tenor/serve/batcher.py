"""Dynamic batching: the texts of requests that arrive together go through the encoder in one pass.

One thread tokenises what arrives, all that is there at a time. As many threads as the engine works in take
the waiting rows, from one request after the other (``jobs.py``), sort them by length, cut them into passes of
the engine's token budget and encode them. When nothing is under way a row is encoded at once. While passes
are under way, a free thread waits a few milliseconds for more rows unless a pass is full: a pass of 40 short
texts takes far less time than 40 passes. What shares a pass does not change a vector.
"""

import logging
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tenor.encoders.engine import Engine, Floats, StreamingEngine
from tenor.machine import lower_priority, thread_count
from tenor.serve.errors import queue_full, shutting_down, too_many_tokens
from tenor.serve.jobs import Job, RoundRobin, Row
from tenor.serve.limits import Limits
from tenor.text.batching import distinct, plan_batches
from tenor.text.tokenizer import Tokenizer
from tenor.text.tokens import Tokens

_log = logging.getLogger("tenor")

# Tokenised at a time: few milliseconds' work, so that a long request does not hold up those behind it.
_SLICE_TEXTS, _SLICE_CHARACTERS = 256, 16_000
# A pass of fewer tokens is hardly quicker, so that work for two threads is not cut finer.
_LEAST_TOKENS = 96
WAIT_SECONDS = 0.004
# By how much the priority is lowered of what encodes. It takes all CPUs for as long as texts wait, and nobody
# notices a pass that ends a little later; a look-up of a millisecond shall not wait for passes to end.
ENCODER_STEPS_BACK = 10


@dataclass(slots=True)
class Counts:
    """What a batcher has done and has to do; for /metrics and for tests."""

    passes: int = 0
    texts: int = 0
    tokens: int = 0
    pass_seconds: float = 0.0
    waiting_texts: int = 0
    waiting_requests: int = 0


class Batcher:
    """Turns texts into vectors, packing what arrives together; to be called from any thread."""

    def __init__(
        self,
        engine: Engine,
        tokenizer: Tokenizer,
        *,
        limits: Limits | None = None,
        workers: int | None = None,
        wait: float = WAIT_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._engine, self._tokenizer = engine, tokenizer
        self._limits = limits or Limits()
        self._wait, self._clock = wait, clock
        self._budget = engine.token_budget
        # An engine that streams runs a pass per thread; another one uses all threads for one pass.
        self._workers = workers or (thread_count() if isinstance(engine, StreamingEngine) else 1)
        self._lock = threading.RLock()
        self._texts_arrived = threading.Condition(self._lock)
        self._rows_arrived = threading.Condition(self._lock)
        self._new: deque[Job] = deque()  # not yet tokenised
        self._queue = RoundRobin()
        self._waiting_texts: Counter[str] = Counter()  # by route
        self._waiting_requests: Counter[str] = Counter()
        self._passes: deque[list[Row]] = deque()
        self._reading = self._under_way = 0
        self._closing = False
        self.counts = Counts()
        names = ["tenor-read", *(f"tenor-encode-{number}" for number in range(self._workers))]
        loops = [self._read_loop, *[self._encode_loop] * self._workers]
        self._threads = [
            threading.Thread(target=loop, name=name, daemon=True)
            for name, loop in zip(names, loops, strict=True)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, texts: Sequence[str], *, route: str | None = "") -> Job:
        """Queue texts; the job's ``done`` gets the result.

        Raises an error when as much waits of this route as may; None is for work that was accepted already.
        """
        with self._lock:
            if self._closing:
                raise shutting_down()
            if route is not None:
                self._check_room(route, len(texts))
            job = Job(texts, self._engine.width)
            self.counts.waiting_texts += len(texts)
            self.counts.waiting_requests += 1
            if route is not None:
                self._waiting_texts[route] += len(texts)
                self._waiting_requests[route] += 1
            self._new.append(job)
            self._texts_arrived.notify()
        job.done.add_done_callback(lambda _: self._leave(job, route))
        return job

    def _check_room(self, route: str, texts: int) -> None:
        waiting, limits = self._waiting_texts[route], self._limits
        full = self._waiting_requests[route] >= limits.waiting_requests
        if full or (waiting and waiting + texts > limits.waiting_texts):
            raise queue_full(self._seconds_left())

    def close(self) -> None:
        """Finish what was accepted, take nothing new, and end the threads."""
        with self._lock:
            self._closing = True
            self._texts_arrived.notify_all()
            self._rows_arrived.notify_all()
        for thread in self._threads:
            thread.join()

    def _leave(self, job: Job, route: str | None) -> None:
        with self._lock:
            self.counts.waiting_texts -= len(job.texts)
            self.counts.waiting_requests -= 1
            if route is not None:
                self._waiting_texts[route] -= len(job.texts)
                self._waiting_requests[route] -= 1

    def _seconds_left(self) -> float:
        """Estimate how long the queue takes, from the speed so far."""
        counts = self.counts
        throughput = self._workers * counts.tokens / counts.pass_seconds if counts.pass_seconds else 1_000.0
        per_text = counts.tokens / counts.texts if counts.texts else 16.0
        return counts.waiting_texts * per_text / throughput

    # Reading: texts to rows of tokens.

    def _read_loop(self) -> None:
        while (part := self._next_part()) is not None:
            try:
                texts = [text for job, begin, end in part for text in job.texts[begin:end]]
                tokens = self._tokenizer.tokenize(texts) if texts else Tokens.from_lists([])
                self._accept(part, tokens)
            except Exception as error:
                _log.exception("Tokenising failed.")
                for job, _, _ in part:
                    job.fail(error)
            with self._lock:
                self._reading -= 1
                self._rows_arrived.notify_all()

    def _next_part(self) -> list[tuple[Job, int, int]] | None:
        """Take texts to tokenise together: of each new job what fits, from the longest-waiting on."""
        with self._lock:
            while not self._new:
                if self._closing:
                    return None
                self._texts_arrived.wait()
            part: list[tuple[Job, int, int]] = []
            texts, characters = _SLICE_TEXTS, _SLICE_CHARACTERS
            for _ in range(len(self._new)):
                job = self._new.popleft()
                begin = end = job.read
                while end < len(job.texts) and texts > 0 and characters > 0:
                    characters -= len(job.texts[end])
                    texts -= 1
                    end += 1
                part.append((job, begin, end))
                if texts <= 0 or characters <= 0:
                    break
            self._reading += 1
            return part

    def _accept(self, part: list[tuple[Job, int, int]], tokens: Tokens) -> None:
        """Give each job its tokens; one that is read to its end joins the queue, others go on being read."""
        at = 0
        for job, begin, end in part:
            job.add(tokens, at, at + end - begin)
            at += end - begin
            if job.tokens > self._limits.tokens:
                job.fail(too_many_tokens(job.tokens, self._limits))
            elif not job.texts:
                job.finish()
            elif not job.is_done:
                with self._lock:
                    if job.read == len(job.texts):
                        self._queue.add(job)
                    else:
                        self._new.append(job)

    # Encoding: rows to vectors.

    def _encode_loop(self) -> None:
        lower_priority(ENCODER_STEPS_BACK)  # of the engine's own threads, too, which are made in this one
        while (rows := self._next_pass()) is not None:
            began = time.perf_counter()
            try:
                tokens = _flat(rows)
                first, of = distinct(tokens)
                vectors: Floats | None = self._engine.vectors(tokens.take(first))[of]
            except Exception as error:
                _log.exception("A pass of the encoder failed.")
                for row in rows:
                    row.job.fail(error)
                vectors = None
            finished = self._finished(rows, vectors, time.perf_counter() - began)
            for job in finished:
                job.finish()

    def _next_pass(self) -> list[Row] | None:
        with self._lock:
            since: float | None = None
            while not self._passes:
                if not len(self._queue):
                    since = None
                    if self._closing and not (self._new or self._reading):
                        return None
                    self._rows_arrived.wait()
                    continue
                now = self._clock()
                since = now if since is None else since
                left = since + self._wait - now
                if self._under_way and self._queue.tokens < self._budget and left > 0:
                    self._rows_arrived.wait(left)
                    continue
                self._plan()
            self._under_way += 1
            return self._passes.popleft()

    def _plan(self) -> None:
        """Turn waiting rows into passes, for as many threads as are free."""
        free = self._workers - self._under_way
        rows = self._queue.take(free * self._budget)
        if not rows:
            return  # all that waited was given up by its clients
        lengths = np.array([len(row.ids) for row in rows], dtype=np.int64)
        # A fair share for each free thread, and some room as shorter texts are padded.
        share = max(_LEAST_TOKENS, 5 * int(lengths.sum()) // (4 * free)) if free > 1 else self._budget
        # The shortest texts first: they are most often whole requests, and done soonest.
        for batch in reversed(plan_batches(lengths, min(self._budget, share))):
            self._passes.append([rows[index] for index in batch.tolist()])
        if len(self._passes) > 1:
            self._rows_arrived.notify_all()

    def _finished(self, rows: list[Row], vectors: Floats | None, seconds: float) -> list[Job]:
        """Write the vectors of a pass to their jobs, and return the jobs that are complete by it."""
        complete: list[Job] = []
        with self._lock:
            self._under_way -= 1
            self.counts.passes += 1
            self.counts.texts += len(rows)
            self.counts.tokens += sum(len(row.ids) for row in rows)
            self.counts.pass_seconds += seconds
            for row, vector in zip(rows, () if vectors is None else vectors, strict=vectors is not None):
                row.job.vectors[row.position] = vector
                row.job.left -= 1
                if not row.job.left:
                    complete.append(row.job)
            self._rows_arrived.notify_all()
        return complete


def _flat(rows: list[Row]) -> Tokens:
    """Put rows of several jobs on one flat axis."""
    starts = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum([len(row.ids) for row in rows], out=starts[1:])
    forms = [row.forms for row in rows if row.forms is not None]
    return Tokens(
        np.concatenate([row.ids for row in rows]),
        starts,
        forms=np.concatenate(forms) if len(forms) == len(rows) and forms else None,
    )
