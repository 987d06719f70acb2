"""Layers of networks, in both precisions."""

from __future__ import annotations

import math

import numpy as np

from user_kernels.rows import Row, numbers


def dense_layer(weights, inputs):
    """A layer with tanh, by loops."""
    total = 0.0
    for p in range(inputs.shape[0]):
        for i in range(weights.shape[0]):
            z = 0.0
            for k in range(weights.shape[1]):
                z += weights[i, k] * inputs[p, k]
            a = math.tanh(z)
            total += a * a
    return total


def dense_layer_float32(weights, inputs):
    """Two layers with a ramp on arrays, in single precision."""
    hidden = np.maximum(inputs @ weights, np.float32(0.0))
    out = np.maximum(hidden @ weights, np.float32(0.0))
    return np.sum(out * out)


def heat_float32(start, steps, c):
    """Heat in a rod, in single precision."""
    u = start.copy()
    new = start.copy()
    for _ in range(steps):
        for i in range(1, u.size - 1):
            new[i] = u[i] + c * (u[i + 1] - np.float32(2.0) * u[i] + u[i - 1])
        u, new = new, u
    return np.sum(u * u)


def perceptron(weights, inputs, labels):
    """Three layers and a softmax, on arrays."""
    h = inputs
    for layer in range(weights.shape[0]):
        h = np.tanh(h @ weights[layer])
    total = 0.0
    for p in range(h.shape[0]):
        top = np.max(h[p])
        total += np.log(np.sum(np.exp(h[p] - top))) + top - h[p, labels[p]]
    return total


def attention(queries, keys, values):
    """Weights by softmax, by loops, and the mean they take."""
    n, d = queries.shape
    weights = np.empty(n)
    total = 0.0
    for i in range(n):
        top = -np.inf
        for j in range(n):
            s = 0.0
            for k in range(d):
                s += queries[i, k] * keys[j, k]
            weights[j] = s / math.sqrt(d)
            top = max(top, weights[j])
        whole = 0.0
        for j in range(n):
            weights[j] = math.exp(weights[j] - top)
            whole += weights[j]
        for k in range(d):
            out = 0.0
            for j in range(n):
                out += weights[j] / whole * values[j, k]
            total += out * out
    return total


def recurrent(weights, inputs):
    """A recurrent cell over a sequence."""
    h = np.zeros(weights.shape[0])
    for t in range(inputs.shape[0]):
        h = np.tanh(weights @ h + inputs[t])
    return np.sum(h * h)


def single(*shape):
    return numbers(*shape).astype(np.float32)


def classes(n, m):
    return np.random.default_rng(3).integers(0, m, n)


ROWS = (
    Row(dense_layer, lambda n: (numbers(16, 16) / 8.0, numbers(n, 16)), 5000, 4),
    Row(
        dense_layer_float32,
        lambda n: (single(n, n) / np.float32(n), single(2 * n, n)),
        256,
        4,
        "NumPy",
    ),
    Row(heat_float32, lambda n: (single(n), n, np.float32(0.2)), 4000, 8),
    Row(
        perceptron,
        lambda n: (numbers(3, 16, 16) / 8.0, numbers(n, 16), classes(n, 16)),
        3000,
        4,
        "NumPy",
    ),
    Row(attention, lambda n: (numbers(n, 8), numbers(n, 8), numbers(n, 8)), 400, 4),
    Row(recurrent, lambda n: (numbers(32, 32) / 32.0, numbers(n, 32)), 3000, 4, "NumPy"),
)
