"""Adjoints of filters, convolutions, transforms and of functions that call themselves."""

from __future__ import annotations

import math

import numpy as np
from numba import njit


@njit
def recursive_filter(signal, b0, b1, a1, a2):
    """The filter runs backwards over its own output."""
    n = signal.size
    y = np.zeros(n)
    total = 0.0
    for t in range(2, n):
        y[t] = b0 * signal[t] + b1 * signal[t - 1] - a1 * y[t - 1] - a2 * y[t - 2]
        total += y[t] * y[t]
    back = np.empty(n)
    one, two = 0.0, 0.0
    for t in range(n - 1, 1, -1):
        g = 2.0 * y[t] - a1 * one - a2 * two
        back[t] = b0 * g + b1 * one
        one, two = g, one
    back[1] = b1 * one
    back[0] = 0.0
    return total, back


@njit
def convolve_1d(signal, weights):
    """Forward and backward at once."""
    total = 0.0
    back = np.zeros_like(signal)
    for i in range(signal.size - weights.size + 1):
        out = 0.0
        for k in range(weights.size):
            out += weights[k] * signal[i + k]
        total += out * out
        for k in range(weights.size):
            back[i + k] += 2.0 * out * weights[k]
    return total, back


@njit
def convolve_2d(image, weights):
    """The weights lie outside, so that rows are pushed back as vectors."""
    n, m = image.shape
    size = weights.shape[0]
    out = np.zeros((n - size + 1, m - size + 1))
    back = np.zeros_like(image)
    for i in range(out.shape[0]):
        for a in range(size):
            for b in range(size):
                for j in range(out.shape[1]):
                    out[i, j] += weights[a, b] * image[i + a, j + b]
        for a in range(size):
            for b in range(size):
                for j in range(out.shape[1]):
                    back[i + a, j + b] += 2.0 * weights[a, b] * out[i, j]
    return np.sum(out * out), back


@njit
def fourier(signal):
    """The turns are made again."""
    n = signal.size
    total = 0.0
    back = np.zeros(n)
    for k in range(n):
        turn = np.exp(-2j * np.pi * k / n)
        at = 1.0 + 0.0j
        amplitude = 0.0j
        for t in range(n):
            amplitude += signal[t] * at
            at *= turn
        power = amplitude.real**2 + amplitude.imag**2
        total += power * power
        g = 4.0 * power * amplitude
        at = 1.0 + 0.0j
        for t in range(n):
            back[t] += g.real * at.real + g.imag * at.imag
            at *= turn
    return total / n**3, back / n**3


@njit
def table_lookup(values, places):
    """Forward and backward at once."""
    total = 0.0
    back = np.zeros_like(values)
    for p in range(places.size):
        at = places[p] * (values.size - 1)
        i = min(int(at), values.size - 2)
        w = at - i
        y = (1.0 - w) * values[i] + w * values[i + 1]
        total += y * y
        back[i] += 2.0 * y * (1.0 - w)
        back[i + 1] += 2.0 * y * w
    return total, back


@njit
def halves(x, begin, end, kept):
    """The sums of both halves are kept at the middle, which no other knot has."""
    if end - begin == 1:
        return x[begin] * x[begin]
    middle = (begin + end) // 2
    left = halves(x, begin, middle, kept)
    right = halves(x, middle, end, kept)
    kept[middle, 0], kept[middle, 1] = left, right
    return left + right + 1e-3 * left * right


@njit
def halves_back(x, begin, end, kept, g, back):
    if end - begin == 1:
        back[begin] += 2.0 * g * x[begin]
        return 0
    middle = (begin + end) // 2
    halves_back(x, begin, middle, kept, g * (1.0 + 1e-3 * kept[middle, 1]), back)
    halves_back(x, middle, end, kept, g * (1.0 + 1e-3 * kept[middle, 0]), back)
    return 0


@njit
def tree_of_sums(x, begin, end):
    kept = np.empty((x.size, 2))
    value = halves(x, begin, end, kept)
    back = np.zeros_like(x)
    halves_back(x, begin, end, kept, 1.0, back)
    return value, back


@njit
def pieces(x, a, b, depth, back):
    m = 0.5 * (a + b)
    if depth > 0:
        return pieces(x, a, m, depth - 1, back) + pieces(x, m, b, depth - 1, back)
    total = 0.0
    width = (b - a) / 6.0
    for at, weight in ((a, width), (m, 4.0 * width), (b, width)):
        fall = math.exp(-x[1] * at)
        y = x[0] * fall + x[2] * at
        total += weight * y * y
        g = 2.0 * weight * y
        back[0] += g * fall
        back[1] -= g * x[0] * fall * at
        back[2] += g * at
    return total


@njit
def simpson(x, a, b, depth):
    """A sum of pieces: forward and backward at once in each."""
    back = np.zeros_like(x)
    value = pieces(x, a, b, depth, back)
    return value, back


@njit
def spline(values, places):
    """The system is symmetric but for its scale: solved again for the slopes of its right side."""
    n = values.size
    h = 1.0 / (n - 1)
    bend, factor, slope, back = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n)
    for i in range(1, n - 1):
        factor[i] = 1.0 / (4.0 - factor[i - 1])
        bend[i] = (6.0 * (values[i + 1] - 2.0 * values[i] + values[i - 1]) / (h * h) - bend[i - 1]) * factor[i]
    for i in range(n - 2, 0, -1):
        bend[i] -= factor[i] * bend[i + 1]
    total = 0.0
    for p in range(places.size):
        at = places[p] / h
        i = min(int(at), n - 2)
        b = at - i
        a = 1.0 - b
        left, right = (a**3 - a) * (h * h / 6.0), (b**3 - b) * (h * h / 6.0)
        y = a * values[i] + b * values[i + 1] + left * bend[i] + right * bend[i + 1]
        total += y * y
        y += y
        slope[i] += a * y
        slope[i + 1] += b * y
        back[i] += left * y
        back[i + 1] += right * y
    for i in range(1, n - 1):
        back[i] = (back[i] - (back[i - 1] if i > 1 else 0.0)) * factor[i]
    for i in range(n - 2, 0, -1):
        back[i] -= factor[i] * back[i + 1] if i < n - 2 else 0.0
        bent = 6.0 / (h * h) * back[i]
        slope[i + 1] += bent
        slope[i] -= 2.0 * bent
        slope[i - 1] += bent
    return total, slope


@njit
def warp(x, image, target):
    """Forward and backward at once."""
    n, m = image.shape
    total = g0 = g1 = g2 = 0.0
    cos, sin = math.cos(x[0]), math.sin(x[0])
    for i in range(n):
        for j in range(m):
            u = cos * i - sin * j + x[1]
            v = sin * i + cos * j + x[2]
            r, c = math.floor(u), math.floor(v)
            if 0 <= r < n - 1 and 0 <= c < m - 1:
                fu, fv = u - r, v - c
                one, two, three, four = image[r, c], image[r, c + 1], image[r + 1, c], image[r + 1, c + 1]
                top, low = (1.0 - fv) * one + fv * two, (1.0 - fv) * three + fv * four
                off = (1.0 - fu) * top + fu * low - target[i, j]
                total += off**2
                off += off
                du, dv = off * (low - top), off * ((1.0 - fu) * (two - one) + fu * (four - three))
                g0 += dv * (cos * i - sin * j) - du * (sin * i + cos * j)
                g1 += du
                g2 += dv
    return total, np.array([g0, g1, g2])


@njit
def smooth_image(image, seen, weight):
    """Forward and backward at once."""
    n, m = image.shape
    total, slope = 0.0, np.zeros((n, m))
    for i in range(n - 1):
        for j in range(m - 1):
            dx, dy = image[i + 1, j] - image[i, j], image[i, j + 1] - image[i, j]
            root, off = math.sqrt(dx * dx + dy * dy + 1e-3), image[i, j] - seen[i, j]
            total += weight * root + off**2
            dx *= weight / root
            dy *= weight / root
            slope[i + 1, j] += dx
            slope[i, j + 1] += dy
            slope[i, j] += 2.0 * off - dx - dy
    return total, slope
