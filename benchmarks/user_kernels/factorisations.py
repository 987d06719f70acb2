"""Factorisations, solves and products of matrices by hand."""

from __future__ import annotations

import math

import numpy as np

from user_kernels.rows import Row, numbers


def lu_in_place(a):
    """LU without pivots in place: the logarithm of the determinant."""
    lu = a.copy()
    n = lu.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            lu[i, k] /= lu[k, k]
            for j in range(k + 1, n):
                lu[i, j] -= lu[i, k] * lu[k, j]
    total = 0.0
    for k in range(n):
        total += math.log(abs(lu[k, k]))
    return total


def cholesky_by_loops(a):
    """Cholesky, row by row: the logarithm of the determinant and a norm."""
    n = a.shape[0]
    low = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            total = a[i, j]
            for k in range(j):
                total -= low[i, k] * low[j, k]
            if i == j:
                low[i, i] = math.sqrt(total)
            else:
                low[i, j] = total / low[j, j]
    result = 0.0
    for i in range(n):
        result += math.log(low[i, i]) + low[i, 0] ** 2
    return result


def thomas(right, lower, main, upper):
    """Tridiagonal systems, one for each row of the right side."""
    systems, n = right.shape
    c = np.empty(n)
    d = np.empty(n)
    total = 0.0
    for s in range(systems):
        c[0] = upper[0] / main[0]
        d[0] = right[s, 0] / main[0]
        for i in range(1, n):
            pivot = main[i] - lower[i] * c[i - 1]
            c[i] = upper[i] / pivot
            d[i] = (right[s, i] - lower[i] * d[i - 1]) / pivot
        x = d[n - 1]
        total += x * x
        for i in range(n - 2, -1, -1):
            x = d[i] - c[i] * x
            total += x * x
    return total


def adi(start, steps, c):
    """Alternating directions: implicit sweeps over columns, then over rows, on whole columns and rows."""
    u = start.copy()
    n = u.shape[0]
    factor = np.empty(n)
    factor[0] = c / (1.0 + 2.0 * c)
    for i in range(1, n):
        factor[i] = c / (1.0 + 2.0 * c - c * factor[i - 1])
    for _ in range(steps):
        u[:, 0] = u[:, 0] * factor[0] / c
        for j in range(1, n):
            u[:, j] = (u[:, j] + c * u[:, j - 1]) * factor[j] / c
        for j in range(n - 2, -1, -1):
            u[:, j] = u[:, j] + factor[j] * u[:, j + 1]
        u[0, :] = u[0, :] * factor[0] / c
        for i in range(1, n):
            u[i, :] = (u[i, :] + c * u[i - 1, :]) * factor[i] / c
        for i in range(n - 2, -1, -1):
            u[i, :] = u[i, :] + factor[i] * u[i + 1, :]
    return np.sum(u * u)


def triangular_solve(low, right):
    """Forward substitution, an inner product a row."""
    x = np.zeros(right.size)
    for i in range(right.size):
        x[i] = (right[i] - low[i, :i] @ x[:i]) / low[i, i]
    return np.sum(x * x)


def matrix_product(a, b):
    """A product of matrices by three loops."""
    n, m = a.shape[0], b.shape[1]
    c = np.zeros((n, m))
    for i in range(n):
        for k in range(a.shape[1]):
            for j in range(m):
                c[i, j] += a[i, k] * b[k, j]
    return np.sum(c * c)


def matrix_product_by_dots(a, b):
    """The same, its sum innermost, as textbooks have it."""
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            c = 0.0
            for k in range(a.shape[1]):
                c += a[i, k] * b[k, j]
            total += c * c
    return total


def matrix_chain(a, start, steps):
    """A vector pushed through a matrix again and again, scaled to length one."""
    v = start.copy()
    total = 0.0
    for _ in range(steps):
        v = a @ v
        length = np.sqrt(np.sum(v * v))
        v = v / length
        total += np.log(length)
    return total


def covariance(data):
    """The sum of squares of a covariance matrix, by products of columns."""
    n, m = data.shape
    centred = np.empty((n, m))
    for j in range(m):
        centred[:, j] = data[:, j] - np.mean(data[:, j])
    total = 0.0
    for i in range(m):
        for j in range(m):
            total += (np.sum(centred[:, i] * centred[:, j]) / (n - 1)) ** 2
    return total


def csr_product(values, columns, starts, x, times):
    """Products of a sparse matrix (CSR) with a vector, one after another."""
    n = starts.size - 1
    v = x.copy()
    new = np.empty(n)
    for _ in range(times):
        for i in range(n):
            total = 0.0
            for p in range(starts[i], starts[i + 1]):
                total += values[p] * v[columns[p]]
            new[i] = total
        v, new = new, v
    return np.sum(v * v)


def complex_solves(x, a, steps):
    """A complex system a step: the response of a circuit over frequencies."""
    total = 0.0
    b = np.zeros(a.shape[0], np.complex128)
    for i in range(x.size):
        b[i] = x[i]
    for step in range(steps):
        system = a + 1j * (1.0 + 0.01 * step) * np.diag(x)
        v = np.linalg.solve(system, b)
        total += np.sum(v.real**2 + v.imag**2)
    return total


def dominant(n):
    """Return a symmetric matrix with a strong diagonal."""
    a = numbers(n, n)
    return a + a.T + 2.0 * n * np.eye(n)


def sparse_arguments(n):
    random = np.random.default_rng(1)
    starts = np.arange(0, 8 * n + 1, 8)
    return 0.3 * numbers(8 * n), random.integers(0, n, 8 * n), starts, numbers(n), 10


ROWS = (
    Row(lu_in_place, lambda n: (dominant(n),), 250, 5),
    Row(cholesky_by_loops, lambda n: (dominant(n),), 350, 5),
    Row(
        thomas,
        lambda n: (numbers(n, n), -numbers(n), 3.0 + numbers(n), -numbers(n)),
        700,
        5,
    ),
    Row(adi, lambda n: (numbers(n, n), 10, 0.4), 250, 5, "NumPy"),
    Row(triangular_solve, lambda n: (np.tril(dominant(n)), numbers(n)), 2500, 5, "NumPy"),
    Row(matrix_product, lambda n: (numbers(n, n), numbers(n, n)), 250, 4),
    Row(matrix_product_by_dots, lambda n: (numbers(n, n), numbers(n, n)), 160, 4),
    Row(matrix_chain, lambda n: (numbers(n, n), numbers(n), 1000), 120, 4, "NumPy"),
    Row(covariance, lambda n: (numbers(1000, n),), 40, 3, "NumPy"),
    Row(csr_product, sparse_arguments, 20_000, 6),
    Row(complex_solves, lambda n: (1.0 + numbers(n), dominant(n) + 0j, 500), 12, 3, "NumPy"),
)
