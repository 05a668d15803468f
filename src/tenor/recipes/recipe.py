"""What a recipe is: a published system as a set of cells to run, and the claims of its paper.

A recipe is a module of this room that ends in ``RECIPE = Recipe(…)``, and a line of ``recipes/table.py``.
It says which *cells* (configurations) there are at each scale, how one of them is run with one seed, which
claims the paper makes about them and which figures belong on the page. The runner does the rest: seeds,
order, caching, processes, budgets, results, verdicts, the page.

    def run(cell: Cell, context: Context) -> CellResult:
        rows = read(context.folder("minbert") / "sst.tsv") if context.data else made_up(context.generator())
        model = train(rows, lr=cell.settings["lr"], epochs=context.settings["epochs"], seed=context.seed)
        gold, predicted = …
        similarity = Outcome.of("pearson", gold, predicted, items="sts-dev")
        return CellResult(outcomes={"similarity": similarity})

Modules of recipes import torch and other heavy things inside functions, so that `tenor recipes` stays light.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from tenor.corpora.corpus import Corpus
from tenor.errors import TenorError, did_you_mean
from tenor.files import atomic_folder, clear_parts
from tenor.locks import file_lock
from tenor.metrics.outcomes import Outcome, StatisticName
from tenor.metrics.verdicts import Claim

Scale = Literal["tiny", "small", "full"]
SCALES: tuple[Scale, ...] = get_args(Scale)
Settings = Mapping[str, Any]
"""Settings must be plain JSON values: they are part of the hash that a result is kept under."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DataFolder:
    """A folder below ``--data DIR`` that a recipe reads; that of a corpus is made by :meth:`of`.

    ``files`` are patterns (``*.tsv``, ``**/*.csv``) of the files that are read: their digests are part of
    what a result depends on, so list all of them. Where an ``optional`` folder is absent, the cells that
    need it are not run and the page says so; any other missing folder stops the run with ``advice``.
    """

    name: str
    files: tuple[str, ...] = ("**/*",)
    about: str
    advice: str = ""
    optional: bool = False
    assets: tuple[str, ...] = ()
    """Assets that are read with the folder: every cell that reads it depends on their contents too."""

    @classmethod
    def of(cls, *corpora: Corpus, optional: bool = False) -> "DataFolder":
        """Declare the folder of one corpus, or of several that lie in one folder; all their files are read.

        >>> from tenor.corpora.mrpc import MRPC
        >>> DataFolder.of(MRPC.take("test")).files
        ('msr_paraphrase_test.txt',)
        """
        (name,) = {corpus.folder for corpus in corpora}
        return cls(
            name=name,
            files=tuple(dict.fromkeys(pattern for corpus in corpora for pattern in corpus.files)),
            about="; ".join(dict.fromkeys(corpus.about for corpus in corpora)),
            advice=" ".join(dict.fromkeys(corpus.obtain for corpus in corpora)),
            optional=optional,
            assets=tuple(dict.fromkeys(name for corpus in corpora for name in corpus.also_reads)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A configuration to run: a baseline, the method itself, an ablation, a point of a grid.

    >>> Cell(name="shared-mean", settings={"share": True, "pooling": "mean"}).label
    'shared-mean'
    """

    name: str
    settings: Settings = field(default_factory=dict)
    title: str = ""
    """How the page names it; the name itself where empty."""
    seeded: bool = True
    """False for what no seed can change: it is run once and stands beside every seed of the others."""
    most_seeds: int | None = None
    """Where fewer seeds than those of the plan are enough."""
    needs: tuple[str, ...] = ()
    """Optional data folders without which this cell cannot be run."""
    weights: tuple[str, ...] = ()
    """Assets (by name) that are read: a result depends on their contents, and they must have been fetched."""
    uses: tuple[str, ...] = ()
    """Cells without seeds whose files are read where they are there (``Context.made_by``): a result from
    elsewhere is taken only with theirs."""
    after: tuple[str, ...] = ()
    """Cells that must be computed before it, with the same seed: a stage before a fine-tuning, a teacher
    before a student. ``Context.result_of`` gives their results; its own result depends on theirs."""
    since: int | None = None
    """The version of the recipe that last changed its results; the recipe's own where None. A new version
    that leaves some cells as they were names the earlier one here, and their results are kept."""

    @property
    def label(self) -> str:
        """The name for people."""
        return self.title or self.name

    def seeds(self, count: int) -> int:
        """How often it is run where the run has ``count`` seeds."""
        return min(count, self.most_seeds or count) if self.seeded else 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is run at a scale: cells, how many seeds by default, and settings that all cells share."""

    cells: tuple[Cell, ...]
    seeds: int = 3
    settings: Settings = field(default_factory=dict)
    about: str = ""
    """One sentence for the page: how much data, how long, what is smaller than in the paper."""
    data: bool = True
    """Whether the data folders are wanted; `tiny` makes its own data and sets this to False."""

    def cell(self, name: str) -> Cell:
        """Return a cell by its name, or say that there is none."""
        for cell in self.cells:
            if cell.name == name:
                return cell
        raise TenorError(f"There is no cell {name!r} at this scale." + did_you_mean(name, self.names))

    @property
    def names(self) -> list[str]:
        """The names of all cells."""
        return [cell.name for cell in self.cells]


@dataclass(frozen=True, slots=True, kw_only=True)
class CellResult:
    """What one cell gave with one seed."""

    outcomes: Mapping[str, Outcome]
    """metric -> score, with its items wherever there are any."""
    notes: tuple[str, ...] = ()
    """Sentences for the page, such as how many rows a filter dropped."""
    series: Mapping[str, Mapping[str, Sequence[float]]] = field(default_factory=dict)
    """Curves for figures: name -> column -> values, such as {"dev": {"step": […], "accuracy": […]}}."""
    extras: Mapping[str, Any] = field(default_factory=dict)
    """Anything else that JSON can hold, for figures and tables of the recipe's own."""
    files: Mapping[str, Path] = field(default_factory=dict)
    """Files that are kept beside the results, by their names there (``encoder/config.json``): what other
    cells need and what is too dear to be made again on another machine."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Context:
    """What the runner hands to a recipe's ``run`` beside the cell."""

    scale: Scale
    seed: int
    """The seed, from 1 on; 0 for a cell that does not depend on seeds. Seed every generator with it."""
    settings: Settings
    """The plan's settings."""
    data: Path | None
    """The folder of ``--data``; None where the plan makes its own data."""
    work: Path
    """A folder of this cell and seed alone, for checkpoints: a kill leaves it, the end removes it."""
    folder: Callable[[str], Path]
    """Returns a data folder of the recipe by name, or says what to do where it is absent."""
    shared_place: Callable[[str, Settings], Path]
    """Returns where a folder that several cells use lies: by its name and what it depends on."""
    made_by: Callable[[str], Path | None]
    """Returns the folder of the files of another cell, one without seeds; None where it has no result."""
    results: Mapping[str, CellResult] = field(default_factory=dict)
    """The results of the cells that this one comes after, by name; see ``result_of``."""
    progress: Callable[[int, int], None] = lambda done, total: None
    """Reports how far this cell is, for the bar: (done, total)."""

    def generator(self) -> np.random.Generator:
        """Return a new random generator of this cell's seed; the same one for all cells of a seed."""
        return np.random.default_rng(self.seed)

    def result_of(self, cell: str) -> CellResult:
        """Return the result, of the same seed, of a cell that this one comes after, with its files' paths."""
        if cell not in self.results:
            raise TenorError(f"The result of {cell!r} is only given to cells that name it in ``after``.")
        return self.results[cell]

    def shared(self, name: str, make: Callable[[Path], None], *, settings: Settings) -> Path:
        """Return a folder that several cells use (vectors, frozen features), made by the first that asks.

        ``make`` fills an empty folder; it is kept under the hash of the name, ``settings`` (put the seed
        there if it matters), the recipe's version and data, and appears only when it is whole.
        """
        folder = self.shared_place(name, settings)
        with file_lock(folder.with_name(f"{folder.name}.lock"), wait=True):
            if not folder.is_dir():
                clear_parts(folder)
                with atomic_folder(folder) as aside:
                    make(aside)
        return folder

    @contextmanager
    def lasting(self, name: str, *, settings: Settings) -> Iterator[Path]:
        """Hold a folder that several cells use and that a kill leaves as it is, one process at a time.

        For work that knows itself how to go on and when it is finished, such as a training run of hours; it
        is kept under the same hash as ``shared``.
        """
        folder = self.shared_place(name, settings)
        with file_lock(folder.with_name(f"{folder.name}.lock"), wait=True):
            folder.mkdir(parents=True, exist_ok=True)
            yield folder


@dataclass(frozen=True, slots=True)
class Composite:
    """A metric made of others, Σ weight · metric + offset, for tables and, by its name, for contrasts.

    >>> Composite.mean("sentiment", "paraphrase").weights
    {'sentiment': 0.5, 'paraphrase': 0.5}
    """

    weights: Mapping[str, float]
    offset: float = 0.0
    by_items: bool = False
    """Whether each weight is multiplied by the metric's share of the test items."""

    @classmethod
    def mean(cls, *metrics: str) -> "Composite":
        """The plain mean of some metrics."""
        return cls({metric: 1.0 / len(metrics) for metric in metrics})

    @classmethod
    def over_items(cls, *metrics: str) -> "Composite":
        """The mean of some metrics weighted by their test items: sets of a few dozen do not drown the rest.

        >>> Composite.over_items("MEN", "MC-30").shares({"MEN": 2970, "MC-30": 30})
        {'MEN': 0.99, 'MC-30': 0.01}
        """
        return cls(dict.fromkeys(metrics, 1.0), by_items=True)

    def shares(self, items: Mapping[str, int]) -> Mapping[str, float]:
        """Return the weight of each metric, from how many test items each of them has."""
        if not self.by_items:
            return self.weights
        total = sum(items[metric] for metric in self.weights)
        return {metric: weight * items[metric] / total for metric, weight in self.weights.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A picture for the page: ``draw`` turns results into SVG (see ``tenor.report.plots``), or None."""

    name: str
    caption: str
    draw: Callable[[Any], str | None]


Trivial = Mapping[str, str | float]
"""metric -> its trivial baseline: a cell (the untrained or frozen encoder), a number, or ``CONSTANT``."""
CONSTANT = "constant answer"
"""The trivial baseline that gives all items the same answer, computed from gold labels of the outcomes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """A published system: what is run, how, and what its paper claims.

    >>> recipe = Recipe(
    ...     name="coin", title="A fair coin", paper="Nobody, 1654", spec=99, summary="Tosses.", version=1,
    ...     scales={"tiny": Plan(cells=(Cell(name="fair"),), data=False)},
    ...     run=lambda cell, context: CellResult(outcomes={"heads": Outcome.number(0.5)}),
    ... )
    >>> recipe.plan("tiny").seeds
    3
    """

    name: str
    title: str
    paper: str
    """Authors, title, year."""
    spec: int
    summary: str
    version: int
    """Raised whenever a change of the code changes results: older results are then computed anew."""
    scales: Mapping[Scale, Plan]
    run: Callable[[Cell, Context], CellResult]
    data: tuple[DataFolder, ...] = ()
    claims: tuple[Claim, ...] = ()
    """Contrasts over cells that a plan does not hold, or that did not finish, are shown as *not run*."""
    composites: Mapping[str, Composite] = field(default_factory=dict)
    derived: Mapping[str, tuple[str, StatisticName]] = field(default_factory=dict)
    """metric -> the metric whose items it is computed from, and the statistic: what is asked of outcomes that
    were stored before."""
    untrained: Callable[[Cell], str | None] | None = None
    """Names the cell of the same encoder without any training: a claim about a cell that is worse says so."""
    power: bool = False
    """Whether the page says how many seeds and test items would decide the undecided claims."""
    draws: Callable[[Cell, int, Settings], Hashable] | None = None
    """Where seeds share something that was drawn once for several of them: what stands for it, from cell,
    seed and the plan's settings; None where they share nothing. Such seeds count as one independent draw."""
    trivial: Trivial = field(default_factory=dict)
    """They stand in the table of cells; what is no better than they are is at chance."""
    figures: tuple[Figure, ...] = ()
    differs: tuple[str, ...] = ()
    """What differs from the paper, a sentence each, for the page."""

    def plan(self, scale: str) -> Plan:
        """Return the plan of a scale, or say which scales there are."""
        for known, plan in self.scales.items():
            if known == scale:
                return plan
        raise TenorError(
            f"The recipe {self.name} has no scale {scale!r}; it has {', '.join(self.scales)}."
            + did_you_mean(scale, self.scales)
        )


def with_weights(cells: Sequence[Cell], *names: str) -> tuple[Cell, ...]:
    """Return cells that also read assets: what a scale with a pretrained encoder makes of those without."""
    return tuple(replace(cell, weights=names) for cell in cells)
