"""Buffers that change places in a loop, with rims that are copied."""

import math

import numba
import numpy as np


def heat2d(x, c, n):
    u = np.outer(x, c)
    v = u.copy()
    for t in range(n):
        for i in range(1, 5):
            for j in range(1, 5):
                v[i, j] = u[i, j] + 0.1 * (
                    u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - 4 * u[i, j]
                )
        v[0, :] = 0.0
        v[-1, :] = c
        v[:, 0] = v[:, 1]
        v[:, -1] = x
        u, v = v, u
    return np.sum(u**2)


def heat_nl(x, c, n):
    u = np.outer(x, c)
    v = u.copy()
    for t in range(n):
        for i in range(1, 5):
            for j in range(1, 5):
                v[i, j] = u[i, j] + 0.1 * u[i, j] * (
                    u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1] - 4 * u[i, j]
                )
        v[0, :] = u[1, :]
        v[-1, :] = u[0, :]
        v[:, 0] = u[:, 1]
        v[:, -1] = x
        u, v = v, u
    return np.sum(u**3)


def whole(x, c, n):
    u = x.copy()
    v = np.zeros(6)
    for t in range(n):
        v[:] = u
        v[0] = v[1] * v[2]
        v[2:4] = u[1:3]
        u, v = v, u
        u[1:] *= x[1:]
    return np.sum(u**3)


def three_bufs(x, c, n):
    a = x.copy()
    b = x * 0.5
    d = np.zeros(6)
    for t in range(n):
        d[1:-1] = 2 * b[1:-1] - a[1:-1] + 0.1 * b[1:-1] * (b[2:] - 2 * b[1:-1] + b[:-2])
        d[0] = 0.0
        d[-1:] = b[-1:]
        a, b, d = b, d, a
    return np.sum(b**3)


def slices_swap(x, c, n):
    u = x.copy()
    w = np.zeros(6)
    for t in range(n):
        w[1:-1] = u[1:-1] + 0.1 * u[1:-1] * (u[2:] - u[:-2])
        w[:1] = u[-2:-1]
        w[-1:] = u[1:2]
        u, w = w, u
    return np.sum(u**3)


def rows2(x, c, n):
    a = np.zeros((2, 6))
    a[0] = x
    k = 0
    for t in range(n):
        a[1 - k] = a[k] * a[k]
        a[1 - k, 0] = c[t]
        k = 1 - k
    return np.sum(a[k] ** 2)


def mod2(x, c, n):
    a = np.zeros((2, 6))
    a[0] = x
    for t in range(n):
        p = a[t % 2]
        q = a[(t + 1) % 2]
        q[1:] = p[:-1] * x[1:]
        q[0] = p[-1]
    return np.sum(a**2)


def while_swap(x, c, n):
    u = x.copy()
    v = np.zeros(6)
    k = 0
    r = 1.0
    while r > 1e-3 and k < n:
        v[:] = 0.5 * u + 0.25 * np.sin(u) * x
        r = np.sum((u - v) ** 2)
        v[0] = x[0]
        u, v = v, u
        k += 1
    return np.sum(u**3)


def cond_swap(x, c, n):
    u = x.copy()
    v = x * 0.5
    for t in range(n):
        v[:3] = u[:3] * u[3:]
        if t % 2 == 0:
            u, v = v, u
    return np.sum(u**3) + np.sum(v**2)


def fn_swap(x, c, n):
    u = np.outer(x, c)
    v = np.zeros((6, 6))
    for t in range(n):
        _step(u, v, x)
        u, v = v, u
    return np.sum(u**3)


@numba.njit
def _step(u, v, x):
    v[1:-1, 1:-1] = u[1:-1, 1:-1] + 0.1 * (u[2:, 1:-1] * u[:-2, 1:-1])
    v[0, :] = x
    v[-1, :] = v[-2, :]
    v[:, 0] = 0.0
    v[:, -1] = u[:, 0]


def obj(x, c, n):
    s = (x.copy(), np.zeros(6))
    for t in range(n):
        s[1][:] = s[0] * x
        s = (s[1], s[0])
    return np.sum(s[0] ** 2)


def fields(x, c, n):
    E = np.zeros(6)
    H = x.copy()
    for t in range(n):
        E[1:] += 0.5 * (H[1:] - H[:-1]) * c[1:]
        E[0] = math.sin(t * x[0])
        H[:-1] += 0.5 * (E[1:] - E[:-1])
        H[-1] = 0.0
    return np.sum(E**2)


def neighbours(x, c, n):
    u = x.copy()
    v = x.copy()
    for t in range(n):
        for i in range(1, 5):
            v[i] = u[i - 1] * u[i + 1] * 0.5 + u[i] * u[i] * c[i]
        u, v = v, u
    return np.sum(u * u)
