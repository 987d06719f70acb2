"""gmm: the log-posterior of a mixture of Gaussians, whose inverse covariances have triangular roots.

All points are multiplied by a component's root at once.

q holds the logarithms of the roots' diagonals, l what stands below, column by column.
"""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np

import enzyme_py as enzyme

from .evaluation import Evaluation, warmed
from .lse import log_sum_exp


@numba.njit(fastmath=True)
def lower_triangle(diagonal, below):
    """The matrix with this diagonal and, column by column, these numbers below it."""
    d = diagonal.size
    matrix = np.zeros((d, d))
    at = 0
    for column in range(d):
        matrix[column, column] = diagonal[column]
        for row in range(column + 1, d):
            matrix[row, column] = below[at]
            at += 1
    return matrix


@numba.njit(fastmath=True)
def log_posterior(alpha, mu, q, below, x, gamma, m, constant):
    n, k = x.shape[0], alpha.size
    terms = np.empty((n, k))
    prior = 0.0
    for component in range(k):
        diagonal = np.exp(q[component])
        root = lower_triangle(diagonal, below[component])
        scaled = (x - mu[component]) @ root.T
        total = np.sum(q[component])
        for point in range(n):
            square = np.dot(scaled[point], scaled[point])
            terms[point, component] = alpha[component] + total - 0.5 * square
        frobenius = np.sum(diagonal**2) + np.sum(below[component] ** 2)
        prior += 0.5 * gamma * gamma * frobenius - m * total
    value = constant - n * log_sum_exp(alpha) - prior
    for point in range(n):
        value += log_sum_exp(terms[point])
    return value


_slopes = enzyme.grad(log_posterior, argnums=(0, 1, 2, 3))


def _arguments(given: dict[str, Any]) -> tuple[Any, ...]:
    d, k, n = int(given["d"]), int(given["k"]), int(given["n"])
    gamma, m = float(given["gamma"]), int(given["m"])
    below = np.array(given["l"], dtype=float).reshape(k, d * (d - 1) // 2)
    arrays = [np.array(given[name], dtype=float) for name in ("alpha", "mu", "q")]
    constant = -n * d * 0.5 * math.log(2 * math.pi) + k * _log_wishart_constant(d, gamma, m)
    return (*arrays, below, np.array(given["x"], dtype=float), gamma, m, constant)


def _log_wishart_constant(d: int, gamma: float, m: int) -> float:
    freedom = d + m + 1
    multivariate = 0.25 * d * (d - 1) * math.log(math.pi)
    multivariate += sum(math.lgamma(0.5 * freedom + 0.5 * (1 - j)) for j in range(1, d + 1))
    return freedom * d * (math.log(gamma) - 0.5 * math.log(2)) - multivariate


def _objective(given: dict[str, Any]) -> Evaluation:
    arguments = _arguments(given)
    return Evaluation(lambda: log_posterior(*arguments))


def _jacobian(given: dict[str, Any]) -> Evaluation:
    arguments = _arguments(given)
    names = ("alpha", "mu", "q", "l")
    return Evaluation(
        lambda: _slopes(*arguments),
        lambda found: {name: one.tolist() for name, one in zip(names, found, strict=True)},
    )


FUNCTIONS = {"objective": _objective, "jacobian": _jacobian}


def warm_up() -> None:
    """Compile."""
    rows = [[0.5, 0.25], [1.0, 0.75]]
    example = {"d": 2, "k": 2, "n": 2, "alpha": [0.1, 0.2], "mu": rows, "q": rows, "x": rows}
    warmed(FUNCTIONS, {**example, "l": [[0.5], [0.25]], "gamma": 1.0, "m": 0})
