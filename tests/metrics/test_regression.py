"""Least squares against scipy and planted coefficients; nested models against the F test."""

import numpy as np
import pytest
from scipy import stats

from tenor.errors import TenorError
from tenor.metrics.regression import least_squares, likelihood_ratio


def test_one_factor_is_scipy_s_linregress():
    random = np.random.default_rng(0)
    x = random.normal(size=25)
    y = 0.3 * x + random.normal(size=25)
    fit, theirs = least_squares({"x": x}, y), stats.linregress(x, y)
    slope = fit.coefficients["x"]
    assert slope.interval.estimate == pytest.approx(theirs.slope)
    assert slope.p == pytest.approx(theirs.pvalue)
    assert fit.r_squared == pytest.approx(theirs.rvalue**2)
    far = stats.t.ppf(0.975, 23) * theirs.stderr
    assert slope.interval.low == pytest.approx(theirs.slope - far)
    assert slope.interval.high == pytest.approx(theirs.slope + far)
    assert fit.coefficients["intercept"].interval.estimate == pytest.approx(theirs.intercept)


def test_planted_coefficients_come_back_and_a_sign_flips_with_a_correlated_factor():
    random = np.random.default_rng(1)
    size = random.normal(size=400)
    wiki = size + 0.3 * random.normal(size=400)
    y = 2 * size - wiki + 0.05 * random.normal(size=400)
    both = least_squares({"size": size, "wiki": wiki}, y)
    assert both.coefficients["size"].interval.estimate == pytest.approx(2, abs=0.05)
    assert both.coefficients["wiki"].interval.estimate == pytest.approx(-1, abs=0.05)
    alone = least_squares({"wiki": wiki}, y)
    assert alone.coefficients["wiki"].interval.low > 0
    statistic, p = likelihood_ratio(alone, both)
    assert statistic > 100
    assert p < 1e-10


def test_the_likelihood_ratio_is_n_times_the_log_of_residuals():
    random = np.random.default_rng(2)
    x, z = random.normal(size=(2, 30))
    y = x + random.normal(size=30)
    small, large = least_squares({"x": x}, y), least_squares({"x": x, "z": z}, y)
    residuals = [(1 - fit.r_squared) for fit in (small, large)]
    statistic, p = likelihood_ratio(small, large)
    assert statistic == pytest.approx(30 * np.log(residuals[0] / residuals[1]))
    assert p == pytest.approx(stats.chi2.sf(statistic, 1))


def test_each_factor_more_is_a_degree_of_freedom():
    random = np.random.default_rng(4)
    factors = dict(zip("xyzw", random.normal(size=(4, 40)), strict=True))
    y = factors["x"] + random.normal(size=40)
    small, large = least_squares({"x": factors["x"]}, y), least_squares(factors, y)
    statistic, p = likelihood_ratio(small, large)
    assert statistic > 0.1
    assert p == pytest.approx(stats.chi2.sf(statistic, 3))


def test_intervals_cover_the_truth_as_often_as_they_say():
    random, hits = np.random.default_rng(3), 0
    x = np.arange(8.0)
    for _ in range(400):
        interval = least_squares({"x": x}, 0.5 * x + random.normal(size=8)).coefficients["x"].interval
        hits += interval.low <= 0.5 <= interval.high
    assert 0.92 <= hits / 400 <= 0.98


def test_what_cannot_be_fitted_is_refused():
    with pytest.raises(TenorError, match="too few"):
        least_squares({"x": [1, 2]}, [1, 2])
    with pytest.raises(TenorError, match="constant or follows"):
        least_squares({"x": [1, 1, 1, 1]}, [1, 2, 3, 4])
    with pytest.raises(TenorError, match="4 values"):
        least_squares({"x": [1, 2]}, [1, 2, 3, 4])
    fit = least_squares({"x": [1, 2, 4, 3]}, [1, 2, 3, 4])
    with pytest.raises(TenorError, match="fewer of its factors"):
        likelihood_ratio(fit, fit)
