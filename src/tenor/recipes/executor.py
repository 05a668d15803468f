"""Computing cells: here, one after the other, or in several processes at once.

A cell that fails leaves its traceback in OUT/errors and does not stop the others. In processes of their
own, even a cell that ends its process (too little memory, a bad instruction) only fails itself and those that
come after it.
"""

import os
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from multiprocessing import connection, get_context, parent_process
from multiprocessing.context import SpawnProcess
from pathlib import Path
from threading import Thread
from typing import Literal, Protocol

from tenor.errors import TenorError
from tenor.files import atomic_file, clear_parts
from tenor.locks import file_lock
from tenor.recipes.budget import Budget
from tenor.recipes.cells import Job, Origin, context_of, keep, kept, make_job
from tenor.recipes.recipe import Recipe, Scale
from tenor.recipes.sources import Digests

State = Literal["done", "failed", "elsewhere"]


@dataclass(frozen=True, slots=True)
class Ended:
    """How a job ended: done, failed (``error`` says why), or being computed by another process."""

    job: Job
    state: State
    seconds: float = 0.0
    error: str = ""


class Watch(Protocol):
    """What is called back while cells are computed."""

    def began(self, job: Job) -> None:
        """Called before a cell is computed."""

    def moved(self, job: Job, done: int, total: int) -> None:
        """Called with the progress of a cell, only where one is computed at a time."""

    def ended(self, ended: Ended) -> None:
        """Called when a cell has ended, in whichever way."""


def compute(job: Job, digests: Digests, *, origin: Origin, moved: Callable[[int, int], None]) -> Ended:
    """Compute a cell and keep its result, unless another process is at it."""
    with file_lock(job.out / "work" / job.key / "lock", wait=False) as ours:
        if not ours:
            return Ended(job, "elsewhere")
        if (there := kept(job)) is not None:  # finished by another process in the meantime
            return Ended(job, "done", there["seconds"])
        clear_parts(job.file)
        begin = time.perf_counter()
        try:
            result = job.recipe.run(job.cell, context_of(job, digests, progress=moved))
            seconds = time.perf_counter() - begin
            keep(job, result, seconds=seconds, origin=origin)
        except Exception as error:  # whatever a cell stumbles over, the other cells go on
            return Ended(job, "failed", time.perf_counter() - begin, _record_failure(job, error))
        return Ended(job, "done", seconds)


class _Queue:
    """Jobs that are still to be begun: gives out those whose upstream cells are done."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        self._waiting = list(jobs)
        self._pending = {job.key for job in jobs}
        self._ended: dict[str, Ended] = {}

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def note(self, ended: Ended) -> Ended:
        """Remember how a job ended."""
        self._pending.discard(ended.job.key)
        self._ended[ended.job.key] = ended
        return ended

    def next(self) -> Job | Ended | None:
        """Return a job to begin, or how one ended that cannot be; None where all must wait for others."""
        for place, job in enumerate(self._waiting):
            if not any(upstream.key in self._pending for upstream in job.upstream):
                del self._waiting[place]
                return self._blocked(job) or job
        return None

    def _blocked(self, job: Job) -> Ended | None:
        """Say how a job ends that has an upstream cell without a result."""
        lacking = [upstream for upstream in job.upstream if kept(upstream) is None]
        if not lacking:
            return None
        before = self._ended.get(lacking[0].key)
        if before is not None and before.state == "elsewhere":
            return self.note(Ended(job, "elsewhere"))
        why = before.error if before is not None else "it has no result"
        sentence = f"It comes after {lacking[0].name}, which failed: {why}"
        return self.note(Ended(job, "failed", 0.0, _write_error(job, sentence, sentence)))


def one_by_one(
    jobs: Sequence[Job], digests: Digests, *, origin: Origin, budget: Budget, watch: Watch
) -> Iterator[Ended]:
    """Compute cells in this process, as long as the budget allows."""
    queue = _Queue(jobs)
    while queue and budget.allows():
        job = queue.next()
        assert job is not None  # a job that waits for another stands behind it
        if isinstance(job, Job):
            watch.began(job)
            ended = compute(job, digests, origin=origin, moved=partial(watch.moved, job))
            budget.took(ended.seconds)
            watch.ended(queue.note(ended))
            yield ended
        else:
            yield _told_of(job, watch)


def in_processes(
    jobs: Sequence[Job], digests: Digests, *, count: int, origin: Origin, budget: Budget, watch: Watch
) -> Iterator[Ended]:
    """Compute cells in ``count`` processes at once; each takes its share of the threads."""
    queue, running = _Queue(jobs), dict[SpawnProcess, tuple[Job, float]]()
    with _threads_per_process(count):
        try:
            while queue or running:
                while queue and len(running) < count and budget.allows() and (job := queue.next()):
                    if isinstance(job, Ended):
                        yield _told_of(job, watch)
                        continue
                    watch.began(job)
                    running[_start(job, digests, origin)] = (job, time.perf_counter())
                if not running:
                    return  # all are over, or the budget is used up
                for ended in _finished(running):
                    budget.took(ended.seconds)
                    watch.ended(queue.note(ended))
                    yield ended
        finally:
            for process in running:
                process.terminate()


def _told_of(ended: Ended, watch: Watch) -> Ended:
    """Report a cell that ended without having begun."""
    watch.began(ended.job)
    watch.ended(ended)
    return ended


def _start(job: Job, digests: Digests, origin: Origin) -> SpawnProcess:
    # A fresh process: a fork would inherit threads of torch in an unknown state.
    arguments = (_where(job.recipe), job.scale, job.cell.name, job.seed, digests, job.data, job.out, origin)
    process = get_context("spawn").Process(target=_child, args=arguments, daemon=True)
    process.start()
    return process


def _child(
    where: tuple[str, str],
    scale: Scale,
    cell: str,
    seed: int | None,
    digests: Digests,
    data: Path | None,
    out: Path,
    origin: Origin,
) -> None:
    _end_with_parent()
    module, name = where
    recipe: Recipe = getattr(import_module(module), name)
    chosen = recipe.plan(scale).cell(cell)
    job = make_job(recipe, scale, chosen, seed or 0, digests=digests, data=data, out=out)
    compute(job, digests, origin=origin, moved=lambda done, total: None)


def _end_with_parent() -> None:
    """End this process when the one that started it is gone, however it ended.

    A killed run would else go on computing unseen, in the way of the one that is started after it. What is on
    the disk is whole at any time, so that nothing needs to be tidied.
    """
    parent = parent_process()
    assert parent is not None

    def watch() -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    Thread(target=watch, daemon=True).start()


def _where(recipe: Recipe) -> tuple[str, str]:
    """Say where a new process finds the recipe: the module of the table, else that of its ``run``."""
    from tenor.recipes.table import RECIPES

    if recipe.name in RECIPES:
        return f"tenor.recipes.{RECIPES[recipe.name]}", "RECIPE"
    module = recipe.run.__module__
    named = [name for name, value in vars(import_module(module)).items() if value is recipe]
    if not named:
        raise TenorError(f"Processes of their own need the recipe {recipe.name} to be a name of {module}.")
    return module, named[0]


def _finished(running: dict[SpawnProcess, tuple[Job, float]]) -> list[Ended]:
    """Wait until a process ends, and say how each ended one did."""
    over = connection.wait([process.sentinel for process in running])
    ended = []
    for process in [process for process in running if process.sentinel in over]:
        process.join()
        job, begin = running.pop(process)
        ended.append(_judge_end(job, process.exitcode, time.perf_counter() - begin))
    return ended


def _judge_end(job: Job, code: int | None, seconds: float) -> Ended:
    if (record := kept(job)) is not None:
        return Ended(job, "done", record["seconds"])
    if job.errors.is_file():
        return Ended(job, "failed", seconds, last_error(job) or "")
    if code == 0:
        return Ended(job, "elsewhere")
    reason = (
        f"its process was ended by signal {-code}" if code and code < 0 else f"its process ended with {code}"
    )
    return Ended(job, "failed", seconds, _write_error(job, reason, reason))


def last_error(job: Job) -> str | None:
    """Return the sentence about a job's last failure, None where it did not fail."""
    try:
        return job.errors.read_text(encoding="utf-8").partition("\n")[0]
    except OSError:
        return None


def _record_failure(job: Job, error: Exception) -> str:
    sentence = str(error) if isinstance(error, TenorError) else f"{type(error).__name__}: {error}"
    return _write_error(job, " ".join(sentence.split()), traceback.format_exc())


def _write_error(job: Job, sentence: str, details: str) -> str:
    job.errors.parent.mkdir(parents=True, exist_ok=True)
    with atomic_file(job.errors) as aside:
        aside.write_text(f"{sentence}\n\n{details}\n", encoding="utf-8", errors="replace")
    return sentence


@contextmanager
def _threads_per_process(count: int) -> Iterator[None]:
    from tenor.machine import thread_count

    name, before = "OMP_NUM_THREADS", os.environ.get("OMP_NUM_THREADS")
    os.environ[name] = str(max(1, thread_count() // count))
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before
