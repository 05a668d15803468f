"""Logistic regression by L-BFGS: the output layer of a head, fitted to an encoder's vectors as it stands.

    W, b = argmin  Σ w_i · -log p(y_i | W x_i / s + b)  +  ‖W‖² / 2C

with s the mean norm of the inputs, softmax for one class of several, a sigmoid for each label where several
may hold. Few rows are often lopsided, and a regularised fit then says the most frequent class of
everything: rows are weighted so that all classes count the same, unless enough rows show that this costs
accuracy. The inverse strength C is found by cross-validation. Shapes: n rows, f inputs, o outputs.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

Floats = NDArray[np.float64]
STRENGTHS = (1.0, 10.0, 100.0)
"""Inverse strengths that cross-validation chooses from, the strongest first: it wins where they tie."""
_FEWEST = 16  # rows; fewer say nothing about a strength
_ENOUGH = 200  # rows that can tell whether weighting the classes costs accuracy
_FOLDS = 4
_MOST = 4000  # rows that cross-validation looks at
_MOST_FITTED = 20000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LogisticFit:
    """A fitted layer, and how it was chosen."""

    weight: NDArray[np.float32]  # [o, f]
    bias: NDArray[np.float32]  # [o]
    strength: float
    balanced: bool
    rows: int

    def __str__(self) -> str:
        weighted = ", classes weighted equally" if self.balanced else ""
        return f"logistic regression on {self.rows:,} rows, C = {self.strength:g}{weighted}"


def fit_logistic(
    inputs: NDArray[np.floating],
    targets: NDArray[np.floating] | NDArray[np.int64],
    *,
    outputs: int,
    balanced: bool | None = None,
    seed: int = 0,
) -> LogisticFit:
    """Fit a layer with so many outputs to inputs [n, f].

    Targets are classes [n]; or, for one output or several labels that may hold at once, values of 0 to 1 [n]
    or [n, o]. ``balanced`` says whether classes are weighted equally; None leaves it to the rows.

    >>> x = np.array([[0.0, 1.0], [0.1, 1.0], [1.0, 0.0], [1.0, 0.2]])
    >>> fit = fit_logistic(x, np.array([0, 0, 1, 1]), outputs=2)
    >>> (x @ fit.weight.T + fit.bias).argmax(axis=1).tolist()
    [0, 0, 1, 1]
    """
    x, y, generator = _some(inputs, targets, _MOST_FITTED, np.random.default_rng(seed))
    scale = max(float(np.linalg.norm(x, axis=1).mean()), 1e-8)
    problem = _Problem(torch.from_numpy(x / scale), y, outputs)
    strength, weighted = _chosen(problem, balanced, generator)
    weight, bias = problem.fit(np.arange(len(x)), strength, weighted)
    return LogisticFit(
        weight=(weight.numpy() / scale).astype(np.float32),
        bias=bias.numpy().astype(np.float32),
        strength=strength,
        balanced=weighted,
        rows=len(x),
    )


def _some(
    inputs: NDArray[np.floating], targets: NDArray[np.generic], most: int, generator: np.random.Generator
) -> tuple[Floats, NDArray[np.generic], np.random.Generator]:
    """Return at most so many rows, drawn at random, in float64."""
    rows = np.arange(len(inputs))
    if len(rows) > most:
        rows = np.sort(generator.choice(len(rows), size=most, replace=False))
    return np.asarray(inputs[rows], dtype=np.float64), targets[rows], generator


def _chosen(problem: "_Problem", balanced: bool | None, generator: np.random.Generator) -> tuple[float, bool]:
    """Choose strength and weighting by cross-validation, where there are rows enough for it."""
    rows = len(problem.x)
    weightings = [balanced] if balanced is not None else [True] if rows < _ENOUGH else [True, False]
    if not problem.classes:
        weightings = [False]
    if rows < _FEWEST:
        return STRENGTHS[0], weightings[0]
    folds = problem.folds(generator)
    scores = {
        (strength, weighted): np.mean([problem.accuracy(*fold, strength, weighted) for fold in folds])
        for strength in STRENGTHS
        for weighted in weightings
    }
    return max(scores, key=lambda each: scores[each])  # the first of equals


class _Problem:
    """Scaled inputs and targets, to be fitted on some rows and scored on others."""

    def __init__(self, x: Tensor, targets: NDArray[np.generic], outputs: int) -> None:
        self.x, self.outputs = x, outputs
        self.softmax = targets.ndim == 1 and outputs > 1
        wanted = np.asarray(targets, dtype=np.int64 if self.softmax else np.float64)
        self.targets = torch.from_numpy(wanted if self.softmax else wanted.reshape(len(x), -1))
        whole = targets.ndim == 1 and bool(np.all(np.asarray(targets, dtype=np.float64) % 1 == 0))
        self.labels = np.asarray(targets, dtype=np.int64) if whole else None

    @property
    def classes(self) -> bool:
        """Whether each row has one class."""
        return self.labels is not None

    def folds(self, generator: np.random.Generator) -> Sequence[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Cut the rows into folds in which the classes are spread evenly."""
        order = generator.permutation(len(self.x))[:_MOST]
        if self.labels is not None:
            order = order[np.argsort(self.labels[order], kind="stable")]
        number = np.arange(len(order)) % _FOLDS
        return [(np.sort(order[number != fold]), np.sort(order[number == fold])) for fold in range(_FOLDS)]

    def weights(self, rows: NDArray[np.int64], balanced: bool) -> Tensor:
        """Return the weights of rows, whose sum is their number."""
        if not balanced or self.labels is None:
            return torch.ones(len(rows), dtype=torch.float64)
        _, number, counts = np.unique(self.labels[rows], return_inverse=True, return_counts=True)
        return torch.from_numpy(len(rows) / (len(counts) * counts[number]))

    def fit(self, rows: NDArray[np.int64], strength: float, balanced: bool) -> tuple[Tensor, Tensor]:
        """Return weights [o, f] and biases [o]."""
        x, y, weights = self.x[rows], self.targets[rows], self.weights(rows, balanced)
        free = torch.zeros(self.outputs, x.shape[1] + 1, dtype=torch.float64, requires_grad=True)
        steps = torch.optim.LBFGS(
            [free], max_iter=100, tolerance_grad=1e-6, tolerance_change=1e-9, line_search_fn="strong_wolfe"
        )

        def cost() -> Tensor:
            steps.zero_grad()
            raw = x @ free[:, :-1].T + free[:, -1]
            loss = (weights * self._surprise(raw, y)).sum() + free[:, :-1].square().sum() / (2 * strength)
            loss.backward()  # type: ignore[no-untyped-call]
            return loss

        steps.step(cost)  # type: ignore[no-untyped-call]
        found = free.detach()
        return found[:, :-1].clone(), found[:, -1].clone()

    def _surprise(self, raw: Tensor, targets: Tensor) -> Tensor:
        if self.softmax:
            return functional.cross_entropy(raw, targets, reduction="none")
        return functional.binary_cross_entropy_with_logits(raw, targets, reduction="none").sum(dim=1)

    def accuracy(
        self, train: NDArray[np.int64], test: NDArray[np.int64], strength: float, balanced: bool
    ) -> float:
        """Fit on some rows and return how many of the others it gets right."""
        weight, bias = self.fit(train, strength, balanced)
        raw, wanted = self.x[test] @ weight.T + bias, self.targets[test]
        right = raw.argmax(dim=1) == wanted if self.softmax else (raw >= 0) == (wanted >= 0.5)
        return float(right.double().mean())
