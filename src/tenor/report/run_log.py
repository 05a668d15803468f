"""The log of a run, read as curves: losses of training by step, losses and scores on dev.

A line of ``log.jsonl`` is a step, {"step": 3, "epoch": 0, "losses": {"sentiment": 1.2}, "tokens": 812,
"seconds": 4.1}, or an evaluation, {"step": 64, "evaluation": {"sentiment": {"loss": 1.1, "scores":
{"accuracy": 0.4}}}}.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tenor.report.predicted import json_lines

Curve = tuple[list[float], list[float]]
# Averages over about so many pieces of a run: single steps are too restless to read.
_POINTS = 80


@dataclass(slots=True)
class RunLog:
    """Curves by name, as (steps, values)."""

    train: dict[str, Curve] = field(default_factory=dict)
    dev: dict[str, Curve] = field(default_factory=dict)
    """Losses on dev, by task."""
    scores: dict[tuple[str, str], Curve] = field(default_factory=dict)
    """Scores on dev, by task and score."""
    rate: Curve = field(default_factory=lambda: ([], []))
    steps: int = 0
    epochs: int = 0
    tokens: int = 0
    seconds: float = 0.0


def read_log(path: Path) -> RunLog:
    """Read a log; a run that went on after a kill may have written a step twice, the later one counts."""
    log = RunLog()
    steps: dict[int, Mapping[str, Any]] = {}
    evaluations: dict[int, Mapping[str, Any]] = {}
    for line in json_lines(path):
        step = line.get("step", log.steps)
        if not isinstance(step, int):
            continue
        log.steps = max(log.steps, step)
        if isinstance(line.get("evaluation"), dict):
            evaluations[step] = line["evaluation"]
        elif isinstance(line.get("losses"), dict):
            steps[step] = line
    _take_steps(log, steps)
    for step in sorted(evaluations):
        _take_evaluation(log, step, evaluations[step])
    log.train = {name: thinned(curve) for name, curve in log.train.items()}
    log.rate = thinned(log.rate)
    return log


def _take_steps(log: RunLog, steps: Mapping[int, Mapping[str, Any]]) -> None:
    for step in sorted(steps):
        line = steps[step]
        for name, value in line["losses"].items():
            _add(log.train.setdefault(str(name), ([], [])), step, value)
        _add(log.rate, step, line.get("rate", line.get("lr")))
        log.epochs = max(log.epochs, 1 + int(_number(line.get("epoch")) or 0))
        log.tokens += int(_number(line.get("tokens")) or 0)
        log.seconds = max(log.seconds, _number(line.get("seconds")) or 0.0)


def _take_evaluation(log: RunLog, step: int, evaluation: Mapping[str, Any]) -> None:
    for task, found in evaluation.items():
        if not isinstance(found, dict):
            continue
        if "loss" in found:
            _add(log.dev.setdefault(str(task), ([], [])), step, found["loss"])
        scores = found.get("scores", found)
        for name, value in scores.items() if isinstance(scores, dict) else ():
            if _number(value) is not None and name not in ("loss", "rows"):
                _add(log.scores.setdefault((str(task), str(name)), ([], [])), step, value)


def _add(curve: Curve, step: int, value: Any) -> None:
    number = _number(value)
    if number is not None:
        curve[0].append(float(step))
        curve[1].append(number)


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def thinned(curve: Curve, most: int = _POINTS) -> Curve:
    """Average neighbouring points where there are very many: the curve of a long run stays small.

    >>> thinned(([1, 2, 3, 4], [1.0, 3.0, 5.0, 7.0]), most=2)
    ([1.5, 3.5], [2.0, 6.0])
    """
    xs, ys = curve
    if len(xs) <= most:
        return curve
    size = math.ceil(len(xs) / most)
    return _means(xs, size), _means(ys, size)


def _means(values: Sequence[float], size: int) -> list[float]:
    pieces: Iterable[Sequence[float]] = (values[at : at + size] for at in range(0, len(values), size))
    return [sum(piece) / len(piece) for piece in pieces]
