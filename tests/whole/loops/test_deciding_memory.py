"""Memory that decides when a loop of a called function ends, as in an integrator whose steps are made smaller until an error is small enough.

Such memory is kept (memory/allocations.py). Made again in the reverse sweep it ended the process, or gave NaN. With e = h^3 max(s), s > 0, a
step ends where e is less than one, and returns h' = 1.7 h / (1 + e). Derivatives by hand go along.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

import enzyme_py as enzyme

X = np.array([0.9, 0.2])
FIRST, LESS, MORE = 0.11, 0.53, 1.7


@numba.njit
def by_condition(s: Any, h: Any) -> Any:
    e = 9.0
    while e >= 1:
        e = h * h * np.max(s * h)
        if e >= 1:
            h *= LESS
    return h * MORE / (1 + e)


@numba.njit
def by_break(s: Any, h: Any) -> Any:
    while True:
        e = h * h * np.max(s * h)
        if e < 1:
            break
        h *= LESS
    return h * MORE / (1 + e)


@numba.njit
def by_flag(s: Any, h: Any, out: Any) -> Any:
    """With a workspace that is filled by a loop; it also moves s on."""
    accepted, work = False, np.empty(s.size)
    while not accepted:
        for q in range(s.size):
            work[q] = s[q] * h
        e = h * h * np.max(np.abs(work))
        if e < 1:
            accepted = True
        else:
            h *= LESS
    for q in range(s.size):
        out[q] = s[q] * h
    return h * MORE / (1 + e)


def repeated(step: Any) -> Any:
    """Return a kernel that calls a step from two places."""

    @numba.njit
    def kernel(s: Any, n: Any) -> Any:
        h = step(s, FIRST)
        for _ in range(n):
            h = step(s, h)
        return h

    return kernel


@numba.njit
def in_rows(s: Any, n: Any) -> Any:
    rows = np.empty((n + 2, s.size))
    rows[0] = s
    h = by_flag(rows[0], FIRST, rows[1])
    for i in range(n):
        h = by_flag(rows[i + 1], h, rows[i + 2])
    return h + np.sum(rows[n + 1])


def by_hand(n: int, *, moves_on: bool) -> tuple[float, Any]:
    s, ds, h, dh = X.copy(), np.eye(2), FIRST, np.zeros(2)
    for _ in range(n + 1):
        top = np.argmax(s)
        while h**3 * s[top] >= 1:
            h, dh = LESS * h, LESS * dh
        e, de = h**3 * s[top], h**3 * ds[top] + 3 * h * h * s[top] * dh
        if moves_on:
            s, ds = s * h, ds * h + np.outer(s, dh)
        h, dh = MORE * h / (1 + e), MORE * dh / (1 + e) - MORE * h / (1 + e) ** 2 * de
    return (h + s.sum(), dh + ds.sum(0)) if moves_on else (h, dh)


@pytest.mark.parametrize("n", [7, 9])
@pytest.mark.parametrize("kernel", [repeated(by_condition), repeated(by_break), in_rows], ids=["condition", "break", "flag"])
def test_both_modes(kernel: Any, n: int) -> None:
    value, slope = by_hand(n, moves_on=kernel is in_rows)
    found, gradient = enzyme.value_and_grad(kernel)(X, n)
    np.testing.assert_allclose(found, value, rtol=1e-13)
    np.testing.assert_allclose(gradient, slope, rtol=1e-12)
    tangent = enzyme.jvp(kernel, (X, n), (np.array([1.0, -2.0]), None))[1]
    np.testing.assert_allclose(tangent, slope @ [1.0, -2.0], rtol=1e-12)


HEIGHTS = np.array([0.1, 0.15, 0.2, 0.25, 0.3, 0.8, 1.2])


@numba.njit
def above(level: Any, heights: Any) -> Any:
    """How far a level is above the heights below it. One loop counts these in memory, the next one runs so often."""
    over = level - heights
    count = 0
    for j in range(over.size):
        if over[j] > 0:
            count += 1
    total = 0.0
    for j in range(count):
        total += over[j]
    return total


@numba.njit
def sunk(x: Any, heights: Any) -> Any:
    heights = heights * x[1]
    level = 0.9
    for _ in range(4):
        level = np.exp(-0.3 * above(level * x[0], heights))
    return level


def sunk_twice(x: Any, heights: Any) -> Any:
    return sunk(x, heights) + sunk(x * 0.9, heights)


def slopes_of_sunk(x: Any) -> Any:
    """The level's derivatives, step by step: with n heights below p x0, their sum t x1, it is l = exp(-0.3 (n p x0 - t x1))."""
    level, slopes = 0.9, np.zeros(2)
    for _ in range(4):
        below = HEIGHTS[HEIGHTS * x[1] < level * x[0]]
        inner = np.array([below.size * level, -np.sum(below)]) + below.size * x[0] * slopes
        level = np.exp(-0.3 * (below.size * level * x[0] - np.sum(below) * x[1]))
        slopes = -0.3 * level * inner
    return slopes


def test_a_count_that_another_loop_found_in_memory() -> None:
    x = np.array([0.9, 1.1])
    wanted = slopes_of_sunk(x) + 0.9 * slopes_of_sunk(0.9 * x)
    np.testing.assert_allclose(enzyme.grad(sunk_twice)(x, HEIGHTS), wanted, rtol=1e-13)
    for v in np.eye(2):
        along = enzyme.jvp(sunk_twice, (x, HEIGHTS), (v, np.zeros(HEIGHTS.size)))[1]
        np.testing.assert_allclose(along, wanted @ v, rtol=1e-13)
