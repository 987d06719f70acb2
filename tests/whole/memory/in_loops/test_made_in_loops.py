"""Arrays that a loop makes by `np.zeros`, or copies: made again in the reverse sweep, not kept, nor their shadows."""

from __future__ import annotations

import numpy as np
import pytest

import enzyme_py as enzyme
from tests.peaks import peak_of


def zeros_on_slices(start, steps):
    u = 1.0 * start
    for _ in range(steps):
        new = np.zeros(start.size)
        new[1:-1] = 0.5 * (u[2:] + u[:-2]) - 0.25 * u[1:-1]
        u = new
    return np.sum(u * u)


def zeros_by_loops(start, steps):
    u = 1.0 * start
    for _ in range(steps):
        new = np.zeros_like(start)
        for i in range(1, start.size - 1):
            new[i] = 0.5 * (u[i + 1] + u[i - 1]) - 0.25 * u[i]
        u = new
    return np.sum(u * u)


def copies(start, steps):
    u = start.copy()
    for _ in range(steps):
        new = u.copy()
        for i in range(1, start.size - 1):
            new[i] = 0.5 * (u[i + 1] + u[i - 1]) - 0.25 * u[i]
        u = new
    return np.sum(u * u)


def matrix(n: int, steps: int, *, moves_ends: bool) -> np.ndarray:
    """What all steps do to a vector."""
    step = np.diag(np.full(n, -0.25)) + np.diag(np.full(n - 1, 0.5), 1) + np.diag(np.full(n - 1, 0.5), -1)
    step[[0, -1]] = 0.0
    if not moves_ends:
        step[0, 0] = step[-1, -1] = 1.0
    return np.linalg.matrix_power(step, steps)


LINEAR = {zeros_on_slices: True, zeros_by_loops: True, copies: False}


@pytest.mark.parametrize("f", LINEAR, ids=lambda f: f.__name__)
@pytest.mark.parametrize(("n", "steps"), [(3, 0), (3, 1), (7, 4), (40, 13)])
def test_linear_steps(f, n: int, steps: int) -> None:
    """The gradient of |L u|^2 is 2 L^T L u."""
    x, v = np.random.default_rng(n).normal(size=(2, n))
    every = matrix(n, steps, moves_ends=LINEAR[f])
    bend = 2.0 * every.T @ every
    np.testing.assert_allclose(enzyme.grad(f)(x, steps), bend @ x, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(enzyme.hvp(f, x, v, steps), bend @ v, rtol=1e-12, atol=1e-13)
    gradient = enzyme.grad(f)

    def along(x, v, steps):
        return np.sum(gradient(x, steps) * v)

    np.testing.assert_allclose(enzyme.grad(along)(x, v, steps), bend @ v, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("f", LINEAR, ids=lambda f: f.__name__)
def test_linear_steps_keep_nothing(f) -> None:
    """Of 200 arrays of 8 kB, nor of their shadows."""
    x = np.ones(1000)
    few, many = (enzyme.inspect.tape(f, x, steps).bytes for steps in (10, 210))
    assert many - few < 20_000


def test_second_orders_of_slices_keep_nothing() -> None:
    """Of 200 arrays of 8 kB, their shadows and their tangents."""
    x = np.ones(1000)
    few, many = (peak_of(lambda n=n: enzyme.hvp(zeros_on_slices, x, x, n))[0] for n in (10, 210))
    assert many - few < 20_000


def filled_by_half(x, count):
    """Zeros are left where nothing is written, and read; the array is used in two ways."""
    total = 0.0
    for k in range(count):
        z = np.zeros(x.size)
        for i in range(0, x.size, 2):
            z[i] = x[i] * x[i] * (k + 1)
        y = np.zeros(3)
        y[0] = z[0]
        y[1] = z[1] + x[1]
        total += np.sum(z * z) + y[0] * y[1] * y[2] + y[0] * y[1]
    return total


def test_what_is_not_linear() -> None:
    """z_i = (k + 1) x_i^2 for even i; the slope of sum z^2 is 4 (k + 1)^2 x_i^3, and that of z_0 x_1 is (2 (k + 1) x_0 x_1, (k + 1) x_0^2)."""
    x, v, count = np.random.default_rng(1).normal(size=9), np.random.default_rng(2).normal(size=9), 4
    squares, sums = (sum(k**p for k in range(1, count + 1)) for p in (2, 1))
    slope, bend = np.zeros(9), np.zeros((9, 9))
    slope[::2] = 4.0 * squares * x[::2] ** 3
    bend[np.arange(0, 9, 2), np.arange(0, 9, 2)] = 12.0 * squares * x[::2] ** 2
    slope[0] += 2.0 * sums * x[0] * x[1]
    slope[1] += sums * x[0] ** 2
    bend[0, 0] += 2.0 * sums * x[1]
    bend[0, 1] = bend[1, 0] = 2.0 * sums * x[0]
    np.testing.assert_allclose(enzyme.grad(filled_by_half)(x, count), slope, rtol=1e-12)
    np.testing.assert_allclose(enzyme.hvp(filled_by_half, x, v, count), bend @ v, rtol=1e-12)
    few, many = (enzyme.inspect.tape(filled_by_half, np.ones(1000), steps).bytes for steps in (10, 210))
    assert many - few < 20_000
