"""Powers of floats by integers that the call gives: n x**(n - 1), n (n - 1) x**(n - 2), in all orders of two modes.

Numba multiplies in a loop as long as the exponent has bits. Reverse over reverse of it was refused, and gradients took ten times as long.
"""

from __future__ import annotations

import math

import numba
import numpy as np
import pytest

import enzyme_py as enzyme

POINTS = np.array([0.0, 0.5, -1.5, 2.0])
V = np.array([1.0, -2.0, 0.5, 3.0])


@numba.njit
def powers(x, n):
    total = 0.0
    for i in range(len(x)):
        total += x[i] ** n
    return total


@numba.njit
def by_place(x, n):
    return np.sum(x ** (n + np.arange(len(x))))


gradient = enzyme.grad(powers)


def slope(x, v, n):
    return enzyme.jvp(powers, (x, n), (v, None))[1]


def slopes(x: np.ndarray, n: int, order: int) -> np.ndarray:
    """Return a derivative of x**n: of a polynomial of lower degree it is zero."""
    rate = math.prod(n - k for k in range(order))
    return rate * x ** float(n - order) if rate else np.zeros_like(x)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 7, -1, -4, 70_001])
def test_all_orders(n: int) -> None:
    x = POINTS if n >= 0 else POINTS[1:]
    x = x if abs(n) < 100 else 1.0 + x / 1e5
    v = V[: len(x)]
    value, found = enzyme.value_and_grad(powers)(x, n)
    assert value == powers(x, n)
    np.testing.assert_allclose(found, slopes(x, n, 1), rtol=1e-12)
    np.testing.assert_allclose(slope(x, v, n), slopes(x, n, 1) @ v, rtol=1e-12)
    second = slopes(x, n, 2) * v
    np.testing.assert_allclose(enzyme.jvp(gradient, (x, n), (v, None))[1], second, rtol=1e-12)
    np.testing.assert_allclose(enzyme.grad(lambda x, v, n: np.sum(gradient(x, n) * v))(x, v, n), second, rtol=1e-12)
    np.testing.assert_allclose(enzyme.grad(slope)(x, v, n), second, rtol=1e-12)
    np.testing.assert_allclose(enzyme.jvp(slope, (x, v, n), (v, 0 * v, None))[1], second @ v, rtol=1e-12)


@pytest.mark.parametrize("kind", [np.int32, np.uint8])
def test_other_integers(kind: type) -> None:
    np.testing.assert_allclose(gradient(POINTS, kind(3)), 3 * POINTS**2, rtol=1e-14)


def test_single_precision() -> None:
    x = POINTS.astype(np.float32)
    found = gradient(x, 3)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, 3 * x**2, rtol=1e-6)


def test_exponents_of_an_array() -> None:
    n = 2 + np.arange(4.0)
    np.testing.assert_allclose(enzyme.grad(by_place)(POINTS, 2), n * POINTS ** (n - 1), rtol=1e-14)


def test_beyond_the_range() -> None:
    """The value is infinite, and so is the slope; what is masked counts for nothing."""
    x = np.array([1e200, 2.0])
    np.testing.assert_array_equal(gradient(x, 3), [np.inf, 12.0])
    masked = enzyme.grad(lambda x, n: np.sum(np.where(x > 1e100, 0.0, x**n)))
    np.testing.assert_array_equal(masked(x, 3), [0.0, 12.0])


def test_errors_are_numbas() -> None:
    with pytest.raises(ZeroDivisionError):
        powers(POINTS, -1)
    with pytest.raises(ZeroDivisionError):
        gradient(POINTS, -1)
