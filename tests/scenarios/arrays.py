"""Kernels over arrays that return a number or a new array, and change nothing."""

from __future__ import annotations

import math

import numpy as np

from tests.scenarios.scenario import Scenario, scenario

ARRAYS: list[Scenario] = []

WAVE = np.array([0.5, -1.2, 2.0, 0.3, -0.7, 1.1])
WEIGHTS = np.array([0.2, 0.9, -0.4, 1.5, 0.6, -1.1])
MATRIX = np.array([[1.0, -0.5, 0.3], [0.2, 2.0, -0.8]])
SQUARE = np.array([[2.0, 0.5, -0.3], [0.1, 1.5, 0.4], [-0.6, 0.2, 1.8]])
TRIPLE = np.array([0.4, -1.1, 0.9])
BLOCK = np.linspace(-1.0, 1.3, 24).reshape(2, 3, 4)


@scenario(ARRAYS, args=(WAVE,), grad=lambda x: (2 * x,), any_size=True)
def sum_of_squares(x):
    total = 0.0
    for i in range(x.size):
        total += x[i] * x[i]
    return total


@scenario(ARRAYS, args=(WAVE, WEIGHTS), grad=lambda x, y: (y, x), any_size=True)
def loop_dot(x, y):
    total = 0.0
    for a, b in zip(x, y):
        total += a * b
    return total


@scenario(ARRAYS, args=(WAVE, WEIGHTS), grad=lambda x, w: (w * np.cos(x), np.sin(x)), any_size=True)
def sum_of_expression(x, w):
    return np.sum(np.sin(x) * w)


@scenario(
    ARRAYS,
    args=(WAVE, 1.5),
    grad=lambda x, p: (p * np.exp(p * x), np.sum(x * np.exp(p * x))),
    any_size=True,
)
def array_and_number(x, p):
    return np.exp(p * x).sum()


@scenario(ARRAYS, args=(WAVE,), grad=lambda x: (x / np.linalg.norm(x),))
def euclidean_norm(x):
    return math.sqrt(np.sum(x**2))


@scenario(ARRAYS, args=(WAVE,), grad=lambda x: (2 * (x - x.mean()) / x.size,))
def variance(x):
    return np.mean((x - np.mean(x)) ** 2)


@scenario(ARRAYS, args=(WAVE,), grad=lambda x: (np.exp(x) / np.exp(x).sum(),))
def log_sum_exp(x):
    top = x[0]
    for v in x:
        top = max(top, v)
    return top + math.log(np.sum(np.exp(x - top)))


# f = sum 100 (x_{i+1} - x_i^2)^2 + (1 - x_i)^2
def rosenbrock_gradient(x):
    g = np.zeros_like(x)
    g[:-1] = -400 * x[:-1] * (x[1:] - x[:-1] ** 2) - 2 * (1 - x[:-1])
    g[1:] += 200 * (x[1:] - x[:-1] ** 2)
    return (g,)


@scenario(ARRAYS, args=(WAVE,), grad=rosenbrock_gradient)
def rosenbrock(x):
    total = 0.0
    for i in range(len(x) - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


@scenario(ARRAYS, args=(SQUARE, TRIPLE), grad=lambda a, x: (np.outer(x, x), (a + a.T) @ x))
def quadratic_form(a, x):
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            total += x[i] * a[i, j] * x[j]
    return total


# tr(A B): the gradient with respect to A is B transposed
@scenario(ARRAYS, args=(MATRIX, MATRIX.T * 0.5 + 1.0), grad=lambda a, b: (b.T, a.T))
def trace_of_product(a, b):
    total = 0.0
    for i in range(a.shape[0]):
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, i]
    return total


@scenario(
    ARRAYS,
    args=(WAVE, 0.7),
    grad=lambda c, x: (
        x ** np.arange(c.size),
        np.sum(np.arange(1, c.size) * c[1:] * x ** np.arange(c.size - 1)),
    ),
)
def polynomial(c, x):
    value = 0.0
    for k in range(c.size - 1, -1, -1):
        value = value * x + c[k]
    return value


PICKS = np.array([4, 0, 4, 2, 1])


# Element 4 is picked twice: its contributions add up.
@scenario(
    ARRAYS,
    args=(WAVE, PICKS, WEIGHTS[:5]),
    grad=lambda x, picks, w: (np.bincount(picks, 2 * w * x[picks], x.size), None, x[picks] ** 2),
)
def gather(x, picks, w):
    total = 0.0
    for k in range(picks.size):
        total += w[k] * x[picks[k]] ** 2
    return total


@scenario(
    ARRAYS,
    args=(BLOCK,),
    grad=lambda b: ((np.indices(b.shape).sum(axis=0) + 1) * np.cos(b),),
    any_size=True,
)
def weighted_block(b):
    total = 0.0
    for i in range(b.shape[0]):
        for j in range(b.shape[1]):
            for k in range(b.shape[2]):
                total += (i + j + k + 1) * math.sin(b[i, j, k])
    return total


@scenario(ARRAYS, args=(np.array(1.4),), grad=lambda x: (3 * x**2,))
def cube_of_zero_dimensional(x):
    return x[()] ** 3


def cosine_gradient(x, y):
    nx, ny = np.linalg.norm(x), np.linalg.norm(y)
    c = x @ y / (nx * ny)
    return y / (nx * ny) - c * x / nx**2, x / (nx * ny) - c * y / ny**2


@scenario(ARRAYS, args=(WAVE, WEIGHTS), grad=cosine_gradient)
def cosine_similarity(x, y):
    xy = xx = yy = 0.0
    for i in range(x.shape[0]):
        xy += x[i] * y[i]
        xx += x[i] ** 2
        yy += y[i] ** 2
    return xy / math.sqrt(xx * yy)


@scenario(ARRAYS, args=(WAVE,), grad=lambda x: (np.where(x > 0, 2 * x, 0.1),), any_size=True)
def leaky_square(x):
    return np.sum(np.where(x > 0, x * x, 0.1 * x))


@scenario(ARRAYS, args=(WAVE, 0.1), grad=lambda x, a: ((x > a) * 1.0, -float(np.sum(x > a))))
def hinge(x, a):
    return np.sum(np.maximum(x - a, 0.0))


# -sum over pairs of 1 / |p_i - p_j|: the force on i is minus the gradient
def potential_gradient(p):
    g = np.zeros_like(p)
    for i in range(len(p)):
        for j in range(len(p)):
            if i != j:
                g[i] += (p[i] - p[j]) / np.linalg.norm(p[i] - p[j]) ** 3
    return (g,)


@scenario(
    ARRAYS,
    args=(np.array([[0.0, 0.1, 0.2], [1.0, -0.3, 0.5], [-0.4, 0.9, 1.2], [0.8, 1.1, -0.6]]),),
    grad=potential_gradient,
)
def gravity(p):
    energy = 0.0
    for i in range(p.shape[0]):
        for j in range(i):
            r2 = 0.0
            for k in range(3):
                r2 += (p[i, k] - p[j, k]) ** 2
            energy -= 1.0 / math.sqrt(r2)
    return energy


@scenario(
    ARRAYS,
    args=(MATRIX, WEIGHTS[:3]),
    grad=lambda a, w: (np.sinh(a) * w, np.cosh(a).sum(axis=0)),
    any_size=False,
)
def broadcast_row(a, w):
    return np.sum(np.cosh(a) * w)


@scenario(
    ARRAYS,
    args=(WAVE, 0.5),
    push=lambda x, a, dx, da: (a * np.cos(x) * dx + np.sin(x) * da,),
    any_size=True,
)
def scaled_sine(x, a):
    return a * np.sin(x)


@scenario(
    ARRAYS, args=(TRIPLE, WAVE[:2]), push=lambda x, y, dx, dy: (np.outer(dx, y) + np.outer(x, dy),)
)
def outer_product(x, y):
    table = np.empty((x.size, y.size), x.dtype)
    for i in range(x.size):
        for j in range(y.size):
            table[i, j] = x[i] * y[j]
    return table


@scenario(
    ARRAYS,
    args=(MATRIX, TRIPLE, WAVE[:2]),
    push=lambda a, x, b, da, dx, db: (da @ x + a @ dx - db,),
)
def residual(a, x, b):
    r = np.empty_like(b)
    for i in range(a.shape[0]):
        s = -b[i]
        for j in range(a.shape[1]):
            s += a[i, j] * x[j]
        r[i] = s
    return r


@scenario(
    ARRAYS,
    args=(WAVE, TRIPLE),
    push=lambda x, k, dx, dk: (np.convolve(dx, k, "valid") + np.convolve(x, dk, "valid"),),
)
def filtered(x, k):
    out = np.zeros(x.size - k.size + 1, x.dtype)
    for i in range(out.size):
        for j in range(k.size):
            out[i] += x[i + j] * k[k.size - 1 - j]
    return out


@scenario(ARRAYS, args=(WAVE[:3],), push=lambda x, dx: (np.exp(x.sum()) * dx.sum() * np.ones(2),))
def one_number_twice(x):
    value = math.exp(x[0] + x[1] + x[2])
    return np.array([value, value])
