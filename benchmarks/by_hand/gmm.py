"""gmm by hand: with BLAS, by component; what each root made of the points is kept."""

from __future__ import annotations

import numpy as np
from gradbench.gmm import lower_triangle
from gradbench.lse import log_sum_exp
from numba import njit


@njit
def gradient(alpha, mu, q, below, x, gamma, m, constant):
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
