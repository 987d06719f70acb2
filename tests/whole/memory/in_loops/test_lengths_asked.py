"""A loop that assigns an expression to an array whose length a check in front of the loop has found out: LLVM keeps the elements in registers.

What is right: derivatives by complex numbers, in plain NumPy.
"""

from __future__ import annotations

import numba
import numpy as np

import enzyme_py as enzyme
from tests.whole.by_complex_numbers import gradient_by_complex_numbers

ORDER = np.array([2, 0, 3, 1])
X = np.array([0.31, 0.62, 0.13, 0.84])
V = np.array([0.3, -1.0, 0.7, 2.0])


@numba.njit
def taken(x):
    """Shapes fit only if there are four numbers."""
    a = x * 1.1
    for _ in range(4):
        r = np.take(a, ORDER) * a
        a[:] = 0.5 * a + 0.2 * r
    return np.sum(a * a)


@numba.njit
def asked(x):
    """The kernel asks by itself."""
    a = x * 1.1
    if a.size != 4:
        return 0.0
    for _ in range(3):
        a[:] = a * a[3] + 0.3 * a[::-1] * a
    return np.sum(a * a)


def test_derivatives() -> None:
    for kernel in (taken, asked):
        wanted = gradient_by_complex_numbers(kernel, X)
        np.testing.assert_allclose(enzyme.grad(kernel)(X), wanted, rtol=1e-13)
        np.testing.assert_allclose(enzyme.jvp(kernel, (X,), (V,))[1], wanted @ V, rtol=1e-13)


def test_second_orders() -> None:
    gradient = enzyme.grad(taken)
    near = [gradient(X + s * 1e-5 * V) for s in (1, -1)]
    np.testing.assert_allclose(enzyme.hvp(taken, X, V), (near[0] - near[1]) / 2e-5, rtol=1e-7)
