"""Zero times an infinite slope is zero: what that is good for, and where the other way of writing is right (docs/limits.md)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import enzyme_py as enzyme

X, V = np.array([0.0, 0.5]), np.array([1.0, 0.0])


def left_out(x):
    return np.sum(np.where(x > 0.0, np.sqrt(x), 0.0))


def masked(x):
    return np.sum(np.array([0.0, 2.0]) * np.sqrt(x))


def angle(x):
    return np.arctan2(x[1], x[0])


def product(x):
    return np.prod(x)


def sum_of_logarithms(x):
    return np.log(x[0] + x[1])


def by_a_detour(x):
    return np.logaddexp(np.log(x[0]), np.log(x[1]))


@pytest.mark.parametrize(
    ("f", "slopes"),
    [
        (left_out, [0.0, 0.5**0.5]),  # 1 / (2 sqrt(x)) of what is taken
        (angle, [-2.0, 0.0]),  # (-y, x) / (x**2 + y**2)
        (product, [0.5, 0.0]),  # of the others
        (sum_of_logarithms, [2.0, 2.0]),  # 1 / (p + q)
        (by_a_detour, [0.0, 2.0]),  # not the 2.0 that it is by both: log(p) is infinite
    ],
)
def test_by_a_number_that_is_zero(f: Callable[..., float], slopes: list[float]) -> None:
    np.testing.assert_allclose(enzyme.grad(f)(X), slopes, rtol=1e-14)
    np.testing.assert_allclose(enzyme.jvp(f, (X,), (V,))[1], slopes[0], rtol=1e-14)


def test_a_mask() -> None:
    """In forward mode the zero multiplies a tangent that is infinite already."""
    np.testing.assert_allclose(enzyme.grad(masked)(X), [0.0, 2.0**0.5], rtol=1e-14)
    assert np.isnan(enzyme.jvp(masked, (X,), (V,))[1])
