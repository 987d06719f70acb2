"""The subjects of PolyBench's list, in loops of our own: data mining, filters, paths, stencils."""

import math

import numba
import numpy as np


@numba.njit
def _data(x, c):
    """Return five rows of four columns."""
    a = np.zeros((5, 4))
    for i in range(5):
        for j in range(4):
            a[i, j] = x[(i + j) % 6] * (1.0 + 0.3 * j) + x[(i * j) % 6] * c[i] + 0.1 * i
    return a


@numba.njit
def _grid(x, c):
    a = np.zeros((5, 5))
    for i in range(5):
        for j in range(5):
            a[i, j] = x[i] * c[j] + 0.2 * x[(i + j) % 6]
    return a


@numba.njit
def _means(a):
    mean = np.zeros(4)
    for j in range(4):
        for i in range(5):
            mean[j] += a[i, j]
        mean[j] /= 5.0
    return mean


def covariance(x, c, n):
    a, out = _data(x, c), np.zeros((4, 4))
    mean = _means(a)
    for i in range(5):
        for j in range(4):
            a[i, j] -= mean[j]
    for i in range(4):
        for j in range(i, 4):
            for k in range(5):
                out[i, j] += a[k, i] * a[k, j]
            out[i, j] /= 4.0
            out[j, i] = out[i, j]
    return np.sum(out * out)


def correlation(x, c, n):
    a, out = _data(x, c), np.eye(4)
    mean, width = _means(a), np.zeros(4)
    for j in range(4):
        for i in range(5):
            width[j] += (a[i, j] - mean[j]) * (a[i, j] - mean[j])
        width[j] = math.sqrt(width[j] / 5.0)
        if width[j] <= 0.01:
            width[j] = 1.0
    for i in range(5):
        for j in range(4):
            a[i, j] -= mean[j]
            a[i, j] /= math.sqrt(5.0) * width[j]
    for i in range(3):
        for j in range(i + 1, 4):
            out[i, j] = 0.0
            for k in range(5):
                out[i, j] += a[k, i] * a[k, j]
            out[j, i] = out[i, j]
    return np.sum(out * out * out)


def deriche(x, c, n):
    """Two recursive filters, forwards and backwards, first along rows and then along columns."""
    alpha = 0.5 + 0.1 * x[0]
    k = (1.0 - math.exp(-alpha)) ** 2 / (
        1.0 + 2.0 * alpha * math.exp(-alpha) - math.exp(2.0 * alpha)
    )
    first, second = k, k * math.exp(-alpha) * (alpha - 1.0)
    third, fourth = k * math.exp(-alpha) * (alpha + 1.0), -k * math.exp(-2.0 * alpha)
    one, two = 2.0 ** (-alpha), -math.exp(-2.0 * alpha)
    a = _grid(x, c)
    for turn in range(2):
        ahead, back = np.zeros((5, 5)), np.zeros((5, 5))
        for i in range(5):
            before, y1, y2 = 0.0, 0.0, 0.0
            for j in range(5):
                ahead[i, j] = first * a[i, j] + second * before + one * y1 + two * y2
                before = a[i, j]
                y2 = y1
                y1 = ahead[i, j]
        for i in range(5):
            x1, x2, y1, y2 = 0.0, 0.0, 0.0, 0.0
            for j in range(4, -1, -1):
                back[i, j] = third * x1 + fourth * x2 + one * y1 + two * y2
                x2 = x1
                x1 = a[i, j]
                y2 = y1
                y1 = back[i, j]
        for i in range(5):
            for j in range(5):
                a[j, i] = ahead[i, j] + back[i, j]
    return np.sum(a * a)


def floyd_warshall(x, c, n):
    paths = np.zeros((6, 6))
    for i in range(6):
        for j in range(6):
            paths[i, j] = 3.0 + x[i] * c[j] + 0.7 * ((i * 5 + j * 3) % 7)
    for k in range(6):
        for i in range(6):
            for j in range(6):
                through = paths[i, k] + paths[k, j]
                paths[i, j] = min(through, paths[i, j])
    return np.sum(paths * paths)


def nussinov(x, c, n):
    """Pairs of a chain, with the numbers of x as what a pair brings."""
    table = np.zeros((6, 6))
    for i in range(5, -1, -1):
        for j in range(i + 1, 6):
            table[i, j] = max(table[i, j], table[i, j - 1])
            table[i, j] = max(table[i, j], table[i + 1, j])
            if i < j - 1:
                table[i, j] = max(table[i, j], table[i + 1, j - 1] + 1.0 + x[i] * x[j] + 0.3 * c[i])
            else:
                table[i, j] = max(table[i, j], table[i + 1, j - 1])
            for k in range(i + 1, j):
                table[i, j] = max(table[i, j], table[i, k] + table[k + 1, j])
    return np.sum(table * table)


def adi(x, c, n):
    """Diffusion on a square, by columns and by rows in turn."""
    u, v, p, q = _grid(x, c), np.zeros((5, 5)), np.zeros((5, 5)), np.zeros((5, 5))
    a, b = -0.3 + 0.05 * x[1], 1.7
    for t in range(n):
        for i in range(1, 4):
            v[0, i] = 1.0
            p[i, 0] = 0.0
            q[i, 0] = v[0, i]
            for j in range(1, 4):
                p[i, j] = -a / (a * p[i, j - 1] + b)
                flow = 0.2 * u[j, i - 1] + 0.6 * u[j, i] + 0.2 * u[j, i + 1]
                q[i, j] = (flow - a * q[i, j - 1]) / (a * p[i, j - 1] + b)
            v[4, i] = 1.0
            for j in range(3, 0, -1):
                v[j, i] = p[i, j] * v[j + 1, i] + q[i, j]
        for i in range(1, 4):
            u[i, 0] = 1.0
            p[i, 0] = 0.0
            q[i, 0] = u[i, 0]
            for j in range(1, 4):
                p[i, j] = -a / (a * p[i, j - 1] + b)
                flow = 0.2 * v[i - 1, j] + 0.6 * v[i, j] + 0.2 * v[i + 1, j]
                q[i, j] = (flow - a * q[i, j - 1]) / (a * p[i, j - 1] + b)
            u[i, 4] = 1.0
            for j in range(3, 0, -1):
                u[i, j] = p[i, j] * u[i, j + 1] + q[i, j]
    return np.sum(u * u)


def fdtd2d(x, c, n):
    ex, ey, hz = _grid(x, c), _grid(c, x), _grid(x, x)
    for t in range(n):
        for j in range(5):
            ey[0, j] = c[t]
        for i in range(1, 5):
            for j in range(5):
                ey[i, j] = ey[i, j] - 0.5 * (hz[i, j] - hz[i - 1, j])
        for i in range(5):
            for j in range(1, 5):
                ex[i, j] = ex[i, j] - 0.5 * (hz[i, j] - hz[i, j - 1])
        for i in range(4):
            for j in range(4):
                change = ex[i, j + 1] - ex[i, j] + ey[i + 1, j] - ey[i, j]
                hz[i, j] = hz[i, j] - 0.7 * change * (1.0 + 0.1 * hz[i, j])
    return np.sum(hz * hz)


def heat3d(x, c, n):
    a = np.zeros((4, 4, 4))
    for i in range(4):
        for j in range(4):
            for k in range(4):
                a[i, j, k] = x[i] * c[j] + x[k] * x[(i + j) % 6]
    b = a.copy()
    for t in range(2 * n):
        old, new = (a, b) if t % 2 == 0 else (b, a)
        for i in range(1, 3):
            for j in range(1, 3):
                for k in range(1, 3):
                    here = old[i, j, k]
                    new[i, j, k] = (
                        0.125 * (old[i + 1, j, k] - 2.0 * here + old[i - 1, j, k])
                        + 0.125 * (old[i, j + 1, k] - 2.0 * here + old[i, j - 1, k])
                        + 0.125 * (old[i, j, k + 1] - 2.0 * here + old[i, j, k - 1])
                        + here
                    )
    return np.sum(a * a)


def jacobi1d(x, c, n):
    a, b = x.copy(), c.copy()
    for t in range(n):
        for i in range(1, 5):
            b[i] = 0.33333 * (a[i - 1] + a[i] + a[i + 1])
        for i in range(1, 5):
            a[i] = 0.33333 * (b[i - 1] + b[i] * b[i] + b[i + 1])
    return np.sum(a * a)


def jacobi2d(x, c, n):
    a, b = _grid(x, c), _grid(c, x)
    for t in range(n):
        for i in range(1, 4):
            for j in range(1, 4):
                b[i, j] = 0.2 * (a[i, j] + a[i, j - 1] + a[i, j + 1] + a[i + 1, j] + a[i - 1, j])
        for i in range(1, 4):
            for j in range(1, 4):
                a[i, j] = 0.2 * (b[i, j] + b[i, j - 1] + b[i, j + 1] + b[i + 1, j] + b[i - 1, j])
    return np.sum(a * a * a)


def seidel2d(x, c, n):
    a = _grid(x, c)
    for t in range(n):
        for i in range(1, 4):
            for j in range(1, 4):
                total = a[i - 1, j - 1] + a[i - 1, j] + a[i - 1, j + 1] + a[i, j - 1] + a[i, j]
                total += a[i, j + 1] + a[i + 1, j - 1] + a[i + 1, j] + a[i + 1, j + 1]
                a[i, j] = total / 9.0 + 0.05 * a[i, j] * a[i - 1, j]
    return np.sum(a * a)
