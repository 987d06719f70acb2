"""Loops that write in place from a place that is another one in each iteration, and overlaps the last one.

Each makes a[i] into a[i] a[i + 1]^2, one after the other, so that all is read as it was.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

import enzyme_py as enzyme

X = np.array([0.9, -0.4, 1.3, 0.7, -1.1, 0.6])


@numba.njit
def by_slices(x):
    a = x * 2.0
    v = a
    for _ in range(x.size - 1):
        v[0] = v[0] * v[1] * v[1]
        v = v[1:]
    return a.sum()


@numba.njit
def by_slices_of_some(x, step):
    a = x * 2.0
    v = a
    while v.size > step:
        v[0] = v[0] * v[1] * v[1]
        v = v[step:]
    return a.sum()


@numba.njit
def by_slices_of_the_argument(x):
    v = x
    for _ in range(x.size - 1):
        v[0] = v[0] * v[1] * v[1]
        v = v[1:]
    return x.sum()


@numba.njit
def by_a_list_of_views(x):
    a = x * 2.0
    views = [a[:2]]
    for i in range(1, a.size - 1):
        views.append(a[i : i + 2])  # noqa: PERF401  # of a list that is written at once, Numba makes an array here
    for one in views:
        one[0] = one[0] * one[1] * one[1]
    return a.sum()


@numba.njit
def by_views_and_a_loop(x):
    a = x * 2.0
    views = [a[i : i + 2] for i in range(a.size - 1)]
    for i in range(len(views)):
        view = views[i]
        for j in range(1):
            view[j] = view[j] * view[j + 1] * view[j + 1]
    return a.sum()


@pytest.mark.parametrize(
    ("kernel", "more", "factor"),
    [
        (by_slices, (), 2.0),
        (by_slices_of_some, (1,), 2.0),
        (by_slices_of_the_argument, (), 1.0),
        (by_a_list_of_views, (), 2.0),
        (by_views_and_a_loop, (), 2.0),
    ],
)
def test_what_the_next_iteration_writes_over_is_cached(kernel: Callable[..., Any], more: tuple[int, ...], factor: float) -> None:
    a = factor * X
    by_a = np.append(a[1:] ** 2, 1.0)
    by_a[1:] += 2.0 * a[:-1] * a[1:]
    np.testing.assert_allclose(enzyme.gradient(kernel, X.copy(), *more)[0], factor * by_a, rtol=1e-13)
    _, slope = enzyme.jvp(kernel, (X.copy(), *more), (X.copy(), *(0 for _ in more)))
    np.testing.assert_allclose(slope, np.sum(factor * by_a * X), rtol=1e-13)


def by_a_hash(x):
    """A product that leaves 64 bits is negative in every third iteration or so: no inequality holds of it."""
    a = x * 1.1
    total = 0.0
    for i in range(x.size):
        for j in range(x.size):
            total += np.sin(a[j] * x[i])
        if np.int64(i + 1) * 2862933555777941757 < 0:
            for j in range(x.size):
                a[j] = a[j] * x[i] * 0.9
    return total


def test_a_hash_is_no_number_of_its_factors() -> None:
    x = X.copy()
    step = 1e-30
    want = np.empty(x.size)
    for place in range(x.size):
        moved = x.astype(complex)
        moved[place] += 1j * step
        with np.errstate(over="ignore"):
            want[place] = by_a_hash(moved).imag / step
    np.testing.assert_allclose(enzyme.grad(numba.njit(by_a_hash))(x), want, rtol=1e-12)
