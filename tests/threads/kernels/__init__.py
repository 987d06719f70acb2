"""Kernels with `prange` loops, each with its gradient by hand: formulas of NumPy, which take complex numbers.

So their derivative in a direction is exact, by a complex step: that is what second derivatives are compared with.
All take two vectors of 60 numbers and a number, and return a number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numba
import numpy as np
from numba import prange

SIZE, ROWS = 60, 6


@dataclass(frozen=True)
class Case:
    """A kernel and its gradient by hand, by all three arguments."""

    kernel: Any
    gradient: Callable[[Any, Any, Any], tuple[Any, Any, Any]]
    name: str
    why_serial: str = ""  # words of the reason, if no loop of it runs on threads
    is_single: bool = False  # numbers of it are float32

    def anew(self) -> Case:
        """Return the case with a kernel that nothing has been compiled for."""
        return replace(self, kernel=numba.njit(parallel=True)(self.kernel.py_func))


def adder(cases: list[Case]) -> Callable[..., Any]:
    """Return a decorator that adds a kernel to a list."""

    def case(
        gradient: Callable[..., Any], why_serial: str = "", *, is_single: bool = False
    ) -> Callable[[Any], Any]:
        def add(function: Any) -> Any:
            kernel = numba.njit(parallel=True)(function)
            cases.append(Case(kernel, gradient, function.__name__, why_serial, is_single))
            return kernel

        return add

    return case


CASES: list[Case] = []
case = adder(CASES)


@case(lambda x, y, c: (np.cos(x) * y * c, np.sin(x) * c, (np.sin(x) * y).sum()))
def a_sum(x, y, c):
    total = 0.0
    for i in prange(x.size):
        total += np.sin(x[i]) * y[i] * c
    return total


def _of_writing(x, y, c):
    out = x**2 * y + c * x
    return 2 * out * (2 * x * y + c), 2 * out * x**2, (2 * out * x).sum()


@case(_of_writing)
def writing(x, y, c):
    out = np.empty_like(x)
    for i in prange(x.size):
        out[i] = x[i] ** 2 * y[i] + c * x[i]
    total = 0.0
    for i in range(out.size):
        total += out[i] * out[i]
    return total


def _of_rows(x, y, c):
    a = x.reshape(ROWS, -1)
    e = np.exp(-c * (a * a).sum(axis=1))
    by_a = (-2 * c * e * y[:ROWS])[:, None] * a
    by_y = np.zeros_like(y)
    by_y[:ROWS] = e
    return by_a.ravel(), by_y, (-(a * a).sum(axis=1) * e * y[:ROWS]).sum()


@case(_of_rows)
def rows(x, y, c):
    a = x.reshape(ROWS, x.size // ROWS)
    total = 0.0
    for i in prange(ROWS):
        inner = 0.0
        for j in range(a.shape[1]):
            inner += a[i, j] * a[i, j] * c
        total += np.exp(-inner) * y[i]
    return total


@numba.njit
def _length(row, c):
    total = 0.0
    for v in row:
        total += v * v * c
    return total


@case(_of_rows)
def rows_in_a_callee(x, y, c):
    a = x.reshape(ROWS, x.size // ROWS)
    total = 0.0
    for i in prange(ROWS):
        total += np.exp(-_length(a[i], c)) * y[i]
    return total


@case(_of_rows)
def nested(x, y, c):
    a = x.reshape(ROWS, x.size // ROWS)
    total = 0.0
    for i in prange(ROWS):
        inner = 0.0
        for j in prange(a.shape[1]):
            inner += a[i, j] * a[i, j] * c
        total += np.exp(-inner) * y[i]
    return total


def _of_stencil(x, y, c):
    left, middle, right, w = x[:-2], x[1:-1], x[2:], y[1:-1]
    out = np.sin(left) + c * middle * right
    by_x, by_y = np.zeros_like(x), np.zeros_like(y)
    by_x[:-2] += 2 * out * w * np.cos(left)
    by_x[1:-1] += 2 * out * w * c * right
    by_x[2:] += 2 * out * w * c * middle
    by_y[1:-1] = out * out
    return by_x, by_y, (2 * out * w * middle * right).sum()


@case(_of_stencil)
def stencil(x, y, c):
    n = x.size
    out = np.zeros(n)
    for i in prange(1, n - 1):
        out[i] = np.sin(x[i - 1]) + c * x[i] * x[i + 1]
    total = 0.0
    for i in range(n):
        total += out[i] * out[i] * y[i]
    return total


def _of_gather(x, y, c):
    places = np.arange(x.size) * 7 % 13
    by_x = np.zeros_like(x)
    np.add.at(by_x, places, 2 * x[places] * y * c)
    return by_x, x[places] ** 2 * c, (x[places] ** 2 * y).sum()


@case(_of_gather)
def gather(x, y, c):
    places = np.arange(x.size) * 7 % 13
    total = 0.0
    for i in prange(x.size):
        total += x[places[i]] * x[places[i]] * y[i] * c
    return total


def _of_product(x, y, c):
    factors = 1 + 0.01 * x * y * c
    p = factors.prod()
    return (
        p * 0.01 * y * c / factors,
        p * 0.01 * x * c / factors,
        (p * 0.01 * x * y / factors).sum(),
    )


@case(_of_product)
def a_product(x, y, c):
    result = 1.0
    for i in prange(x.size):
        result *= 1.0 + 0.01 * x[i] * y[i] * c
    return result


def _of_maximum(x, y, c):
    k = (x * y * c).real.argmax()
    by_x, by_y = np.zeros_like(x), np.zeros_like(y)
    m = x[k] * y[k] * c
    by_x[k], by_y[k] = 2 * m * y[k] * c, 2 * m * x[k] * c
    return by_x, by_y, 2 * m * x[k] * y[k]


@case(_of_maximum)
def a_maximum(x, y, c):
    most = -1e30
    for i in prange(x.size):
        most = max(most, x[i] * y[i] * c)
    return most * most


def _of_minimum(x, y, c):
    k = (x * y * c).real.argmin()
    by_x, by_y = np.zeros_like(x), np.zeros_like(y)
    m = x[k] * y[k] * c
    by_x[k], by_y[k] = np.cos(m) * y[k] * c, np.cos(m) * x[k] * c
    return by_x, by_y, np.cos(m) * x[k] * y[k]


@case(_of_minimum)
def a_minimum(x, y, c):
    least = 1e30
    for i in prange(x.size):
        least = min(least, x[i] * y[i] * c)
    return np.sin(least)


def _of_array_sum(x, y, c):
    a, b, d = x.sum(), (x**2).sum() * c, (x * y).sum()
    by_x = 2 * a + 2 * b * 2 * c * x + 2 * d * y
    return by_x, 2 * d * x, 2 * b * (x**2).sum()


@case(_of_array_sum)
def an_array_of_sums(x, y, c):
    sums = np.zeros(3)
    for i in prange(x.size):
        sums += np.array([x[i], c * x[i] ** 2, x[i] * y[i]])
    return (sums * sums).sum()


def _of_steps(x, y, c):
    states = [x]
    for _ in range(3):
        states.append(np.sin(states[-1]) * c + y)
    bar = 2 * states[-1]
    by_y, by_c = np.zeros_like(y), 0.0
    for z in reversed(states[:-1]):
        by_y = by_y + bar
        by_c = by_c + (bar * np.sin(z)).sum()
        bar = bar * np.cos(z) * c
    return bar, by_y, by_c


@case(_of_steps)
def steps_in_place(x, y, c):
    z = x.copy()
    for _ in range(3):
        for i in prange(z.size):
            z[i] = np.sin(z[i]) * c + y[i]
    return (z * z).sum()


@case(_of_steps)
def steps_in_the_body(x, y, c):
    total = 0.0
    for i in prange(x.size):
        z = x[i]
        for _ in range(3):
            z = np.sin(z) * c + y[i]
        total += z * z
    return total


@numba.njit
def _potential(x, i, c):
    total = 0.0
    for j in range(x.size):
        total += np.sin(x[j] - x[i]) * c
    return total


def _of_pairs(x, y, c):
    cosines = np.cos(x[None, :] - x[:, None]) * c  # row i, column j
    by_x = (y[:, None] * cosines).sum(axis=0) - y * cosines.sum(axis=1)
    potentials = np.sin(x[None, :] - x[:, None]).sum(axis=1)
    return by_x, potentials * c, (y * potentials).sum()


@case(_of_pairs)
def pairs(x, y, c):
    total = 0.0
    for i in prange(x.size):
        total += _potential(x, i, c) * y[i]
    return total


def _of_own_arrays(x, y, c):
    a = x.reshape(ROWS, -1)
    w = y[: a.shape[1]]
    norms = np.sqrt(((a * w) ** 2).sum(axis=1))
    by_a = c * a * w**2 / norms[:, None]
    by_y = np.zeros_like(y)
    by_y[: a.shape[1]] = (c * a**2 * w / norms[:, None]).sum(axis=0)
    return by_a.ravel(), by_y, norms.sum()


@case(_of_own_arrays)
def own_arrays(x, y, c):
    columns = x.size // ROWS
    total = 0.0
    for i in prange(ROWS):
        t = np.zeros(columns)
        for j in range(columns):
            t[j] = x[i * columns + j] * y[j]
        total += np.sqrt((t * t).sum()) * c
    return total


@case(lambda x, y, c: (2 * c * y, 2 * c * x, 2 * (x * y).sum()))
def tuples(x, y, c):
    both, numbers = (x, y), (c, 2.0)
    total = 0.0
    for i in prange(x.size):
        total += both[0][i] * both[1][i] * numbers[0] * numbers[1]
    return total


def _of_complex(x, y, c):
    real, imaginary = x * c - y, x + y * c
    del imaginary
    return 2 * real * c + 1, -2 * real + c, (2 * real * x + y).sum()


@case(_of_complex)
def complex_numbers(x, y, c):
    turn = complex(c, 1.0)
    total = 0.0
    for i in prange(x.size):
        z = complex(x[i], y[i]) * turn
        total += z.real * z.real + z.imag
    return total


def _of_branches(x, y, c):
    is_large = x.real > 0.5
    by_x = np.where(is_large, np.cos(x) * c, 3 * x**2 * y)
    return by_x, np.where(is_large, 0, x**3), np.where(is_large, np.sin(x), 0).sum()


@case(_of_branches)
def branches(x, y, c):
    total = 0.0
    for i in prange(x.size):
        if x[i] > 0.5:
            total += np.sin(x[i]) * c
        else:
            total += x[i] ** 3 * y[i]
    return total


@case(
    lambda x, y, c: (
        2 * x[::-1][::-1] * np.sin(y) * c,
        x**2 * np.cos(y) * c,
        (x**2 * np.sin(y)).sum(),
    )
)
def strided(x, y, c):
    both = np.empty((x.size, 2))
    for i in prange(x.size):
        both[i, 0] = x[i]
        both[i, 1] = y[i]
    first, second = both[:, 0], both[::-1, 1]
    total = 0.0
    for i in prange(x.size):
        total += first[i] ** 2 * np.sin(second[x.size - 1 - i]) * c
    return total
