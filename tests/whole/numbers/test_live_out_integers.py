"""Integers that an inner loop computes and code behind it uses: as a length, a bound, an index."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py import Active, Const, Duplicated

X = np.array([0.5, -0.3, 0.7, 1.2])
S = 2.0
POSITIVE = 3  # of X

Gradient = tuple[np.ndarray, float]


@numba.njit
def length_of_a_slice(x, s, n):
    total = 0.0
    for i in range(n):
        m = 0
        for j in range(n):
            if x[j] > 0.1:
                m += 1
        z = np.sin(x[:m] * s)
        total += z[m - 1] ** 2 * x[i]
    return total


def of_a_slice() -> Gradient:
    """Return the gradient of sin(x2 s)^2 (x0 + x1 + x2 + x3)."""
    z, slope = np.sin(X[2] * S), np.cos(X[2] * S)
    along = np.full(4, z * z)
    along[2] += X.sum() * 2 * z * slope * S
    return along, X.sum() * 2 * z * slope * X[2]


@numba.njit
def written_slice(x, s, n):
    v = x.copy()
    for _ in range(n):
        m = 0
        for j in range(n):
            if x[j] > 0.1:
                m += 1
        v[:m] = np.sin(v[:m] * s)
    return np.sum(v)


def of_written_slice() -> Gradient:
    """Return the gradient of v <- sin(v s), four times, for the first three; their sum with x3."""
    v, by_x, by_s = X[:POSITIVE], np.ones(POSITIVE), np.zeros(POSITIVE)
    for _ in range(len(X)):
        slope = np.cos(v * S)
        v, by_x, by_s = np.sin(v * S), slope * S * by_x, slope * (v + S * by_s)
    return np.append(by_x, 1.0), float(by_s.sum())


@numba.njit
def bounds_without_arrays(x, s, n):
    total = 0.0
    for _ in range(n):
        m = 0
        for j in range(n):
            if x[j] > 0.1:
                m += 1
        y = x[m - 2 : m]
        t = 1.0
        for k in range(len(y)):
            for h in range(len(y)):
                t = t * (y[k] + y[h]) * s
        total = total * total + t
    return total


def of_bounds() -> Gradient:
    """Return the gradient of q <- q^2 + t, four times, where t = 4 x1 x2 (x1 + x2)^2 s^4."""
    one, two = X[1], X[2]
    t = 4 * one * two * (one + two) ** 2 * S**4
    by_x = np.zeros(4)
    by_x[1] = 4 * S**4 * two * (one + two) * (3 * one + two)
    by_x[2] = 4 * S**4 * one * (one + two) * (one + 3 * two)
    q = slope = 0.0
    for _ in range(len(X)):
        q, slope = q * q + t, 2 * q * slope + 1.0
    return slope * by_x, slope * 4 * t / S


@numba.njit
def masked(x, s, n):
    y = x.copy()
    for _, _ in enumerate(x):
        y[n - 1] = np.sum(x[x > 0.1]) * s
    return np.sum(np.sin(y))


def of_masked() -> Gradient:
    """Return the gradient of sin(x0) + sin(x1) + sin(x2) + sin(s (x0 + x2 + x3))."""
    chosen = np.array([1.0, 0.0, 1.0, 1.0])
    slope = np.cos(S * (chosen @ X))
    by_x = np.cos(X) * [1.0, 1.0, 1.0, 0.0] + slope * S * chosen
    return by_x, float(slope * (chosen @ X))


KERNELS = [
    (length_of_a_slice, of_a_slice),
    (written_slice, of_written_slice),
    (bounds_without_arrays, of_bounds),
    (masked, of_masked),
]


@pytest.mark.parametrize(("kernel", "answer"), KERNELS)
def test_reverse_mode(kernel: Any, answer: Callable[[], Gradient]) -> None:
    shadow = np.zeros(4)
    ((_, by_s, _),) = enzyme.autodiff(
        enzyme.Reverse, kernel, Active, Duplicated(X, shadow), Active(S), Const(4)
    )
    want_x, want_s = answer()
    np.testing.assert_allclose(shadow, want_x, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(by_s, want_s, rtol=1e-12)


@pytest.mark.parametrize(("kernel", "answer"), KERNELS)
def test_split_mode(kernel: Any, answer: Callable[[], Gradient]) -> None:
    shadow = np.zeros(4)
    given = Duplicated(X, shadow), Active(S), Const(4)
    forward, reverse = enzyme.autodiff_thunk(enzyme.ReverseSplitWithPrimal, kernel, Active, *given)
    tape, value, _ = forward(*given)
    ((_, by_s, _),) = reverse(*given, 1.0, tape)
    want_x, want_s = answer()
    assert value == kernel(X, S, 4)
    np.testing.assert_allclose(shadow, want_x, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(by_s, want_s, rtol=1e-12)


def test_a_list_that_grows_in_split_mode() -> None:
    """The pass chose what to keep such that it failed an assertion; it is asked for another choice."""

    @numba.njit
    def kernel(x, s):
        return s * sum([v * v for v in x])

    shadow = np.zeros(4)
    given = Duplicated(X, shadow), Active(S)
    forward, reverse = enzyme.autodiff_thunk(enzyme.ReverseSplitWithPrimal, kernel, Active, *given)
    tape, value, _ = forward(*given)
    ((_, by_s),) = reverse(*given, 1.0, tape)
    np.testing.assert_allclose([value, by_s], [S * (X @ X), X @ X], rtol=1e-15)
    np.testing.assert_allclose(shadow, 2 * S * X, rtol=1e-15)
