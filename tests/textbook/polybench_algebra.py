"""The subjects of PolyBench's list, in loops of our own: products of matrices and vectors, and solvers."""

import math

import numba
import numpy as np


@numba.njit
def _matrix(x, c, shift):
    """Return a matrix of all numbers of x, well conditioned and without symmetry."""
    n = x.size
    a = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            a[i, j] = 0.3 * x[i] * c[(i + j + shift) % n] + 0.1 * x[(j + shift) % n]
        a[i, i] += 2.0
    return a


@numba.njit
def _definite(x, c):
    """Return a symmetric matrix with positive eigenvalues."""
    n = x.size
    a = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            a[i, j] = 0.2 * x[i] * x[j]
        a[i, i] += 1.5 + 0.1 * c[i]
    return a


@numba.njit
def _weighted(a, c):
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            total += a[i, j] * c[i] * (1.0 + 0.2 * j)
    return total


@numba.njit
def _product(a, b):
    n, m, k = a.shape[0], b.shape[1], a.shape[1]
    out = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            for l in range(k):
                out[i, j] += a[i, l] * b[l, j]
    return out


def gemm(x, c, n):
    a, b, out = _matrix(x, c, 0), _matrix(x, c, 1), _matrix(x, c, 2)
    for i in range(6):
        for j in range(6):
            out[i, j] *= 1.2
        for k in range(6):
            for j in range(6):
                out[i, j] += 1.5 * a[i, k] * b[k, j]
    return _weighted(out, c)


def mm2(x, c, n):
    out = _matrix(x, c, 3)
    found = _product(_product(_matrix(x, c, 0), _matrix(x, c, 1)), _matrix(x, c, 2))
    for i in range(6):
        for j in range(6):
            out[i, j] = 0.7 * out[i, j] + 1.5 * found[i, j]
    return _weighted(out, c)


def mm3(x, c, n):
    left = _product(_matrix(x, c, 0), _matrix(x, c, 1))
    return _weighted(_product(left, _product(_matrix(x, c, 2), _matrix(x, c, 3))), c)


def gemver(x, c, n):
    a = _matrix(x, c, 0)
    y, w = np.zeros(6), np.zeros(6)
    for i in range(6):
        for j in range(6):
            a[i, j] = a[i, j] + x[i] * c[j] + c[i] * x[j]
    for i in range(6):
        for j in range(6):
            y[i] = y[i] + 1.2 * a[j, i] * x[j]
    for i in range(6):
        y[i] = y[i] + c[i]
    for i in range(6):
        for j in range(6):
            w[i] = w[i] + 1.5 * a[i, j] * y[j]
    return np.sum(w * c)


def gesummv(x, c, n):
    a, b = _matrix(x, c, 0), _matrix(x, c, 1)
    total = 0.0
    for i in range(6):
        first = 0.0
        second = 0.0
        for j in range(6):
            first = a[i, j] * x[j] + first
            second = b[i, j] * x[j] + second
        total += (1.5 * first + 1.2 * second) * c[i]
    return total


def symm(x, c, n):
    a, b, out = _matrix(x, c, 0), _matrix(x, c, 1), _matrix(x, c, 2)
    for i in range(6):
        for j in range(6):
            total = 0.0
            for k in range(i):
                out[k, j] += 1.5 * b[i, j] * a[i, k]
                total += b[k, j] * a[i, k]
            out[i, j] = 1.2 * out[i, j] + 1.5 * b[i, j] * a[i, i] + 1.5 * total
    return _weighted(out, c)


def syrk(x, c, n):
    a, out = _matrix(x, c, 0), _matrix(x, c, 1)
    for i in range(6):
        for j in range(i + 1):
            out[i, j] *= 1.2
        for k in range(6):
            for j in range(i + 1):
                out[i, j] += 1.5 * a[i, k] * a[j, k]
    return _weighted(out, c)


def syr2k(x, c, n):
    a, b, out = _matrix(x, c, 0), _matrix(x, c, 1), _matrix(x, c, 2)
    for i in range(6):
        for j in range(i + 1):
            out[i, j] *= 1.2
        for k in range(6):
            for j in range(i + 1):
                out[i, j] += a[j, k] * 1.5 * b[i, k] + b[j, k] * 1.5 * a[i, k]
    return _weighted(out, c)


def trmm(x, c, n):
    a, b = _matrix(x, c, 0), _matrix(x, c, 1)
    for i in range(6):
        for j in range(6):
            for k in range(i + 1, 6):
                b[i, j] += a[k, i] * b[k, j]
            b[i, j] = 1.5 * b[i, j]
    return _weighted(b, c)


def atax(x, c, n):
    a, y = _matrix(x, c, 0), np.zeros(6)
    for i in range(6):
        held = 0.0
        for j in range(6):
            held = held + a[i, j] * x[j]
        for j in range(6):
            y[j] = y[j] + a[i, j] * held
    return np.sum(y * c)


def bicg(x, c, n):
    a, s, q = _matrix(x, c, 0), np.zeros(6), np.zeros(6)
    for i in range(6):
        for j in range(6):
            s[j] = s[j] + x[i] * a[i, j]
            q[i] = q[i] + a[i, j] * c[j]
    return np.sum(s * s) + np.sum(q * c)


def doitgen(x, c, n):
    a, b = np.zeros((2, 3, 6)), _matrix(x, c, 0)
    for r in range(2):
        for q in range(3):
            for p in range(6):
                a[r, q, p] = x[p] * c[(r + q) % 6] + x[(q + p) % 6]
    held = np.zeros(6)
    for r in range(2):
        for q in range(3):
            for p in range(6):
                held[p] = 0.0
                for s in range(6):
                    held[p] += a[r, q, s] * b[s, p]
            for p in range(6):
                a[r, q, p] = held[p]
    return np.sum(a * a)


def mvt(x, c, n):
    a, first, second = _matrix(x, c, 0), x.copy(), c.copy()
    for i in range(6):
        for j in range(6):
            first[i] = first[i] + a[i, j] * c[j]
    for i in range(6):
        for j in range(6):
            second[i] = second[i] + a[j, i] * x[j]
    return np.sum(first * second)


def cholesky_loops(x, c, n):
    a = _definite(x, c)
    for i in range(6):
        for j in range(i):
            for k in range(j):
                a[i, j] -= a[i, k] * a[j, k]
            a[i, j] /= a[j, j]
        for k in range(i):
            a[i, i] -= a[i, k] * a[i, k]
        a[i, i] = math.sqrt(a[i, i])
    return _weighted(a, c)


def durbin(x, c, n):
    r = 0.3 * x
    y, z = np.zeros(6), np.zeros(6)
    y[0] = -r[0]
    beta, alpha = 1.0, -r[0]
    for k in range(1, 6):
        beta = (1.0 - alpha * alpha) * beta
        total = 0.0
        for i in range(k):
            total += r[k - i - 1] * y[i]
        alpha = -(r[k] + total) / beta
        for i in range(k):
            z[i] = y[i] + alpha * y[k - i - 1]
        for i in range(k):
            y[i] = z[i]
        y[k] = alpha
    return np.sum(y * c)


def gramschmidt(x, c, n):
    a, q, r = _matrix(x, c, 0), np.zeros((6, 6)), np.zeros((6, 6))
    for k in range(6):
        norm = 0.0
        for i in range(6):
            norm += a[i, k] * a[i, k]
        r[k, k] = math.sqrt(norm)
        for i in range(6):
            q[i, k] = a[i, k] / r[k, k]
        for j in range(k + 1, 6):
            r[k, j] = 0.0
            for i in range(6):
                r[k, j] += q[i, k] * a[i, j]
            for i in range(6):
                a[i, j] = a[i, j] - q[i, k] * r[k, j]
    return _weighted(r, c) + _weighted(q, c)


def lu(x, c, n):
    a = _matrix(x, c, 0)
    for i in range(6):
        for j in range(i):
            for k in range(j):
                a[i, j] -= a[i, k] * a[k, j]
            a[i, j] /= a[j, j]
        for j in range(i, 6):
            for k in range(i):
                a[i, j] -= a[i, k] * a[k, j]
    return _weighted(a, c)


def ludcmp(x, c, n):
    a, y, z = _matrix(x, c, 0), np.zeros(6), np.zeros(6)
    for i in range(6):
        for j in range(i):
            w = a[i, j]
            for k in range(j):
                w -= a[i, k] * a[k, j]
            a[i, j] = w / a[j, j]
        for j in range(i, 6):
            w = a[i, j]
            for k in range(i):
                w -= a[i, k] * a[k, j]
            a[i, j] = w
    for i in range(6):
        w = x[i]
        for j in range(i):
            w -= a[i, j] * y[j]
        y[i] = w
    for i in range(5, -1, -1):
        w = y[i]
        for j in range(i + 1, 6):
            w -= a[i, j] * z[j]
        z[i] = w / a[i, i]
    return np.sum(z * c)


def trisolv(x, c, n):
    a, y = _matrix(x, c, 0), np.zeros(6)
    for i in range(6):
        y[i] = c[i] * x[i]
        for j in range(i):
            y[i] -= a[i, j] * y[j]
        y[i] = y[i] / a[i, i]
    return np.sum(y * y)
