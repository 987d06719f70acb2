"""Derivatives of derivatives of derivatives: towers, nestings, and the program that was promised."""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py import Forward, Reverse
from tests.rotation import diagonal, sweep

MODES = {"F": Forward, "R": Reverse}
NESTINGS = ["FF", "FR", "RF", "RR"]
X = np.array([0.5, -1.0, 2.0])


# --- DESIGN 1, line by line ------------------------------------------------------------------------


def num_to_vec(x):
    return np.sin(np.array([1.0, 2.0]) * x)


def num_to_mat(x):
    return np.column_stack((num_to_vec(x), num_to_vec(3 * x)))


def derivative(f, x):
    return enzyme.jacobian(enzyme.Reverse, f, x)[0]


def second_derivative(f, x):
    return derivative(lambda t: derivative(f, t), x)


RATES = np.array([[1.0, 3.0], [2.0, 6.0]])


@pytest.mark.parametrize("function", [num_to_mat, enzyme.jit(num_to_mat)], ids=["plain", "jitted"])
def test_the_promise(function: Any) -> None:
    np.testing.assert_allclose(derivative(function, 1.0), RATES * np.cos(RATES), rtol=1e-12)
    exact = -(RATES**2) * np.sin(RATES)
    np.testing.assert_allclose(second_derivative(function, 1.0), exact, rtol=1e-12)


@pytest.mark.parametrize(
    ("function", "nesting"), diagonal([num_to_mat, enzyme.jit(num_to_mat)], NESTINGS)
)
def test_the_promise_in_every_nesting(function: Any, nesting: str) -> None:
    outer, inner = (MODES[letter] for letter in nesting)

    def once(t):
        return enzyme.jacobian(inner, function, t)[0]

    found = enzyme.jacobian(outer, once, 1.0)[0]
    np.testing.assert_allclose(found, -(RATES**2) * np.sin(RATES), rtol=1e-12)


# --- towers ----------------------------------------------------------------------------------------


def test_six_orders_of_a_number() -> None:
    def wave(t):
        return np.exp(2.0 * t) * np.sin(t)

    # exp(2t) sin(t) is the imaginary part of exp((2+i) t).
    function = wave
    for order in range(1, 7):
        function = enzyme.grad(function)
        exact = ((2 + 1j) ** order * np.exp((2 + 1j) * 0.3)).imag
        assert function(0.3) == pytest.approx(exact, rel=1e-12), order


def saturated(x):
    return np.tanh(x)


@pytest.mark.parametrize(("number", "nesting"), diagonal([np.float64, np.float32], NESTINGS))
def test_second_orders_of_tanh_far_out(nesting: str, number: Any) -> None:
    """Both 1 / cosh(x)^2 and its slopes are zero there, but the square is beyond all floats."""
    outer, inner = (MODES[letter] for letter in nesting)
    kernel = enzyme.jit(saturated)

    def once(x):
        return enzyme.jacobian(inner, kernel, x)[0]

    for x in (-1e30, -400.0, -46.0, -0.3, 0.0, 0.5, 3.0, 46.0, 400.0, 1e30, np.inf):
        t = np.tanh(np.float64(x))
        found = enzyme.jacobian(outer, once, number(x))[0]
        want = -2.0 * t * (1.0 - t * t)
        assert found == pytest.approx(want, rel=float(16 * np.finfo(number).eps), abs=1e-15), x
    assert np.isnan(enzyme.jacobian(outer, once, number(np.nan))[0])


def test_six_orders_of_tanh() -> None:
    """Its derivatives are polynomials of its value t: p' (1 - t t) is the next one."""
    function = enzyme.jit(lambda x: math.tanh(x))
    polynomial = np.polynomial.Polynomial([0.0, 1.0])
    for _ in range(6):
        function = enzyme.grad(function)
        polynomial = polynomial.deriv() * np.polynomial.Polynomial([1.0, 0.0, -1.0])
        for x in (-0.7, -1e-9, 0.0, 1e-9, 0.4, 2.0, 1e30, np.inf):
            exact = polynomial(math.tanh(x))
            assert function(x) == pytest.approx(exact, rel=1e-12, abs=1e-14), x
    assert np.isnan(function(np.nan))


def test_six_orders_forward() -> None:
    def power(t):
        return t**7

    function = power
    for order in range(1, 7):
        function = enzyme.jacfwd(function)
        exact = math.factorial(7) / math.factorial(7 - order) * 1.5 ** (7 - order)
        assert function(1.5) == pytest.approx(exact, rel=1e-13), order


@pytest.mark.parametrize(
    "nesting", sweep(["RRR", "FFR", "RFR", "RFF", "FRF", "FRR", "RRF", "FFF"], 2)
)
def test_third_order_of_an_array(nesting: str) -> None:
    function: Any = lambda x: np.sum(x * x * x * x)
    for letter in reversed(nesting):
        jac = enzyme.jacfwd if letter == "F" else enzyme.jacrev
        function = jac(function)
    exact = np.zeros((3, 3, 3))
    for i in range(3):
        exact[i, i, i] = 24 * X[i]
    np.testing.assert_allclose(function(X), exact, rtol=1e-13)


# --- from Python, inside kernels, and mixed --------------------------------------------------------


def test_mixed_worlds() -> None:
    @enzyme.jit
    def cube(x):
        return np.sum(x * x * x)

    @enzyme.jit
    def slope_along(x, v):
        return np.sum(enzyme.grad(cube)(x) * v)

    v = np.array([1.0, 2.0, -1.0])
    np.testing.assert_allclose(enzyme.grad(slope_along)(X, v), 6 * X * v, rtol=1e-14)
    np.testing.assert_allclose(enzyme.hvp(cube, X, v), 6 * X * v, rtol=1e-14)

    @numba.njit
    def third(x, v):
        return enzyme.hessian(slope_along)(x, v)

    np.testing.assert_allclose(third(X, v), np.diag(6 * v), rtol=1e-14)


def test_value_and_grad_of_a_hessian_entry() -> None:
    def entry(x):
        return enzyme.hessian(lambda z: z[0] ** 3 * z[1] ** 2)(x)[0, 1]

    value, gradient = enzyme.value_and_grad(entry)(np.array([2.0, 3.0]))
    assert value == pytest.approx(6 * 4 * 3)
    np.testing.assert_allclose(gradient, [12 * 2 * 3, 6 * 4])


# --- what second order must go through -------------------------------------------------------------


def through_products(a, b):
    return np.sum((a @ b) ** 2)


@pytest.mark.parametrize("nesting", sweep(["RR", "FF", "FR", "RF"], 2))
def test_products_of_matrices(nesting: str) -> None:
    outer, inner = (MODES[letter] for letter in nesting)
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(3, 2)), rng.normal(size=(2, 4))
    exact = 2 * np.einsum("ik,ab->iakb", np.eye(3), b @ b.T)
    found = enzyme.hessian(through_products, outer=outer, inner=inner)(a, b)
    np.testing.assert_allclose(found, exact, rtol=1e-12, atol=1e-13)


def through_copies(x):
    y = np.concatenate((x, x[::-1] * x))
    z = y.copy()
    z[1:] *= y[:-1]
    return np.sum(z)


@pytest.mark.parametrize("nesting", sweep(["FR", "RF", "RR", "FF"], 2))
def test_copies_and_concatenation(nesting: str) -> None:
    outer, inner = (MODES[letter] for letter in nesting)
    # z = (x0, x1 x0, x2 x1, x0 x2 x2, x1 x1 x0 x2, x0 x2 x1 x1): differences of the exact gradient.
    gradient = enzyme.grad(through_copies)
    step = 1e-6
    exact = np.array(
        [(gradient(X + step * e) - gradient(X - step * e)) / (2 * step) for e in np.eye(3)]
    )
    found = enzyme.hessian(through_copies, outer=outer, inner=inner)(X)
    np.testing.assert_allclose(found, exact, rtol=1e-8, atol=1e-8)


def through_branches(x, n):
    total = 0.0
    for i in range(n):
        t = x * (i + 1.0)
        if t[0] > 1.0:
            total += np.sum(t * t * t)
        else:
            total += np.sum(t * t)
    return total


@pytest.mark.parametrize("nesting", NESTINGS)
def test_branches_and_run_time_loops(nesting: str) -> None:
    outer, inner = (MODES[letter] for letter in nesting)
    exact = np.zeros(3)
    for k in range(1, 5):
        exact += 6 * k**3 * X if k * X[0] > 1.0 else np.full(3, 2.0 * k**2)
    hessian = enzyme.hessian(through_branches, outer=outer, inner=inner)
    np.testing.assert_allclose(hessian(X, 4), np.diag(exact), rtol=1e-13)
    np.testing.assert_array_equal(hessian(X, 0), np.zeros((3, 3)))
