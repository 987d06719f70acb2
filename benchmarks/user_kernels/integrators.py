"""Equations in time, recursion, paths of small vectors, complex numbers."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from user_kernels.rows import Row, numbers


def lorenz_rk4(x, steps, dt):
    """Lorenz' three numbers by Runge-Kutta, in scalars."""
    a, b, c = x[0], x[1], x[2]
    for _ in range(steps):
        ka = 10.0 * (b - a)
        kb = a * (28.0 - c) - b
        kc = a * b - 8.0 / 3.0 * c
        p, q, r = a + 0.5 * dt * ka, b + 0.5 * dt * kb, c + 0.5 * dt * kc
        la = 10.0 * (q - p)
        lb = p * (28.0 - r) - q
        lc = p * q - 8.0 / 3.0 * r
        p, q, r = a + 0.5 * dt * la, b + 0.5 * dt * lb, c + 0.5 * dt * lc
        ma = 10.0 * (q - p)
        mb = p * (28.0 - r) - q
        mc = p * q - 8.0 / 3.0 * r
        p, q, r = a + dt * ma, b + dt * mb, c + dt * mc
        na = 10.0 * (q - p)
        nb = p * (28.0 - r) - q
        nc = p * q - 8.0 / 3.0 * r
        a += dt / 6.0 * (ka + 2.0 * la + 2.0 * ma + na)
        b += dt / 6.0 * (kb + 2.0 * lb + 2.0 * mb + nb)
        c += dt / 6.0 * (kc + 2.0 * lc + 2.0 * mc + nc)
    return a * a + b * b + c * c


@njit
def slope_of_ring(y):
    return np.sin(np.roll(y, 1) - y) + np.sin(np.roll(y, -1) - y) + 0.1 * y


def ring_rk4(x, steps, dt):
    """A ring of coupled oscillators by Runge-Kutta, on arrays."""
    y = x.copy()
    for _ in range(steps):
        k1 = slope_of_ring(y)
        k2 = slope_of_ring(y + 0.5 * dt * k1)
        k3 = slope_of_ring(y + 0.5 * dt * k2)
        k4 = slope_of_ring(y + dt * k3)
        y = y + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return np.sum(y * y)


def implicit_euler(x, steps, dt):
    """Implicit steps of a stiff equation, each by five steps of Newton."""
    y = x[0]
    for step in range(steps):
        new = y
        for _ in range(5):
            wrong = new - y - dt * (x[1] * math.cos(0.01 * step) - x[2] * new * new * new)
            new -= wrong / (1.0 + 3.0 * dt * x[2] * new * new)
        y = new
    return y * y


def predators(x, seen, dt):
    """Lotka and Volterra: parameters fitted to what was seen, ten small steps between."""
    prey, hunters, loss = x[4], x[5], 0.0
    for t in range(seen.shape[0]):
        for _ in range(10):
            more = prey * (x[0] - x[1] * hunters)
            less = hunters * (x[2] * prey - x[3])
            prey += dt * more
            hunters += dt * less
        loss += (prey - seen[t, 0]) ** 2 + (hunters - seen[t, 1]) ** 2
    return loss


def path_of_vectors(x, steps, dt):
    """A charge in a field, its place and speed small arrays."""
    place = np.array([x[0], x[1], x[2]])
    speed = np.array([x[3], x[4], x[5]])
    for _ in range(steps):
        field = np.array([0.0, 0.1 * place[0], 1.0])
        turn = np.cross(speed, field)
        speed = speed + dt * (turn - 0.1 * place)
        place = place + dt * speed
    return np.sum(place * place)


def descent(x, steps, rate):
    """An optimiser with a gradient inside, in two numbers: a small array a step."""
    p = np.array([x[0], x[1]])
    for _ in range(steps):
        bend = 4.0 * p[0] * (p[0] * p[0] - p[1])
        slope = np.array([bend + 2.0 * (p[0] - 1.0), 2.0 * (p[1] - p[0] * p[0])])
        p = p - rate * slope
    return p[0] ** 2 + x[2] * p[1]


@njit
def simpson(x, a, b, depth):
    """An integral by halving: a function that calls itself."""
    if depth == 0:
        m = 0.5 * (a + b)
        low = x[0] * math.exp(-x[1] * a) + x[2] * a
        mid = x[0] * math.exp(-x[1] * m) + x[2] * m
        top = x[0] * math.exp(-x[1] * b) + x[2] * b
        return (b - a) / 6.0 * (low * low + 4.0 * mid * mid + top * top)
    m = 0.5 * (a + b)
    return simpson(x, a, m, depth - 1) + simpson(x, m, b, depth - 1)


@njit
def tree_of_sums(x, begin, end):
    """A sum by halves, with a product at each knot: a function that calls itself."""
    if end - begin == 1:
        return x[begin] * x[begin]
    middle = (begin + end) // 2
    left = tree_of_sums(x, begin, middle)
    right = tree_of_sums(x, middle, end)
    return left + right + 1e-3 * left * right


def fourier(signal):
    """A Fourier transform by its sum: the fourth powers of its amplitudes."""
    n = signal.size
    total = 0.0
    for k in range(n):
        turn = np.exp(-2j * np.pi * k / n)
        at = 1.0 + 0.0j
        amplitude = 0.0j
        for t in range(n):
            amplitude += signal[t] * at
            at *= turn
        power = amplitude.real**2 + amplitude.imag**2
        total += power * power
    return total / n**3


def contour(x, points):
    """An integral around zeros of a polynomial, in the complex plane."""
    total = 0.0j
    for p in range(points):
        on = np.exp(2j * np.pi * p / points)
        value = x[0] + x[1] * on + x[2] * on * on + on * on * on
        total += on * np.exp(x[0] * on) / value
    return (total.real**2 + total.imag**2) / points


def julia(x, points, turns):
    """Points that a complex map moves: the mean of their squares."""
    c = complex(x[0], x[1])
    total = 0.0
    for p in range(points):
        z = complex(x[2] * p / points, 0.1)
        for _ in range(turns):
            z = z * z + c
        total += z.real * z.real + z.imag * z.imag
    return total / points


SIX = np.array([1.0, 0.2, 0.3, 0.5, 0.9, 0.4])

ROWS = (
    Row(lorenz_rk4, lambda n: (SIX[:3].copy(), n, 1e-5), 100_000, 5),
    Row(ring_rk4, lambda n: (numbers(50), n, 0.01), 1000, 3, "NumPy"),
    Row(implicit_euler, lambda n: (SIX[3:].copy(), n, 0.1), 50_000, 5),
    Row(predators, lambda n: (SIX + 0.2, numbers(n, 2), 0.001), 40_000, 5),
    Row(path_of_vectors, lambda n: (SIX.copy(), n, 0.001), 20_000, 5, "NumPy"),
    Row(descent, lambda n: (SIX[:3].copy(), n, 1e-3), 50_000, 5, "NumPy"),
    Row(simpson, lambda n: (SIX[:3].copy(), 0.0, 1.0, n), 16, 3),
    Row(tree_of_sums, lambda n: (numbers(n) / n, 0, n), 500_000, 7),
    Row(fourier, lambda n: (numbers(n),), 1000, 6),
    Row(contour, lambda n: (SIX[1:4].copy(), n), 50_000, 6),
    Row(julia, lambda n: (SIX[1:4] - 0.3, n, 8), 100_000, 6),
)
