"""Arrays that a loop makes and an inner loop fills with temporaries of its own: reverse mode computes neither of them wrongly again.

In the k-th of three turns the rows are r * (r backwards), r = p y for some products p of numbers of x, and (k + 1) times the sum of
their squares is added. With P the sum of all p^4 and Y that of (y_e y_-e)^2 the value is 6 P Y.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

import enzyme_py as enzyme

X = np.array([0.5, -0.8, 1.1])
Y = np.array([0.9, 0.4, -0.7, 1.2])
P = np.sum(X**4)
SQUARES = np.sum((Y * Y[::-1]) ** 2)
BY_Y = 24 * Y * Y[::-1] ** 2  # of 6 SQUARES: each pair is there twice


@numba.njit
def rows(x, y):
    t = 0.0
    for k in range(3):
        m = np.empty((x.size, y.size))
        for i in range(x.size):
            r = x[i] * y
            for e in range(y.size):
                m[i, e] = r[e] * r[y.size - 1 - e]
        for i in range(x.size):
            for e in range(y.size):
                t += (k + 1.0) * m[i, e] ** 2
    return t


@numba.njit
def rows_by_slices(x, y):
    t = 0.0
    for k in range(3):
        m = np.empty((x.size, y.size))
        for i in range(x.size):
            r = x[i] * y
            m[i, :] = r * r[::-1]
        t += (k + 1.0) * np.sum(m * m)
    return t


@numba.njit
def rows_of_one_vector(x, y):
    """The array is a vector: each row is added up before the next one."""
    t = 0.0
    for k in range(3):
        for i in range(x.size):
            row = np.zeros(y.size)
            for _ in range(1):
                r = x[i] * y
                for e in range(y.size):
                    row[e] += r[e] * r[y.size - 1 - e]
            t += (k + 1.0) * np.sum(row * row)
    return t


@numba.njit
def pairs(x, y):
    """A row for each two numbers of x: their products are the p."""
    n, t = x.size, 0.0
    for k in range(3):
        m = np.empty((n * n, y.size))
        for i in range(n):
            for j in range(n):
                r = x[i] * x[j] * y
                for e in range(y.size):
                    m[i * n + j, e] = r[e] * r[y.size - 1 - e]
        t += (k + 1.0) * np.sum(m * m)
    return t


@numba.njit
def pairs_in_steps(x, y):
    """The temporary of the inner loop is made from that of the one around it."""
    n, t = x.size, 0.0
    for k in range(3):
        m = np.empty((n * n, y.size))
        for i in range(n):
            r = x[i] * y
            for j in range(n):
                s = x[j] * r
                m[i * n + j] = s * s[::-1]
        t += (k + 1.0) * np.sum(m * m)
    return t


@numba.njit
def kronecker(x, y):
    """6 |x|^2 |y|^2."""
    t = 0.0
    for k in range(3):
        m = np.kron(x, y)
        t += (k + 1.0) * np.sum(m * m)
    return t


SINGLE = [rows, rows_by_slices, rows_of_one_vector]
DOUBLE = [pairs, pairs_in_steps]


@pytest.mark.parametrize("kernel", SINGLE, ids=lambda kernel: kernel.__name__)
def test_rows(kernel: Any) -> None:
    value, (by_x, by_y) = enzyme.value_and_grad(kernel, argnums=(0, 1))(X, Y)
    np.testing.assert_allclose(value, 6 * P * SQUARES, rtol=1e-14)
    np.testing.assert_allclose(by_x, 24 * X**3 * SQUARES, rtol=1e-13)
    np.testing.assert_allclose(by_y, P * BY_Y, rtol=1e-13)


@pytest.mark.parametrize("kernel", DOUBLE, ids=lambda kernel: kernel.__name__)
def test_rows_of_pairs(kernel: Any) -> None:
    value, (by_x, by_y) = enzyme.value_and_grad(kernel, argnums=(0, 1))(X, Y)
    np.testing.assert_allclose(value, 6 * P**2 * SQUARES, rtol=1e-14)
    np.testing.assert_allclose(by_x, 48 * P * X**3 * SQUARES, rtol=1e-13)
    np.testing.assert_allclose(by_y, P**2 * BY_Y, rtol=1e-13)


def test_a_kronecker_product_in_a_loop() -> None:
    x, y = X.reshape(1, 3), Y.reshape(2, 2)
    by_x, by_y = enzyme.grad(kronecker, argnums=(0, 1))(x, y)
    np.testing.assert_allclose(by_x, 12 * x * np.sum(y * y), rtol=1e-14)
    np.testing.assert_allclose(by_y, 12 * y * np.sum(x * x), rtol=1e-14)


@pytest.mark.parametrize("way", ["forward", "reverse"])
def test_second_derivatives(way: str) -> None:
    """The gradient by x is 24 x^3 Y: along v it changes by 72 x^2 v Y."""
    gradient, v = enzyme.grad(rows), np.array([1.0, 2.0, -0.5])

    @numba.njit
    def along(x, y, v):
        return np.sum(gradient(x, y) * v)

    if way == "forward":
        found = enzyme.jvp(lambda x: gradient(x, Y), (X,), (v,))[1]
    else:
        found = enzyme.grad(along)(X, Y, v)
    np.testing.assert_allclose(found, 72 * X**2 * v * SQUARES, rtol=1e-13)
