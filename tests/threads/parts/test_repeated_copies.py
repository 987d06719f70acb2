"""Loops whose parts have copies of an array, run several times, in second orders: by hand, on threads and not.

r = 0.5 (a^2 0.3 + 1)^12 and its like, by the first number of an array: found by the fuzzer (seed 399 of `--grammar prange`).
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest
from numba import prange

import enzyme_py as enzyme


@numba.njit(parallel=True)
def in_a_loop(a):
    r = 0.5
    for _ in range(3):
        for _i in prange(4):
            r *= a[0] * a[0] * 0.3 + 1.0
    return r


@numba.njit(parallel=True)
def once(a):
    r = 0.5
    for _i in prange(4):
        r *= a[0] * a[0] * 0.3 + 1.0
    return r


@numba.njit
def by_calls(a):
    return 4.0 * once(a) * once(a) * once(a)


@numba.njit
def by_calls_in_a_loop(a):
    r = 0.5
    for _ in range(3):
        r *= 2.0 * once(a)
    return r


@numba.njit(parallel=True)
def elements(a):
    out = np.zeros(4)
    for _ in range(2):
        for i in prange(4):
            out[i] = np.sin(a[0] + out[i])
    return out.sum()


def powers(x: float) -> tuple[float, float]:
    """The first and the second derivative of 0.5 (0.3 x^2 + 1)^12."""
    base, slope = 0.3 * x * x + 1.0, 0.6 * x
    return 6.0 * base**11 * slope, 66.0 * base**10 * slope**2 + 6.0 * base**11 * 0.6


def sines(x: float) -> tuple[float, float]:
    """Those of 4 sin(x + sin x)."""
    inner, slope = x + np.sin(x), 1.0 + np.cos(x)
    return 4.0 * np.cos(inner) * slope, -4.0 * np.sin(inner) * slope**2 - 4.0 * np.cos(inner) * np.sin(x)


ROWS = [(in_a_loop, powers), (by_calls, powers), (by_calls_in_a_loop, powers), (elements, sines)]


@pytest.mark.parametrize("threads", [2, 1])
@pytest.mark.parametrize(("kernel", "by_hand"), ROWS, ids=lambda one: getattr(one, "__name__", None))
def test_second_orders(kernel: Any, by_hand: Any, threads: int) -> None:
    gradient = enzyme.grad(kernel)
    a, along = np.array([0.7, 0.2, 0.4]), np.array([1.0, 0.0, 0.0])
    first, second = by_hand(0.7)

    def dot(a):
        return np.sum(gradient(a) * along)

    def tangent(a):
        return enzyme.jvp(kernel, (a,), (along,))[1]

    with enzyme.config(threads=threads, cache=False):
        found = [
            gradient(a)[0],
            enzyme.jvp(gradient, (a,), (along,))[1][0],
            enzyme.grad(dot)(a)[0],
            enzyme.grad(tangent)(a)[0],
        ]
    np.testing.assert_allclose(found, [first, second, second, second], rtol=1e-11)


def test_a_loop_around_the_gradient() -> None:
    gradient = enzyme.grad(once)

    def squared(a):
        total = 0.0
        for k in range(3):
            total += gradient(a * (1.0 + 0.1 * k))[0]
        return total

    def second(x: float) -> float:
        base, slope = 0.3 * x * x + 1.0, 0.6 * x
        return 6.0 * base**2 * slope**2 + 2.0 * base**3 * 0.6

    with enzyme.config(threads=2, cache=False):
        found = enzyme.grad(squared)(np.array([0.7, 0.2]))[0]
    expected = sum((1.0 + 0.1 * k) * second(0.7 * (1.0 + 0.1 * k)) for k in range(3))
    np.testing.assert_allclose(found, expected, rtol=1e-11)


def test_it_is_told() -> None:
    a = np.array([0.7, 0.2])
    gradient = enzyme.grad(in_a_loop)

    def dot(a):
        return gradient(a)[0]

    with enzyme.config(threads=2, cache=False):
        assert not any(one.why_serial for one in enzyme.inspect.loops(in_a_loop, a))
        from enzyme_py.frontend.parallel import log

        with log.kept() as notes:
            enzyme.grad(dot)(a)
    assert any("copies of an array" in one.why_serial for one in notes)
