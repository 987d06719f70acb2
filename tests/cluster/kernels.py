"""Kernels of the tests, and their derivatives by hand."""

from __future__ import annotations

import numpy as np

OVER = ("X", "y")


def logistic(w, X, y):
    total = 0.0
    for i in range(X.shape[0]):
        z = 0.0
        for j in range(w.size):
            z += X[i, j] * w[j]
        total += np.log1p(np.exp(-y[i] * z))
    return total


def slopes(w, X, y):
    """Return value and gradient of `logistic`: -y X / (1 + exp(y X w)), by row."""
    margin = y * (X @ w)
    return np.sum(np.log1p(np.exp(-margin))), -(y / (1.0 + np.exp(margin))) @ X


def bend(w, X, y):
    """Return the Hessian of `logistic`: X' D X with D = s (1 - s)."""
    s = 1.0 / (1.0 + np.exp(y * (X @ w)))
    return (X.T * (s * (1.0 - s))) @ X


def residual(w, X, y):
    out = np.empty(y.size)
    for i in range(y.size):
        z = 0.0
        for j in range(w.size):
            z += X[i, j] * w[j]
        out[i] = np.tanh(z) - y[i]
    return out


def rows(w, X, y):
    """Return `residual` and its Jacobian."""
    found = np.tanh(X @ w)
    return found - y, (1.0 - found**2)[:, None] * X


def data(count=230, width=4, seed=0):
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(count, width))
    return generator.normal(size=width), X, np.sign(generator.normal(size=count))


def cut(array, count):
    return list(np.array_split(array, count))


def equal(one, other):
    """Tell whether two results have the same bits."""
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(equal, one, other))
    return np.asarray(one).tobytes() == np.asarray(other).tobytes()
