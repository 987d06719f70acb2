"""Adjoints of factorisations and products."""

from __future__ import annotations

import math

import numpy as np
from numba import njit


@njit
def lu_in_place(a):
    """What the factors are at the end is all that is read."""
    lu = a.copy()
    n = lu.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            lu[i, k] /= lu[k, k]
            for j in range(k + 1, n):
                lu[i, j] -= lu[i, k] * lu[k, j]
    total = 0.0
    back = np.zeros((n, n))
    for k in range(n):
        total += math.log(abs(lu[k, k]))
        back[k, k] = 1.0 / lu[k, k]
    for k in range(n - 1, -1, -1):
        for i in range(k + 1, n):
            factor = lu[i, k]
            slope = back[i, k]
            for j in range(k + 1, n):
                slope -= back[i, j] * lu[k, j]
                back[k, j] -= back[i, j] * factor
            back[i, k] = slope / lu[k, k]
            back[k, k] -= slope * factor / lu[k, k]
    return total, back


@njit
def matrix_product(a, b):
    """Rows times rows."""
    n, m = a.shape[0], b.shape[1]
    c = np.zeros((n, m))
    for i in range(n):
        for k in range(a.shape[1]):
            for j in range(m):
                c[i, j] += a[i, k] * b[k, j]
    turned = b.T.copy()
    back = np.zeros_like(a)
    for i in range(n):
        for j in range(m):
            slope = 2.0 * c[i, j]
            for k in range(a.shape[1]):
                back[i, k] += slope * turned[j, k]
    return np.sum(c * c), back


@njit
def matrix_product_by_dots(a, b):
    """A column of b is looked at as a row of what is turned."""
    turned = b.T.copy()
    back = np.zeros_like(a)
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            c = 0.0
            for k in range(a.shape[1]):
                c += a[i, k] * turned[j, k]
            total += c * c
            for k in range(a.shape[1]):
                back[i, k] += 2.0 * c * turned[j, k]
    return total, back


@njit
def csr_product(values, columns, starts, x, times):
    """The vectors are kept, one a product."""
    n = starts.size - 1
    kept = np.empty((times + 1, n))
    kept[0] = x
    for t in range(times):
        for i in range(n):
            total = 0.0
            for p in range(starts[i], starts[i + 1]):
                total += values[p] * kept[t, columns[p]]
            kept[t + 1, i] = total
    value = np.sum(kept[times] * kept[times])
    back = 2.0 * kept[times]
    slope = np.zeros(values.size)
    for t in range(times - 1, -1, -1):
        before = np.zeros(n)
        for i in range(n):
            g = back[i]
            for p in range(starts[i], starts[i + 1]):
                slope[p] += g * kept[t, columns[p]]
                before[columns[p]] += g * values[p]
        back = before
    return value, slope


@njit
def cholesky_by_loops(a):
    """The factor is all that is read."""
    n = a.shape[0]
    low = np.zeros((n, n))
    back = np.zeros((n, n))
    value = 0.0
    for i in range(n):
        for j in range(i + 1):
            total = a[i, j]
            for k in range(j):
                total -= low[i, k] * low[j, k]
            low[i, j] = math.sqrt(total) if i == j else total / low[j, j]
        value += math.log(low[i, i]) + low[i, 0] ** 2
        back[i, i] += 1.0 / low[i, i]
        back[i, 0] += 2.0 * low[i, 0]
    for i in range(n - 1, -1, -1):
        g = 0.5 * back[i, i] / low[i, i]
        back[i, i] = g
        for k in range(i):
            back[i, k] -= 2.0 * g * low[i, k]
        for j in range(i - 1, -1, -1):
            g = back[i, j] / low[j, j]
            back[i, j] = g
            back[j, j] -= g * low[i, j]
            for k in range(j):
                back[i, k] -= g * low[j, k]
                back[j, k] -= g * low[i, k]
    return value, back


@njit
def thomas(right, lower, main, upper):
    """The solution of a system is kept until its adjoint, another system, is solved."""
    systems, n = right.shape
    c, x, pivot = np.empty(n), np.empty(n), np.empty(n)
    back = np.empty((systems, n))
    total = 0.0
    for s in range(systems):
        c[0] = upper[0] / main[0]
        x[0] = right[s, 0] / main[0]
        pivot[0] = main[0]
        for i in range(1, n):
            pivot[i] = main[i] - lower[i] * c[i - 1]
            c[i] = upper[i] / pivot[i]
            x[i] = (right[s, i] - lower[i] * x[i - 1]) / pivot[i]
        total += x[n - 1] ** 2
        for i in range(n - 2, -1, -1):
            x[i] -= c[i] * x[i + 1]
            total += x[i] * x[i]
        g = 2.0 * x[0]
        back[s, 0] = g
        for i in range(1, n):
            g = 2.0 * x[i] - c[i - 1] * g
            back[s, i] = g
        g = 0.0
        for i in range(n - 1, 0, -1):
            g = (back[s, i] - g) / pivot[i]
            back[s, i] = g
            g *= lower[i]
        back[s, 0] = (back[s, 0] - g) / pivot[0]
    return total, back


@njit
def dense_layer(weights, inputs):
    """Forward and backward at once, unit by unit."""
    back = np.zeros_like(weights)
    total = 0.0
    for p in range(inputs.shape[0]):
        for i in range(weights.shape[0]):
            z = 0.0
            for k in range(weights.shape[1]):
                z += weights[i, k] * inputs[p, k]
            a = math.tanh(z)
            total += a * a
            g = 2.0 * a * (1.0 - a * a)
            for k in range(weights.shape[1]):
                back[i, k] += g * inputs[p, k]
    return total, back


@njit
def triangular_solve(low, right):
    """Each row of the slope is written once."""
    n = right.size
    x, slope = np.zeros(n), np.zeros((n, n))
    for i in range(n):
        x[i] = (right[i] - low[i, :i] @ x[:i]) / low[i, i]
    back = 2.0 * x
    for i in range(n - 1, -1, -1):
        down = back[i] / low[i, i]
        slope[i, i] = -down * x[i]
        for j in range(i):
            slope[i, j] = -down * x[j]
            back[j] -= down * low[i, j]
    return np.sum(x * x), slope
