"""Which rows of which tasks an epoch goes through, step by step.

    joint         every step has a batch of every task; the epoch ends with the longest task, the others begin
                  again, or with the shortest
    sequential    a step has one task: all of the first task, then all of the second, …
    shuffled      the same batches in random order
    sampled       the task of each step is drawn with probability p_i ∝ n_i^α for n_i rows: ``proportional``
                  (α = 1), ``uniform`` (α = 0), ``temperature`` (α = 1/T), or ``annealed`` (α falls from 1 to
                  0.2 over the epochs; Stickland & Murray, 2019)

``examples_per_epoch`` draws so many random rows of each task anew for every epoch, without replacement. All
comes from one generator, so that the order is the same whatever the number of processes.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError

Rows = NDArray[np.int64]
Step = dict[str, Rows]
TaskSampling = Literal[
    "joint", "sequential", "shuffled", "proportional", "uniform", "temperature", "annealed"
]
EpochEnd = Literal["longest", "shortest"]
_ANNEALED_FALL = 0.8


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Source:
    """The rows of one task, as the sampler sees them."""

    rows: int
    batch: int = 16
    lengths: NDArray[np.int64] | None = None  # [rows], tokens of each, for bucketing
    smallest: int = 1
    """A last batch with fewer rows is left out: batch statistics of one row are none."""


class Sampler(Protocol):
    """Anything that draws the steps of an epoch, for instance by mining with the learner as it stands."""

    def draw(
        self, sources: Mapping[str, Source], *, epoch: int, generator: np.random.Generator, learner: Any
    ) -> list[Step]:
        """Return the rows of each task, step by step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSampler:
    """Draws the steps of an epoch from all tasks.

    >>> sources = {"mood": Source(rows=5, batch=2), "near": Source(rows=2, batch=2)}
    >>> steps = TaskSampler().draw(sources, epoch=0, generator=np.random.default_rng(1))
    >>> len(steps), [len(step["near"]) for step in steps]
    (3, [2, 2, 2])
    """

    task_sampling: TaskSampling = "joint"
    end: EpochEnd = "longest"
    examples_per_epoch: int | None = None
    temperature: float = 2.0
    bucket_batches: int = 0
    """Batches among which rows are sorted by length; 0 and 1 leave the order to chance alone."""
    epochs: int = 1

    def draw(
        self,
        sources: Mapping[str, Source],
        *,
        epoch: int,
        generator: np.random.Generator,
        learner: Any = None,
    ) -> list[Step]:
        """Return the rows of each task, step by step."""
        once = {name: self._once(source, generator) for name, source in sources.items()}
        if self.task_sampling == "joint":
            return self._joint(sources, once, generator)
        alone = [{name: rows} for name, batches in once.items() for rows in batches]
        if self.task_sampling == "sequential":
            return alone
        if self.task_sampling == "shuffled":
            return [alone[place] for place in generator.permutation(len(alone))]
        return self._sampled(sources, once, epoch, generator)

    def _once(self, source: Source, generator: np.random.Generator) -> list[Rows]:
        """Cut one random pass over a task's rows into batches."""
        rows = generator.permutation(source.rows).astype(np.int64)
        if self.examples_per_epoch is not None:
            rows = rows[: self.examples_per_epoch]
        return cut_rows(rows, source, bucket_batches=self.bucket_batches, generator=generator)

    def _joint(
        self, sources: Mapping[str, Source], once: dict[str, list[Rows]], generator: np.random.Generator
    ) -> list[Step]:
        counts = [len(batches) for batches in once.values()]
        steps = min(counts) if self.end == "shortest" else max(counts)
        streams = {name: self._endless(sources[name], once[name], generator) for name in sources}
        return [{name: next(stream) for name, stream in streams.items()} for _ in range(steps)]

    def _endless(self, source: Source, batches: list[Rows], generator: np.random.Generator) -> Iterator[Rows]:
        while True:
            yield from batches
            batches = self._once(source, generator)

    def _sampled(
        self,
        sources: Mapping[str, Source],
        once: dict[str, list[Rows]],
        epoch: int,
        generator: np.random.Generator,
    ) -> list[Step]:
        names = list(sources)
        chances = self.chances([sources[name].rows for name in names], epoch)
        steps = sum(len(batches) for batches in once.values())
        streams = {name: self._endless(sources[name], once[name], generator) for name in names}
        drawn = generator.choice(len(names), size=steps, p=chances)
        return [{names[place]: next(streams[names[place]])} for place in drawn.tolist()]

    def chances(self, rows: list[int], epoch: int) -> NDArray[np.float64]:
        """Return the probability of each task in an epoch.

        >>> TaskSampler(task_sampling="temperature", temperature=2.0).chances([900, 100], 0).tolist()
        [0.75, 0.25]
        """
        powers = {"proportional": 1.0, "uniform": 0.0, "temperature": 1.0 / self.temperature}
        done = epoch / max(1, self.epochs - 1)
        power = powers.get(self.task_sampling, 1.0 - _ANNEALED_FALL * min(1.0, done))
        sizes = np.asarray(rows, dtype=np.float64) ** power
        return np.asarray(sizes / sizes.sum(), dtype=np.float64)


def cut_rows(
    rows: Rows, source: Source, *, bucket_batches: int, generator: np.random.Generator
) -> list[Rows]:
    """Cut rows into batches, with rows of like length together where bucketing is asked for.

    Rows are sorted only within windows of ``bucket_batches`` batches, and the batches of a window come in
    random order: lengths are alike within a batch, and the order of batches stays random.
    """
    if bucket_batches > 1 and source.lengths is not None:
        rows = np.concatenate(list(_bucketed(rows, source, bucket_batches, generator))) if len(rows) else rows
    batches = [rows[begin : begin + source.batch] for begin in range(0, len(rows), source.batch)]
    if batches and len(batches) > 1 and len(batches[-1]) < source.smallest:
        batches.pop()
    return batches


def _bucketed(
    rows: Rows, source: Source, bucket_batches: int, generator: np.random.Generator
) -> Iterator[Rows]:
    assert source.lengths is not None
    window = bucket_batches * source.batch
    for begin in range(0, len(rows), window):
        part = rows[begin : begin + window]
        part = part[np.argsort(source.lengths[part], kind="stable")]
        whole = len(part) // source.batch
        # A last, short batch of the window stays at its end, so that no other batch is torn.
        for place in generator.permutation(whole):
            yield part[place * source.batch : (place + 1) * source.batch]
        yield part[whole * source.batch :]


def flatten_steps(steps: list[Step]) -> dict[str, dict[str, NDArray[np.int64]]]:
    """Return steps as arrays for a checkpoint: by task, all rows in a row and their count in each step.

    >>> flat = flatten_steps([{"a": np.array([3, 1])}, {"b": np.array([2])}])
    >>> flat["a"]["counts"].tolist(), [sorted(step) for step in unflatten_steps(flat)]
    ([2, 0], [['a'], ['b']])
    """
    names = dict.fromkeys(name for step in steps for name in step)
    none = np.zeros(0, dtype=np.int64)
    return {
        name: {
            "rows": np.concatenate([none, *(step.get(name, none) for step in steps)]),
            "counts": np.array([len(step.get(name, none)) for step in steps], dtype=np.int64),
        }
        for name in names
    }


def unflatten_steps(flat: Mapping[str, Mapping[str, NDArray[np.int64]]]) -> list[Step]:
    """Undo ``flatten_steps``."""
    count = max((len(each["counts"]) for each in flat.values()), default=0)
    steps: list[Step] = [{} for _ in range(count)]
    for name, each in flat.items():
        ends = np.cumsum(each["counts"])
        for step, size, end in zip(steps, each["counts"].tolist(), ends.tolist(), strict=True):
            if size:
                step[name] = each["rows"][end - size : end]
    return steps


def _task_sampler(training: Any) -> TaskSampler:
    return TaskSampler(
        task_sampling=training.task_sampling,
        end=training.epoch_end,
        examples_per_epoch=training.examples_per_epoch,
        temperature=training.temperature,
        bucket_batches=training.bucket_batches,
        epochs=training.epochs,
    )


SAMPLERS: dict[str, Callable[[Any], Sampler]] = dict.fromkeys(get_args(TaskSampling), _task_sampler)
"""task_sampling -> what makes the sampler from the training settings."""


def register(name: str, build: Callable[[Any], Sampler]) -> None:
    """Add a sampler of one's own, for this process: ``task_sampling`` of run files knows it then."""
    if SAMPLERS.get(name, build) is not build:
        raise TenorError(f"There is a sampler {name!r} already; give yours another name.")
    SAMPLERS[name] = build
