"""The results of a recipe: everything that its page shows, in a JSON file and a file of items beside it.

The JSON file holds the scores per cell and seed with the command, the digests of the data, and the commit,
machine and versions that computed them. What every test item gave stands in NAME-items.npz (see
``recipes/columns.py``); the JSON file names its columns and the digest of the whole file by their hashes. In
format 1 the columns stood in the JSON file itself.
"""

import json
import math
import os
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from tenor.assets.cache import sha256_of
from tenor.errors import TenorError
from tenor.files import atomic_file, read_json
from tenor.metrics.judge import Judge, Measured
from tenor.metrics.outcomes import Outcome, column_from_json
from tenor.metrics.verdicts import Claim, Contrast, Judgement, Verdict, holm
from tenor.recipes.cells import Job, kept
from tenor.recipes.columns import Floats, items_file, read_columns, write_columns
from tenor.recipes.executor import last_error
from tenor.recipes.recipe import Cell, Composite, Recipe, Scale
from tenor.recipes.sources import Digests, fingerprint, missing_needs, used_assets
from tenor.recipes.trivial import TRIVIAL, against_trivial, below_untrained, trivial_outcomes

FORMAT = 2


@dataclass(frozen=True)
class Results:
    """What was measured, and where it came from; ``kept`` is the content of the JSON file."""

    recipe: Recipe
    kept: Mapping[str, Any] = field(repr=False)
    columns: Mapping[str, Floats] = field(repr=False)
    """The columns of outcomes, by their hashes."""

    @property
    def scale(self) -> Scale:
        """The scale of the run."""
        scale: Scale = self.kept["scale"]
        return scale

    @property
    def cells(self) -> tuple[Cell, ...]:
        """All cells of the scale, run or not."""
        return self.recipe.plan(self.scale).cells

    @cached_property
    def records(self) -> dict[str, dict[int | None, Mapping[str, Any]]]:
        """cell -> seed -> what was kept: outcomes, notes, series, extras, seconds."""
        found: dict[str, dict[int | None, Mapping[str, Any]]] = {}
        for record in self.kept["cells"]:
            found.setdefault(record["cell"], {})[record["seed"]] = record
        return found

    @cached_property
    def measured(self) -> dict[str, dict[int | None, dict[str, Outcome]]]:
        """cell -> seed -> metric -> outcome."""
        return {
            cell: {seed: self._outcomes(record) for seed, record in by_seed.items()}
            for cell, by_seed in self.records.items()
        }

    def _outcomes(self, record: Mapping[str, Any]) -> dict[str, Outcome]:
        """Return the outcomes of a record, each followed by those that are derived from it."""
        found: dict[str, Outcome] = {}
        for name, packed in record["outcomes"].items():
            found[name] = outcome = unpacked(packed, self.columns)
            for other, (source, statistic) in self.recipe.derived.items():
                if source == name:
                    found[other] = Outcome.of(statistic, *outcome.columns, items=outcome.items)
        return found

    @cached_property
    def metrics(self) -> tuple[str, ...]:
        """All metrics, in the order of their first appearance, then those made of others."""
        names = dict.fromkeys(
            name for cells in self.measured.values() for one in cells.values() for name in one
        )
        return (*names, *(name for name in self.recipe.composites if name not in names))

    @cached_property
    def trivial(self) -> dict[str, Outcome]:
        """metric -> the trivial baseline that is no cell: a number, or the constant answer."""
        return trivial_outcomes(self.recipe, self.measured, self.records)

    @cached_property
    def judge(self) -> Judge:
        """Judges contrasts on these results; the trivial baselines that are no cells are one more cell."""
        cells = {cell.name: cell for cell in self.cells}
        draws, settings = self.recipe.draws, self.recipe.plan(self.scale).settings
        measured: Measured = {**self.measured, TRIVIAL: {None: self.trivial}}
        if draws is None:
            return Judge(measured)
        return Judge(
            measured,
            draws=lambda cell, seed: draws(cells[cell], seed, settings) if cell in cells else None,
        )

    @cached_property
    def judgements(self) -> list[Judgement]:
        """The verdict on every claim of the recipe, the headline claims first."""
        return [self.judged(claim) for claim in sorted(self.recipe.claims, key=lambda one: not one.headline)]

    @cached_property
    def adjusted(self) -> list[bool]:
        """Which of the judgements hold after Holm's adjustment for the number of claims."""
        return holm(self.judgements)

    def judged(self, claim: Claim) -> Judgement:
        """Judge a claim, whose contrast may name metrics that are made of others."""
        if claim.contrast is None:
            return self.judge(claim)
        contrast = self.spelt_out(claim.contrast)
        judgement = replace(self.judge(replace(claim, contrast=contrast)), claim=claim)
        if judgement.verdict == Verdict.not_run:
            return judgement
        if claim.earlier is not None:
            judgement = replace(judgement, earlier=self.judged(claim.earlier))
        if worse := self._below_untrained(contrast):
            judgement = replace(judgement, note="; ".join(filter(None, (judgement.note, worse))))
        return self._conditioned(judgement, contrast)

    def _below_untrained(self, contrast: Contrast) -> str:
        """Say which cells of a contrast are worse than their encoder without any training."""
        cells, untrained = {cell.name: cell for cell in self.cells}, self.recipe.untrained
        if untrained is None:
            return ""
        return below_untrained(
            contrast, lambda name: untrained(cells[name]), self.judge, lambda name: cells[name].label
        )

    def _conditioned(self, judgement: Judgement, contrast: Contrast) -> Judgement:
        """Take back a verdict whose conditions are not met, or whose sides are at chance."""
        claim = judgement.claim
        broken = [one for one in claim.provided if self.judged(one).verdict != Verdict.holds]
        if broken:
            shown = f"undecided, as it is not shown that: {broken[0].text}"
            note = "; ".join(filter(None, (shown, judgement.note)))
            return replace(judgement, verdict=Verdict.undecided, mark="", note=note)
        return against_trivial(judgement, contrast, self.recipe.trivial, self.judge)

    def spelt_out(self, contrast: Contrast) -> Contrast:
        """Replace metrics that are made of others by those others."""
        weights: dict[tuple[str, str], float] = {}
        offset = contrast.offset
        for (cell, metric), weight in contrast.weights.items():
            made = self.recipe.composites.get(metric)
            offset += weight * made.offset if made else 0.0
            shares = self._shares(cell, made) if made else {metric: 1.0}
            for name, share in shares.items():
                weights[cell, name] = weights.get((cell, name), 0.0) + weight * share
        return Contrast(weights, offset)

    def _shares(self, cell: str, made: Composite) -> Mapping[str, float]:
        """Return the weights of a composite for a cell; with equal items where nothing was measured."""
        outcomes = next(iter(self.measured.get(cell, {}).values()), {})
        return made.shares({metric: _items(outcomes, metric) for metric in made.weights})

    def scores(self, cell: str, metric: str) -> list[float]:
        """Give the scores of a cell, one per seed, in the order of the seeds; [] where there are none."""
        by_seed = self.measured.get(cell, {})
        made = self.recipe.composites.get(metric)
        found = (_score(outcomes, metric, made) for _, outcomes in sorted(by_seed.items(), key=_by_seed))
        return [score for score in found if score is not None]

    def trivial_score(self, metric: str) -> float | None:
        """Give the score of the trivial baseline that is no cell, None where there is none."""
        return _score(self.trivial, metric, self.recipe.composites.get(metric))

    def mean(self, cell: str, metric: str) -> float:
        """Give the mean score of a cell over its seeds; NaN where there is none."""
        scores = self.scores(cell, metric)
        return statistics.fmean(scores) if scores else math.nan

    def series(self, cell: str, name: str) -> list[Mapping[str, Sequence[float]]]:
        """Give a curve of a cell, one per seed that has it."""
        by_seed = sorted(self.records.get(cell, {}).items(), key=_by_seed)
        return [record["series"][name] for _, record in by_seed if name in record["series"]]

    def extras(self, cell: str, name: str) -> list[Any]:
        """Give an extra of a cell, one per seed that has it."""
        by_seed = sorted(self.records.get(cell, {}).items(), key=_by_seed)
        return [record["extras"][name] for _, record in by_seed if name in record["extras"]]


def gather(recipe: Recipe, scale: Scale, jobs: Sequence[Job], found: Digests, *, seeds: int) -> Results:
    """Collect what is there of a plan: results, failures, and cells that lack their data."""
    plan = recipe.plan(scale)
    records, columns, failed = [], dict[str, Floats](), []
    origins: list[Any] = []
    hidden = _paths(jobs)
    for job in jobs:
        if (record := kept(job)) is not None:
            packed = _packed(_without(record, hidden), columns, origins)
            records.append({"key": job.key, **packed})
        elif error := last_error(job):
            failed.append({"cell": job.cell.name, "seed": job.seed, "error": _without(error, hidden)})
    lacking = {cell.name: missing_needs(cell, found, plan) for cell in plan.cells}
    content = {
        "format": FORMAT,
        "recipe": recipe.name,
        "version": recipe.version,
        "scale": scale,
        "seeds": seeds,
        "command": f"tenor run {recipe.name} --scale {scale} --seeds {seeds}"
        + (" --data DIR" if found else ""),
        "origins": origins,
        "data": {name: dict(files) for name, files in found.items()},
        "assets": used_assets(recipe, plan, found),
        "settings": dict(plan.settings),
        "cells": records,
        "failed": failed,
        "lacking": {name: needs for name, needs in lacking.items() if needs},
    }
    return Results(recipe, content, columns)


def write_results(results: Results, path: Path) -> None:
    """Write results and their items beside them, each atomically: a cell or claim a line."""
    items = items_file(path)
    write_columns(items, results.columns)
    content = {**results.kept, "format": FORMAT, "items": {"sha256": sha256_of(items)}}
    lines = []
    for name, value in content.items():
        if name in ("cells", "failed", "claims"):
            inner = ",\n  ".join(_dumped(part) for part in value)
            lines.append(f'"{name}": [\n  {inner}\n ]' if value else f'"{name}": []')
        else:
            lines.append(f'"{name}": {_dumped(value)}')
    with atomic_file(path) as aside:
        aside.write_text("{\n " + ",\n ".join(lines) + "\n}\n", encoding="utf-8")


def read_results(recipe: Recipe, path: str | Path) -> Results:
    """Read results back, or say why they cannot be used."""
    content = read_content(path)
    if content["recipe"] != recipe.name:
        raise TenorError(f"{path} holds results of {content['recipe']}, not of {recipe.name}.")
    if content["format"] == 1:
        return Results(recipe, *_from_format_1(content, path))
    items, digest = items_file(path), content.get("items")
    if not items.is_file() or not isinstance(digest, dict) or sha256_of(items) != digest.get("sha256"):
        read_columns(items)  # says it better where the file itself is damaged
        raise TenorError(
            f"{items} is not the file of items that {path} was written with: its digest is another. Take "
            "both files from the same place, or write the page anew."
        )
    return Results(recipe, content, read_columns(items))


def read_content(path: str | Path) -> dict[str, Any]:
    """Read the JSON file of results alone, without the items."""
    content = read_json(path)
    if not isinstance(content, dict) or content.get("format") not in (1, FORMAT):
        raise TenorError(f"{path} holds no results of a recipe in format 1 to {FORMAT}.")
    if not isinstance(content.get("recipe"), str):
        raise TenorError(f"{path} holds no results of a recipe.")
    return content


def _from_format_1(content: Mapping[str, Any], path: str | Path) -> tuple[dict[str, Any], dict[str, Floats]]:
    """Take the columns out of the JSON file, where they stood."""
    try:
        columns = {key: column_from_json(column) for key, column in content["columns"].items()}
    except (KeyError, AttributeError, TypeError, ValueError) as error:
        raise TenorError(f"{path} is damaged: its columns cannot be read.") from error
    return {name: value for name, value in content.items() if name != "columns"}, columns


def files_place(recipe: str, record: Mapping[str, Any]) -> str:
    """Return the folder, seen from the page, of the files that belong to a record.

    >>> files_place("coin", {"cell": "fair", "seed": 2})
    'coin-files/fair-2'
    """
    seed = "" if record["seed"] is None else f"-{record['seed']}"
    return f"{recipe}-files/{record['cell']}{seed}"


def seconds_of(records: Iterable[Mapping[str, Any]]) -> tuple[float, list[str]]:
    """Return the seconds that cells took together, and the cells whose time is not known.

    A cell that left files within a blink, or took no time at all in a run of minutes, took over what an
    earlier run had made.

    >>> seconds_of([{"cell": "stage", "seconds": 0.2, "files": {"a": "…"}}, {"cell": "b", "seconds": 9.5}])
    (9.7, ['stage'])
    """
    records = list(records)
    total: float = sum(record["seconds"] for record in records)
    untimed = [
        record["cell"]
        for record in records
        if (record.get("files") and record["seconds"] < 1.0) or (record["seconds"] == 0 and total > 60)
    ]
    return total, list(dict.fromkeys(untimed))


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _packed(record: Mapping[str, Any], columns: dict[str, Floats], origins: list[Any]) -> dict[str, Any]:
    """Put columns (under their hash) and origin of a record aside, so that each stands in the file once."""
    if record["origin"] not in origins:
        origins.append(record["origin"])
    outcomes = {}
    for name, outcome in record["outcomes"].items():
        keys = []
        for column in outcome.get("columns", ()):
            keys.append(fingerprint(column)[:12])
            columns.setdefault(keys[-1], column_from_json(column))
        outcomes[name] = {**outcome, "columns": keys} if keys else outcome
    return {**record, "origin": origins.index(record["origin"]), "outcomes": outcomes}


def unpacked(outcome: Mapping[str, Any], columns: Mapping[str, Floats]) -> Outcome:
    """Put its columns back into an outcome of the file."""
    keys = outcome.get("columns", ())
    return Outcome.from_dict({**outcome, "columns": [columns[key] for key in keys]})


def _score(outcomes: Mapping[str, Outcome], metric: str, made: Composite | None) -> float | None:
    if made is None:
        return outcomes[metric].score if metric in outcomes else None
    if any(name not in outcomes for name in made.weights):
        return None
    shares = made.shares({name: _items(outcomes, name) for name in made.weights})
    total: float = made.offset + sum(share * outcomes[name].score for name, share in shares.items())
    return total


def _items(outcomes: Mapping[str, Outcome], metric: str) -> int:
    """Return how many test items a metric was measured on; 1 where that is not known."""
    columns = outcomes[metric].columns if metric in outcomes else ()
    return len(columns[0]) if columns else 1


def _by_seed(item: tuple[int | None, Any]) -> int:
    return item[0] or 0


def _paths(jobs: Iterable[Job]) -> dict[str, str]:
    """List the folders of this machine that may stand in messages, and what is written instead."""
    found: dict[str, str] = {}
    for job in jobs:
        for path, name in ((job.data, "DATA"), (job.out, "OUT")):
            if path is not None:
                found |= {os.fspath(path.resolve()): name, os.fspath(path): name}
    found |= {os.fspath(Path.cwd()): ".", os.path.expanduser("~"): "~"}
    ordered = sorted(found, key=len, reverse=True)
    return {path: found[path] for path in ordered if len(path) > 2}


def _without(value: Any, hidden: Mapping[str, str]) -> Any:
    """Take the folders of this machine out of every text."""
    if isinstance(value, str):
        for path, name in hidden.items():
            value = value.replace(path, name)
        return value
    if isinstance(value, Mapping):
        return {key: _without(part, hidden) for key, part in value.items()}
    if isinstance(value, list):
        return [_without(part, hidden) for part in value]
    return value
