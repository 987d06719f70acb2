"""Kernels that make arrays: temporaries in loops, work buffers, arrays returned."""

from __future__ import annotations

import numpy as np

from tests.scenarios.arrays import MATRIX, SQUARE, TRIPLE, WAVE, WEIGHTS
from tests.scenarios.scenario import Scenario, scenario

ALLOCATION: list[Scenario] = []


@scenario(ALLOCATION, args=(WAVE, 3), grad=lambda x, n: (8 * n * x, None), any_size=True)
def temporary_in_a_loop(x, n):
    total = 0.0
    for _ in range(n):
        t = x * 2.0
        total += np.sum(t * t)
    return total


# v_0 = x, v_{k+1} = sin(v_k) x: the derivative obeys dv = cos(v) dv x + sin(v) dx
def iterated_sine_gradient(x, n):
    v, dv = x.copy(), np.ones_like(x)
    for _ in range(n):
        v, dv = np.sin(v) * x, np.cos(v) * dv * x + np.sin(v)
    return dv, None


@scenario(ALLOCATION, args=(WAVE, 4), grad=iterated_sine_gradient, any_size=True)
def iterated_sine(x, n):
    v = x.copy()
    for _ in range(n):
        v = np.sin(v) * x
    return np.sum(v)


# Two buffers that change places: explicit heat equation, linear in the start.
def heat_gradient(u, k, steps):
    end, du, dk = u.copy(), np.eye(u.size), np.zeros(u.size)
    for _ in range(steps):
        lap = np.roll(end, 1) - 2 * end + np.roll(end, -1)
        dk = dk + k * (np.roll(dk, 1) - 2 * dk + np.roll(dk, -1)) + lap
        du = du + k * (np.roll(du, 1, 0) - 2 * du + np.roll(du, -1, 0))
        end = end + k * lap
    return 2 * end @ du, 2 * end @ dk, None


@scenario(ALLOCATION, args=(WAVE, 0.2, 3), grad=heat_gradient)
def heat_with_two_buffers(u, k, steps):
    n = u.size
    old = u.copy()
    new = np.empty(n, u.dtype)
    for _ in range(steps):
        for i in range(n):
            new[i] = old[i] + k * (old[i - 1] - 2.0 * old[i] + old[(i + 1) % n])
        old, new = new, old
    return np.sum(old * old)


@scenario(
    ALLOCATION,
    args=(SQUARE, TRIPLE),
    push=lambda a, x, da, dx: (da @ a @ x + a @ da @ x + a @ a @ dx,),
)
def applied_twice(a, x):
    for _ in range(2):
        y = np.zeros(x.size, x.dtype)
        for i in range(x.size):
            for j in range(x.size):
                y[i] += a[i, j] * x[j]
        x = y
    return x


# trace of A^3: the gradient is 3 (A^2) transposed
@scenario(ALLOCATION, args=(SQUARE,), grad=lambda a: (3 * (a @ a).T,))
def trace_of_cube(a):
    n = a.shape[0]
    p = np.eye(n)
    for _ in range(3):
        q = np.zeros((n, n))
        for i in range(n):
            for j in range(n):
                for k in range(n):
                    q[i, j] += p[i, k] * a[k, j]
        p = q
    total = 0.0
    for i in range(n):
        total += p[i, i]
    return total


@scenario(
    ALLOCATION, args=(WAVE,), grad=lambda x: (2 * x * np.arange(x.size, 0, -1),), any_size=True
)
def growing_temporaries(x):
    total = 0.0
    for k in range(x.size):
        head = x[: k + 1].copy()
        total += np.sum(head * head)
    return total


@scenario(
    ALLOCATION,
    args=(WAVE, True),
    grad=lambda x, up: (3 * x**2 if up else -2 * x, None),
    any_size=True,
)
def allocation_in_either_branch(x, up):
    if up:
        t = x * x * x
    else:
        t = np.zeros_like(x)
        for i in range(x.size):
            t[i] = -x[i] * x[i]
    return t.sum()


@scenario(
    ALLOCATION,
    args=(1.3, 5),
    push=lambda x, n, dx, _: (np.arange(n) * x ** np.maximum(np.arange(n) - 1, 0) * dx,),
)
def powers(x, n):
    out = np.ones(n)
    for k in range(1, n):
        out[k] = out[k - 1] * x
    return out


@scenario(
    ALLOCATION,
    args=(0.7,),
    push=lambda x, dx: (np.cos(x * np.arange(1.0, 4.0)) * np.arange(1.0, 4.0) * dx,),
)
def array_literal(x):
    return np.sin(np.array([1.0, 2.0, 3.0]) * x)


@scenario(ALLOCATION, args=(0.4, 1.6), grad=lambda a, b: trapezium(a, b))
def integral_on_a_grid(a, b):
    x = a + (b - a) * np.arange(9) / 8.0
    y = np.exp(-x * x)
    return (b - a) / 8.0 * (np.sum(y) - 0.5 * (y[0] + y[8]))


def trapezium(a, b):
    s = np.arange(9) / 8
    x, weight = a + (b - a) * s, np.array([0.5] + [1.0] * 7 + [0.5]) / 8
    y, dy = np.exp(-x * x), -2 * x * np.exp(-x * x)
    return weight @ ((b - a) * dy * (1 - s) - y), weight @ ((b - a) * dy * s + y)


@scenario(
    ALLOCATION,
    args=(WAVE, WEIGHTS),
    grad=lambda x, y: (2 * x * np.arange(x.size), 2 * y * np.arange(x.size, 2 * x.size)),
)
def concatenated(x, y):
    both = np.concatenate((x, y))
    return np.sum(np.arange(both.size) * both**2)


@scenario(ALLOCATION, args=(WAVE,), grad=lambda x: (2 * x + 3,), any_size=True)
def filled_buffers(x):
    work = np.full(x.shape, 3.0)
    ones = np.ones_like(x)
    return np.sum(x * (work + ones * x))


@scenario(ALLOCATION, args=(MATRIX,), push=lambda a, da: (2 * (a * da).sum(axis=1),))
def row_norms(a):
    out = np.zeros(a.shape[0], a.dtype)
    for i in range(a.shape[0]):
        row = a[i] * a[i]
        for v in row:
            out[i] += v
    return out


def doubled(x):
    return x + x


@scenario(ALLOCATION, args=(WAVE,), grad=lambda x: (32 * x**3,), any_size=True)
def array_from_a_helper(x):
    square = x * x
    return np.sum(doubled(square) * doubled(doubled(square))) * 1.0
