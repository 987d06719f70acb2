"""Signals and images: convolution, warping, interpolation."""

from __future__ import annotations

import math

import numpy as np

from user_kernels.rows import Row, numbers


def convolve_1d(signal, weights):
    """A convolution of a signal, by loops."""
    total = 0.0
    for i in range(signal.size - weights.size + 1):
        out = 0.0
        for k in range(weights.size):
            out += weights[k] * signal[i + k]
        total += out * out
    return total


def convolve_2d(image, weights):
    """A convolution of an image, by loops."""
    n, m = image.shape
    size = weights.shape[0]
    out = np.zeros((n - size + 1, m - size + 1))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            for a in range(size):
                for b in range(size):
                    out[i, j] += weights[a, b] * image[i + a, j + b]
    return np.sum(out * out)


def convolve_2d_slices(image, weights):
    """The same as a sum of moved images."""
    n, m = image.shape
    size = weights.shape[0]
    out = np.zeros((n - size + 1, m - size + 1))
    for a in range(size):
        for b in range(size):
            out += weights[a, b] * image[a : a + out.shape[0], b : b + out.shape[1]]
    return np.sum(out * out)


def warp(x, image, target):
    """An image turned, moved and looked up between its points, beside another."""
    n, m = image.shape
    total = 0.0
    cos, sin = math.cos(x[0]), math.sin(x[0])
    for i in range(n):
        for j in range(m):
            u = cos * i - sin * j + x[1]
            v = sin * i + cos * j + x[2]
            r, c = math.floor(u), math.floor(v)
            if 0 <= r < n - 1 and 0 <= c < m - 1:
                fu, fv = u - r, v - c
                top = (1.0 - fv) * image[r, c] + fv * image[r, c + 1]
                low = (1.0 - fv) * image[r + 1, c] + fv * image[r + 1, c + 1]
                total += ((1.0 - fu) * top + fu * low - target[i, j]) ** 2
    return total


def smooth_image(image, seen, weight):
    """Smoothed total variation: neighbours that differ cost their distance."""
    n, m = image.shape
    total = 0.0
    for i in range(n - 1):
        for j in range(m - 1):
            dx = image[i + 1, j] - image[i, j]
            dy = image[i, j + 1] - image[i, j]
            total += weight * math.sqrt(dx * dx + dy * dy + 1e-3) + (image[i, j] - seen[i, j]) ** 2
    return total


def table_lookup(values, places):
    """A table looked up between its points."""
    total = 0.0
    for p in range(places.size):
        at = places[p] * (values.size - 1)
        i = min(int(at), values.size - 2)
        w = at - i
        y = (1.0 - w) * values[i] + w * values[i + 1]
        total += y * y
    return total


def spline(values, places):
    """A natural cubic spline through values, at many places."""
    n = values.size
    h = 1.0 / (n - 1)
    bend = np.zeros(n)
    factor = np.zeros(n)
    for i in range(1, n - 1):
        pivot = 4.0 - factor[i - 1]
        factor[i] = 1.0 / pivot
        right = 6.0 * (values[i + 1] - 2.0 * values[i] + values[i - 1]) / (h * h)
        bend[i] = (right - bend[i - 1]) / pivot
    for i in range(n - 2, 0, -1):
        bend[i] -= factor[i] * bend[i + 1]
    total = 0.0
    for p in range(places.size):
        i = min(int(places[p] / h), n - 2)
        b = places[p] / h - i
        a = 1.0 - b
        cubic = (a**3 - a) * bend[i] + (b**3 - b) * bend[i + 1]
        y = a * values[i] + b * values[i + 1] + cubic * h * h / 6.0
        total += y * y
    return total


ROWS = (
    Row(convolve_1d, lambda n: (numbers(n), numbers(15)), 500_000, 30),
    Row(convolve_2d, lambda n: (numbers(n, n), numbers(5, 5)), 400, 8),
    Row(convolve_2d_slices, lambda n: (numbers(n, n), numbers(5, 5)), 400, 8, "NumPy"),
    Row(
        warp,
        lambda n: (np.array([0.05, 0.3, 0.6]), numbers(n, n), numbers(n, n).T.copy()),
        1000,
        8,
    ),
    Row(smooth_image, lambda n: (numbers(n, n), numbers(n, n).T.copy(), 0.3), 1000, 6),
    Row(table_lookup, lambda n: (numbers(1000), numbers(n)), 1_000_000, 7),
    Row(spline, lambda n: (numbers(1000), numbers(n)), 500_000, 7),
)
