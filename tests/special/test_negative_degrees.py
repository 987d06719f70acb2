"""Orthogonal polynomials of a negative degree, which SciPy has: U_-n = -U_(n-2), T_-n = T_n, P_-n = P_(n-1). Slopes by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from scipy import special

import enzyme_py as enzyme

X = 0.3
Z = 2 * X - 1  # where the shifted ones are


def second_kind(n, x):
    return special.eval_chebyu(n, x)


def first_kind(n, x):
    return special.eval_chebyt(n, x)


def legendre(n, x):
    return special.eval_legendre(n, x)


def shifted_second_kind(n, x):
    return special.eval_sh_chebyu(n, x)


def shifted_legendre(n, x):
    return special.eval_sh_legendre(n, x)


# The degree, the slope and the curvature.
CASES = [
    (second_kind, -1, 0.0, 0.0),
    (second_kind, -2, 0.0, 0.0),  # -1
    (second_kind, -3, -2.0, 0.0),  # -2 x
    (second_kind, -4, -8 * X, -8.0),  # 1 - 4 x^2
    (first_kind, -2, 4 * X, 4.0),  # 2 x^2 - 1
    (first_kind, -3, 12 * X**2 - 3, 24 * X),  # 4 x^3 - 3 x
    (legendre, -1, 0.0, 0.0),
    (legendre, -2, 1.0, 0.0),  # x
    (legendre, -3, 3 * X, 3.0),  # (3 x^2 - 1) / 2
    (shifted_second_kind, -3, -4.0, 0.0),  # -2 z
    (shifted_second_kind, -4, -16 * Z, -32.0),
    (shifted_legendre, -3, 6 * Z, 12.0),
]


@pytest.mark.parametrize(("kernel", "n", "slope", "curvature"), CASES)
@pytest.mark.parametrize("degree", [int, float])
def test_slope_and_curvature(
    kernel: Callable[..., Any], n: int, slope: float, curvature: float, degree: Callable[[int], Any]
) -> None:
    first = enzyme.grad(kernel, argnums=1)
    assert first(degree(n), X) == pytest.approx(slope, rel=1e-12, abs=1e-13)
    if degree is int:  # by a degree that is a float jvp asks for a slope, which there is none of
        assert enzyme.jvp(kernel, (n, X), (0, 1.0))[1] == pytest.approx(slope, rel=1e-12, abs=1e-13)
    assert enzyme.grad(first, argnums=1)(degree(n), X) == pytest.approx(curvature, rel=1e-12, abs=1e-13)
