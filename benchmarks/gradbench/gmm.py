"""gmm: the log-posterior of a mixture of Gaussians, whose inverse covariances have triangular roots.

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


@numba.njit
def squared_norm_of_root_times(diagonal, below, point, centre, product):
    """|Q (point - centre)|^2 with the lower triangular root Q."""
    d = point.size
    for i in range(d):
        product[i] = diagonal[i] * (point[i] - centre[i])
    at = 0
    for i in range(d):
        away = point[i] - centre[i]
        for j in range(i + 1, d):
            product[j] += below[at] * away
            at += 1
    total = 0.0
    for i in range(d):
        total += product[i] * product[i]
    return total


@numba.njit
def log_posterior(alpha, mu, q, below, x, gamma, m, constant):
    n, d = x.shape
    k = alpha.size
    diagonals = np.exp(q)
    sums = np.empty(k)
    for component in range(k):
        sums[component] = np.sum(q[component])
    terms, product = np.empty(k), np.empty(d)
    total = 0.0
    for point in range(n):
        for component in range(k):
            square = squared_norm_of_root_times(
                diagonals[component], below[component], x[point], mu[component], product
            )
            terms[component] = alpha[component] + sums[component] - 0.5 * square
        total += log_sum_exp(terms)
    prior = 0.0
    for component in range(k):
        frobenius = np.sum(diagonals[component] ** 2) + np.sum(below[component] ** 2)
        prior += 0.5 * gamma * gamma * frobenius - m * sums[component]
    return constant + total - n * log_sum_exp(alpha) - prior


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
