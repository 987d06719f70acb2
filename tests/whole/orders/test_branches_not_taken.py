"""What stands behind a question in a loop is not asked by LLVM in front of the loop, in nested derivatives.

At x1 = 0 the quotient and the root have infinite slopes; they are not taken, and all second derivatives are those of the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import enzyme_py as enzyme

X, V = np.array([0.7, 0.0, 0.3]), np.array([0.3, -0.8, 0.5])


def a_quotient(x: Any) -> Any:
    s = np.zeros(3)
    a, b = x[0], x[1]
    for i in range(3):
        if b != 0.0:
            s[i] += a * a / b
        else:
            s[i] += x[i] ** 2
    return s.sum()


def a_logarithm(x: Any) -> Any:
    s = np.zeros(3)
    b = x[1]
    for i in range(3):
        if b > 0.0:
            s[i] += np.log(b) * x[0]
        else:
            s[i] += x[i] ** 2
    return s.sum()


def orders(f: Callable[..., Any]) -> list[Any]:
    """The product with the Hessian, in three orders."""
    slope = enzyme.grad(f)
    return [
        enzyme.jvp(slope, (X,), (V,))[1],
        enzyme.grad(lambda x: enzyme.jvp(f, (x,), (V,))[1])(X),
        enzyme.grad(lambda x: np.sum(slope(x) * V))(X),
    ]


@pytest.mark.parametrize("f", [a_quotient, a_logarithm], ids=lambda f: f.__name__)
def test_what_is_not_taken_has_no_part(f: Callable[..., Any]) -> None:
    for found in orders(f):
        assert np.allclose(found, 2 * V, rtol=1e-14)


def test_complex_numbers_by_one_without_an_imaginary_part() -> None:
    """x0 x1 / x2^2 by NumPy's division, whose branches divide by the imaginary part."""

    def f(x: Any) -> Any:
        z = np.divide(complex(x[0], x[1]), complex(x[2], 0.0))
        return z.real * z.imag

    a, b, c = x = np.array([0.7, -0.4, 1.3])
    hessian = np.array(
        [
            [0.0, c**-2, -2 * b * c**-3],
            [c**-2, 0.0, -2 * a * c**-3],
            [-2 * b * c**-3, -2 * a * c**-3, 6 * a * b * c**-4],
        ]
    )
    slope = enzyme.grad(f)
    assert np.allclose(enzyme.jacfwd(slope)(x), hessian, rtol=1e-13)
    assert np.allclose(enzyme.jacrev(slope)(x), hessian, rtol=1e-13)


def test_a_state_that_is_normalised_in_place() -> None:
    """The first amplitude's size, squared, over the sum: x0^2 / (x0^2 + x1^2), of which the Hessian's trace is known."""

    def f(x: Any) -> Any:
        psi = np.empty(2, np.complex128)
        psi[0], psi[1] = complex(x[0], 0.0), complex(0.0, x[1])
        psi /= np.sqrt(np.sum(psi.real**2 + psi.imag**2))
        return psi[0].real ** 2

    a, b = x = np.array([0.7, -0.4])
    n = a * a + b * b
    mixed = 4 * a * b * (a * a - b * b) / n**3
    hessian = [[2 * b * b * (b * b - 3 * a * a) / n**3, mixed], [mixed, 2 * a * a * (3 * b * b - a * a) / n**3]]
    assert np.allclose(enzyme.jacfwd(enzyme.grad(f))(x), hessian, rtol=1e-12)
    assert np.allclose(enzyme.jacrev(enzyme.grad(f))(x), hessian, rtol=1e-12)
