"""Loops as long as something that a loop around them makes anew, where the pass crashes if it may compute the length again.

In the k-th of three turns the kernel squares all numbers of (k + 1) x above 1: each x counts with (k + 1)^2 in the turns where
(k + 1) x > 1, and its slope is 2 x times the sum of those.
"""

from __future__ import annotations

import numba
import numpy as np

import enzyme_py as enzyme

X = np.array([1.51, 0.3, 0.9, 1.7, 0.2, 1.4])
COUNTED = np.array([sum(k * k for k in (1, 2, 3) if k * one > 1.0) for one in X])


@numba.njit
def squares_of_large(x):
    """The list that np.extract fills is as long as there are large numbers in a column."""
    t = 0.0
    for k in range(3):
        p = np.zeros((x.size, 2))
        p[:, 1] = x * (k + 1.0)
        column = p[:, 1]
        for one in np.extract(column > 1.0, column):
            t += one * one
    return t


def test_what_is_as_long_as_a_list() -> None:
    assert np.isclose(squares_of_large(X), COUNTED @ X**2)
    np.testing.assert_allclose(enzyme.grad(squares_of_large)(X), 2 * COUNTED * X, rtol=1e-14)
    slope = enzyme.jvp(squares_of_large, (X,), (np.ones(6),))[1]
    np.testing.assert_allclose(slope, 2 * COUNTED @ X, rtol=1e-14)


def test_its_second_derivative() -> None:
    gradient, v = enzyme.grad(squares_of_large), np.arange(1.0, 7.0)
    found = enzyme.jvp(gradient, (X,), (v,))[1]
    np.testing.assert_allclose(found, 2 * COUNTED * v, rtol=1e-14)


@numba.njit
def turned(x):
    """Numba counts the inner loop down, from the length of a view that it makes itself. The view ends as it began."""
    w = np.sin(x)
    rows = np.outer(x, w)
    order = np.argsort(-w)
    v, u, k = w, x.copy(), 1
    for i in range(4):
        for _ in range(min(v.size, 4)):
            v = v[::-1]
            k = (2 * k + i * i % 4) % 4
        u[i // 2] = np.sin(rows[k][i // 2] * v[i])
        u = x[k : k + 5].copy()
    return np.sum(v * v) + 0.5 * np.sum(u) + order[0]


def test_counted_down() -> None:
    x, v = np.linspace(0.1, 1.2, 7), np.cos(np.arange(7.0))
    slopes = np.sin(2 * x) + 0.5 * (np.arange(7) >= 3)  # k is 3 at the end
    np.testing.assert_allclose(enzyme.grad(turned)(x), slopes, rtol=1e-14)
    np.testing.assert_allclose(enzyme.jvp(turned, (x,), (v,))[1], slopes @ v, rtol=1e-14)
