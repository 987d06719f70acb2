"""Complex powers whose exponent is 2 while the kernel runs: Numba multiplies there, and the exponent had no derivative, without a word."""

from __future__ import annotations

import cmath

import numpy as np
import pytest

import enzyme_py as enzyme

Z = 0.6 - 0.8j


def power(w):
    p = Z ** complex(w[0], w[1])
    return p.real + 2.0 * p.imag


def power_of_arrays(w):
    p = np.power(np.array([Z]), np.array([complex(w[0], w[1])]))[0]
    return p.real + 2.0 * p.imag


def along(derivative: complex) -> np.ndarray:
    """Return the gradient of Re + 2 Im, of an analytic function, by the parts of its argument."""
    return np.array([derivative.real + 2.0 * derivative.imag, -derivative.imag + 2.0 * derivative.real])


@pytest.mark.parametrize("kernel", [power, power_of_arrays])
def test_exponents(kernel) -> None:
    """z^w has the derivative z^w log z by w, and that its own."""
    w, log = np.array([2.0, 0.0]), cmath.log(Z)
    gradient = enzyme.grad(kernel)
    first, second = along(Z * Z * log), along(Z * Z * log * log)
    np.testing.assert_allclose(gradient(w), first, rtol=1e-14)
    for direction, slope, change in ((np.array([1.0, 0.0]), first[0], second), (np.array([0.0, 1.0]), first[1], along(1j * Z * Z * log * log))):
        np.testing.assert_allclose(enzyme.jvp(kernel, (w,), (direction,))[1], slope, rtol=1e-14)
        np.testing.assert_allclose(enzyme.jvp(gradient, (w,), (direction,))[1], change, rtol=1e-14)


def test_bases_are_squared_as_numba_does() -> None:
    def square(x, w):
        p = complex(x[0], x[1]) ** complex(w, 0.0)
        return np.array([p.real, p.imag])

    for x in (0.6 - 0.8j, 0j, complex(np.inf, 1.0)):
        parts = np.array([x.real, x.imag])
        value, tangent = enzyme.jvp(square, (parts, 2.0), (np.array([1.0, 0.0]), 0.0))
        np.testing.assert_array_equal(value, square(parts, 2.0) if np.isfinite(x) else [np.inf, np.inf])
        if np.isfinite(x):
            np.testing.assert_allclose(tangent, [2.0 * x.real, 2.0 * x.imag], rtol=1e-15)
