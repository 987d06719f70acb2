"""Arrays that nests of loops read again and again: gradients by complex steps, and how much is kept for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import enzyme_py as enzyme

X = np.array([0.5, -0.3, 0.7, 1.2, -0.9])
MARK = "enzyme_py.snapshot"


def pairs(x, steps):
    """Bodies on a line that attract each other."""
    u = x.copy()
    for _ in range(steps):
        force = np.zeros_like(x)
        for i in range(x.size):
            for j in range(x.size):
                d = u[i] - u[j]
                force[i] -= d / (1.0 + d * d)
        u += 0.1 * force
    return np.sum(u * u)


def triangle(x, steps):
    u = x.copy()
    total = 0.0 * x[0]
    for _ in range(steps):
        for i in range(x.size):
            for j in range(i + 1, x.size):
                total += u[i] * np.sin(u[j])
        for i in range(x.size):
            u[i] = u[i] * u[i] + 0.1
    return total


def downward(x, steps):
    u = x.copy()
    total = 0.0 * x[0]
    for _ in range(steps):
        for i in range(x.size - 1, -1, -1):
            for j in range(i, -1, -1):
                total += u[i] * u[j] ** 2
        u *= u
    return total


def shifted(x, steps):
    """Reads beyond the bound of the loop, and a row of a matrix with more columns than are read."""
    u = np.zeros((x.size, 3), x.dtype)
    u[:, 0] = x
    u[:, 2] = 2.0 * x
    total = 0.0 * x[0]
    for _ in range(steps):
        for i in range(x.size - 1):
            for j in range(x.size):
                total += u[i + 1, 0] * u[j, 2] * u[i, 2]
        u[:, 2] = u[:, 0] * u[:, 2]
        u[:, 0] = np.cos(u[:, 0])
    return total


def sometimes(x, steps):
    u = x.copy()
    total = 0.0 * x[0]
    for t in range(steps):
        if t % 2 == 0:
            for i in range(x.size):
                for j in range(x.size):
                    if j != 3:
                        total += u[i] * u[j] * u[j]
        u[t % x.size] = u[0] * u[1]
    return total


def left_early(x, steps):
    """How much is read, nobody knows."""
    u = x.copy()
    total = 0.0 * x[0]
    for _ in range(steps):
        for i in range(x.size):
            for j in range(x.size):
                if total.real > 0.3:
                    break
                total += u[i] * u[j] * u[j]
        u[0] = u[1] * u[2]
    return total


def of_two(x, steps):
    u, v = x.copy(), 2.0 * x
    total = 0.0 * x[0]
    for s in range(2):
        for _ in range(steps):
            for i in range(x.size):
                for j in range(x.size):
                    total += u[i] * np.exp(0.1 * v[j]) * v[i]
            for i in range(x.size):
                v[i] = 0.5 * u[i] * v[i]
                u[i] = 0.3 * u[i] + 0.1 * v[i] ** 2
        u[s] = u[s] * u[4]
    return total


def once(x, steps):
    """No loop around: written over behind the nest."""
    u = x.copy()
    total = 0.0 * x[0]
    for i in range(steps):
        for j in range(x.size):
            total += np.sin(u[j]) * (i + 1.0)
    for j in range(x.size):
        u[j] = total
    return total * u[0]


def window(x, steps):
    """What is read moves with the loop around: a copy would be as long as what came before."""
    u = np.zeros(x.size + steps, x.dtype)
    u[: x.size] = x
    for t in range(x.size, x.size + steps):
        total = 0.0 * x[0]
        for i in range(3):
            for j in range(3):
                total += u[t - 1 - i] * u[t - 1 - j]
        u[t] = 0.1 * total + 0.3
    return u[-1]


def window_by_places(x, steps):
    u = np.zeros(x.size + steps, x.dtype)
    u[: x.size] = x
    for t in range(x.size, x.size + steps):
        total = 0.0 * x[0]
        for i in range(t - 3, t):
            for j in range(t - 3, t):
                total += u[i] * u[j]
        u[t] = 0.1 * total + 0.3
    return u[-1]


def in_the_nest(x, steps):
    u = x.copy()
    total = 0.0 * x[0]
    for _ in range(steps):
        for i in range(x.size):
            for j in range(x.size):
                total += u[i] * u[j]
            u[i] = 0.5 * u[i] * u[0]
    return total


def linear(x, steps):
    """Nothing of it is needed: a product with a constant matrix."""
    m = np.ones((x.size, x.size)) / x.size
    u = x.copy()
    for _ in range(steps):
        v = np.zeros_like(x)
        for i in range(x.size):
            for j in range(x.size):
                v[i] += 0.5 * u[j]
        for i in range(x.size):
            u[i] = v[i] + m[0, i]
    return np.sum(u)


COPIED = [pairs, triangle, shifted, sometimes, of_two, once]
AS_THEY_ARE = [downward, left_early, window, window_by_places, in_the_nest, linear]


def by_complex_step(f: Callable[..., Any], x: np.ndarray, steps: int) -> np.ndarray:
    found = np.empty_like(x)
    for place in range(x.size):
        moved = x.astype(complex)
        moved[place] += 1e-200j
        found[place] = f(moved, steps).imag / 1e-200
    return found


@pytest.mark.parametrize("f", [*COPIED, *AS_THEY_ARE], ids=lambda f: f.__name__)
def test_gradients(f: Any) -> None:
    gradient = enzyme.grad(f)
    for steps in (4, 1, 0):
        if f is not once or steps:
            expected = by_complex_step(f, X, steps)
            np.testing.assert_allclose(gradient(X, steps), expected, rtol=1e-12, atol=1e-14)
    assert (MARK in enzyme.inspect.ir(f, X, 4, stage="simplified")) == (f in COPIED)


def test_second_orders() -> None:
    v = np.arange(1.0, 6.0)
    step = 1e-200j

    def slope(x):  # the gradient of `triangle` in one step, by hand
        cosines, sines = np.cos(x), np.sin(x)
        behind = np.array([np.sum(sines[i + 1 :]) for i in range(x.size)])
        before = np.array([np.sum(x[:i]) for i in range(x.size)])
        return behind + before * cosines

    np.testing.assert_allclose(enzyme.grad(triangle)(X, 1), slope(X), rtol=1e-13)
    expected = slope(X + step * v).imag / 1e-200
    for outer, inner in ((enzyme.Forward, enzyme.Reverse), (enzyme.Reverse, enzyme.Reverse), (enzyme.Reverse, enzyme.Forward)):
        np.testing.assert_allclose(enzyme.hvp(triangle, X, v, 1, outer=outer, inner=inner), expected, rtol=1e-12)


def test_single_precision() -> None:
    found = enzyme.grad(pairs)(X.astype(np.float32), 4)
    np.testing.assert_allclose(found, by_complex_step(pairs, X, 4), rtol=1e-5)


def test_numbers_are_kept_once_a_step() -> None:
    """A copy, its adjoint and the forces are 3 n a step, heads of blocks aside; numbers for pairs would be n**2."""
    n, steps = 100, 5
    kept = enzyme.inspect.memory(pairs, np.linspace(0.0, 1.0, n), steps).tape
    assert kept < 8 * steps * 10 * n


def test_what_a_nest_cannot_reach_is_not_copied() -> None:
    def crowded(x, count, steps):
        u = x.copy()
        total = 0.0
        for _ in range(steps):
            for i in range(count):
                for j in range(count):
                    total += u[i] * np.sin(u[j])
            for i in range(count):
                u[i] = u[i] * u[i]
        return total

    x = np.linspace(0.1, 0.9, 20_000)
    assert MARK in enzyme.inspect.ir(crowded, x, 5, 30, stage="simplified")
    assert enzyme.inspect.memory(crowded, x, 5, 30).tape < 8 * (3 * x.size + 30 * 100)
