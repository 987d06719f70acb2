"""ode by hand: y is kept at every step; the backward sweep computes a step's stages again."""

from __future__ import annotations

import numpy as np
from gradbench.ode import slope
from numba import njit


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
def gradient(x, steps):
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
