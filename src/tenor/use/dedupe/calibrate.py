"""Choosing the threshold at which two texts are taken to say the same, from pairs with a yes or a no.

Every cosine that occurs is tried as a threshold. The one with the best F1 is picked, or the lowest one that
reaches a wanted precision. Figures measured on the pairs that picked the threshold flatter it a little, so it
is also cross-validated: picked on four fifths of the pairs and tested on the last fifth, five times. A pair
that the file repeats, either way round, stays in one fold.

A caution that no calibration removes: precision depends on how many of the pairs say the same. In a labelled
file that is often one in two or three; among all pairs of a collection it is one in thousands.
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tenor.errors import TenorError
from tenor.metrics.binary import BinaryScores, ThresholdCurve, binary_scores, threshold_curve
from tenor.model import Model
from tenor.model.encoding import Long
from tenor.progress import ProgressOf
from tenor.text.examples import Pair
from tenor.text.problems import Problems
from tenor.text.readers import read_pairs
from tenor.text.same_labels import says_the_same
from tenor.use.unit_vectors import normalise

Rows = NDArray[np.int64]

_STEP = 0.05


@dataclass(frozen=True, slots=True)
class AtThreshold:
    """What a threshold gives."""

    threshold: float
    scores: BinaryScores


@dataclass(frozen=True, slots=True)
class Calibration:
    """A picked threshold, and the figures of it and of others."""

    threshold: float
    wanted: str  # what it was picked for
    pairs: int
    same: int  # pairs labelled yes
    table: tuple[AtThreshold, ...]  # rising thresholds, the picked one among them
    cross_validated: BinaryScores  # of thresholds picked on the other folds
    problems: Problems

    @property
    def fitted(self) -> BinaryScores:
        """The figures of the picked threshold on the pairs that picked it."""
        return next(row.scores for row in self.table if row.threshold == self.threshold)


def calibrate_file(
    model: Model,
    path: str | Path,
    *,
    columns: Mapping[str, str | int] | None = None,
    precision_at: float | None = None,
    prompt: str | None = None,
    long: Long = "truncate",
    encoding: str | None = None,
    strict: bool = False,
    seed: int = 0,
    progress: ProgressOf | None = None,
) -> Calibration:
    """Pick a threshold for a model on a file of labelled pairs; ``columns`` names first, second and label."""
    problems = Problems(strict=strict)
    pairs = list(read_pairs(path, columns=columns, encoding=encoding, problems=problems))
    labelled = [(pair, label) for pair in pairs if (label := _label(pair, problems)) is not None]
    if not labelled:
        raise TenorError(
            f"{path}: no pair has a label that could be found; name the columns of both texts and label."
        )
    truth = np.array([label for _, label in labelled], dtype=bool)
    texts = [pair.first for pair, _ in labelled] + [pair.second for pair, _ in labelled]
    advance = None if progress is None else lambda count: progress(count, len(texts))
    vectors = model.encode(texts, prompt=prompt, long=long, progress=advance)
    normalise(vectors)
    scores = np.einsum("kd,kd->k", vectors[: len(truth)], vectors[len(truth) :], dtype=np.float64)
    groups = _numbered(frozenset((pair.first, pair.second)) for pair, _ in labelled)
    try:
        return calibrate(
            truth, scores, precision_at=precision_at, groups=groups, seed=seed, problems=problems
        )
    except TenorError as error:
        raise TenorError(f"{path}: {error}") from error


def calibrate(
    truth: ArrayLike,
    scores: ArrayLike,
    *,
    precision_at: float | None = None,
    groups: ArrayLike | None = None,
    folds: int = 5,
    seed: int = 0,
    problems: Problems | None = None,
) -> Calibration:
    """Pick a threshold on scores [n] with truth [n], by best F1 or for a wanted precision.

    ``groups`` [n] numbers the items that belong together, such as repeats: none is tested by a threshold that
    another of its group helped to pick.

    >>> truth, scores = [0] * 20 + [1] * 20, [0.3] * 18 + [0.9] * 2 + [0.8] * 20
    >>> round(calibrate(truth, scores).threshold, 2)
    0.55
    """
    yes, values = np.asarray(truth, dtype=bool), np.asarray(scores, dtype=np.float64)
    if not yes.any() or yes.all():
        only = "yes" if yes.any() else "no"
        raise TenorError(f"all {len(yes):,} labelled pairs are {only!r}; pairs of both kinds are needed.")
    threshold = _pick(threshold_curve(yes, values), precision_at)
    grid = _grid(values, yes, threshold)
    table = tuple(AtThreshold(at, binary_scores(yes, values >= at, seed=seed)) for at in grid)
    fold = _folds(yes, np.arange(len(yes)) if groups is None else np.asarray(groups), folds, seed)
    held_out = _cross_validate(yes, values, precision_at, fold)
    return Calibration(
        threshold=threshold,
        wanted="the best F1" if precision_at is None else f"a precision of at least {precision_at:g}",
        pairs=len(yes),
        same=int(yes.sum()),
        table=table,
        cross_validated=binary_scores(yes, held_out, seed=seed),
        problems=problems or Problems(),
    )


def _pick(curve: ThresholdCurve, precision_at: float | None) -> float:
    if precision_at is None:
        index = int(np.argmax(curve.f1))
    else:
        enough = np.flatnonzero(curve.precision >= precision_at)
        if not len(enough):
            best = int(np.argmax(curve.precision))
            raise TenorError(
                f"no threshold reaches a precision of {precision_at:g}; the highest is "
                f"{curve.precision[best]:.3f}, at {curve.thresholds[best]:.3f}."
            )
        index = int(enough[-1])
    return _between(curve.thresholds, index)


def _between(thresholds: NDArray[np.float64], index: int) -> float:
    """Go half way to the next lower score, which lets the same pairs in and is not tied to one of them."""
    here = float(thresholds[index])
    if index + 1 == len(thresholds):
        return here
    half = (here + float(thresholds[index + 1])) / 2
    rounded = round(half, 4)  # a number that a person can write down, where it stays between the two
    return rounded if thresholds[index + 1] < rounded <= here else half


def _grid(values: NDArray[np.float64], yes: NDArray[np.bool_], picked: float) -> list[float]:
    """Give round thresholds where something happens: from where pairs that say the same begin to be lost."""
    low, high = np.quantile(values[yes], 0.01), np.quantile(values, 0.999)
    steps = np.arange(np.floor(low / _STEP), np.floor(high / _STEP) + 1) * _STEP
    return sorted({*(round(float(step), 4) for step in steps), picked})


def _cross_validate(
    yes: NDArray[np.bool_], values: NDArray[np.float64], precision_at: float | None, fold: Rows
) -> NDArray[np.bool_]:
    """Predict every pair by a threshold that was picked on the other folds [n]."""
    predicted = np.zeros(len(yes), dtype=bool)
    for number in np.unique(fold):
        test, train = fold == number, fold != number
        if not yes[train].any():
            continue
        try:
            threshold = _pick(threshold_curve(yes[train], values[train]), precision_at)
        except TenorError:
            continue  # the wanted precision is out of reach on these: nothing is let in
        predicted[test] = values[test] >= threshold
    return predicted


def _folds(yes: NDArray[np.bool_], groups: Rows, folds: int, seed: int) -> Rows:
    """Return the fold of every pair [n]: stratified by label, in random order, groups as a whole."""
    generator = np.random.default_rng(seed)
    _, first, group = np.unique(groups, return_index=True, return_inverse=True)
    fold = np.empty(len(first), dtype=np.int64)
    for kind in (False, True):
        rows = generator.permutation(np.flatnonzero(yes[first] == kind))
        fold[rows] = np.arange(len(rows)) % folds
    return fold[group]


def _numbered(keys: Iterable[Hashable]) -> Rows:
    """Give equal keys the same number, in the order of their coming."""
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)


def _label(pair: Pair, problems: Problems) -> bool | None:
    text = pair.label if pair.label is not None else None if pair.score is None else f"{pair.score:g}"
    if text is None:
        problems.add(pair.origin, "the pair has no label; row left out")
        return None
    if (same := says_the_same(text)) is not None:
        return same
    raise TenorError(f"{pair.origin}: the label {text[:40]!r} is neither 1 (says the same) nor 0 (does not).")
