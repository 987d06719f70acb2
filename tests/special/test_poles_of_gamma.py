"""Quotients of gamma functions at the poles of one of them, and beside: where the value is zero, or two poles cancel.

By hand: binom(x, 2) = x (x - 1) / 2 and poch(x, 3) = x (x + 1) (x + 2) are polynomials, and so are their slopes. The slope of
1 / gamma is (-1)^n n! at -n, so that of beta(a, b) by either number is (-1)^n n! gamma(a) gamma(b) where a + b = -n.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special

import enzyme_py as enzyme

ROOT = math.sqrt(math.pi)
NEAR = 2.0**-30


def binom(x, y):
    return special.binom(x, y)


def poch(x, m):
    return special.poch(x, m)


def beta(a, b):
    return special.beta(a, b)


@pytest.mark.parametrize("x", [0.0, 1.0, NEAR, 1.0 - NEAR, -3.5, -3.0 + NEAR, 5.0])
def test_two_of_x(x: float) -> None:
    slope, curvature = enzyme.grad(binom), enzyme.grad(enzyme.grad(binom))
    assert slope(x, 2.0) == pytest.approx(x - 0.5, rel=1e-13)
    assert curvature(x, 2.0) == pytest.approx(1.0, rel=1e-12)
    assert enzyme.jvp(binom, (x, 2.0), (1.0, 0.0))[1] == pytest.approx(x - 0.5, rel=1e-13)


@pytest.mark.parametrize("x", [0.0, -1.0, -2.0, NEAR, -1.0 + NEAR, -5.0, -7.25, 4.0])
def test_three_from_x(x: float) -> None:
    slope, curvature = enzyme.grad(poch), enzyme.grad(enzyme.grad(poch))
    assert slope(x, 3.0) == pytest.approx(3 * x * x + 6 * x + 2, rel=1e-12)
    assert curvature(x, 3.0) == pytest.approx(6 * x + 6, rel=1e-11, abs=1e-12)


def test_by_the_number_chosen() -> None:
    """1 / gamma(x - y + 1) = 0 at x = 0, y = 2: the slope by y is minus that by x, times 1 / 2!."""
    assert enzyme.grad(binom, argnums=1)(0.0, 2.0) == pytest.approx(0.5, rel=1e-14)
    assert enzyme.grad(binom, argnums=1)(3.0, -1.0) == pytest.approx(0.25, rel=1e-14)  # 3! / 4!
    by_y = math.factorial(5) / math.factorial(7)  # -5! / 7! times the slope of 1 / gamma at -1
    assert enzyme.grad(binom, argnums=1)(5.0, 7.0) == pytest.approx(by_y, rel=1e-14)


@pytest.mark.parametrize(
    ("a", "b", "slope"),
    [
        (-1.5, 0.5, -4 / 3 * math.pi),
        (-2.5, 0.5, 2 * -8 / 15 * math.pi),
        (0.5, -0.5, -2 * math.pi),
    ],
)
def test_beta_of_a_whole_sum(a: float, b: float, slope: float) -> None:
    np.testing.assert_allclose(enzyme.grad(beta, argnums=(0, 1))(a, b), [slope, slope], rtol=1e-13)


def test_beta_beside_a_whole_sum() -> None:
    """-2.3 + 1.3 is 2.2e-16 more than -1: digamma of that has no digits."""
    slope = -math.gamma(-2.3) * math.gamma(1.3)
    np.testing.assert_allclose(enzyme.grad(beta, argnums=(0, 1))(-2.3, 1.3), [slope, slope], rtol=1e-14)
    by_a = slope * (2 * special.psi(-2.3) - 2 * special.psi(2.0))  # of 1 / gamma(a + b), the second slope at -1
    assert enzyme.grad(enzyme.grad(beta))(-2.3, 1.3) == pytest.approx(by_a, rel=1e-13)
