"""Tuples and named tuples of numbers and of arrays, in and out; lists inside."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tests.scenarios.arrays import MATRIX, TRIPLE, WAVE, WEIGHTS
from tests.scenarios.scenario import Scenario, scenario

CONTAINERS: list[Scenario] = []


class Point(NamedTuple):
    x: float
    y: float


class Layer(NamedTuple):
    weights: np.ndarray
    bias: np.ndarray


class Spring(NamedTuple):
    rest: np.ndarray
    stiffness: float


@scenario(
    CONTAINERS, args=((1.1, -0.4, 2.0),), grad=lambda t: ((t[1] * t[2], t[0] * t[2], t[0] * t[1]),)
)
def product_of_tuple(t):
    return t[0] * t[1] * t[2]


@scenario(
    CONTAINERS,
    args=((1.1, -0.4, 2.0), 0.5),
    grad=lambda t, a: (tuple(a * math.cos(v) for v in t), sum(math.sin(v) for v in t)),
)
def loop_over_tuple(t, a):
    total = 0.0
    for v in t:
        total += a * math.sin(v)
    return total


@scenario(
    CONTAINERS,
    args=(Point(0.6, 0.8), Point(-1.0, 0.5)),
    grad=lambda p, q: (
        Point(2 * (p.x - q.x), 2 * (p.y - q.y)),
        Point(2 * (q.x - p.x), 2 * (q.y - p.y)),
    ),
)
def squared_gap(p, q):
    return (p.x - q.x) ** 2 + (p.y - q.y) ** 2


@scenario(CONTAINERS, args=(((0.5, 1.5), 2.0),), grad=lambda t: (((t[1], 2 * t[0][1]), t[0][0]),))
def nested_tuple(t):
    (a, b), c = t
    return a * c + b * b


@scenario(
    CONTAINERS, args=((WAVE, WEIGHTS),), grad=lambda pair: ((pair[1], pair[0]),), any_size=True
)
def tuple_of_arrays(pair):
    return np.sum(pair[0] * pair[1])


# sum of tanh(W x + b)
def layer_gradient(layer, x):
    slope = 1 - np.tanh(layer.weights @ x + layer.bias) ** 2
    return Layer(np.outer(slope, x), slope), layer.weights.T @ slope


@scenario(CONTAINERS, args=(Layer(MATRIX, WAVE[:2]), TRIPLE), grad=layer_gradient)
def neural_layer(layer, x):
    total = 0.0
    for i in range(layer.bias.size):
        s = layer.bias[i]
        for j in range(x.size):
            s += layer.weights[i, j] * x[j]
        total += math.tanh(s)
    return total


# An array and a number in one named tuple.
@scenario(
    CONTAINERS,
    args=(Spring(TRIPLE, 1.7), WAVE[:3]),
    grad=lambda s, x: (
        Spring(-s.stiffness * (x - s.rest), 0.5 * np.sum((x - s.rest) ** 2)),
        s.stiffness * (x - s.rest),
    ),
)
def spring_energy(spring, x):
    energy = 0.0
    for i in range(x.size):
        energy += 0.5 * spring.stiffness * (x[i] - spring.rest[i]) ** 2
    return energy


@scenario(
    CONTAINERS,
    args=(1.2, 0.7),
    push=lambda r, a, dr, da: (
        (dr * np.cos(a) - r * np.sin(a) * da, dr * np.sin(a) + r * np.cos(a) * da),
    ),
)
def tuple_returned(r, a):
    return r * math.cos(a), r * math.sin(a)


@scenario(CONTAINERS, args=(0.9,), push=lambda x, dx: (Point(2 * x * dx, dx / x),))
def named_tuple_returned(x):
    return Point(x * x, math.log(x))


@scenario(CONTAINERS, args=(WAVE,), push=lambda x, dx: ((np.sum(dx), 2 * x * dx),))
def sum_and_squares(x):
    return np.sum(x), x * x


# Appending to a list, then reading it back.
@scenario(
    CONTAINERS,
    args=(1.3, 4),
    grad=lambda x, n: (np.sum(np.arange(n) * 1.0 * x ** np.maximum(np.arange(n) - 1, 0)), None),
)
def list_of_powers(x, n):
    powers = [1.0]
    for k in range(n - 1):
        powers.append(powers[k] * x)
    total = 0.0
    for p in powers:
        total += p
    return total
