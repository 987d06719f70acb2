"""Arrays that a function leaves in a variable of its caller's loop, through code that LLVM does not inline."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

import enzyme_py as enzyme

X = np.array([0.7, -0.4, 0.35])
C = np.array([0.3, 0.8, -0.5])
WAY = np.array([0.4, 1.0, -0.7])

Kernel = Callable[..., Any]


def summed(x, c, n):
    wide = np.zeros(2 * x.size, x.dtype)
    wide[::2] = x * x
    v = wide[::2]  # np.outer copies what is no whole array; twice, so that the copy stays a call
    s = np.outer(v, c)[0, 0]
    for t in range(n):
        s = s + np.outer(c, v)[1, 1] * (t + 1.0)
    return s


def multiplied(x, c, n):
    wide = np.zeros(2 * x.size, x.dtype)
    wide[::2] = x * x
    v = wide[::2]
    a = np.outer(v, c)
    for _ in range(n):
        a = a * a * 0.3 + np.outer(c, v)
    return np.sum(a * a)


def products(x, c, n):
    wide = np.zeros(2 * x.size, x.dtype)
    wide[::2] = x * x
    v = wide[::2]
    a = np.outer(v, c)
    for _ in range(n):
        a = a @ a * 0.3 + np.outer(c, v)
    return np.sum(a * a)


def in_two_loops(x, c, n):
    wide = np.zeros(2 * x.size, x.dtype)
    wide[::2] = x * x
    v, s = wide[::2], 0.0 * x[0]
    for t in range(n):
        for u in range(n):
            s = s + np.sum(np.outer(c * (u + 1), v) @ np.outer(v, c + t))
    return s


def some_turns_only(x, c, n):
    wide = np.zeros(2 * x.size, x.dtype)
    wide[::2] = x * x
    v, t = wide[::2], 0
    q = np.outer(v, c)
    while t < n:
        t += 1
        if t == 2:
            continue
        q = np.outer(c, v).T * q
    return np.sum(q)


KERNELS = [summed, multiplied, products, in_two_loops, some_turns_only]


def gradient(kernel: Kernel, x: Any, n: int) -> Any:
    """Return the gradient by complex steps in plain Python."""
    return np.array([kernel(x + 1e-30j * e, C, n).imag / 1e-30 for e in np.eye(x.size)])


def test_each_turn_counts() -> None:
    """The gradient of c0 x0^2 + (1 + 2 + 3) c1 x1^2."""
    want = np.array([2 * X[0] * C[0], 6 * 2 * X[1] * C[1], 0.0])
    np.testing.assert_allclose(enzyme.grad(numba.njit(summed))(X, C, 3), want, rtol=1e-14)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
@pytest.mark.parametrize("n", [1, 3])
def test_first_orders(kernel: Kernel, n: int) -> None:
    made, want = numba.njit(kernel), gradient(kernel, X, n)
    np.testing.assert_allclose(enzyme.grad(made)(X, C, n), want, rtol=1e-12, atol=1e-14)
    pushed = enzyme.jvp(made, (X, C, n), (WAY, 0 * C, 0))[1]
    assert pushed == pytest.approx(want @ WAY, rel=1e-12)


@pytest.mark.parametrize("kernel", [summed, products, in_two_loops], ids=lambda one: one.__name__)
def test_second_orders(kernel: Kernel) -> None:
    slope = enzyme.grad(numba.njit(kernel))

    @numba.njit
    def along(x, way, c, n):
        return np.sum(slope(x, c, n) * way)

    steps = (1e-4, 2e-4)
    near, far = (
        (gradient(kernel, X + h * WAY, 3) - gradient(kernel, X - h * WAY, 3)) / (2 * h)
        for h in steps
    )
    want = (4 * near - far) / 3
    found = enzyme.grad(along)(X, WAY, C, 3)
    np.testing.assert_allclose(found, want, rtol=1e-8, atol=1e-10)
    pushed = enzyme.jvp(along, (X, WAY, C, 3), (WAY, 0 * WAY, 0 * C, 0))[1]
    assert pushed == pytest.approx(want @ WAY, rel=1e-8)
