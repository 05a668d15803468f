"""The texts of requests on their way through the encoder, and the order in which they are taken.

A request is a *job*; a text of it is a *row*. Jobs with rows to encode stand in a round-robin queue: each in
turn gives at most a small number of tokens to the next forward pass and goes to the end, so that a request of
two thousand texts slows one of a single text by a pass or two, and never makes it wait for the whole.
"""

from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tenor.encoders.engine import Floats
from tenor.text.tokens import Forms, Ints, Tokens

# Tokens that a job may give to a pass before the next one's turn comes.
QUANTUM = 128


@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """The vectors of a job's texts."""

    vectors: Floats  # [n, dimensions]
    tokens: int  # that were read
    cut: NDArray[np.int64]  # [n] tokens of each text beyond the model's limit


class Row(NamedTuple):
    """A tokenised text, and its position among the texts of its job."""

    job: "Job"
    position: int
    ids: Ints
    forms: Forms | None = None


@dataclass(slots=True, eq=False)
class Job:
    """The texts of one request; ``done`` gets their vectors, or is cancelled when nobody waits any more."""

    texts: Sequence[str]
    dimensions: int
    done: "Future[Encoded]" = field(default_factory=Future)
    read: int = 0  # texts that are tokenised
    tokens: int = 0
    rows: deque[Row] = field(default_factory=deque)  # tokenised and waiting
    left: int = field(init=False)  # vectors still to come
    vectors: Floats = field(init=False)
    cut: NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        self.left = len(self.texts)
        self.vectors = np.empty((self.left, self.dimensions), dtype=np.float32)
        self.cut = np.zeros(self.left, dtype=np.int64)

    @property
    def is_done(self) -> bool:
        """Whether nobody waits for it any more: it failed, or the client has disconnected."""
        return self.done.done()

    def add(self, tokens: Tokens, begin: int, end: int) -> None:
        """Take up rows ``begin`` to ``end`` of ``tokens`` as the next texts of this job."""
        bounds = tokens.starts[begin : end + 1].tolist()
        for row, (start, stop) in enumerate(pairwise(bounds)):
            forms = None if tokens.forms is None else tokens.forms[start:stop]
            self.rows.append(Row(self, self.read + row, tokens.ids[start:stop], forms))
        if tokens.dropped is not None:
            self.cut[self.read : self.read + end - begin] = tokens.dropped[begin:end]
        self.read += end - begin
        self.tokens += bounds[-1] - bounds[0]

    def finish(self) -> None:
        """Hand the vectors over, if somebody still waits for them."""
        with suppress(InvalidStateError):
            self.done.set_result(Encoded(self.vectors, self.tokens, self.cut))

    def fail(self, error: BaseException) -> None:
        """Tell who waits that there will be no vectors."""
        with suppress(InvalidStateError):
            self.done.set_exception(error)


class RoundRobin:
    """Jobs with rows to encode, each taking its turn.

    >>> queue = RoundRobin()
    >>> for count in (5, 1):
    ...     job = Job(["…"] * count, dimensions=1)
    ...     job.add(Tokens.from_lists([[7] * 60] * count), 0, count)
    ...     queue.add(job)
    >>> [len(row.job.texts) for row in queue.take(300)]
    [5, 5, 1, 5, 5]
    """

    def __init__(self) -> None:
        self._jobs: deque[Job] = deque()
        self.tokens = 0  # that wait

    def __len__(self) -> int:
        return len(self._jobs)

    def add(self, job: Job) -> None:
        """Put a job at the end."""
        self._jobs.append(job)
        self.tokens += job.tokens

    def take(self, room: int) -> list[Row]:
        """Take rows of at most ``room`` tokens, at least one row, from one job after the other."""
        taken: list[Row] = []
        while self._jobs:
            job = self._jobs.popleft()
            if job.is_done:
                self._forget(job)
                continue
            share = _turn(job, room, alone=not taken)
            room -= sum(len(row.ids) for row in share)
            taken += share
            if not share:  # its next row does not fit any more: it is the first of the next pass
                self._jobs.appendleft(job)
                break
            if job.rows:
                self._jobs.append(job)
        self.tokens -= sum(len(row.ids) for row in taken)
        return taken

    def _forget(self, job: Job) -> None:
        self.tokens -= sum(len(row.ids) for row in job.rows)
        job.rows.clear()


def _turn(job: Job, room: int, *, alone: bool) -> list[Row]:
    """Take what a job may give at a time; a row that fits nowhere goes when it would be alone."""
    share: list[Row] = []
    spent = 0
    while job.rows:
        cost = len(job.rows[0].ids)
        if share and spent + cost > min(QUANTUM, room):
            break
        if not share and cost > room and not alone:
            break
        share.append(job.rows.popleft())
        spent += cost
    return share
