"""Sizes of temporaries, where a function has loops on threads: Numba asks for them, and array expressions may not take their place.

The slopes are those of plain loops, written by hand for one of them.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest
from numba import prange

import enzyme_py as enzyme

X = np.linspace(0.1, 0.9, 7)


def counted_by_a_product(x):
    p, q = x * 0.5, np.cos(x) * 0.3
    p, q = q, np.sin(p)
    t = 0.0
    for i in prange(len(p)):
        t += x[i] * p[i]
    return t + np.sum(np.sin(q) * 0.3)


def multiplied(x):
    p, q = x * 0.5, np.cos(x) * np.sin(x[0])
    for _ in range(3):
        p, q = q, np.sin(p)
    t = 0.0
    for i in prange(x.size):
        t += x[i] * x[i]
    return t + np.sum(p * q)


def picked(x):
    """Of another size than the array in the expression."""
    p = np.repeat(x, 2) * 0.5
    q = np.sin(np.repeat(x, 2))
    t = 0.0
    for i in prange(len(p)):
        t += p[i] * q[i]
    return t + np.sum(p * q)


@pytest.mark.parametrize("f", [counted_by_a_product, multiplied, picked])
def test_slopes_on_threads_are_those_of_plain_loops(f: Any) -> None:
    with enzyme.config(threads=2):
        value, slope = enzyme.value_and_grad(numba.njit(parallel=True)(f))(X)
    assert value == pytest.approx(f(X), rel=1e-14)
    np.testing.assert_allclose(slope, enzyme.grad(f)(X), rtol=1e-13, atol=1e-15)
    if f is counted_by_a_product:  # sum of 0.3 x cos x + 0.3 sin(sin(x / 2))
        by_hand = 0.3 * (np.cos(X) - X * np.sin(X)) + 0.15 * np.cos(np.sin(X / 2)) * np.cos(X / 2)
        np.testing.assert_allclose(slope, by_hand, rtol=1e-13)
