"""The kernels: each with arguments, of which the first is differentiated by."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import prange

GENERATOR = np.random.default_rng(5)


def iterated_sines(x):
    total = 0.0
    for i in prange(x.size):
        v = x[i]
        for _ in range(30):
            v = np.sin(v) + 0.1
        total += v
    return total


def pair_energies(x):
    total = 0.0
    for i in prange(x.size):
        for j in range(x.size):
            d = x[i] - x[j]
            total += np.exp(-d * d)
    return total


def rows(x):
    a = x.reshape(20000, 100)
    total = 0.0
    for i in prange(a.shape[0]):
        inner = 0.0
        for j in range(a.shape[1]):
            inner += a[i, j] * a[i, j]
        total += np.sqrt(inner + 1.0)
    return total


def elementwise(x):
    total = 0.0
    for i in prange(x.size):
        total += np.exp(x[i]) * np.sin(x[i])
    return total


def expressions(x):
    y = np.exp(x) * np.sin(x)
    z = y * y + x
    return (z * z).sum()


def stencil(x):
    out = np.zeros_like(x)
    for i in prange(1, x.size - 1):
        out[i] = x[i - 1] * x[i] + np.sin(x[i + 1])
    total = 0.0
    for i in prange(x.size):
        total += out[i] * out[i]
    return total


def gather(x):
    total = 0.0
    for i in prange(2_000_000):
        v = x[i * 7 % 1000]
        total += v * v
    return total


def logistic(w, data, labels):
    total = 0.0
    for i in prange(data.shape[0]):
        score = 0.0
        for j in range(w.size):
            score += data[i, j] * w[j]
        total += np.log1p(np.exp(-labels[i] * score))
    return total


def layer(m, v):
    total = 0.0
    for i in prange(m.shape[0]):
        inner = 0.0
        for j in range(m.shape[1]):
            inner += m[i, j] * v[j]
        total += np.tanh(inner) ** 2
    return total


def orbits(x):
    total = 0.0
    for i in prange(x.size):
        z = complex(x[i], 0.3)
        for _ in range(20):
            z = z * z * 0.3 + complex(0.5 * x[i], 0.1)
        total += z.real * z.real + z.imag * z.imag
    return total


def options(x):
    total = 0.0
    for i in prange(x.size):
        above = (np.log(x[i]) + 0.025) / 0.2
        below = above - 0.2
        call = x[i] * 0.5 * (1.0 + math.erf(above * 0.7071067811865476))
        total += call - 0.98 * 0.5 * (1.0 + math.erf(below * 0.7071067811865476))
    return total


def pendulums(x):
    total = 0.0
    for i in prange(x.size):
        q, p = x[i], 0.0
        for _ in range(200):
            p = p - 0.01 * np.sin(q)
            q = q + 0.01 * p
        total += q * q
    return total


def moments(x):
    sums = np.zeros(3)
    for i in prange(x.size):
        sums += np.array([x[i], x[i] * x[i], np.sin(x[i])])
    return (sums * sums).sum() / x.size


def plate(a):
    rows, columns = a.shape
    total = 0.0
    for i in prange(1, rows - 1):
        for j in range(1, columns - 1):
            d = a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1] - 4.0 * a[i, j]
            total += d * d
    return total


def heat(x):
    u = x.copy()
    for _ in range(20):
        following = u.copy()
        for i in prange(1, x.size - 1):
            following[i] = u[i] + 0.1 * (u[i - 1] - 2.0 * u[i] + u[i + 1]) * np.exp(-u[i])
        u = following
    total = 0.0
    for i in prange(x.size):
        total += u[i] * u[i]
    return total


def _vector(size: int) -> Callable[[], tuple[Any, ...]]:
    return lambda: (GENERATOR.uniform(0.1, 1.0, size),)


def _for_logistic() -> tuple[Any, ...]:
    labels = np.where(GENERATOR.uniform(size=20000) > 0.5, 1.0, -1.0)
    return GENERATOR.normal(size=50) * 0.1, GENERATOR.normal(size=(20000, 50)), labels


def _for_layer() -> tuple[Any, ...]:
    return GENERATOR.normal(size=(1000, 1000)) * 0.03, GENERATOR.normal(size=1000)


Row = tuple[Callable[..., float], str, Callable[[], tuple[Any, ...]]]
ROWS: tuple[Row, ...] = (
    (iterated_sines, "200,000", _vector(200_000)),
    (pair_energies, "3,000", _vector(3_000)),
    (rows, "2,000,000", _vector(2_000_000)),
    (elementwise, "2,000,000", _vector(2_000_000)),
    (expressions, "2,000,000", _vector(2_000_000)),
    (stencil, "2,000,000", _vector(2_000_000)),
    (gather, "1,000", _vector(1_000)),
    (logistic, "50, 20,000 rows", _for_logistic),
    (layer, "1000 x 1000", _for_layer),
    (orbits, "100,000", _vector(100_000)),
    (options, "500,000", _vector(500_000)),
    (pendulums, "5,000", _vector(5_000)),
    (moments, "200,000", _vector(200_000)),
    (plate, "1000 x 1000", lambda: (GENERATOR.uniform(0.1, 1.0, (1000, 1000)),)),
    (heat, "100,000, 20 steps", _vector(100_000)),
)
COMPUTES = ("iterated_sines", "pair_energies", "elementwise", "orbits", "options", "pendulums")  # bound by arithmetic
