"""Statistics: simulated prices, losses of quantiles, regressions, long sums."""

from __future__ import annotations

import math

import numpy as np

from user_kernels.rows import Row, numbers


def asian_option(x, draws, strike):
    """The mean payment of an option on an average price; its numbers are drawn before."""
    paths, steps = draws.shape
    dt = 1.0 / steps
    total = 0.0
    for p in range(paths):
        price = x[0]
        mean = 0.0
        for t in range(steps):
            price *= math.exp((x[1] - 0.5 * x[2] ** 2) * dt + x[2] * math.sqrt(dt) * draws[p, t])
            mean += price
        total += max(mean / steps - strike, 0.0)
    return math.exp(-x[1]) * total / paths


def asian_option_numpy(x, draws, strike):
    """The same, all paths at once."""
    paths, steps = draws.shape
    dt = 1.0 / steps
    price = np.full(paths, x[0])
    mean = np.zeros(paths)
    for t in range(steps):
        price = price * np.exp((x[1] - 0.5 * x[2] ** 2) * dt + x[2] * np.sqrt(dt) * draws[:, t])
        mean += price
    return np.exp(-x[1]) * np.mean(np.maximum(mean / steps - strike, 0.0))


def quantile_loss(x, features, seen, level):
    """The loss of a quantile, and the mean of the largest tenth of the errors."""
    errors = seen - features @ x
    loss = 0.0
    for i in range(errors.size):
        loss += max(level * errors[i], (level - 1.0) * errors[i])
    ordered = np.sort(errors)
    return loss / errors.size + np.mean(ordered[-(errors.size // 10 + 1) :])


def logistic(x, features, labels):
    """Logistic regression with a ridge, by loops."""
    total = 0.0
    for i in range(features.shape[0]):
        z = 0.0
        for k in range(x.size):
            z += features[i, k] * x[k]
        total += math.log(1.0 + math.exp(-labels[i] * z))
    for k in range(x.size):
        total += 0.1 * x[k] * x[k]
    return total


def logistic_numpy(x, features, labels):
    """The same on arrays."""
    z = features @ x
    return np.sum(np.log(1.0 + np.exp(-labels * z))) + 0.1 * np.sum(x * x)


def rosenbrock(x):
    """Rosenbrock's valley."""
    total = 0.0
    for i in range(x.size - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


def rosenbrock_slices(x):
    """Rosenbrock's valley, on slices."""
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def gaussian_process(x, points, seen):
    """Minus the log-likelihood of a Gaussian process, by its length, height and noise."""
    n = points.size
    k = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            k[i, j] = x[1] * math.exp(-((points[i] - points[j]) ** 2) / (2.0 * x[0] * x[0]))
        k[i, i] += x[2]
    root = np.linalg.cholesky(k)
    weights = np.linalg.solve(root, seen)
    return 0.5 * np.sum(weights * weights) + np.sum(np.log(np.diag(root)))


def signs(n):
    return np.where(numbers(n) < 0.5, -1.0, 1.0)


MARKET = np.array([1.0, 0.05, 0.2])

ROWS = (
    Row(asian_option, lambda n: (MARKET, numbers(n, 50) - 0.5, 1.0), 10_000, 6),
    Row(asian_option_numpy, lambda n: (MARKET, numbers(n, 50) - 0.5, 1.0), 10_000, 6, "NumPy"),
    Row(
        quantile_loss, lambda n: (numbers(6), numbers(n, 6), 3.0 * numbers(n), 0.9), 50_000, 25
    ),
    Row(logistic, lambda n: (numbers(10), numbers(n, 10), signs(n)), 100_000, 6),
    Row(logistic_numpy, lambda n: (numbers(10), numbers(n, 10), signs(n)), 100_000, 6, "NumPy"),
    Row(rosenbrock, lambda n: (numbers(n),), 1_000_000, 9),
    Row(rosenbrock_slices, lambda n: (numbers(n),), 1_000_000, 9, "NumPy"),
    Row(
        gaussian_process,
        lambda n: (np.array([0.3, 1.0, 0.2]), numbers(n), numbers(n)),
        300,
        5,
        "NumPy",
    ),
)
