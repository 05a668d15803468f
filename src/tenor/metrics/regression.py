"""Ordinary least squares: which factors a score goes with, with intervals, and whether more factors help.

    y = β₀ + Σ βⱼ xⱼ + ε        Cov(β̂) = s² (XᵀX)⁻¹        s² = RSS / (n - k)

Two nested models are compared by 2 (log L₁ - log L₀), which is χ² with as many degrees of freedom as the
larger has factors more.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tenor.errors import TenorError
from tenor.metrics.intervals import Interval

INTERCEPT = "intercept"


@dataclass(frozen=True, slots=True)
class Coefficient:
    """What a factor is worth: the change of y with one unit of it, the others kept."""

    interval: Interval
    p: float
    """Of Student's two-sided test that it is 0."""


@dataclass(frozen=True, slots=True)
class Regression:
    """A fitted model."""

    coefficients: Mapping[str, Coefficient]
    r_squared: float
    log_likelihood: float
    n: int


def least_squares(
    factors: Mapping[str, Sequence[float]], y: Sequence[float], *, level: float = 0.95
) -> Regression:
    """Fit y to factors and an intercept.

    >>> fit = least_squares({"size": [1, 2, 3, 4]}, [1.1, 1.9, 3.1, 3.9])
    >>> round(fit.coefficients["size"].interval.estimate, 3), round(fit.r_squared, 3)
    (0.96, 0.993)
    """
    from scipy.stats import t

    design, target = _design(factors, y)
    n, k = design.shape
    beta, *_ = np.linalg.lstsq(design, target, rcond=None)
    residual = float(((target - design @ beta) ** 2).sum())
    errors = np.sqrt(np.diag(np.linalg.inv(design.T @ design)) * residual / (n - k))
    far = float(t.ppf((1 + level) / 2, n - k))
    coefficients = {}
    for name, value, error in zip((INTERCEPT, *factors), beta, errors, strict=True):
        interval = Interval(float(value), float(value - far * error), float(value + far * error), level)
        p = 2 * float(t.sf(abs(value) / error, n - k)) if error > 0 else float(value == 0)
        coefficients[name] = Coefficient(interval, p)
    spread = float(((target - target.mean()) ** 2).sum())
    likelihood = -n / 2 * (np.log(2 * np.pi * max(residual, 1e-300) / n) + 1)
    return Regression(coefficients, 1 - residual / spread if spread else 0.0, float(likelihood), n)


def likelihood_ratio(smaller: Regression, larger: Regression) -> tuple[float, float]:
    """Return twice the gain in log-likelihood of a model over one that is part of it, and its p-value."""
    from scipy.stats import chi2

    more = len(larger.coefficients) - len(smaller.coefficients)
    if more < 1 or not set(smaller.coefficients) < set(larger.coefficients) or smaller.n != larger.n:
        raise TenorError("A likelihood-ratio test compares a model with one of fewer of its factors.")
    statistic = max(0.0, 2 * (larger.log_likelihood - smaller.log_likelihood))
    return statistic, float(chi2.sf(statistic, more))


def _design(
    factors: Mapping[str, Sequence[float]], y: Sequence[float]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    target = np.asarray(y, dtype=np.float64)
    columns = [np.asarray(values, dtype=np.float64) for values in factors.values()]
    if any(column.shape != target.shape for column in columns):
        raise TenorError(f"Every factor needs {len(target)} values, one for each value of y.")
    design = np.stack([np.ones(len(target)), *columns], axis=1)
    if len(target) <= design.shape[1]:
        raise TenorError(
            f"{len(target)} values are too few for {len(columns)} factors and an intercept; at least "
            f"{design.shape[1] + 1} are needed."
        )
    if np.linalg.matrix_rank(design) < design.shape[1]:
        raise TenorError(f"One of {', '.join(factors)} is constant or follows from the others; leave it out.")
    return design, target
