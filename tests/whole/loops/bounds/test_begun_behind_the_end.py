"""Loops that look whether they are over only behind an iteration, and begin behind their end: they run once, and from where they begin.

Each adds x[i] x[t] for the i of its iterations, for all t: S times the sum of those x[i], with S the sum of x.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numba
import numpy as np
import pytest

import enzyme_py as enzyme

X = np.array([0.3, 0.8, -0.5, 0.7, 1.2, 0.4])


@numba.njit
def upwards(x, first):
    total = 0.0
    for t in range(x.size):
        i = first
        while True:
            total += x[i] * x[t]
            i += 1
            if i >= 3:
                break
    return total


@numba.njit
def upwards_by_two(x, first):
    total = 0.0
    for t in range(x.size):
        i = first
        while True:
            total += x[i] * x[t]
            i += 2
            if i > 3:
                break
    return total


@numba.njit
def asked_before_the_step(x, first):
    total = 0.0
    for t in range(x.size):
        i = first
        while True:
            total += x[i] * x[t]
            if i >= 3:
                break
            i += 1
    return total


@numba.njit
def downwards(x, first):
    total = 0.0
    for t in range(x.size):
        i = first
        is_first = True
        while is_first or i > 2:
            total += x[i] * x[t]
            i -= 1
            is_first = False
    return total


@pytest.mark.parametrize(
    ("kernel", "iterations"),
    [
        (upwards, {5: [5], 3: [3], 2: [2], 0: [0, 1, 2]}),
        (upwards_by_two, {5: [5], 2: [2], 1: [1, 3], 0: [0, 2]}),
        (asked_before_the_step, {5: [5], 3: [3], 1: [1, 2, 3]}),
        (downwards, {0: [0], 2: [2], 5: [5, 4, 3]}),
    ],
)
def test_they_run_once(kernel: Callable[..., Any], iterations: dict[int, Sequence[int]]) -> None:
    for first, taken in iterations.items():
        part, slope = X[list(taken)].sum(), np.full(X.size, X[list(taken)].sum())
        slope[list(taken)] += X.sum()
        value, gradient = enzyme.value_and_grad(kernel)(X, first)
        assert value == kernel(X, first) == pytest.approx(part * X.sum(), rel=1e-13)
        np.testing.assert_allclose(gradient, slope, rtol=1e-13)
        _, along = enzyme.jvp(kernel, (X, first), (X, 0))
        assert along == pytest.approx(slope @ X, rel=1e-13)
