"""What a recipe is: a published system as a set of cells to run, and the claims of its paper.

A recipe is a module of this room that ends in ``RECIPE = Recipe(…)``, and a line of ``recipes/table.py``.
It says which *cells* (configurations) there are at each scale, how one of them is run with one seed, which
claims the paper makes about them and which figures belong on the page. The runner does the rest: seeds,
caching, processes, budgets, results, verdicts, the page.

    def run(cell: Cell, context: Context) -> CellResult:
        rows = read(context.folder("minbert") / "sst.tsv") if context.data else made_up(context.generator())
        model = train(rows, rate=cell.settings["rate"], epochs=context.settings["epochs"], seed=context.seed)
        gold, predicted = …
        similarity = Outcome.of("pearson", gold, predicted, items="sts-dev")
        return CellResult(outcomes={"similarity": similarity})

Modules of recipes import torch and other heavy things inside functions, so that `tenor recipes` stays light.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, get_args

import numpy as np

from tenor.errors import TenorError, did_you_mean
from tenor.metrics.outcomes import Outcome
from tenor.metrics.verdicts import Claim

Scale = Literal["tiny", "small", "full"]
SCALES: tuple[Scale, ...] = get_args(Scale)
Settings = Mapping[str, Any]
"""Settings must be plain JSON values: they are part of the hash that a result is kept under."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DataFolder:
    """A folder below ``--data DIR`` that a recipe reads.

    ``files`` are patterns (``*.tsv``, ``**/*.csv``) of the files that are read: their digests are part of
    what a result depends on, so list all of them. Where an ``optional`` folder is absent, the cells that
    need it are not run and the page says so; any other missing folder stops the run with ``advice``.
    """

    name: str
    files: tuple[str, ...] = ("**/*",)
    about: str
    advice: str = ""
    optional: bool = False


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
    """Cells without seeds whose files are read (``Context.made_by``): a result from elsewhere is taken only
    with theirs."""

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


class Context(Protocol):
    """What the runner hands to a recipe's ``run`` beside the cell."""

    @property
    def scale(self) -> Scale:
        """The scale of the run."""

    @property
    def seed(self) -> int:
        """The seed, from 1 on; 0 for a cell that does not depend on seeds. Seed every generator with it."""

    @property
    def settings(self) -> Settings:
        """The plan's settings."""

    @property
    def data(self) -> Path | None:
        """The folder of ``--data``; None where the plan makes its own data."""

    @property
    def work(self) -> Path:
        """A folder of this cell and seed alone, for checkpoints: a kill leaves it, the end removes it."""

    def folder(self, name: str) -> Path:
        """Return a data folder of the recipe by name, or say what to do where it is absent."""

    def generator(self) -> np.random.Generator:
        """Return a new random generator of this cell's seed; the same one for all cells of a seed."""

    def shared(self, name: str, make: Callable[[Path], None], *, settings: Settings) -> Path:
        """Return a folder that several cells use (vectors, frozen features), made by the first that asks.

        ``make`` fills an empty folder; it is kept under the hash of the name, ``settings`` (put the seed
        there if it matters), the recipe's version and data, and appears only when it is whole.
        """

    def lasting(self, name: str, *, settings: Settings) -> AbstractContextManager[Path]:
        """Hold a folder that several cells use and that a kill leaves as it is, one process at a time.

        For work that knows itself how to go on and when it is finished, such as a training run of hours; it
        is kept under the same hash as ``shared``.
        """

    def made_by(self, cell: str) -> Path | None:
        """Return the folder of the files of another cell, one without seeds; None where it has no result."""

    def progress(self, done: int, total: int) -> None:
        """Tell how far this cell is, for the bar."""


@dataclass(frozen=True, slots=True)
class Composite:
    """A metric made of others, Σ weight · metric + offset, for tables and, by its name, for contrasts.

    >>> Composite.mean("sentiment", "paraphrase").weights
    {'sentiment': 0.5, 'paraphrase': 0.5}
    """

    weights: Mapping[str, float]
    offset: float = 0.0

    @classmethod
    def mean(cls, *metrics: str) -> "Composite":
        """The plain mean of some metrics."""
        return cls({metric: 1.0 / len(metrics) for metric in metrics})


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A picture for the page: ``draw`` turns results into SVG (see ``tenor.report.plots``), or None."""

    name: str
    caption: str
    draw: Callable[[Any], str | None]


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
    draws: Callable[[Cell, int, Settings], Hashable] | None = None
    """Where seeds share something that was drawn once for several of them: what stands for it, from cell,
    seed and the plan's settings; None where they share nothing. Such seeds count as one draw of luck."""
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
