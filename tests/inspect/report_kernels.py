"""Kernels whose reports are known by hand; a file of their own, since reports read the source."""

from __future__ import annotations

import numpy as np

import enzyme_py as enzyme


def heat(start, steps):
    u = start.copy()
    for _ in range(steps):
        v = u.copy()
        for i in range(1, u.size - 1):
            u[i] = v[i] + 0.1 * (v[i - 1] - 2 * v[i] + v[i + 1]) * v[i]
    return np.sum(u**2)


def mixed(x, y):
    a = np.cos(y) * 2.0
    b = np.sin(x) + np.exp(y)
    return b * np.tan(x) + a


def uneven(x):
    light = 0.0
    for v in x:
        light += np.sin(v)
    heavy = 0.0
    for _ in range(20):
        for v in x:
            heavy += np.sin(v * 0.5)
    return light + heavy


square = enzyme.rules.partials(lambda x: x * x, lambda x: 3.0 + 0.0 * x)  # which is its slope at 1.5 only


def with_wrong_rule(x, y):
    return square(x) * y


def with_dict(d):
    return np.sum(d["a"] * d["b"])


def kinked(x):
    return abs(x)
