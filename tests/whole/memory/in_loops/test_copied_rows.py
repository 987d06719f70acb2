"""Copies of what a later iteration writes over (passes/memory/overwriting/later_iterations.py).

Without the cure the copies were made again, in the reverse sweep, of what the next iterations had written. Found by the reading of passes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from tests.whole.by_complex_numbers import gradient_by_complex_numbers

X = np.array([0.9, 1.1, 0.8, 0.6])
V = np.array([0.3, -1.0, 0.7, 0.4])


@numba.njit
def rows(x, n):
    m = np.zeros((n + 1, x.size), dtype=x.dtype)
    for t in range(n + 1):
        m[t] = x * (t + 1)
    for t in range(n):
        z = m[t + 1].copy()
        m[t] = z * z * z
    return np.sum(m)


@numba.njit
def chosen(x, n):
    u = x * 1.0
    w = x + 1.0
    for t in range(n):
        source, to = (u, w) if t % 2 == 0 else (w, u)
        z = source.copy()
        to[:] = z * z
    return np.sum(u)


@numba.njit
def downwards(x, n):
    m = np.zeros((n + 1, x.size), dtype=x.dtype)
    for t in range(n + 1):
        m[t] = x * (t + 1) * 0.3
    for t in range(n - 1, -1, -1):
        z = m[t].copy()
        m[t + 1] = z * z * z
    return np.sum(m)


@numba.njit
def blocks(x, n):
    m = np.zeros((n + 1, x.size, 2), dtype=x.dtype)
    for t in range(n + 1):
        m[t, :, 0] = x * (t + 1) * 0.3
        m[t, :, 1] = x * x * (t + 1) * 0.2
    for t in range(n):
        z = m[t + 1].copy()
        m[t] = z * z * z
    return np.sum(m)


@numba.njit
def of_a_tuple(x, n):
    both = (x * 1.0, x + 1.0)
    for t in range(n):
        z = both[t % 2].copy()
        both[(t + 1) % 2][:] = z * z * 0.5
    return np.sum(both[0])


@numba.njit
def chosen_twice(x, n):
    if x[0].real < x[1].real:
        u, w = x * 1.0, x + 1.0
    else:
        w, u = x * 2.0, x - 0.5
    for t in range(n):
        source, to = (u, w) if t % 2 == 0 else (w, u)
        z = source.copy()
        to[:] = z * z * 0.5
    return np.sum(u)


@numba.njit
def chosen_twice_by_elements(x, n):
    if x[0].real < x[1].real:
        u, w = x * 1.0, x + 1.0
    else:
        w, u = x * 2.0, x - 0.5
    for t in range(n):
        source, to = (u, w) if t % 2 == 0 else (w, u)
        for i in range(x.size):
            to[i] = source[i] * source[i] * 0.5
    return np.sum(u)


@numba.njit
def exchanged(x, n):
    a, b = x * 1.1, np.cos(x)
    for _ in range(n):
        source, to = a, b
        a, b = b, a
        copy = source.copy()
        to[:3] = 0.5 * to[:3] + copy[1:] * copy[:-1]
    return np.sum(a * a) + np.sum(np.sin(b))


@numba.njit
def three_in_turn(x, n):
    a, b, c = x * 1.1, np.cos(x), x * x
    kept = np.zeros(3, dtype=x.dtype)
    for _ in range(n):
        kept[:] = a[1:]
        b[:3] = kept * a[:3] + 0.1 * b[:3]
        c[0] = kept[0] * kept[1]
        a, b, c = b, c, a
    return np.sum(a * a) + np.sum(np.sin(b)) + np.sum(c)


@numba.njit
def exchanged_sometimes(x, n):
    a, b = x * 1.1, np.cos(x)
    for _ in range(n):
        source, to = a, b
        if a[0].real > b[1].real:
            a, b = b, a
        copy = source.copy()
        to[:] = np.concatenate((copy[1:] * copy[:-1], copy[:1]))
    return np.sum(a * a) + np.sum(np.sin(b))


KERNELS = [
    rows,
    chosen,
    downwards,
    blocks,
    of_a_tuple,
    chosen_twice,
    chosen_twice_by_elements,
    exchanged,
    three_in_turn,
    exchanged_sometimes,
]


def test_by_hand() -> None:
    """Row t comes to (x (t + 2))^3; the two arrays to x^2, x^4, x^8, x^16 in turn."""
    wanted = 3 * X**2 * sum((t + 2) ** 3 for t in range(4)) + 5
    np.testing.assert_allclose(enzyme.grad(rows)(X, 4), wanted, rtol=1e-13)
    np.testing.assert_allclose(enzyme.grad(chosen)(X, 4), 16 * X**15, rtol=1e-13)
    np.testing.assert_allclose(enzyme.jvp(enzyme.grad(chosen), (X, 4), (V, 0))[1], 240 * X**14 * V, rtol=1e-12)


@pytest.mark.parametrize("kernel", KERNELS)
def test_by_complex_numbers(kernel: Callable[..., Any]) -> None:
    wanted = gradient_by_complex_numbers(kernel, X, 4)
    np.testing.assert_allclose(enzyme.grad(kernel)(X, 4), wanted, rtol=1e-12)
    np.testing.assert_allclose(enzyme.jvp(kernel, (X, 4), (V, 0))[1], wanted @ V, rtol=1e-12)
