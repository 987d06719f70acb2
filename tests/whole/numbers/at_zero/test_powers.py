"""Powers of zero by exponents that are known only when the kernel runs: the derivatives of x, x * x and x * x * x, by hand."""

from __future__ import annotations

import numpy as np
import pytest

import enzyme_py as enzyme


def power(x, p):
    return x**p


@pytest.mark.parametrize("zero", [0.0, -0.0])
@pytest.mark.parametrize("p", [1.0, 2.0, 3.0, 4.0])
def test_derivatives_by_the_base(p: float, zero: float) -> None:
    """Without the products of rules/numbers/elementary.py: zero times an infinite power, which is NaN, from the order p + 1 on."""
    slope = enzyme.grad(power)
    second = enzyme.grad(slope)
    assert slope(zero, p) == (p == 1.0)
    assert enzyme.hvp(power, zero, 1.0, p) == second(zero, p) == 2.0 * (p == 2.0)
    assert enzyme.jacfwd(enzyme.jacfwd(power))(zero, p) == 2.0 * (p == 2.0)
    assert enzyme.grad(second)(zero, p) == 6.0 * (p == 3.0)


def test_values_keep_the_sign_of_zero() -> None:
    slope_and_value = enzyme.jit(lambda x, p: (enzyme.grad(power)(x, p), x**p))
    tangents = enzyme.jacfwd(lambda x, p: np.array(slope_and_value(x, p)))
    for p in (1.0, 2.0, 3.0):
        slope, value = slope_and_value(-0.0, p)
        assert slope == float(p == 1.0)
        assert value == 0.0
        assert np.signbit(value) == (p != 2.0)
        np.testing.assert_array_equal(tangents(-0.0, p), [2.0 * (p == 2.0), p == 1.0])


def test_beside_zero() -> None:
    for p in (1.0, 2.0, 3.0, 2.5):
        for x in (1e-3, 0.7):
            assert np.isclose(enzyme.hvp(power, x, 1.0, p), p * (p - 1.0) * x ** (p - 2.0), rtol=1e-13)
    assert enzyme.hvp(power, 0.0, 1.0, 1.5) == np.inf
