"""Higher orders of Kelvin's functions at and beside zero, by their series: ber = 1 - x^4 / 64 + ..., bei = x^2 / 4 - x^6 / 2304 + ..."""

from __future__ import annotations

import pytest
from scipy import special

import enzyme_py as enzyme


def ber(x):
    return special.ber(x)


def bei(x):
    return special.bei(x)


def test_four_orders_at_zero_and_beside_it() -> None:
    real, imaginary = ber, bei
    for _ in range(3):
        real, imaginary = enzyme.grad(real), enzyme.grad(imaginary)
    x = 1e-3
    assert real(x) == pytest.approx(-3 * x / 8, rel=1e-11)
    assert imaginary(x) == pytest.approx(-5 * x**3 / 96, rel=1e-11)
    real, imaginary = enzyme.grad(real), enzyme.grad(imaginary)
    assert real(0.0) == -3 / 8
    assert imaginary(0.0) == 0.0
