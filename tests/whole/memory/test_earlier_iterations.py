"""Loops that read what an earlier turn has written, and what is written over behind them.

Of each the value is known by hand, or forward mode tells, which keeps nothing.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from tests.whole.by_forward_mode import gradient_by_forward_mode

X = np.array([0.9, -1.1, 1.2, 0.8, -1.05, 0.95])
C = np.array([0.3, 0.8, -0.5, 0.25, 1.2, -0.1])


def two_apart(x, c):
    u = x.copy()
    for i in range(2, u.size):
        u[i] = u[i] * u[i - 2]
    for i in range(u.size):
        u[i] = u[i] * u[i]
    return np.sum(c * u)


def of_an_argument(x, c):
    for i in range(2, x.size):
        x[i] = x[i] * x[i - 2]
    x *= x
    return np.sum(c * x)


def by_while(x, c):
    u, i = x.copy(), 2
    while i < u.size:
        u[i] *= u[i - 2]
        i += 1
    return np.sum(c * u * u) + 0.0 * np.sum(cleared(u))


@numba.njit
def cleared(u):
    u[:] = 0.0
    return u


def by_slices(x, c):
    u = x.copy()
    u[2:] *= u[:-2]  # Numba does it in place, from the left
    u *= u
    return np.sum(c * u)


def _products(x):
    """Return, for each i, the product of x_i, x_(i-2), ..., and which x are in it."""
    inside = np.array([[j <= i and (i - j) % 2 == 0 for j in range(x.size)] for i in range(x.size)])
    return np.prod(np.where(inside, x, 1.0), axis=1), inside


@pytest.mark.parametrize("kernel", [two_apart, of_an_argument, by_while, by_slices])
def test_squares_of_products(kernel: Any) -> None:
    """sum c_i p_i^2 with p_i = x_i x_(i-2) ...: its gradient by x_k is the sum of 2 c_i p_i^2 / x_k."""
    products, inside = _products(X)
    weights = C * products**2
    slope = enzyme.grad(kernel, argnums=0)
    np.testing.assert_allclose(slope(X.copy(), C), 2 * (weights @ inside) / X, rtol=1e-13)
    if kernel is of_an_argument:
        return
    # Each product has every one of its factors once, so it is 4 / (x_k x_l), and 2 / x_k^2 on the diagonal.
    hessian = 4 * (inside.T * weights) @ inside / np.outer(X, X)
    hessian -= np.diag(2 * (weights @ inside) / X**2)
    v = np.cos(X)

    def pull(x):
        return np.sum(slope(x, C) * v)

    def push(x):
        return enzyme.jvp(lambda z: kernel(z, C), (x,), (v,))[1]

    for first in (pull, push):
        np.testing.assert_allclose(enzyme.grad(first)(X), hessian @ v, rtol=1e-12)
    np.testing.assert_allclose(enzyme.jvp(pull, (X,), (C,))[1], C @ hessian @ v, rtol=1e-12)


def several_times(x, c):
    u = x.copy()
    for i in range(1, u.size):
        for _ in range(3):
            u[i] = u[i - 1] * u[i]
    for i in range(u.size):
        u[i] = u[i] * u[i]
    return np.sum(u)


def read_before(x, c):
    """The second loop reads where the first has read, but not the same numbers."""
    u, s = x.copy(), 0.0
    for i in range(u.size - 2):
        s += u[i] * u[i]
    for i in range(u.size - 2):
        u[i + 2] = u[i] * u[i]
    u *= u
    return np.sum(u) + s


def if_positive(x, c):
    u = x.copy()
    for i in range(2, u.size):
        if u[i] > 0:
            u[i] = u[i - 2] * u[i] * u[i - 2]
    u[1:] = 0.5 * u[1:] * u[1:]
    return np.sum(u)


def history(x, c):
    a = np.ones(x.size + 2)
    for i in range(x.size):
        a[i + 2] = a[i] * a[i + 1] * x[i]
    s = np.sum(a * a)
    a[:] = 0.0
    return s


def backwards(x, c):
    u = x.copy()
    for i in range(u.size - 3, -1, -1):
        u[i] *= u[i + 2] * u[i + 2]
    u[0] = u[1] = u[2] = 2.0
    return np.sum(u * u)


def rows(x, c):
    a = np.ones((6, 3))
    a[:, 0] = x
    a[0] = x[:3]
    for i in range(1, 6):
        for j in range(3):
            a[i, j] = a[i - 1, j] * (a[i, j] + a[i - 1, j])
    total = np.sum(a)
    for i in range(6):
        for j in range(3):
            a[i, j] = a[i, j] * a[i, j]
    return total + np.sum(a)


def diagonals(x, c):
    a = np.outer(x[:4], x[1:5])
    w = a * 1.0
    for i in range(1, 4):
        for j in range(3):
            w[i, j] += w[i - 1, j + 1] * a[i - 1, j + 1]
    for i in range(3, x.size):
        for _ in range(2):
            x[i - 1] += x[i - 1] * x[i - 3] * x[i - 1]
    return np.sum(a * w) + np.sum(x)


def sums_of_two(x, c):
    """Shifted by a slice, and behind another product in place."""
    y, z = x.copy(), x * 0.9
    y[:] = y * z
    z[1:] *= z[:-1]
    z *= y
    return np.sum(y * x) + np.sum(z)


KERNELS = (
    several_times,
    read_before,
    if_positive,
    history,
    backwards,
    rows,
    diagonals,
    sums_of_two,
)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
def test_reverse_mode_agrees_with_forward_mode(kernel: Any) -> None:
    compiled = numba.njit(kernel)
    found = enzyme.grad(compiled, argnums=0)(X.copy(), C)
    want = gradient_by_forward_mode(compiled, X, C)
    np.testing.assert_allclose(found, want, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("kernel", [rows, diagonals, sums_of_two], ids=lambda one: one.__name__)
def test_second_orders_agree_with_each_other(kernel: Any) -> None:
    """Forward over reverse keeps only in first order, which is asked above."""
    v = np.cos(X)

    def pure(x):
        return kernel(x.copy(), C)

    def pull(x):
        return np.sum(enzyme.grad(pure)(x) * v)

    def push(x):
        return enzyme.jvp(pure, (x,), (v,))[1]

    for first in (pull, push):
        want = gradient_by_forward_mode(pull, X)
        np.testing.assert_allclose(enzyme.grad(first)(X), want, rtol=1e-11, atol=1e-13)


def states(u):
    for t in range(2, u.size):
        u[t] = u[t - 1] * u[t - 2] * u[t - 2]
    return u[-1]


def states_and_an_end(u):
    for t in range(2, u.size):
        u[t] = u[t - 1] * u[t - 2] * u[t - 2]
    last = u[-1]
    u[:2] = 0.0
    return last


@pytest.mark.parametrize(("kernel", "is_kept"), [(states, False), (states_and_an_end, True)])
def test_only_what_is_written_over_is_kept(kernel: Any, is_kept: bool) -> None:
    """Kept numbers cost memory, one for each turn."""
    text = enzyme.inspect.ir(kernel, np.ones(5), stage="simplified")
    assert (", i64 %enzyme_py.far" in text) == is_kept
