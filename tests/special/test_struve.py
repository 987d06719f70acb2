"""Struve's functions near zero, and powers at zero: where formulas divide by x.

H_v(x) is the sum of (-1)^k (x / 2)^(v + 1 + 2 k) / (gamma(k + 3/2) gamma(k + v + 3/2)): with c = 2 / pi,
H_0 = c (x - x^3 / 9 + ...), H_1 = c (x^2 / 3 - x^4 / 45 + ...), H_-1 = c - H_1. The modified ones have plus signs, L_-1 = c + L_1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from scipy import special

import enzyme_py as enzyme

C = 2 / math.pi


def struve(v, x):
    return special.struve(v, x)


def modstruve(v, x):
    return special.modstruve(v, x)


def boxcox(x, power):
    return special.boxcox(x, power)


def boxcox1p(x, power):
    return special.boxcox1p(x, power)


def derivatives(kernel: Callable[..., Any], *at: float, by: int) -> list[float]:
    """Return the first three derivatives."""
    first = enzyme.grad(kernel, argnums=by)
    second = enzyme.grad(first, argnums=by)
    third = enzyme.grad(second, argnums=by)
    return [one(*at) for one in (first, second, third)]


@pytest.mark.parametrize("kernel", [struve, modstruve])
def test_at_zero(kernel: Callable[..., Any]) -> None:
    sign = -1 if kernel is struve else 1
    assert derivatives(kernel, 0.0, 0.0, by=1) == pytest.approx([C, 0.0, sign * C * 2 / 3], rel=1e-14)
    assert derivatives(kernel, 1.0, 0.0, by=1) == pytest.approx([0.0, C * 2 / 3, 0.0], rel=1e-14)


@pytest.mark.parametrize("kernel", [struve, modstruve])
@pytest.mark.parametrize("x", [2.0**-10, -(2.0**-10)])
def test_near_zero(kernel: Callable[..., Any], x: float) -> None:
    """The next terms are x^4 smaller than those written here."""
    sign = -1 if kernel is struve else 1
    of_one = [C * (2 / 3 * x + sign * 4 / 45 * x**3), C * (2 / 3 + sign * 4 / 15 * x**2), sign * C * 8 / 15 * x]
    of_one[2] += C * 6 * 5 * 4 / 1575 * x**3
    assert derivatives(kernel, 1.0, x, by=1) == pytest.approx(of_one, rel=1e-11)
    assert derivatives(kernel, -1.0, x, by=1) == pytest.approx([sign * one for one in of_one], rel=1e-11)


def test_its_two_formulas_meet() -> None:
    """The series is taken up to 1, the quotient from there on."""
    for kernel in (struve, modstruve):
        for v in (0.0, 1.0, 2.5, -0.5):
            below, above = (derivatives(kernel, v, x, by=1) for x in (1.0, 1.0 + 2.0**-50))
            assert below == pytest.approx(above, rel=1e-12)


@pytest.mark.parametrize(("kernel", "zero"), [(boxcox, 0.0), (boxcox1p, -1.0)])
def test_powers_at_zero(kernel: Callable[..., Any], zero: float) -> None:
    """(x^p - 1) / p: x^(p - 1) is its slope by x; at zero it is -1 / p, of which the slope is 1 / p^2."""
    assert derivatives(kernel, zero, 1.0, by=0) == [1.0, 0.0, 0.0]
    assert derivatives(kernel, zero, 2.0, by=0) == [0.0, 1.0, 0.0]
    assert derivatives(kernel, zero, 3.0, by=0) == [0.0, 0.0, 2.0]
    assert enzyme.grad(kernel)(zero, 0.5) == math.inf
    assert derivatives(kernel, zero, 2.0, by=1) == pytest.approx([1 / 4, -2 / 8, 6 / 16], rel=1e-14)
