"""Numbers that are large, small or near poles: derivatives by hand, where rules leave the range of floats."""

from __future__ import annotations

import math

import numba
import numpy as np
import pytest

import enzyme_py as enzyme

TYPES = (np.float64, np.float32)


def first_orders(kernel, x):
    """The value, and the first derivative in both modes."""
    value, tangent = enzyme.jvp(kernel, (x,), (type(x)(1.0),))
    return value, (enzyme.grad(kernel)(x), tangent)


def orders(kernel, x):
    """The first derivative in both modes, and the second as forward over reverse and as reverse over reverse."""
    one = type(x)(1.0)
    gradient = enzyme.grad(kernel)
    value, tangent = enzyme.jvp(kernel, (x,), (one,))
    return value, (gradient(x), tangent), (enzyme.jvp(gradient, (x,), (one,))[1], enzyme.grad(gradient)(x))


def check(kernel, x, slope, curvature, rtol=1e-14) -> None:
    _, first, second = orders(kernel, x)
    np.testing.assert_allclose(first, slope, rtol=rtol)
    np.testing.assert_allclose(second, curvature, rtol=rtol)


def by_numba(function):
    """Return a function of NumPy's as kernels call it: its own has other last digits where it finds AVX-512."""
    return numba.njit(lambda x: function(x))


# Far out, asinh and acosh are log(2 x), and atan is a constant less 1 / x.
@pytest.mark.parametrize("x", [1e31, -1e40, 1e90, 1e150])
def test_inverse_functions_far_out(x: float) -> None:
    check(np.arcsinh, x, 1.0 / abs(x), -math.copysign(1.0, x) / x / x)
    check(np.arctan, x, 1.0 / x / x, -2.0 / x / x / x)
    check(np.arccosh, abs(x), 1.0 / abs(x), -1.0 / x / x)


@pytest.mark.parametrize("function", [np.arcsinh, np.arccosh])
def test_first_orders_beyond_all_squares(function) -> None:
    for x in (1e160, 1e300):
        value, first = first_orders(function, x)
        assert value == by_numba(function)(x)
        np.testing.assert_allclose(first, 1.0 / x, rtol=1e-15)
    x = np.float32(1e25)
    np.testing.assert_allclose(first_orders(function, x)[1], 1.0 / x, rtol=1e-6)
    assert first_orders(function, np.inf)[1] == (0.0, 0.0)


@pytest.mark.parametrize("x", [2.0**99, 2.0**101])
def test_both_sides_of_the_limit(x: float) -> None:
    check(np.arcsinh, x, 1.0 / x, -1.0 / x / x)
    check(np.arccosh, x, 1.0 / x, -1.0 / x / x)
    check(np.arctan, -x, 1.0 / x / x, 2.0 / x / x / x)


# Near a pole at -n, gamma is (-1)^n / n! / h, and |gamma| has the logarithm -log |h| and a constant.
@pytest.mark.parametrize("x", [-1e-10, -1e-30, -1e-100])
def test_gamma_beside_its_poles(x: float) -> None:
    check(math.lgamma, x, -1.0 / x, 1.0 / x / x, rtol=1e-9)
    check(math.gamma, x, -1.0 / x / x, 2.0 / x / x / x, rtol=1e-9)
    h = 2.0**-40
    check(math.lgamma, h - 3.0, -1.0 / h, 1.0 / h / h, rtol=1e-11)


def test_gamma_of_single_precision() -> None:
    digamma = 0.03648997397857652  # of 3/2
    x = np.float32(1.5)
    check(math.lgamma, x, digamma, math.pi**2 / 2 - 4.0, rtol=1e-6)
    value, first = first_orders(math.gamma, x)
    assert value == np.float32(math.gamma(1.5))
    np.testing.assert_allclose(first, math.gamma(1.5) * digamma, rtol=1e-6)


def test_neighbours_of_single_precision() -> None:
    def stepped(x):
        return np.nextafter(x, np.float32(9.0)) * x

    check(stepped, np.float32(1.5), 3.0, 2.0, rtol=1e-6)


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def sigmoid_by_two(x):
    return 1.0 / (1.0 + np.exp2(-x))


def sech(x):
    return 1.0 / np.cosh(x)


def cosech(x):
    return 1.0 / np.sinh(x)


def planck(x):
    return x * x * x / np.expm1(x)


def gumbel(x):
    return np.exp(-np.exp(-x))


def power(x):
    return np.exp(2.5 * np.log(x))


@pytest.mark.parametrize("number", TYPES)
@pytest.mark.parametrize(
    ("kernel", "x"),
    [
        (sigmoid, -2e3),
        (sigmoid, 2e3),
        (sigmoid_by_two, -2e3),
        (sech, 2e3),
        (sech, -2e3),
        (cosech, -2e3),
        (planck, 2e3),
        (gumbel, -2e3),
        (power, 0.0),
    ],
)
def test_what_is_flat_beyond_an_overflow_has_no_slope(kernel, x: float, number: type) -> None:
    with np.errstate(all="ignore"):
        value, first, second = orders(kernel, number(x))
        assert value == kernel(number(x))
    assert first == (0.0, 0.0)
    # Reverse over reverse has NaN: the infinite slope is the adjoint there, of what has the slope zero.
    assert second[0] == 0.0


def test_a_cold_fermi_function() -> None:
    def occupation(p):
        return p[0] / (1.0 + np.exp((p[1] - p[2]) / p[3]))

    p = np.array([2.0, 1.0, 0.5, 1e-4])
    assert not enzyme.jacfwd(occupation)(p).any()
    assert not enzyme.hessian(occupation)(p).any()
    p[3] = 0.25  # 2 / (1 + e^2)
    e = math.exp(2.0)
    slope = 2.0 * e / (1.0 + e) ** 2
    expected = [1.0 / (1.0 + e), -slope / 0.25, slope / 0.25, slope * 2.0 / 0.25]
    np.testing.assert_allclose(enzyme.jacfwd(occupation)(p), expected, rtol=1e-14)


@pytest.mark.parametrize("number", TYPES)
@pytest.mark.parametrize("name", ["exp", "exp2", "expm1", "sinh", "cosh"])
def test_what_overflows_is_infinite_in_all_orders(name: str, number: type) -> None:
    function = getattr(np, name)
    with np.errstate(all="ignore"):
        for x in (number(2e3), number(np.inf), number(-2e3)):
            value, first, second = orders(function, x)
            assert value == function(x)
            slope, curvature = {"sinh": (abs(value), value), "cosh": (math.copysign(value, x), value)}.get(
                name, (value + (name == "expm1"),) * 2
            )
            assert first == (slope, slope)
            assert second == (curvature, curvature)
        assert np.isnan(orders(function, number(np.nan))[1:]).all()


@pytest.mark.parametrize("number", TYPES)
@pytest.mark.parametrize("name", ["exp", "exp2", "expm1", "sinh", "cosh"])
def test_the_last_number_before_an_overflow(name: str, number: type) -> None:
    """There is one number whose value is finite, and whose neighbour's is not."""
    function = by_numba(getattr(np, name))
    low, high = number(1.0), number(2e3)
    with np.errstate(all="ignore"):
        while (middle := (low + high) / number(2.0)) not in (low, high):
            low, high = (middle, high) if np.isfinite(function(middle)) else (low, middle)
        slope = number(np.log(2.0)) * function(low) if name == "exp2" else function(low)
        value, first = first_orders(function, low)
        assert value == function(low)
        np.testing.assert_allclose(first, slope, rtol=1e-5)
        assert first_orders(function, high)[1] == (np.inf, np.inf)
