"""Kernels that keep numbers and arrays in containers, each with its gradient written by hand.

All take the vector x of five numbers. `orders` says what is asked of a kernel beyond first order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
from numba import types
from numba.experimental import jitclass
from numba.typed import Dict, List

POINT = np.array([0.7, 1.3, -0.4, 2.1, 0.9])


@dataclass(frozen=True)
class Case:
    """A kernel, its gradient, and the second orders at which it is differentiated here."""

    kernel: Callable[..., Any]
    gradient: Callable[[np.ndarray], np.ndarray]
    orders: str


CASES: dict[str, Case] = {}


def case(gradient: Callable[[Any], Any], orders: str = "FoR RoR RoF") -> Callable[[Any], Any]:
    """Return the decorator that puts a kernel into the table."""

    def add(kernel: Any) -> Any:
        CASES[kernel.__name__] = Case(kernel, lambda x: np.array(gradient(x), float), orders)
        return kernel

    return add


# [x0^2, x4^2, x1^2, x2^2, x3^2], then x0^2, x1^2, x3^2 with weights 1 to 3
@case(lambda x: [2 * x[0], 4 * x[1], 0, 6 * x[3], 0])
def typed_list_moved(x):
    items = List()
    for v in x:
        items.append(v * v)
    items.insert(1, items.pop())
    del items[1:4:2]
    total = 0.0
    for i, v in enumerate(items):
        total += (i + 1) * v
    return total


@numba.njit
def fill(items, x):
    for i in range(1, 3):
        items.append(x * x[i])


# (x0^2 + x1^2 + x2^2) sum(x^2), twice
@case(
    lambda x: 4 * x * (x[:3] @ x[:3]) + 4 * np.where(np.arange(5) < 3, x, 0) * (x @ x),
)
def typed_list_of_arrays_joined(x):
    items = List()
    items.append(x * x[0])
    fill(items, x)
    joined = np.concatenate((items[0], items[1], items[2]))
    rows = np.empty((3, x.size))
    for i, row in enumerate(items):
        rows[i] = row
    return np.sum(joined * joined) + np.sum(rows * rows)


# Identity is that of the lists: their owners are all null in a kernel.
@case(lambda x: [2 * x[0] * x[1], x[0] ** 2, 0, 0, 0])
def typed_lists_are_themselves(x):
    one, other = List([x[0]]), List([x[1]])
    same = one
    same.append(x[0] if one is same else x[4])
    return one[0] * one[1] * (x[3] if one is other else other[0])


# d[0] = x0^2 + x2^2 + x4^2, d[1] = x1^2 + x3^2: sum of (key + 1) d^2
@case(
    lambda x: 4 * x * np.where(np.arange(5) % 2, 2 * (x[1::2] @ x[1::2]), x[::2] @ x[::2]),
)
def dict_of_sums(x):
    sums = {}
    for i in range(x.size):
        if i % 2 in sums:
            sums[i % 2] += x[i] ** 2
        else:
            sums[i % 2] = x[i] ** 2
    sums[7] = x[0]
    del sums[7]
    total = 0.0
    for key, value in sums.items():
        total += (key + 1) * value**2
    return total


# "a" holds x^2, and "b" x, among keys that make the tables grow
@case(lambda x: 3 * x**2)
def dict_of_arrays(x):
    held = Dict.empty(types.unicode_type, types.float64[::1])
    for _ in range(3):
        for name in ("a", "b", "c", "d", "e"):
            held[name] = x * 1.0
    held["a"] = held["a"] * held["b"]
    return np.sum(held["a"] * held["b"])


# [x0, x0 x1, x2, x3^2, x4] loses its first, then weights 1 to 4
@case(lambda x: [x[1], x[0], 2, 6 * x[3], 4])
def plain_list_spliced(x):
    items = [v * 1.0 for v in x]
    items[1:3] = [x[0] * x[1], x[2], x[3] ** 2]
    items.remove(items[4])
    del items[0]
    total = 0.0
    for i, v in enumerate(items):
        total += (i + 1) * v
    return total


@numba.njit
def positive(x):
    for v in x:
        if v > 0:
            yield v


# Numbers of the inner loop are used in the outer one, which a raise of the iterator ends with it.
@case(lambda x: np.where(x > 0, 5 * x**4, 0), orders="FoR RoF")
def generator_that_passes_over(x):
    total = 0.0
    for v in positive(x):
        total += v**5
    return total


@case(lambda x: [3 * x[0] ** 2, 0, 3 * x[2] ** 2, 3 * x[3] ** 2, 0], orders="FoR RoF")
def set_of_integers(x):
    chosen = {0, 2}
    chosen.add(3)
    chosen.discard(1)
    total = 0.0
    for i in chosen:
        total += x[i] ** 3
    return total if 2 in chosen else x[1]


@jitclass([("slope", types.float64), ("rest", types.float64[::1])])
class Spring:
    def __init__(self, slope, rest):
        self.slope = slope
        self.rest = rest

    def stiffen(self, factor):
        self.slope *= factor

    def energy(self, at):
        return self.slope * at + np.sum(self.rest * self.rest)


# x0 x1 x2 x3 + sum(x^2)
@case(
    lambda x: (
        [x[1] * x[2] * x[3], x[0] * x[2] * x[3], x[0] * x[1] * x[3], x[0] * x[1] * x[2], 0] + 2 * x
    ),
)
def jitclass_made_inside(x):
    spring = Spring(x[0] * x[1], x * 1.0)
    spring.stiffen(x[2])
    return spring.energy(x[3])


PARTICLE = np.dtype([("mass", np.float64), ("kind", np.int64), ("speed", np.float64)])


# sum of i x_i^2 x_0 x_i
@case(
    lambda x: 3 * np.arange(5) * x**2 * x[0] + np.eye(5)[0] * (np.arange(5) @ x**3),
)
def records_of_mixed_fields(x):
    particles = np.zeros(5, PARTICLE)
    for i in range(x.size):
        particles[i].mass = x[i] ** 2
        particles[i].kind = i
        particles[i].speed = x[i] * x[0]
    total = 0.0
    for one in particles:
        total += one.mass * one.speed * one.kind
    return total


@case(lambda x: 3 * np.eye(5)[0] * x[0] ** 2)
def prints(x):
    print("at", x[0], x.size)  # noqa: T201
    return x[0] ** 3
