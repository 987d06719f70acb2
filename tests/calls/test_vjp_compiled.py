"""vjp inside compiled code: pull-backs that hold their arguments."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

import enzyme_py as enzyme

X = np.array([0.5, 1.0, 2.0])


@enzyme.jit
def pair(x, y):
    return np.sin(x) * y, np.sum(x * y)


@enzyme.jit
def squares(x):
    return np.sum(x * x)


@enzyme.jit
def emptied(x):
    total = np.sum(x * x)
    x[:] = 0.0
    return total


def test_cotangents_of_a_tuple() -> None:
    @numba.njit
    def both(x, y):
        value, pull_back = enzyme.vjp(pair, x, y)
        return value, pull_back((np.ones(3), 0.0)), pull_back((np.zeros(3), 2.0))

    value, first, second = both(X, 2.0)
    assert np.allclose(value[0], np.sin(X) * 2.0)
    assert value[1] == 7.0
    assert np.allclose(first[0], 2.0 * np.cos(X))
    assert np.isclose(first[1], np.sum(np.sin(X)))
    assert np.allclose(second[0], 4.0)
    assert np.isclose(second[1], 2.0 * np.sum(X))


def test_later_changes_do_not_reach_it() -> None:
    @numba.njit
    def changed(x):
        pull_back = enzyme.vjp(squares, x)[1]
        x[:] = 0.0
        return pull_back(1.0)[0]

    assert np.allclose(changed(X.copy()), 2 * X)


def test_a_kernel_that_writes_its_argument_writes_a_copy() -> None:
    @numba.njit
    def twice(x):
        pull_back = enzyme.vjp(emptied, x)[1]
        return pull_back(1.0)[0], pull_back(1.0)[0], x

    x = X.copy()
    first, second, after = twice(x)
    assert np.allclose(first, 2 * X)
    assert np.allclose(second, 2 * X)
    assert np.array_equal(after, X)


def test_strided_arguments() -> None:
    @numba.njit
    def reversed_gradient(x):
        return enzyme.vjp(squares, x[::-1])[1](1.0)[0]

    assert np.allclose(reversed_gradient(X), 2 * X[::-1])


def test_it_can_be_differentiated() -> None:
    # d/dx sum (2 x)^3 = 24 x^2
    @enzyme.jit
    def cubes_of_gradient(x):
        return np.sum(enzyme.vjp(squares, x)[1](1.0)[0] ** 3)

    assert np.allclose(enzyme.grad(cubes_of_gradient)(X), 24 * X**2)


def test_cotangents_of_a_long_tuple() -> None:
    """Paired one after the other, more than 34 numbers nested too deep for Python's stack."""
    terms = ", ".join(f"x * {number}.0" for number in range(60))
    scope: dict[str, Any] = {}
    exec(f"def multiples(x):\n    return ({terms})", scope)
    values, pull_back = enzyme.vjp(numba.njit(scope["multiples"]), 0.5)
    assert values == tuple(0.5 * number for number in range(60))
    weights = tuple(float(number % 3) for number in range(60))
    assert pull_back(weights) == (sum(n * (n % 3) for n in range(60)),)
