"""Loops in which one question chooses the array that is read and the one that is written.

Each step takes b[j] = a[j]^2 + a[j - 1] / 8, or a of b, as w says.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

import enzyme_py as enzyme

X = np.array([0.3, 0.8, -0.5, 0.7])
W = np.array([1.5, 0.5, 0.2, 1.1, 1.7])


@numba.njit
def by_two_choices(x, w):
    a, b = x * 1.5, x + 0.25
    for one in w:
        source = a if one > 1.0 else b
        target = b if one > 1.0 else a
        for j in range(x.size):
            target[j] = source[j] * source[j] + 0.125 * source[j - 1]
    return np.sum(a * b)


@numba.njit
def by_branches(x, w):
    a, b = x * 1.5, x + 0.25
    for one in w:
        if one > 1.0:
            source, target = a, b
        else:
            source, target = b, a
        for j in range(x.size):
            target[j] = source[j] * source[j] + 0.125 * source[j - 1]
    return np.sum(a * b)


@numba.njit
def pick(is_first, a, b):
    if is_first:
        return a, b
    return b, a


@numba.njit
def by_a_function(x, w):
    a, b = x * 1.5, x + 0.25
    for one in w:
        source, target = pick(one > 1.0, a, b)
        for j in range(x.size):
            target[j] = source[j] * source[j] + 0.125 * source[j - 1]
    return np.sum(a * b)


@numba.njit
def by_a_tuple(x, w):
    a, b = x * 1.5, x + 0.25
    both = (a, b)
    for one in w:
        k = int(one <= 1.0)
        source, target = both[k], both[1 - k]
        for j in range(x.size):
            target[j] = source[j] * source[j] + 0.125 * source[j - 1]
    return np.sum(a * b)


@numba.njit
def by_views(x, w):
    a, b = x * 1.5, x + 0.25
    for one in w:
        source = a[::-1] if one > 1.0 else b[::-1]
        target = b[::-1] if one > 1.0 else a[::-1]
        for j in range(x.size):
            k = x.size - 1 - j
            target[k] = source[k] * source[k] + 0.125 * source[k + 1 - x.size * (k + 1 == x.size)]
    return np.sum(a * b)


def slopes(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Return the gradient, of the columns that each array has by x."""
    n = x.size
    a, b, by_a, by_b = x * 1.5, x + 0.25, 1.5 * np.eye(n), np.eye(n)
    for one in w:
        source, by_source = (a, by_a) if one > 1.0 else (b, by_b)
        target, by_target = source**2 + 0.125 * np.roll(source, 1), 2.0 * source[:, None] * by_source + 0.125 * np.roll(by_source, 1, axis=0)
        if one > 1.0:
            b, by_b = target, by_target
        else:
            a, by_a = target, by_target
    return b @ by_a + a @ by_b


@pytest.mark.parametrize("kernel", [by_two_choices, by_branches, by_a_function, by_a_tuple, by_views])
def test_what_another_iteration_writes_over_is_cached(kernel: Callable[..., Any]) -> None:
    want = slopes(X, W)
    np.testing.assert_allclose(enzyme.grad(kernel)(X, W), want, rtol=1e-12)
    value, slope = enzyme.jvp(kernel, (X, W), (np.ones(X.size), np.zeros(W.size)))
    np.testing.assert_allclose((value, slope), (kernel(X, W), np.sum(want)), rtol=1e-12)
