"""Emergent languages: when does a code over a few bits become a language?

A cell is a bandwidth and a capacity. Its seeds are trained side by side by the first of them that is asked
for (``settings["together"]`` at a time), and each takes its own run out of the shared result.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tenor.metrics.outcomes import Outcome
from tenor.recipes.emergent_languages.claims import (
    BITS,
    CAPACITIES,
    CLAIMS,
    LARGE,
    LSTM_SPEAKER,
    NARROW,
    POPULATION,
    SPELLING,
    TRIVIAL,
    UNTRAINED,
    USUAL,
    WIDE,
    grid_name,
)
from tenor.recipes.emergent_languages.figures import capacity, phase, population
from tenor.recipes.recipe import Cell, CellResult, Context, Figure, Plan, Recipe

SOLVED, COMPOSITIONAL = 0.99, 0.01
_SEEDS = 1000  # a cell's seed 1 is run 1001: settings were chosen on smaller ones
_POPULATION_SEEDS = 2000


def run(cell: Cell, context: Context) -> CellResult:
    """Take a seed's run out of those that were trained together, or all runs of the population."""
    if "runs" in cell.settings:
        seeds = range(_POPULATION_SEEDS + 1, _POPULATION_SEEDS + cell.settings["runs"] + 1)
        return _of_population(_measured(cell, context, seeds))
    together = context.settings["together"]
    first = (context.seed - 1) // together * together + 1
    runs = _measured(cell, context, range(_SEEDS + first, _SEEDS + first + together))
    sizes = _sizes(cell, context)
    return CellResult(
        outcomes=_outcomes(runs[context.seed - first]),
        extras={"run": runs[context.seed - first], "parameters": sizes},
        notes=(
            f"{sizes['all']:,} parameters, speaker {sizes['speaker']:,}, listener {sizes['listener']:,}.",
        ),
    )


def _measured(cell: Cell, context: Context, seeds: Sequence[int]) -> list[dict[str, Any]]:
    """Train and measure seeds side by side, once for all cells' seeds that ask for them."""
    settings: dict[str, Any] = {
        "code": code_settings(cell, context),
        "training": training_settings(cell, context),
        "language": [context.settings["concepts"], context.settings["values"]],
        "seeds": list(seeds),
    }

    def make(folder: Path) -> None:
        from tenor.recipes.emergent_languages.laboratory import learn_codes
        from tenor.recipes.emergent_languages.language import ConceptLanguage
        from tenor.recipes.emergent_languages.learner import CodeTraining
        from tenor.recipes.emergent_languages.network import CodeConfig

        found = learn_codes(
            CodeConfig(**settings["code"]),
            ConceptLanguage(*settings["language"]),
            seeds=settings["seeds"],
            training=CodeTraining(**settings["training"]),
        )
        (folder / "runs.json").write_text(json.dumps([asdict(one) for one in found]), encoding="utf-8")

    place = context.shared("codes", make, settings=settings)
    runs: list[dict[str, Any]] = json.loads((place / "runs.json").read_text(encoding="utf-8"))
    return runs


def code_settings(cell: Cell, context: Context) -> dict[str, Any]:
    """Return the settings of the networks: the plan's, and the cell's own."""
    return {**context.settings.get("code", {}), **cell.settings["code"]}


def training_settings(cell: Cell, context: Context) -> dict[str, Any]:
    """Return the settings of training: the plan's, and the cell's own."""
    return {**context.settings.get("training", {}), **cell.settings.get("training", {})}


def _sizes(cell: Cell, context: Context) -> dict[str, int]:
    from tenor.recipes.emergent_languages.language import ConceptLanguage
    from tenor.recipes.emergent_languages.network import CodeConfig, Codes

    language = ConceptLanguage(context.settings["concepts"], context.settings["values"])
    config = CodeConfig(**code_settings(cell, context))
    return Codes(config, concepts=language.concepts, symbols=language.symbols, seeds=(1,)).sizes()


def _outcomes(run: Mapping[str, Any]) -> dict[str, Outcome]:
    """Name the measures of a run; its items are the run itself, so that only seeds give the variance."""
    solved = run["train"] >= SOLVED
    numbers = {
        "train accuracy": run["train"],
        "held-out accuracy": run["test"],
        "random accuracy": run["random"],
        "language accuracy": run["language"],
        "solved": solved,
        "precision": run["precision"],
        "recall": run["recall"],
        "greedy residual entropy": run["greedy_residual_entropy"],
        "residual entropy": run["least_residual_entropy"],
        "compositional": solved and run["least_residual_entropy"] < COMPOSITIONAL,
    }
    return {name: Outcome.number(float(value)) for name, value in numbers.items()}


def _of_population(runs: list[dict[str, Any]]) -> CellResult:
    """Correlate over runs of one configuration."""
    items = f"{len(runs)} runs"
    entropies = [run["least_residual_entropy"] for run in runs]
    held_out, gaps = [run["test"] for run in runs], [run["train"] - run["test"] for run in runs]
    outcomes = {
        "residual entropy and held-out accuracy": Outcome.of("spearman", entropies, held_out, items=items),
        "residual entropy and gap": Outcome.of("spearman", entropies, gaps, items=items),
        "greedy residual entropy and held-out accuracy": Outcome.of(
            "spearman", [run["greedy_residual_entropy"] for run in runs], held_out, items=items
        ),
        "recall and held-out accuracy": Outcome.of(
            "spearman", [run["recall"] for run in runs], held_out, items=items
        ),
    }
    solved = [run for run in runs if run["train"] >= SOLVED]
    memory = sum(run["test"] < 0.5 for run in solved)
    note = (
        f"{len(runs)} runs: {len(solved)} solve the task, {memory} of these by memory (held-out below 0.5)."
    )
    return CellResult(outcomes=outcomes, extras={"runs": runs}, notes=(note,))


def _cell(bits: int, units: int = USUAL, **more: Any) -> Cell:
    return Cell(
        name=grid_name(bits, units),
        title=f"{bits} bits, {units} units",
        settings={"code": {"bits": bits, "units": units, **more}},
    )


_GRID = (
    *(_cell(bits) for bits in BITS),
    *(_cell(bits, units) for bits in (NARROW, SPELLING, WIDE) for units in CAPACITIES),
    *(_cell(bits, LARGE) for bits in (NARROW, SPELLING)),
)
_CELLS = (
    *_GRID,
    Cell(
        name=UNTRAINED,
        title="untrained, 12 bits, 64 units",
        settings={"code": {"bits": SPELLING, "units": USUAL}, "training": {"steps": 0}},
    ),
    Cell(
        name=LSTM_SPEAKER,
        title="the paper's LSTM speaker, 12 bits, 64 units",
        settings={"code": {"bits": SPELLING, "units": USUAL, "speaker": "lstm"}},
    ),
    Cell(
        name=POPULATION,
        title="40 runs of 12 bits, 64 units",
        settings={"code": {"bits": SPELLING, "units": USUAL}, "runs": 40},
        seeded=False,
    ),
)
# The paper's sizes, times a factor of the units.
_PAPER_CODE = {"speaker": "lstm", "speaker_embedding": 40, "projection": 60, "listener_embedding": 125}
_PAPER = tuple(
    Cell(
        name=f"paper-bits-{bits}-units-{units}",
        title=f"6 concepts, {bits} bits, {units} units",
        settings={"code": {"bits": bits, "units": units, "own_listener_units": round(units * 325 / 300)}},
    )
    for bits in range(19, 26)
    for units in (30, 75, 150, 300)
)


RECIPE = Recipe(
    name="emergent-languages",
    title="When a code of a few bits becomes a language",
    paper="Gupta, Resnick, Foerster, Dai and Cho, Compositionality and Capacity in Emergent Languages, 2020",
    spec=7,
    summary="A speaker and a listener invent a code for strings of concepts: how many bits and parameters it "
    "needs, whether it is compositional, and whether that lets it say what it never met.",
    version=1,
    scales={
        "tiny": Plan(
            cells=_CELLS,
            seeds=2,
            settings={
                "concepts": 2,
                "values": 4,
                "together": 2,
                "training": {"steps": 16, "batch": 8, "combinations": 1, "random": 1, "evaluations": 2},
            },
            data=False,
            about="2 concepts of 4 values and 16 steps; a check only",
        ),
        "small": Plan(
            cells=_CELLS,
            seeds=10,
            settings={
                "concepts": 3,
                "values": 10,
                "together": 10,
                "training": {"steps": 4000, "lr": 3e-3},
            },
            data=False,
            about="3 concepts of 10 values (the bound is 10 bits, spelling takes 12), 4,000 steps; 16 "
            "combinations of two values held out, drawn anew for every seed",
        ),
        "full": Plan(
            cells=_PAPER,
            seeds=10,
            settings={
                "concepts": 6,
                "values": 10,
                "together": 10,
                "code": _PAPER_CODE,
                "training": {
                    "steps": 200_000,
                    "batch": 100,
                    "lr": 3e-4,
                    "weight_decay": 1e-4,
                    "norm_penalty": 1e-4,
                    "combinations": 1,
                    "random": 1000,
                    "evaluations": 20,
                },
            },
            data=False,
            about="the paper's language, sizes and 200,000 steps; days of CPU",
        ),
    },
    run=run,
    claims=CLAIMS,
    trivial=TRIVIAL,
    figures=(
        Figure(name="phase", caption="The phase change over bits (64 units); means over seeds.", draw=phase),
        Figure(name="capacity", caption="The threshold of capacity; means over seeds.", draw=capacity),
        Figure(
            name="runs",
            caption="Residual entropy and held-out accuracy, a dot for each of 40 runs of 12 bits.",
            draw=population,
        ),
    ),
    differs=(
        "The language has 3 concepts of 10 values in place of 6, and sixteen combinations of two values are "
        "held out (half of them for validation) in place of two, as one would be 10 strings.",
        "The speaker has one hidden layer and a column for every bit; the paper's, an LSTM with one "
        "projection for all bits, is a cell of its own. The listener is the paper's.",
        "Adam at 0.003, falling linearly, without weight decay and without the penalty on norms of the "
        "public code; the divergence from the prior has its weight of 1/720. Learning rate and speaker were "
        "chosen by training accuracy at 12 bits, on other seeds than those of the page.",
        "*Solved* is a training accuracy of at least 0.99; weights are those with the best validation "
        "accuracy of each run. Residual entropy is over the whole language (at the full scale of a sample of "
        "100,000 strings, too low by less than 0.01 where a concept has up to 8 bits); the least is found by "
        "hill climbing, *greedy* is the paper's own assignment of bits.",
        "A run's first steps of its second and eighth epoch draw from the random streams that its initial "
        "weights and its hold-out came from: two of 4,000 steps.",
        "The temperature of the relaxation is 1 and not learned, as in the public code.",
    ),
)
