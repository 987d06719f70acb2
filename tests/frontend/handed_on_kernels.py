"""Kernels that hand containers on: to functions, to objects and to the iterators that read several things at once.

They join the table of container_kernels.py. What a container holds may have no derivative, as the items of a set;
what is done with it may have one.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numba.experimental import jitclass

import enzyme_py as enzyme
from tests.frontend.container_kernels import case


@numba.njit
def power(y, chosen):
    return y * y if 1 in chosen else y


# x0^3
@case(lambda x: [3 * x[0] ** 2, 0, 0, 0, 0])
def set_to_a_function(x):
    chosen = {1, 2, 3}
    return power(x[0], chosen) * x[0]


@numba.njit
def squares(x, chosen, out):
    for k in chosen:
        out[k] = x[k] * x[k]


@case(lambda x: [2 * x[0], 0, 2 * x[2], 0, 0])
def set_to_a_function_that_writes(x):
    out = np.zeros(x.size)
    squares(x, {0, 2}, out)
    return out.sum()


@numba.njit
def with_square(x, chosen):
    return chosen, x[0] * x[0]


# x0^2 (x0 + x1)
@case(lambda x: [3 * x[0] ** 2 + 2 * x[0] * x[1], x[0] ** 2, 0, 0, 0])
def set_and_number_as_results(x):
    chosen, square = with_square(x, {0, 1})
    total = 0.0
    for k in chosen:
        total += x[k]
    return square * total


@numba.njit
def first_or_second(x, held):
    return x[0] ** held[1] if 1 in held[0] else x[1]


@case(lambda x: [3 * x[0] ** 2, 0, 0, 0, 0])
def set_in_a_tuple(x):
    return first_or_second(x, ({1, 2}, 3))


@jitclass([("value", numba.float64)])
class Weight:
    def __init__(self, value: float, chosen: set[int]) -> None:
        self.value = value * len(chosen)

    def times(self, chosen: set[int]) -> float:
        return self.value * self.value * len(chosen)


# 3 (2 x0)^2
@case(lambda x: [24 * x[0], 0, 0, 0, 0])
def set_to_an_object(x):
    return Weight(x[0], {1, 2}).times({1, 2, 3})


@case(lambda x: [0, 2 * x[1], 4 * x[2], 0, 0])
def set_beside_an_array(x):
    total = 0.0
    for k, v in zip({0, 1, 2}, x):  # Numba takes no `strict`
        total += k * v * v
    return total


@case(lambda x: [6 * x[0], 10 * x[1], 14 * x[2], 0, 0])
def counted_items_of_a_set(x):
    total = 0.0
    for i, k in enumerate({3, 5, 7}):
        total += x[i] * x[i] * k
    return total


@case(lambda x: [0, 2 * x[1], 2 * x[2], 0, 0], "FoR RoF")
def function_of_each_item_of_a_set(x):
    total = 0.0
    for square in map(lambda k: x[k] * x[k], {1, 2}):  # noqa: C417
        total += square
    return total


@numba.njit
def inner(y: Any, chosen: Any) -> Any:
    return y * y * y * len(chosen)


# 2 * 3 x0^2 x1
@case(lambda x: [12 * x[0] * x[1], 6 * x[0] ** 2, 0, 0, 0])
def set_to_a_derivative(x):
    return enzyme.grad(inner)(x[0], {1, 2}) * x[1]


# x0^2 x1 + 2 x1^2 x2
@case(lambda x: [2 * x[0] * x[1], x[0] ** 2 + 4 * x[1] * x[2], 2 * x[1] ** 2, 0, 0], "FoR RoF")
def set_of_tuples(x):
    pairs = {(0, 1)}
    pairs.add((1, 2))
    total = 0.0
    for i, k in pairs:
        total += (i + 1) * x[i] ** 2 * x[k]
    return total if (1, 2) in pairs else 0.0


# twice the sum of cubes of x0, x1, x2: a set that is empty, one of texts, one that an inner loop goes through
@case(lambda x: [6 * x[0] ** 2, 6 * x[1] ** 2, 6 * x[2] ** 2, 0, 0], "FoR RoF")
def sets_of_all_kinds(x):
    none = {1}
    none.clear()
    total = 0.0
    for k in none:
        total += x[k]
    texts, places = {"a", "bcd"}, {0, 1, 2}
    for text in texts:
        for i in places:
            total += x[i] ** 3 * (len(text) + 1) / 3
    return total


@numba.njit
def products(x, n):
    product = 1.0
    for i in range(n):
        product *= x[i]
        yield product


# x0^2 + 2 (x0 x1)^2 + 3 (x0 x1 x2)^2: the generator's counter lies in memory
@case(
    lambda x: [
        2 * x[0] * (1 + 2 * x[1] ** 2 + 3 * (x[1] * x[2]) ** 2),
        2 * x[0] ** 2 * x[1] * (2 + 3 * x[2] ** 2),
        6 * (x[0] * x[1]) ** 2 * x[2],
        0,
        0,
    ]
)
def generator_that_counts(x):
    total = 0.0
    for i, v in enumerate(products(x, 3)):
        total += (i + 1) * v * v
    return total


@numba.njit
def squares_of_rows(x, steps):
    for i in range(0, 4, steps):
        yield i, x[i : i + 2] ** 2


# x0^2 x1^2 + 3 x2^2 x3^2
@case(
    lambda x: [
        2 * x[0] * x[1] ** 2,
        2 * x[0] ** 2 * x[1],
        6 * x[2] * x[3] ** 2,
        6 * x[2] ** 2 * x[3],
        0,
    ]
)
def generator_of_arrays_in_steps(x):
    total = 0.0
    for i, row in squares_of_rows(x, 2):
        total += (i + 1) * row[0] * row[1]
    return total
