"""Adjoints written by hand in Numba: the same algorithms as the kernels of benchmarks/gradbench/."""

from __future__ import annotations

import numpy as np
from gradbench.gmm import lower_triangle
from gradbench.lse import log_sum_exp
from gradbench.ode import slope
from numba import njit


@njit
def lse(x):
    largest = x[0]
    for value in x:
        largest = max(largest, value)
    by_x, total = np.empty(x.size), 0.0
    for i in range(x.size):
        by_x[i] = np.exp(x[i] - largest)
        total += by_x[i]
    for i in range(x.size):
        by_x[i] /= total
    return by_x


@njit
def llsq(x, n):
    by_x, powers = np.zeros(x.size), np.empty(x.size)
    for i in range(n):
        t = -1.0 + i * 2.0 / (n - 1.0)
        residual = float((t > 0.0) - (t < 0.0))
        power = 1.0
        for j in range(x.size):
            residual -= x[j] * power
            powers[j] = power
            power *= t
        for j in range(x.size):
            by_x[j] -= residual * powers[j]
    return by_x


@njit
def slope_backward(x, y, by_k, by_x, by_y):
    by_x[0] += by_k[0]
    for i in range(1, x.size):
        by_x[i] += by_k[i] * y[i - 1]
        by_y[i - 1] = by_k[i] * x[i]
    by_y[-1] = 0.0


@njit
def moved(y, h, k, to):
    for i in range(y.size):
        to[i] = y[i] + h * k[i]


@njit
def stages(x, y, h, k, between):
    """The four slopes of a step, and where all but the first are taken."""
    slope(x, y, k[0])
    moved(y, h / 2.0, k[0], between[0])
    slope(x, between[0], k[1])
    moved(y, h / 2.0, k[1], between[1])
    slope(x, between[1], k[2])
    moved(y, h, k[2], between[2])


@njit
def ode(x, steps):
    """Y is kept at every step, the stages are computed again."""
    n = x.size
    h = 2.0 / steps
    states = np.empty((steps + 1, n))
    states[0] = 0.0
    k, between, of = np.empty((4, n)), np.empty((3, n)), np.empty((4, n))
    for s in range(steps):
        y, after = states[s], states[s + 1]
        stages(x, y, h, k, between)
        slope(x, between[2], k[3])
        for i in range(n):
            after[i] = y[i] + h / 6.0 * (k[0, i] + 2.0 * k[1, i] + 2.0 * k[2, i] + k[3, i])
    by_x, by_y, by_k = np.zeros(n), np.zeros(n), np.empty(n)
    by_y[-1] = 1.0
    for s in range(steps - 1, -1, -1):
        y = states[s]
        stages(x, y, h, k, between)
        for i in range(n):
            by_k[i] = h / 6.0 * by_y[i]
        slope_backward(x, between[2], by_k, by_x, of[3])
        for i in range(n):
            by_k[i] = h / 3.0 * by_y[i] + h * of[3, i]
        slope_backward(x, between[1], by_k, by_x, of[2])
        for i in range(n):
            by_k[i] = h / 3.0 * by_y[i] + h / 2.0 * of[2, i]
        slope_backward(x, between[0], by_k, by_x, of[1])
        for i in range(n):
            by_k[i] = h / 6.0 * by_y[i] + h / 2.0 * of[1, i]
        slope_backward(x, y, by_k, by_x, of[0])
        for i in range(n):
            by_y[i] += of[0, i] + of[1, i] + of[2, i] + of[3, i]
    return by_x


@njit
def gmm(alpha, mu, q, below, x, gamma, m, constant):
    """With BLAS: what each root made of the points is kept."""
    n, d, k = x.shape[0], x.shape[1], alpha.size
    made, terms = np.empty((k, n, d)), np.empty((n, k))
    for c in range(k):
        root = lower_triangle(np.exp(q[c]), below[c])
        np.dot(x - mu[c], root.T, made[c])
        for point in range(n):
            square = np.dot(made[c, point], made[c, point])
            terms[point, c] = alpha[c] + np.sum(q[c]) - 0.5 * square
    shares = np.zeros(k)
    for point in range(n):
        total = log_sum_exp(terms[point])
        for c in range(k):
            terms[point, c] = np.exp(terms[point, c] - total)
            shares[c] += terms[point, c]
    by_alpha = shares - n * np.exp(alpha - log_sum_exp(alpha))
    by_mu, by_q, by_below = np.empty_like(mu), np.empty_like(q), np.empty_like(below)
    for c in range(k):
        diagonal = np.exp(q[c])
        root = lower_triangle(diagonal, below[c])
        by_made = made[c]
        for point in range(n):
            for j in range(d):
                by_made[point, j] *= terms[point, c]
        by_root = by_made.T @ (x - mu[c])
        by_mu[c] = root.T @ np.sum(by_made, 0)
        at = 0
        for column in range(d):
            own = gamma * gamma * diagonal[column] + by_root[column, column]
            by_q[c, column] = shares[c] + m - own * diagonal[column]
            for row in range(column + 1, d):
                by_below[c, at] = -by_root[row, column] - gamma * gamma * below[c, at]
                at += 1
    return by_alpha, by_mu, by_q, by_below
