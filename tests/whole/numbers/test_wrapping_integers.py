"""Hashes and random numbers of integers that leave 64 bits: values, and what they choose, by integers of Python's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

import enzyme_py as enzyme

X = np.array([0.3, 0.4, 0.8])
FACTOR, MORE = 2862933555777941757, 3037000493
BEHIND = 1 << 63


def wrapped(number: int) -> int:
    """Return what 64 bits with a sign are left with."""
    return (number + BEHIND) % (1 << 64) - BEHIND


@numba.njit
def by_a_sign(x, order):
    """The place is none that LLVM takes for negative: it is a remainder."""
    k = 3
    for _ in range(4):
        k = order[k] % 4
    total = 0.0
    for _ in range(4):
        total += np.sin(x[0]) if (k + 3) * FACTOR < 0 else x[1] * x[2]
    return total


@numba.njit
def by_a_difference(x, order):
    k = order[0] % 4
    total = 0.0
    for _ in range(3):
        k = (k * FACTOR - MORE) & 0x7FFFFFFFFFFFFFFF
        total += np.sin(x[0]) if k * FACTOR - MORE < k else x[1] * x[2]
    return total


@numba.njit
def by_random_numbers(x, order):
    state = order[0] % 4 + 1
    total = 0.0
    for _ in range(4):
        state = state * FACTOR + MORE
        total += np.sin(x[0]) if state < 0 else x[1] * x[2]
    return total


def signs(k: int) -> list[bool]:
    return [wrapped((k + 3) * FACTOR) < 0] * 4


def differences(k: int) -> list[bool]:
    found = []
    for _ in range(3):
        k = wrapped(k * FACTOR - MORE) & (BEHIND - 1)
        found.append(wrapped(k * FACTOR - MORE) < k)
    return found


def states(k: int) -> list[bool]:
    found, state = [], k + 1
    for _ in range(4):
        state = wrapped(state * FACTOR + MORE)
        found.append(state < 0)
    return found


@pytest.mark.parametrize(("kernel", "expected"), [(by_a_sign, signs), (by_a_difference, differences), (by_random_numbers, states)])
def test_they_choose_as_64_bits_do(kernel: Callable[..., Any], expected: Callable[[int], list[bool]]) -> None:
    for k in range(4):
        order = np.full(4, k)
        chosen = expected(k)
        first, second = sum(chosen), len(chosen) - sum(chosen)
        value = first * np.sin(X[0]) + second * X[1] * X[2]
        slope = [first * np.cos(X[0]), second * X[2], second * X[1]]
        got, gradient = enzyme.value_and_grad(kernel)(X, order)
        assert got == pytest.approx(value, rel=1e-14)
        np.testing.assert_allclose(gradient, slope, rtol=1e-14)
        got, along = enzyme.jvp(kernel, (X, order), (X, np.zeros_like(order)))
        assert got == pytest.approx(value, rel=1e-14)
        assert along == pytest.approx(slope @ X, rel=1e-14)
