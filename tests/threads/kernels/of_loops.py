"""More kernels for the table: reductions, ranges, nests, branches, and what bodies call. As in the package."""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
from numba import prange

from tests.threads.kernels import ROWS, Case, adder

OF_LOOPS: list[Case] = []
case = adder(OF_LOOPS)
WEIGHTS = np.linspace(0.5, 1.5, 60)


# -- reductions


@case(lambda x, y, c: (-y * c, -x * c, -(x * y).sum()))
def a_difference(x, y, c):
    total = 1.0
    for i in prange(x.size):
        total -= x[i] * y[i] * c
    return total


def _of_quotient(x, y, c):
    divisors = 1 + 0.01 * x * y * c
    q = 1 / divisors.prod()
    return -q * 0.01 * y * c / divisors, -q * 0.01 * x * c / divisors, -(q * 0.01 * x * y / divisors).sum()


@case(_of_quotient)
def a_quotient(x, y, c):
    result = 1.0
    for i in prange(x.size):
        result /= 1.0 + 0.01 * x[i] * y[i] * c
    return result


def _of_sum_and_maximum(x, y, c):
    k, total = (x * y).real.argmax(), np.sin(x).sum() * c
    most = x[k] * y[k]
    by_x, by_y = np.cos(x) * c * most, np.zeros_like(y)
    by_x[k] += total * y[k]
    by_y[k] = total * x[k]
    return by_x, by_y, np.sin(x).sum() * most


@case(_of_sum_and_maximum)
def a_sum_and_a_maximum(x, y, c):
    total, most = 0.0, -1e30
    for i in prange(x.size):
        total += np.sin(x[i]) * c
        most = max(most, x[i] * y[i])
    return total * most


def _of_count(x, y, c):
    is_large = x.real > 0.5
    count = is_large.sum()
    return count * y * c, count * x * c, count * (x * y).sum()


@case(_of_count)
def a_count_beside_a_sum(x, y, c):
    total, count = 0.0, 0
    for i in prange(x.size):
        total += x[i] * y[i] * c
        if x[i] > 0.5:
            count += 1
    return total * count


def _of_array_product(x, y, c):
    one, other = 1 + 0.01 * x * c, 1 + 0.02 * x * y
    p, q = one.prod(), other.prod()
    by_x = p * q * (0.01 * c / one + 0.02 * y / other)
    return by_x, p * q * 0.02 * x / other, (p * q * 0.01 * x / one).sum()


@case(_of_array_product)
def an_array_of_products(x, y, c):
    products = np.ones(2)
    for i in prange(x.size):
        products *= np.array([1.0 + 0.01 * x[i] * c, 1.0 + 0.02 * x[i] * y[i]])
    return products[0] * products[1]


def _of_column_sums(x, y, c):
    a = x.reshape(ROWS, -1)
    w = y[:ROWS]
    sums = (a * w[:, None]).sum(axis=0) * c
    by_y = np.zeros_like(y)
    by_y[:ROWS] = (a * 2 * sums * c).sum(axis=1)
    return (w[:, None] * 2 * sums * c).ravel(), by_y, (2 * sums * sums / c).sum()


@case(_of_column_sums)
def rows_added_up(x, y, c):
    a = x.reshape(ROWS, x.size // ROWS)
    sums = np.zeros(a.shape[1])
    for i in prange(ROWS):
        sums += a[i] * y[i] * c
    return (sums * sums).sum()


def _of_complex_sum(x, y, c):
    real, imaginary = (x * c).sum(), (x * y).sum()
    return 2 * real * c + 2 * imaginary * y, 2 * imaginary * x, 2 * real * x.sum()


@case(_of_complex_sum)
def a_complex_sum(x, y, c):
    total = 0j
    for i in prange(x.size):
        total += complex(x[i] * c, x[i] * y[i])
    return total.real * total.real + total.imag * total.imag


@case(lambda x, y, c: (2 * x * y * c, x * x * c, (x * x * y).sum()), is_single=True)
def a_sum_in_float32(x, y, c):
    a, b, d = x.astype(np.float32), y.astype(np.float32), np.float32(c)
    total = np.float32(0.0)
    for i in prange(a.size):
        total += a[i] * a[i] * b[i] * d
    return float(total)


# -- ranges


def _of_three(x, y, c):
    by_x, by_y = np.zeros_like(x), np.zeros_like(y)
    by_x[:3], by_y[:3] = 3 * x[:3] ** 2 * y[:3] * c, x[:3] ** 3 * c
    return by_x, by_y, (x[:3] ** 3 * y[:3]).sum()


@case(_of_three)
def fewer_iterations_than_threads(x, y, c):
    total = 0.0
    for i in prange(3):
        total += x[i] ** 3 * y[i] * c
    return total


def _of_one(x, y, c):
    by_x, by_y = np.zeros_like(x), np.zeros_like(y)
    by_x[0], by_y[0] = np.cos(x[0]) * y[0] * c, np.sin(x[0]) * c
    return by_x, by_y, np.sin(x[0]) * y[0]


@case(_of_one)
def one_iteration(x, y, c):
    total = 0.0
    for i in prange(1):
        total += np.sin(x[i]) * y[i] * c
    return total


@case(lambda x, y, c: (0 * x + c, 0 * y, x.sum()))
def no_iterations(x, y, c):
    total = 0.0
    for i in prange(x.size - 60):
        total += np.sin(x[i]) * y[i]
    return total + x.sum() * c


def _of_middle(x, y, c):
    inside = (np.arange(60) >= 7) & (np.arange(60) < 51)
    by_x, by_y = np.where(inside, np.exp(x * c) * c * y, 0), np.where(inside, np.exp(x * c), 0)
    return by_x, by_y, np.where(inside, np.exp(x * c) * x * y, 0).sum()


@case(_of_middle)
def from_a_start_to_an_end(x, y, c):
    total, start = 0.0, 7
    for i in prange(start, x.size - 9):
        total += np.exp(x[i] * c) * y[i]
    return total


@case(lambda x, y, c: (5 * x**4 * y * c, x**5 * c, (x**5 * y).sum()))
def chunks_of_four(x, y, c):
    total = 0.0
    with numba.parallel_chunksize(4):
        for i in prange(x.size):
            total += x[i] ** 5 * y[i] * c
    return total


def _of_two_loops(x, y, c):
    out = np.sin(x) * c
    return (2 * out * y + 1) * np.cos(x) * c, out**2, ((2 * out * y + 1) * np.sin(x)).sum()


@case(_of_two_loops)
def two_loops_of_one_length(x, y, c):
    out = np.empty_like(x)
    for i in prange(x.size):
        out[i] = np.sin(x[i]) * c
    total = 0.0
    for i in prange(x.size):
        total += out[i] * out[i] * y[i] + out[i]
    return total


# -- nests, branches, loops around


def _of_outer_product(x, y, c):
    v, w = x[:8], y[:7]
    m = np.sin(np.outer(v, w)) * c
    d = 2 * m * np.cos(np.outer(v, w)) * c
    by_x, by_y = np.zeros_like(x), np.zeros_like(y)
    by_x[:8], by_y[:7] = d @ w, v @ d
    return by_x, by_y, (2 * m * m / c).sum()


@case(_of_outer_product)
def nested_that_write(x, y, c):
    m = np.empty((8, 7))
    for i in prange(8):
        for j in prange(7):
            m[i, j] = np.sin(x[i] * y[j]) * c
    return (m * m).sum()


@case(lambda x, y, c: (12 * x**3 * y * c, 3 * x**4 * c, 3 * (x**4 * y).sum()))
def in_a_loop_that_is_serial(x, y, c):
    total, turn = 0.0, 0
    while turn < 3:
        for i in prange(x.size):
            total += x[i] ** 4 * y[i] * c
        turn += 1
    return total


@case(lambda x, y, c: (y * c, x * c, (x * y).sum()))
def in_a_branch(x, y, c):
    total = 0.0
    if c > 0.0:
        for i in prange(x.size):
            total += x[i] * y[i] * c
    else:
        for i in prange(x.size):
            total += x[i] - y[i]
    return total


def _turns(x: Any) -> Any:
    """How often a number is halved until it is below 0.2."""
    turns, real = np.zeros(x.size), x.real.copy()
    while (real > 0.2).any():
        turns += real > 0.2
        real = np.where(real > 0.2, real / 2, real)
    return turns


@case(
    lambda x, y, c: (
        2 * x * 0.25 ** _turns(x) * y * c,
        x * x * 0.25 ** _turns(x) * c,
        (x * x * 0.25 ** _turns(x) * y).sum(),
    )
)
def a_while_loop_inside(x, y, c):
    total = 0.0
    for i in prange(x.size):
        v = x[i]
        while v > 0.2:
            v = v * 0.5
        total += v * v * y[i] * c
    return total


def _of_search(x, y, c):
    by_x, by_y, by_c = np.zeros_like(x), np.zeros_like(y), 0.0
    for i in range(10):
        k = next((j for j in range(6) if x[6 * i + j].real > 0.5), None)
        if k is not None:
            v, w = x[6 * i + k], y[i]
            by_x[6 * i + k] = 2 * v * w * c
            by_y[i] += v * v * c
            by_c = by_c + v * v * w
    return by_x, by_y, by_c


@case(_of_search)
def a_loop_left_early(x, y, c):
    total = 0.0
    for i in prange(10):
        for j in range(6):
            v = x[6 * i + j]
            if v > 0.5:
                total += v * v * y[i] * c
                break
    return total


# -- what bodies call


@numba.njit
def _inner(u, v):
    return math.exp(-u * v) + u


@numba.njit
def _outer(u, v, c):
    return _inner(u * c, v) * v


def _of_calls(x, y, c):
    e = np.exp(-x * c * y)
    inner_by_u = 1 - y * e
    by_y = e + x * c - x * c * e * y
    return inner_by_u * c * y, by_y, (inner_by_u * x * y).sum()


@case(_of_calls)
def functions_in_functions(x, y, c):
    total = 0.0
    for i in prange(x.size):
        total += _outer(x[i], y[i], c)
    return total


@numba.njit
def _power(u, count):
    if count == 0:
        return 1.0
    return u * _power(u, count - 1)


@case(lambda x, y, c: (4 * x**3 * y * c, x**4 * c, (x**4 * y).sum()))
def a_function_that_calls_itself(x, y, c):
    total = 0.0
    for i in prange(x.size):
        total += _power(x[i], 4) * y[i] * c
    return total


@numba.njit
def _checked(u):
    if u > 100.0:
        raise ValueError("large", u)
    return u * u


@case(lambda x, y, c: (2 * x * y * c, x * x * c, (x * x * y).sum()), "left in its middle")
def a_body_that_may_raise(x, y, c):
    total = 0.0
    for i in prange(x.size):
        if y[i] < -100.0:
            raise IndexError("small")
        total += x[i] * x[i] * y[i] * c
    return total


@case(lambda x, y, c: (2 * x * y * c, x * x * c, (x * x * y).sum()))
def a_function_that_may_raise(x, y, c):
    total = 0.0
    for i in prange(x.size):
        total += _checked(x[i]) * y[i] * c
    return total


@numba.njit(parallel=True)
def _parallel_product(a, b):
    total = 0.0
    for i in prange(a.size):
        total += a[i] * b[i]
    return total


@case(lambda x, y, c: (2 * x + c * y, c * x, (x * y).sum()))
def one_array_twice(x, y, c):
    return _parallel_product(x, x) + c * _parallel_product(x, y)


@case(lambda x, y, c: (WEIGHTS * y, WEIGHTS * x + c, y.sum()))
def a_captured_array(x, y, c):
    total = 0.0
    for i in prange(x.size):
        total += WEIGHTS[i] * x[i] * y[i] + c * y[i]
    return total


def _of_sorted(x, y, c):
    a, w = x.reshape(ROWS, -1), y[:10]
    by_a, by_y, by_c = np.zeros_like(a), np.zeros_like(y), 0.0
    for i in range(ROWS):
        order = np.argsort(a[i].real)
        row = a[i][order]
        by_a[i, order] = 2 * row * w * c
        by_y[:10] += row * row * c
        by_c = by_c + (row * row * w).sum()
    return by_a.ravel(), by_y, by_c


@case(_of_sorted)
def sorts_and_sums_inside(x, y, c):
    a = x.reshape(ROWS, x.size // ROWS)
    total = 0.0
    for i in prange(ROWS):
        row = np.sort(a[i])
        total += np.sum(row * row * y[: row.size]) * c
    return total


def _of_products(x, y, c):
    a, w = x.reshape(ROWS, -1), y[:10]
    dots = a @ w
    by_y = np.zeros_like(y)
    by_y[:10] = (2 * dots * c) @ a
    return np.outer(2 * dots * c, w).ravel(), by_y, (dots * dots).sum()


@case(_of_products)
def products_of_rows(x, y, c):
    a = x.reshape(ROWS, x.size // ROWS)
    total = 0.0
    for i in prange(ROWS):
        dot = np.dot(a[i], y[: a.shape[1]])
        total += dot * dot * c
    return total
