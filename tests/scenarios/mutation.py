"""Kernels that write their arguments. `push` answers for the result and for each written one."""

from __future__ import annotations

import math

import numpy as np

from tests.scenarios.arrays import MATRIX, SQUARE, TRIPLE, WAVE, WEIGHTS
from tests.scenarios.scenario import Scenario, scenario

MUTATION: list[Scenario] = []
EMPTY = np.full(6, 9.0)  # what an out-argument holds before must not matter


@scenario(
    MUTATION,
    args=(WAVE, EMPTY),
    writes=(1,),
    push=lambda x, out, dx, dout: (None, 2 * x * dx),
    any_size=True,
)
def square_into(x, out):
    for i in range(x.size):
        out[i] = x[i] ** 2


@scenario(
    MUTATION,
    args=(WAVE, 1.7),
    writes=(0,),
    push=lambda x, a, dx, da: (None, a * dx + x * da),
    any_size=True,
)
def scale_in_place(x, a):
    x *= a


@scenario(
    MUTATION,
    args=(0.6, WAVE, WEIGHTS),
    writes=(2,),
    push=lambda a, x, y, da, dx, dy: (None, dy + da * x + a * dx),
    any_size=True,
)
def axpy(a, x, y):
    for i in range(x.size):
        y[i] += a * x[i]


@scenario(MUTATION, args=(WAVE,), writes=(0,), push=lambda x, dx: (None, np.cumsum(dx)))
def running_sum(x):
    for i in range(1, x.size):
        x[i] += x[i - 1]


# x_i becomes the product of x_0 ... x_i
@scenario(
    MUTATION,
    args=(WAVE,),
    writes=(0,),
    push=lambda x, dx: (None, np.cumprod(x) * np.cumsum(dx / x)),
)
def running_product(x):
    for i in range(1, x.size):
        x[i] *= x[i - 1]


@scenario(MUTATION, args=(WAVE,), writes=(0,), push=lambda x, dx: (None, dx[::-1]), any_size=True)
def reverse_in_place(x):
    n = x.size
    for i in range(n // 2):
        x[i], x[n - 1 - i] = x[n - 1 - i], x[i]


@scenario(
    MUTATION,
    args=(WAVE, EMPTY, 0.3),
    writes=(1,),
    push=lambda u, out, k, du, dout, dk: (None, diffuse(du, k) + dk * (diffuse(u, 1.0) - u)),
)
def diffusion_step(u, out, k):
    n = u.size
    for i in range(n):
        out[i] = u[i] + k * (u[(i - 1) % n] - 2.0 * u[i] + u[(i + 1) % n])


def diffuse(u, k):
    return u + k * (np.roll(u, 1) - 2 * u + np.roll(u, -1))


# The first write is lost: only the second one counts.
@scenario(
    MUTATION,
    args=(WAVE, EMPTY),
    writes=(1,),
    push=lambda x, out, dx, dout: (None, np.cos(x) * dx),
    any_size=True,
)
def overwritten(x, out):
    for i in range(x.size):
        out[i] = x[i] ** 3
    for i in range(x.size):
        out[i] = math.sin(x[i])


# Writes x := x / |x|, and returns the sum of its cubes.
def normalise_push(x, dx):
    n = np.linalg.norm(x)
    u = x / n
    du = (dx - u * (u @ dx)) / n
    return np.sum(3 * u**2 * du), du


@scenario(MUTATION, args=(WAVE,), writes=(0,), push=normalise_push)
def normalise_and_measure(x):
    s = 0.0
    for v in x:
        s += v * v
    n = math.sqrt(s)
    cubes = 0.0
    for i in range(x.size):
        x[i] /= n
        cubes += x[i] ** 3
    return cubes


BINS = np.array([2, 0, 2, 1, 2, 0])


@scenario(
    MUTATION,
    args=(WAVE, BINS, np.array([0.1, 0.2, 0.3])),
    writes=(2,),
    push=lambda x, bins, h, dx, dbins, dh: (None, dh + np.bincount(bins, 2 * x * dx, 3)),
)
def scatter_add(x, bins, h):
    for i in range(x.size):
        h[bins[i]] += x[i] ** 2


@scenario(
    MUTATION,
    args=(WAVE, EMPTY),
    writes=(1,),
    push=lambda x, out, dx, dout: (None, np.concatenate((3 * dx[-1:], dx[:-1]))),
)
def shift_by_slices(x, out):
    out[1:] = x[:-1]
    out[0] = 3.0 * x[-1]


@scenario(
    MUTATION,
    args=(np.full((2, 3), 5.0), 0.4),
    writes=(0,),
    push=lambda a, x, da, dx: (None, np.full((2, 3), 2 * x * dx)),
)
def fill_with_number(a, x):
    a[:, :] = x * x


# Forward substitution L y = b in place: L dy = db - dL y
@scenario(
    MUTATION,
    args=(SQUARE, TRIPLE),
    writes=(1,),
    push=lambda a, b, da, db: (
        None,
        np.linalg.solve(np.tril(a), db - np.tril(da) @ np.linalg.solve(np.tril(a), b)),
    ),
)
def forward_substitution(a, b):
    for i in range(b.size):
        for j in range(i):
            b[i] -= a[i, j] * b[j]
        b[i] /= a[i, i]


# Leapfrog for x'' = -k x is linear in (x, v): with dk the step is differentiated by hand.
def leapfrog_push(x, v, k, dt, dx, dv, dk, ddt):
    for _ in range(3):
        v, dv = v - dt * k * x / 2, dv - (ddt * k * x + dt * dk * x + dt * k * dx) / 2
        x, dx = x + dt * v, dx + ddt * v + dt * dv
        v, dv = v - dt * k * x / 2, dv - (ddt * k * x + dt * dk * x + dt * k * dx) / 2
    return None, dx, dv


@scenario(MUTATION, args=(WAVE, WEIGHTS, 1.3, 0.2), writes=(0, 1), push=leapfrog_push)
def leapfrog(x, v, k, dt):
    for _ in range(3):
        for i in range(x.size):
            v[i] -= 0.5 * dt * k * x[i]
            x[i] += dt * v[i]
        for i in range(x.size):
            v[i] -= 0.5 * dt * k * x[i]


@scenario(
    MUTATION,
    args=(MATRIX, TRIPLE, np.zeros(2)),
    writes=(2,),
    push=lambda a, x, y, da, dx, dy: (None, 2 * (a @ x) * (da @ x + a @ dx)),
)
def squared_product_into(a, x, y):
    for i in range(a.shape[0]):
        y[i] = 0.0
        for j in range(a.shape[1]):
            y[i] += a[i, j] * x[j]
    for i in range(y.size):
        y[i] *= y[i]
