"""Loops whose bounds are quotients that Python rounds down, with a loop in them that is left in two places.

Without the pass `chosen integers` the first kernel ends in "function failed verification", in reverse mode. Each number of
`values` becomes its multiple by 1 + m, m the mean of x, as often as it takes to come to 1: p times, of the starts below. So the
sum of squares is that of starts**2 times (1 + m)**(2 p).
"""

from __future__ import annotations

import numba
import numpy as np

import enzyme_py as enzyme

X = np.linspace(0.5, 0.7, 12)
MEAN, COUNT = np.mean(X), X.size


@numba.njit
def grown(x, value):
    k = 0
    while k < 1000:
        total = 0.0
        for j in range(len(x)):
            total += x[j] * value
        following = value + total / len(x)
        k += 1
        if following >= 1.0 or k >= 1000:
            return following
        total = 0.0
        for j in range(len(x)):
            total += x[j] * following
        value = following + total / len(x)
        k += 1
        if value >= 1.0:
            return value
    return value


@numba.njit
def in_parts(x):
    """Of each part of the numbers, as many as there are sixes of them."""
    values = np.zeros(x.size)
    n = len(x)
    parts = max(1, min(256, n // 6))
    for c in range(parts):
        for i in range(c * n // parts, (c + 1) * n // parts):
            values[i] = grown(x, x[0] / 4.0)
    return np.sum(values**2)


@numba.njit
def by_remainders(x):
    """The same numbers by `%` and by negative quotients."""
    values = np.zeros(x.size)
    n = len(x)
    for c in range(n % 5):
        for i in range(-(-c * n // 2), -(-(c + 1) * n // 2)):
            values[i] = grown(x, x[0] / 4.0)
    return np.sum(values**2)


def expected() -> tuple[float, np.ndarray]:
    """Return the sum, and its gradient."""
    start = X[0] / 4.0
    p = int(np.ceil(np.log(1.0 / start) / np.log1p(MEAN)))
    value = COUNT * start**2 * (1.0 + MEAN) ** (2 * p)
    gradient = np.full(COUNT, value * 2 * p / (1.0 + MEAN) / COUNT)
    gradient[0] += 2.0 * value / X[0]
    return value, gradient


def test_both_modes() -> None:
    value, gradient = expected()
    for kernel in (in_parts, by_remainders):
        np.testing.assert_allclose(kernel(X), value, rtol=1e-13)
        np.testing.assert_allclose(enzyme.gradient(kernel, X)[0], gradient, rtol=1e-12)
        slope = enzyme.jvp(kernel, (X,), (np.ones(COUNT),))[1]
        np.testing.assert_allclose(slope, gradient.sum(), rtol=1e-12)
