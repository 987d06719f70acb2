"""Loops that go on as long as a counter is less than what the loop itself changes.

Without the pass `moving bounds` most of these are wrong, raise, or end the process; where a side may be negative they are right. All are quadratic:
squares of the first so many numbers, or products of numbers from both ends, whose gradient is the numbers turned round.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest
from numba.typed import List

import enzyme_py as enzyme
from enzyme_py import Const

N = 8
X, V = (np.random.default_rng(seed).uniform(0.5, 1.5, N) for seed in (1, 2))
LIMITS = [9, 3, 1, 3, 9, 9, 9, 9]  # 2 is not less than 1
Kernel = Callable[[Any, Any], Any]


@numba.njit
def halved(x: Any, n: Any) -> Any:
    """Squares of four: 32, 16, 8 and 4 are more than 0, 1, 2 and 3; 2 is less than 4."""
    s, i, m = 0.0, 0, 4 * n
    while i < m:
        s += x[i] * x[i]
        m //= 2
        i += 1
    return s


@numba.njit
def shifted(x: Any, n: Any) -> Any:
    s, i, m = 0.0, 0, 4 * n
    while m > i:
        s += x[i] * x[i]
        m >>= 1
        i += 1
    return s


@numba.njit
def limited(x: Any, limits: Any) -> Any:
    """Squares of two."""
    s, i = 0.0, 0
    while i < limits[i]:
        s += x[i] * x[i]
        i += 1
    return s


@numba.njit
def limited_behind(x: Any, limits: Any) -> Any:
    s, i = 0.0, 0
    while True:
        s += x[i] * x[i]
        i += 1
        if i >= limits[i]:
            return s


@numba.njit
def from_both_ends(x: Any, n: Any) -> Any:
    s, i, j = 0.0, 0, n - 1
    while i < j:
        s += x[i] * x[j]
        i += 1
        j -= 1
    return s


@numba.njit
def without_signs(x: Any, n: Any) -> Any:
    s, i, j, one = 0.0, np.uint64(0), np.uint64(n - 1), np.uint64(1)
    while i < j:
        s += x[i] * x[j]
        i += one
        j -= one
    return s


@numba.njit
def listed(x: Any, n: Any) -> Any:
    items = List()
    for k in range(n):
        items.append(x[k])
    return items


@numba.njit
def of_a_list(x: Any, n: Any) -> Any:
    items = listed(x, n)
    s, i, j = 0.0, 0, len(items) - 1
    while i < j:
        s += items[i] * items[j]
        i += 1
        j -= 1
    return s


@numba.njit
def taken_off(x: Any, n: Any) -> Any:
    items = listed(x, n)
    s, i = 0.0, 0
    while i < len(items) - 1:
        s += items[i] * items.pop()
        i += 1
    return s


@numba.njit
def turned_round(x: Any, n: Any) -> Any:
    items = listed(x, n)
    items.reverse()
    s = 0.0
    for k in range(n // 2):
        s += x[k] * items[k]
    return s


SQUARES = [
    pytest.param(halved, N, 4, id="halved"),
    pytest.param(shifted, N, 4, id="shifted"),
    *(
        pytest.param(kernel, np.array(LIMITS, kind), 2, id=f"{kernel.__name__}-{kind.__name__}")
        for kernel in (limited, limited_behind)
        for kind in (np.uint8, np.uint32, np.int64, np.uint64)
    ),
]
PRODUCTS = [from_both_ends, without_signs, of_a_list, taken_off, turned_round]


def check(kernel: Any, x: Any, given: Any, slope: Any, bent: Any) -> None:
    """Ask for value, gradient and tangent, and the Hessian times V in three nestings."""
    v = V[: x.size].copy()

    @numba.njit
    def along(x: Any, given: Any) -> Any:
        return np.sum(enzyme.grad(kernel)(x, given) * v)

    @numba.njit
    def tangent(x: Any, given: Any) -> Any:
        return enzyme.autodiff(enzyme.Forward, kernel, enzyme.Duplicated, enzyme.Duplicated(x, v.copy()), Const(given))[0]

    value, gradient = enzyme.value_and_grad(kernel)(x, given)
    np.testing.assert_allclose(value, 0.5 * x @ slope, rtol=1e-13)  # it is quadratic
    np.testing.assert_allclose(gradient, slope, rtol=1e-13)
    np.testing.assert_allclose(tangent(x, given), slope @ v, rtol=1e-13)
    np.testing.assert_allclose(enzyme.grad(along)(x, given), bent, rtol=1e-13)
    np.testing.assert_allclose(enzyme.grad(tangent)(x, given), bent, rtol=1e-13)
    forward = enzyme.autodiff(enzyme.Forward, along, enzyme.Duplicated, enzyme.Duplicated(x, v), Const(given))[0]
    np.testing.assert_allclose(forward, v @ bent, rtol=1e-13)


@pytest.mark.parametrize(("kernel", "given", "count"), SQUARES)
def test_squares_of_the_first(kernel: Any, given: Any, count: int) -> None:
    first = np.arange(N) < count
    check(kernel, X, given, 2.0 * X * first, 2.0 * V * first)


@pytest.mark.parametrize("n", [N, N - 1])
@pytest.mark.parametrize("kernel", PRODUCTS)
def test_products_from_both_ends(kernel: Any, n: int) -> None:
    x, v = X[:n].copy(), V[:n]
    middle = np.arange(n) * 2 == n - 1
    check(kernel, x, n, np.where(middle, 0.0, x[::-1]), np.where(middle, 0.0, v[::-1]))
