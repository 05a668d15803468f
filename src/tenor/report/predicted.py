"""Predictions of a model on dev rows, read as a stream and kept small however many there are.

A line of ``predictions.jsonl`` is one row:

    {"task": "sentiment", "kind": "classify", "origin": "dev.tsv:12", "texts": ["…"],
     "gold": "positive", "predicted": "negative", "probabilities": {"negative": 0.9, "positive": 0.1}}

``gold`` and ``predicted`` are a label, a list of labels (several per text), one tag per word, or numbers.
What the types do not tell, a line may say itself: ``right``, ``error`` (how wrong it is) and ``shown`` (a
sentence); ``confusion`` holds pairs of gold and predicted labels where a row has several.
"""

import heapq
import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

_POINTS = 1500
_EXAMPLES = 8
_LABELS = 30
_TEXT = 400


@dataclass(frozen=True, slots=True)
class Row:
    """One prediction as a person reads it; ``wrongness`` orders errors, the worst first."""

    texts: tuple[str, ...]
    gold: str
    predicted: str
    told: str
    origin: str
    wrongness: float
    right: bool


@dataclass(slots=True)
class TaskPredictions:
    """What is kept of a task's predictions: counts, a sample of points, the telling examples."""

    name: str
    kind: str
    rows: int = 0
    right: int = 0
    confusion: Counter[tuple[str, str]] = field(default_factory=Counter)
    points: list[tuple[float, float]] = field(default_factory=list)
    """Gold and predicted numbers; a sample where there are very many."""
    per_word: bool = False
    """Whether a row has several labels, of its words or beside each other."""
    wrong: list[Row] = field(default_factory=list)
    good: list[Row] = field(default_factory=list)
    _sampled: list[tuple[float, tuple[float, float]]] = field(default_factory=list)
    _worst: list[tuple[float, int, Row]] = field(default_factory=list)
    _best: list[tuple[float, int, Row]] = field(default_factory=list)

    @property
    def labels(self) -> list[str]:
        """All labels, gold or predicted: in their own order where they are few, else the most frequent."""
        seen = Counter[str]()
        for (gold, predicted), count in self.confusion.items():
            seen[gold] += count
            seen[predicted] += count
        frequent = [label for label, _ in seen.most_common(_LABELS)]
        return sorted(frequent, key=_by_number)

    @property
    def graded(self) -> bool:
        """Whether numbers are predicted."""
        return bool(self.points)

    def constant_scores(self) -> dict[str, float]:
        """Return the scores of always giving the most frequent gold label; empty where that is no answer."""
        gold = Counter[str]()
        for (label, _), count in self.confusion.items():
            gold[label] += count
        if not gold or self.per_word:
            return {}
        share = max(gold.values()) / gold.total()
        macro = 2 * share / (1 + share) / len(gold)
        # With one label a row micro-averaged F1 is the accuracy.
        return {"accuracy": share, "f1_macro": macro, "f1_micro": share, "matthews": 0.0}

    def add(self, line: Mapping[str, Any]) -> None:
        """Take one more prediction."""
        row = _row(line)
        self.rows += 1
        self.right += row.right
        gold, predicted = line["gold"], line["predicted"]
        if _is_number(gold) and _is_number(predicted) and "probabilities" not in line:
            self._sample((float(gold), float(predicted)), row)
        elif not isinstance(gold, list):
            self.confusion[str(gold), str(predicted)] += 1
        self.per_word |= isinstance(gold, list)
        for pair in line.get("confusion", ()):
            self.confusion[str(pair[0]), str(pair[1])] += 1
        # Of equals the first stays; the count keeps rows themselves from being compared.
        _push(self._worst, (row.wrongness, -self.rows, row), keep=row.wrongness > 0 and not row.right)
        order = _pseudorandom(row.origin, self.rows)
        _push(self._best, (-row.wrongness if self.graded else order, -self.rows, row), keep=row.right)

    def _sample(self, point: tuple[float, float], row: Row) -> None:
        """Keep a fixed number of points, chosen by a hash: the same ones every time."""
        entry = (_pseudorandom(row.origin, self.rows), point)
        if len(self._sampled) < _POINTS:
            heapq.heappush(self._sampled, entry)
        else:
            heapq.heappushpop(self._sampled, entry)
        self.points = [point]  # settled at the end; it says for now that numbers are predicted

    def settle(self) -> None:
        """Bring what was kept into order, once all lines are read."""
        if self._sampled:
            self.points = sorted(point for _, point in self._sampled)
        self.wrong = [row for _, _, row in sorted(self._worst, key=_first_two, reverse=True)]
        self.good = [row for _, _, row in sorted(self._best, key=_first_two, reverse=True)]


def read_predictions(path: Path) -> dict[str, TaskPredictions]:
    """Read predictions by task; lines that are no predictions (a run that was killed) are left out."""
    tasks: dict[str, TaskPredictions] = {}
    for line in json_lines(path):
        try:
            name, kind = str(line["task"]), str(line.get("kind", "classify"))
            tasks.setdefault(name, TaskPredictions(name, kind)).add(line)
        except (KeyError, TypeError, ValueError, AttributeError):
            continue
    for task in tasks.values():
        task.settle()
    return tasks


def json_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of a JSON lines file; a damaged line is passed over, a missing file is empty."""
    if not path.is_file():
        return
    with path.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            try:
                value = json.loads(line)
            except (json.JSONDecodeError, RecursionError):
                continue
            if isinstance(value, dict):
                yield value


def _row(line: Mapping[str, Any]) -> Row:
    gold, predicted = line["gold"], line["predicted"]
    texts = tuple(_cut(text) for text in line.get("texts", ())[:4])
    right, wrongness, told = _judged(gold, predicted, line.get("probabilities"))
    if "shown" in line:
        right, wrongness, told = bool(line["right"]), float(line["error"]), _cut(line["shown"], 200)
    origin = _cut(line.get("origin") or "", 80)
    return Row(texts, _shown(gold), _shown(predicted), told, origin, wrongness, right)


def _judged(gold: Any, predicted: Any, probabilities: Any) -> tuple[bool, float, str]:
    """Say whether a prediction is right, how wrong it is, and how to tell it."""
    if _is_number(gold) and _is_number(predicted) and probabilities is None:
        off = abs(float(predicted) - float(gold))
        if not math.isfinite(off):
            return False, math.inf, f"gold {_shown(gold)}, predicted {_shown(predicted)}"
        return off <= 0.05, off, f"gold {_shown(gold)}, predicted {_shown(predicted)}, off by {off:.2f}"
    right = (
        sorted(map(str, gold)) == sorted(map(str, predicted)) if isinstance(gold, list) else gold == predicted
    )
    sure = _confidence(predicted, probabilities)
    told = f"gold {_shown(gold)}" + ("" if right else f", predicted {_shown(predicted)}")
    shown = f"{told}, {sure:.0%} sure" if sure is not None else told
    return bool(right), 0.0 if right else (1.0 if sure is None else max(sure, 1e-9)), shown


def _confidence(predicted: Any, probabilities: Any) -> float | None:
    if isinstance(probabilities, Mapping):
        told = probabilities.get(str(predicted)) if not isinstance(predicted, list) else None
        values = [float(told)] if told is not None else [float(value) for value in probabilities.values()]
    elif isinstance(probabilities, list) and probabilities:
        values = [float(value) for value in probabilities]
    else:
        return None
    return max(values, default=None)


def _push(heap: list[tuple[float, int, Row]], entry: tuple[float, int, Row], *, keep: bool) -> None:
    if not keep:
        return
    if len(heap) < _EXAMPLES:
        heapq.heappush(heap, entry)
    else:
        heapq.heappushpop(heap, entry)


def _first_two(entry: tuple[float, int, Row]) -> tuple[float, int]:
    return entry[0], entry[1]


def _pseudorandom(origin: str, number: int) -> float:
    """Give a number in [0, 1) that looks random and is the same every time."""
    digest = blake2b(f"{origin} {number}".encode("utf-8", "replace"), digest_size=6).digest()
    return int.from_bytes(digest, "big") / 2**48


def _cut(text: Any, most: int = _TEXT) -> str:
    line = " ".join(str(text)[: 4 * most].split())
    return line if len(line) <= most else line[: most - 1] + "…"


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(_cut(one, 40) for one in value[:10]) or "none"
    return f"{value:.2f}" if isinstance(value, float) else _cut(value, 60)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _by_number(label: str) -> tuple[int, float, str]:
    try:
        return 0, float(label), label
    except ValueError:
        return 1, 0.0, label
