"""Loops of every kind, branches on data, recursion, closures, helpers."""

from __future__ import annotations

import math

import numba
import numpy as np

from tests.scenarios.arrays import WAVE, WEIGHTS
from tests.scenarios.scenario import Scenario, scenario

CONTROL_FLOW: list[Scenario] = []


@scenario(
    CONTROL_FLOW,
    args=(1.3, 4),
    grad=lambda x, n: (np.sum(np.arange(1, n + 1) * x ** np.arange(n)), None),
)
def geometric_series(x, n):
    total = 0.0
    term = 1.0
    for _ in range(n):
        term *= x
        total += term
    return total


@scenario(CONTROL_FLOW, args=(1.3, 0), grad=lambda x, n: (0.0 * x, None))
def loop_that_never_runs(x, n):
    total = 1.0
    for _ in range(n):
        total *= x
    return total


# Newton's iteration converges to sqrt(a), quadratically: so does its derivative.
@scenario(CONTROL_FLOW, args=(2.6,), grad=lambda a: (0.5 / np.sqrt(a),))
def newton_root(a):
    x = a
    while abs(x * x - a) > 1e-3 * a:
        x = 0.5 * (x + a / x)
    x = 0.5 * (x + a / x)
    return 0.5 * (x + a / x)


# E - e sin E = M: dE/dM = 1 / (1 - e cos E), dE/de = sin E / (1 - e cos E)
def kepler_gradient(m, e):
    big_e = m
    for _ in range(50):
        big_e = m + e * np.sin(big_e)
    slope = 1 - e * np.cos(big_e)
    return 1 / slope, np.sin(big_e) / slope


@scenario(CONTROL_FLOW, args=(1.0, 0.2), grad=kepler_gradient)
def kepler(m, e):
    anomaly = m
    for _ in range(6):
        anomaly -= (anomaly - e * math.sin(anomaly) - m) / (1.0 - e * math.cos(anomaly))
    return anomaly


# Cubes up to and including the one that lifts the sum over 0.5.
def until_enough_gradient(x):
    kept = np.cumsum(x**3) > 0.5
    last = int(np.argmax(kept)) if kept.any() else x.size - 1
    return (np.where(np.arange(x.size) <= last, 3 * x**2, 0.0),)


@scenario(CONTROL_FLOW, args=(np.array([0.4, 0.5, 0.9, 0.8, 0.2]),), grad=until_enough_gradient)
def break_when_enough(x):
    total = 0.0
    for i in range(x.size):
        total += x[i] ** 3
        if total > 0.5:
            break
    return total


@scenario(
    CONTROL_FLOW, args=(WAVE,), grad=lambda x: (np.where(x > 0, np.exp(x), 0.0),), any_size=True
)
def continue_past_negatives(x):
    total = 0.0
    for v in x:
        if v <= 0.0:
            continue
        total += math.exp(v)
    return total


@scenario(
    CONTROL_FLOW, args=(WAVE, 1.0), grad=lambda x, a: (np.eye(x.size)[2] * a * x[2] * 2, x[2] ** 2)
)
def return_from_inside_a_loop(x, a):
    for i in range(x.size):
        if x[i] > a:
            return a * x[i] ** 2
    return -a


@scenario(CONTROL_FLOW, args=(WAVE,), grad=lambda x: (np.ones_like(x) * 5,))
def for_else(x):
    total = 0.0
    for v in x:
        if v > 100.0:
            break
        total += v
    else:
        total *= 5.0
    return total


@scenario(CONTROL_FLOW, args=(5.0,), grad=lambda x: (1 / 8,))
def halve_until_small(x):
    while True:
        if x < 1.0:
            return x
        x /= 2.0


@scenario(CONTROL_FLOW, args=(1.2, 5), grad=lambda x, n: (n * x ** (n - 1), None))
def recursive_power(x, n):
    if n == 0:
        return 1.0
    if n % 2:
        return x * recursive_power(x, n - 1)
    half = recursive_power(x, n // 2)
    return half * half


# sum over i < j of x_i x_j = (S^2 - sum x^2) / 2
@scenario(CONTROL_FLOW, args=(WAVE,), grad=lambda x: (x.sum() - x,), any_size=True)
def triangular_loops(x):
    total = 0.0
    for i in range(x.size):
        for j in range(i):
            total += x[i] * x[j]
    return total


@scenario(CONTROL_FLOW, args=(WAVE,), grad=lambda x: (1.0 * np.arange(x.size),))
def backwards_with_step(x):
    total = 0.0
    for i in range(x.size - 1, -1, -1):
        total += i * x[i]
    return total


RATE = 0.7


@scenario(CONTROL_FLOW, args=(1.1, 0.3), grad=lambda x, y: (RATE * (1 + 2 * x * y), RATE * x**2))
def nested_function(x, y):
    def bend(t):
        return t + y * t * t  # y is captured

    return RATE * bend(x)


def make_damped(rate, mode):
    def damped(t):
        return math.exp(-rate * t) * math.cos(mode * t)

    return damped


CONTROL_FLOW.append(
    Scenario(
        "closure",
        make_damped(0.4, 3.0),
        (0.9,),
        grad=lambda t: (-np.exp(-0.4 * t) * (0.4 * np.cos(3 * t) + 3 * np.sin(3 * t)),),
    )
)


def cube(t):
    return t * t * t


@numba.njit
def halve(t):
    return 0.5 * t


@scenario(CONTROL_FLOW, args=(1.4,), grad=lambda x: (2.25 * x**2,))
def helpers(x):
    return halve(cube(x)) + 2.0 * cube(halve(x))


@scenario(CONTROL_FLOW, args=(0.6,), grad=lambda x: (3 * np.cos(3 * x),))
def lambda_inside(x):
    triple = lambda t: 3.0 * t
    return math.sin(triple(x))


@scenario(CONTROL_FLOW, args=(0.9,), grad=lambda x: (4 * x**3,))
def default_argument(x, n=4):
    return x**n


# y' = a y (1 - y) by explicit Euler: the sensitivity obeys the differentiated recurrence.
def logistic_growth_gradient(y, a, steps):
    dy, da = 1.0, 0.0
    for _ in range(steps):
        slope = 1 + 0.1 * a * (1 - 2 * y)
        dy, da = slope * dy, slope * da + 0.1 * y * (1 - y)
        y += 0.1 * a * y * (1 - y)
    return dy, da, None


@scenario(CONTROL_FLOW, args=(0.2, 1.5, 12), grad=logistic_growth_gradient)
def logistic_growth(y, a, steps):
    for _ in range(steps):
        y += 0.1 * a * y * (1.0 - y)
    return y


# The exact flow of y' = -y + t is in closed form; four RK4 steps are a polynomial in h, linear in y.
@scenario(
    CONTROL_FLOW,
    args=(0.8, 4),
    grad=lambda y, n: ((1 - 0.25 + 0.25**2 / 2 - 0.25**3 / 6 + 0.25**4 / 24) ** n, None),
)
def runge_kutta(y, n):
    h = 0.25
    t = 0.0
    for _ in range(n):
        k1 = t - y
        k2 = t + h / 2 - (y + h / 2 * k1)
        k3 = t + h / 2 - (y + h / 2 * k2)
        k4 = t + h - (y + h * k3)
        y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        t += h
    return y


# The branch depends on the data: below the mean linear, above it quadratic.
@scenario(
    CONTROL_FLOW,
    args=(np.array([0.5, 2.0, 3.5, -1.0]), 1.0),
    grad=lambda x, cut: (
        np.where(x > cut, 2 * (x - cut), -0.5),
        float(np.sum(np.where(x > cut, -2 * (x - cut), 0.5))),
    ),
)
def branch_on_data(x, cut):
    total = 0.0
    for v in x:
        total += (v - cut) ** 2 if v > cut else 0.5 * (cut - v)
    return total


@scenario(CONTROL_FLOW, args=(1.5, -0.4), grad=lambda x, y: (y, x))
def short_circuit(x, y):
    if (x > 0.0 and y < 0.0) or x / 0.5 > 100.0:
        return x * y
    return x + y


# Longest weighted path through a grid, summed in place of maximised: a dynamic programme.
# P = product of the steps: counts of paths give the derivative of the last cell at a point.
def lattice_gradient(c):
    def paths(cost):
        n, m = cost.shape
        table = np.zeros((n, m))
        for i in range(n):
            for j in range(m):
                before = (table[i - 1, j] if i else 0) + (table[i, j - 1] if j else 0)
                table[i, j] = cost[i, j] * (before if i or j else 1.0)
        return table

    head = paths(c)
    tail = paths(c[::-1, ::-1])[::-1, ::-1]
    return (head * tail / c**2,)  # every path through (i, j) holds c_ij once


@scenario(
    CONTROL_FLOW,
    args=(np.array([[1.0, 0.5, 1.2], [0.8, 1.5, 0.7], [1.1, 0.9, 1.3]]),),
    grad=lattice_gradient,
)
def lattice_paths(c):
    n, m = c.shape
    table = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            if i == 0 and j == 0:
                before = 1.0
            else:
                before = 0.0
                if i > 0:
                    before += table[i - 1, j]
                if j > 0:
                    before += table[i, j - 1]
            table[i, j] = c[i, j] * before
    return table[n - 1, m - 1]


# log of the total probability of a two-state hidden Markov chain: derivative of log sum of paths
def filter_gradient(p):
    stay, leave = p, 1 - p
    seen = np.array([[0.9, 0.3], [0.2, 0.6], [0.8, 0.5]])
    alpha, dalpha = 0.5 * seen[0], np.zeros(2)
    for row in seen[1:]:
        mixed = stay * alpha + leave * alpha[::-1]
        dmixed = stay * dalpha + leave * dalpha[::-1] + alpha - alpha[::-1]
        alpha, dalpha = mixed * row, dmixed * row
    return (dalpha.sum() / alpha.sum(),)


SEEN = ((0.9, 0.3), (0.2, 0.6), (0.8, 0.5))


@scenario(CONTROL_FLOW, args=(0.7,), grad=filter_gradient)
def hidden_markov(p):
    a = 0.5 * SEEN[0][0]
    b = 0.5 * SEEN[0][1]
    for k in range(1, len(SEEN)):
        a, b = (p * a + (1.0 - p) * b) * SEEN[k][0], (p * b + (1.0 - p) * a) * SEEN[k][1]
    return math.log(a + b)


def checked_root(x):
    if x < 0.0:
        raise ValueError("negative")
    return math.sqrt(x)


@scenario(CONTROL_FLOW, args=(2.0, -3.0), grad=lambda x, y: (0.5 / np.sqrt(x), 2.0 + 0 * y))
def caught_exception(x, y):
    total = checked_root(x)
    try:
        if y < 0.0:
            raise ValueError("negative")
        total += math.sqrt(y)
    except Exception:
        total += 2.0 * y
    return total


@scenario(
    CONTROL_FLOW,
    args=(WAVE, WEIGHTS),
    grad=lambda x, w: (w * np.arange(x.size) + 1, x * np.arange(x.size)),
    any_size=True,
)
def enumerate_and_zip(x, w):
    total = 0.0
    for i, (a, b) in enumerate(zip(x, w)):
        total += i * a * b
    for a in x:
        total += a
    return total


# The k-th largest by selection: its derivative is the unit vector of the element selected.
@scenario(CONTROL_FLOW, args=(WAVE, 2), grad=lambda x, k: (np.eye(x.size)[np.argsort(-x)[k]], None))
def kth_largest(x, k):
    for i in range(x.size):
        above = 0
        for j in range(x.size):
            if x[j] > x[i]:
                above += 1
        if above == k:
            return x[i]
    return 0.0
