"""Squares of norms, sizes and roots at zero: their second derivatives are 2, though a norm has none there.

They were 0, without a word: of a sum of `abs(psi)**2` the Hessian had nothing in the rows of amplitudes that are zero.
"""

from __future__ import annotations

import numba
import numpy as np

import enzyme_py as enzyme

PLAIN = np.diag([2.0, 2.0])


@numba.njit
def length(x):
    return np.sqrt(x[0] * x[0] + x[1] * x[1])


@numba.njit
def squares(x, k):
    if k == 0:
        return np.linalg.norm(x) ** 2
    if k == 1:
        return np.hypot(x[0], x[1]) ** 2.0
    if k == 2:
        return length(x) * length(x)
    if k == 3:
        return abs(complex(x[0], x[1])) ** 2
    if k == 4:
        return np.sum(np.abs(x + 0j) ** 2)
    if k == 5:
        return 1.0 - np.exp(-((length(x) / 2.0) ** 2))  # 2 / 4 of it at zero
    if k == 6:
        r = np.linalg.norm(x)
        return 0.5 * 3.0 * r * r
    return np.sum(np.sqrt(x * x) ** 2)


def at_zero(k: int) -> np.ndarray:
    return PLAIN * {5: 0.25, 6: 1.5}.get(k, 1.0)


def at_two(k: int) -> np.ndarray:
    """At (0, 2): 1 - exp(-r r / 4) has the slope r / 2 exp(-r r / 4) by r, so its rows are 1 / 2 and 1 / 2 - r r / 4 times exp(-1)."""
    return np.diag([0.5, -0.5]) * np.exp(-1.0) if k == 5 else at_zero(k)


def hessians(x: np.ndarray, k: int) -> list[np.ndarray]:
    """Return the Hessian in four ways, the rows as directions or as components."""
    rows = np.eye(2)
    along = [enzyme.jvp(gradient, (x, k), (row, None))[1] for row in rows]
    pulled = [pulled_component(x, k, i) for i in range(2)]
    twice = [[enzyme.jvp(slope, (x, row, k), (column, np.zeros(2), None))[1] for column in rows] for row in rows]
    of_slopes = [enzyme.grad(slope)(x, row, k) for row in rows]
    return [np.array(one) for one in (along, pulled, twice, of_slopes)]


gradient = enzyme.grad(squares)
pulled_component = enzyme.grad(lambda x, k, i: gradient(x, k)[i])


def slope(x, direction, k):
    return enzyme.jvp(squares, (x, k), (direction, None))[1]


def test_hessians() -> None:
    for k in range(8):
        for x, right in ((np.zeros(2), at_zero(k)), (np.array([0.0, 2.0]), at_two(k))):
            for found in hessians(x, k):
                np.testing.assert_allclose(found, right, rtol=1e-14, atol=1e-14, err_msg=f"{k} at {x}")
            np.testing.assert_allclose(gradient(x, k), right @ x if k != 5 else x / 2.0 * np.exp(-x @ x / 4.0), rtol=1e-14)


def test_a_norm_has_no_second_derivative() -> None:
    gradient = enzyme.grad(lambda x: np.linalg.norm(x) + np.hypot(x[0], x[1]))
    for direction, change in (([1.0, 0.0], [np.inf, 0.0]), ([0.0, 0.0], [0.0, 0.0])):
        np.testing.assert_array_equal(enzyme.jvp(gradient, (np.zeros(2),), (np.array(direction),)), ([0.0, 0.0], change))


def test_powers_that_are_flat_at_zero() -> None:
    def powers(x):
        r = np.linalg.norm(x)
        return r**3 + r**4

    np.testing.assert_array_equal(enzyme.jacfwd(enzyme.grad(powers))(np.zeros(2)), np.zeros((2, 2)))


def test_values_are_numbas() -> None:
    """A square is still the square of the root: 2.0000000000000004 of a root of 2."""
    x, d = np.array([1.0, 1.0]), np.ones(2)
    value = enzyme.jvp(lambda x: enzyme.jvp(lambda x: length(x) ** 2, (x,), (d,))[0], (x,), (d,))[0]
    assert value == length(x) ** 2 != 2.0


@numba.njit
def chosen(x, k):
    r = np.hypot(x[0], x[1])
    if k == 0:
        return min(r, 3.0) ** 2
    if k == 1:
        m = r if x[1] < 5.0 else x[0]
        return m * m
    if k == 2:
        for _ in range(3):
            if r > 5.0:
                r = r * 0.5
        return r * r
    s = max(r, np.hypot(x[0], 0.5 * x[1]))
    return (2.0 * s / 4.0) * (2.0 * s)


def test_a_root_or_something_else() -> None:
    """At zero, and at (0, 2), all of them are the square of the root."""
    along = enzyme.hessian(chosen)
    twice = enzyme.jacfwd(enzyme.jacfwd(chosen))
    for k in range(4):
        for x in (np.zeros(2), np.array([0.0, 2.0])):
            for hessian in (along, twice):
                np.testing.assert_allclose(hessian(x, k), PLAIN, rtol=1e-13, atol=1e-15, err_msg=f"{k} at {x}")
