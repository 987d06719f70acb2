"""np.std and np.nanstd: of equal numbers their squares have the derivatives of the variance, and they themselves no second one.

The Hessian of the variance of n numbers is 2 / n (1 - 1 / n). That of the spread was this matrix, too, at equal numbers and at NaN,
and that of its square zero, without a word; the gradient of np.nanstd was NaN.
"""

from __future__ import annotations

import numba
import numpy as np
import pytest

import enzyme_py as enzyme

EQUAL = np.array([0.5, 0.5, 0.5])
WITH_NAN = np.array([0.5, np.nan, 0.5])
V = np.array([1.0, 2.0, -4.0])


@numba.njit
def spreads(x, k):
    if k == 0:
        return np.std(x)
    if k == 1:
        return x.std() ** 2
    if k == 2:
        return np.nanstd(x)
    if k == 3:
        return np.nanstd(x) ** 2
    return 3.0 * np.std(x) * np.std(x) + x.std()


gradient = enzyme.grad(spreads)


def of_variance(x: np.ndarray) -> np.ndarray:
    """Return the Hessian of the variance of what is not NaN."""
    counted = np.where(np.isnan(x), 0.0, 1.0)
    n = counted.sum()
    return 2.0 / n * (np.diag(counted) - np.outer(counted, counted) / n)


def second_orders(x: np.ndarray, k: int) -> list[np.ndarray]:
    """Return the Hessian along V, forward over reverse, reverse over reverse and reverse over forward."""

    def component(x, v, k):
        return np.sum(gradient(x, k) * v)

    def slope(x, v, k):
        return enzyme.jvp(spreads, (x, k), (v, None))[1]

    return [enzyme.jvp(gradient, (x, k), (V, None))[1], enzyme.grad(component)(x, V, k), enzyme.grad(slope)(x, V, k)]


@pytest.mark.parametrize(("x", "k"), [(EQUAL, 1), (EQUAL, 3), (WITH_NAN, 3)])
def test_squares(x: np.ndarray, k: int) -> None:
    np.testing.assert_array_equal(gradient(x, k), np.zeros(3))
    for found in second_orders(x, k):
        np.testing.assert_allclose(found, of_variance(x) @ np.nan_to_num(V), rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize(("x", "k"), [(EQUAL, 0), (EQUAL, 2)])
def test_spreads_of_equal_numbers(x: np.ndarray, k: int) -> None:
    """Of what is a distance the gradient is zero by choice. The second derivative is infinite, or a difference of infinities."""
    np.testing.assert_array_equal(gradient(x, k), np.zeros(3))
    for found in second_orders(x, k):
        assert not np.isfinite(found).any()


def test_elsewhere() -> None:
    """The spread is the root of the variance q: its slopes are q' / 2 s, their slopes q'' / 2 s - q' q' / 4 s**3."""
    x = np.array([1.0, 2.0, 4.0])
    slopes, s = 2.0 / 3.0 * (x - x.mean()), np.std(x)
    np.testing.assert_allclose(gradient(x, 0), slopes / (2 * s), rtol=1e-14)
    hessian = of_variance(x) / (2 * s) - np.outer(slopes, slopes) / (4 * s**3)
    for found in second_orders(x, 2):
        np.testing.assert_allclose(found, hessian @ V, rtol=1e-13)
    for found in second_orders(x, 4):
        np.testing.assert_allclose(found, (3.0 * of_variance(x) + hessian) @ V, rtol=1e-13)


def test_numbers_that_are_nan() -> None:
    for k in (0, 4):
        for found in (gradient(WITH_NAN, k), *second_orders(WITH_NAN, k)):
            assert np.isnan(found).all()
