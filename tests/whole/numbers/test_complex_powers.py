"""Complex powers and roots at points where Numba takes another way, which has another derivative, or none.

Where the exponent is 2 while the kernel runs it multiplies, and the exponent had no derivative, without a word; the slope of a root of zero was a
number, and so were those of the inverse functions that take such roots, at their branch points.
"""

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


def real_part(call: str, kind: str = "complex"):
    """Return a kernel for the real part of a function of a complex number."""
    scope = {"np": np, "cmath": cmath}
    exec(f"def real_part(x):\n    z = {kind}(complex(x[0], x[1]))\n    return ({call}).real", scope)
    return scope["real_part"]


@pytest.mark.parametrize(("call", "kind"), [("np.sqrt(z)", "complex"), ("cmath.sqrt(z)", "complex"), ("np.sqrt(z)", "np.complex64"), ("z**0.5", "complex")])
def test_roots_of_zero(call: str, kind: str) -> None:
    """With infinite slopes, against which the second derivatives are infinite, and none of what is masked."""
    kernel, along = real_part(call, kind), np.array([1.0, 0.0])
    gradient, masked = enzyme.grad(kernel), enzyme.grad(lambda z: np.where(np.array([False]), kernel(z), z[0] ** 2)[0])
    for z in map(np.array, ((0.0, 0.0), (0.0, -0.0), (-0.0, 0.0))):
        assert gradient(z)[0] == np.inf
        assert enzyme.jvp(kernel, (z,), (along,)) == (0.0, np.inf)
        assert enzyme.jvp(gradient, (z,), (along,))[1][0] == -np.inf
        np.testing.assert_array_equal(masked(z), [0.0, 0.0])


def test_powers_of_zero_that_are_flat() -> None:
    gradient, z = enzyme.grad(real_part("z**1.5")), np.zeros(2)
    np.testing.assert_array_equal(enzyme.jvp(gradient, (z,), (np.array([1.0, 0.0]),)), ([0.0, 0.0], [np.inf, 0.0]))


@pytest.mark.parametrize("call", ["np.arccosh(z + 1)", "np.arcsin(z + 1)", "np.arccos(z - 1)", "np.arcsinh(z + 1j)"])
def test_branch_points(call: str) -> None:
    z = np.zeros(2)
    assert not np.isfinite(enzyme.grad(real_part(call))(z)[0])
    assert not np.isfinite(enzyme.jvp(real_part(call), (z,), (np.array([1.0, 1.0]),))[1])
