"""More kernels for the table: layouts, dimensions, kinds of numbers, containers, writes. As in the package."""

from __future__ import annotations

from collections import namedtuple

import numba
import numpy as np
from numba import prange

from tests.threads.kernels import ROWS, Case, adder

OF_DATA: list[Case] = []
case = adder(OF_DATA)
Pair = namedtuple("Pair", "u v")  # noqa: PYI024  Numba knows these
RECORD = np.dtype([("u", float), ("v", float)])


# -- dimensions and layouts


def _of_plate(x, y, c):
    a, w = x.reshape(ROWS, -1), y.reshape(ROWS, -1)
    by_a, by_w = np.zeros_like(a), np.zeros_like(w)
    m, up, left = a[1:, 1:], a[:-1, 1:], a[1:, :-1]
    out = m * up + np.sin(left) * c
    k = 2 * out * w[1:, 1:]
    by_a[1:, 1:] += k * up
    by_a[:-1, 1:] += k * m
    by_a[1:, :-1] += k * np.cos(left) * c
    by_w[1:, 1:] = out * out
    return by_a.ravel(), by_w.ravel(), (k * np.sin(left)).sum()


@case(_of_plate)
def two_dimensions(x, y, c):
    a, w = x.reshape(ROWS, x.size // ROWS), y.reshape(ROWS, x.size // ROWS)
    out = np.zeros(a.shape)
    for i in prange(1, a.shape[0]):
        for j in range(1, a.shape[1]):
            out[i, j] = a[i, j] * a[i - 1, j] + np.sin(a[i, j - 1]) * c
    return (out * out * w).sum()


@case(lambda x, y, c: (2 * x * y * c, x * x * c, (x * x * y).sum()))
def three_dimensions(x, y, c):
    a, w = x.reshape(5, 4, 3), y.reshape(5, 4, 3)
    total = 0.0
    for i in prange(5):
        for j in range(4):
            for k in range(3):
                total += a[i, j, k] * a[i, j, k] * w[i, j, k] * c
    return total


def _of_columns(x, y, c):
    a, w = x.reshape(ROWS, -1), y[:10]
    e = np.sin(a.sum(axis=0) * c)
    d = np.cos(a.sum(axis=0) * c) * w
    by_y = np.zeros_like(y)
    by_y[:10] = e
    return np.broadcast_to(d * c, a.shape).ravel(), by_y, (d * a.sum(axis=0)).sum()


@case(_of_columns)
def columns_read(x, y, c):
    a = x.reshape(ROWS, x.size // ROWS)
    total = 0.0
    for j in prange(a.shape[1]):
        inner = 0.0
        for i in range(ROWS):
            inner += a[i, j]
        total += np.sin(inner * c) * y[j]
    return total


@case(_of_columns, "`m` is written, and used by another index")
def columns_written(x, y, c):
    a = x.reshape(ROWS, x.size // ROWS)
    m = np.zeros(a.shape)
    for j in prange(a.shape[1]):
        for i in range(ROWS):
            m[i, j] = a[i, j]
    total = 0.0
    for j in range(a.shape[1]):
        total += np.sin(m[:, j].sum() * c) * y[j]
    return total


@case(_of_columns, "of a layout that is not copied")
def columns_of_fortrans_order(x, y, c):
    a = x.reshape(ROWS, x.size // ROWS).copy().T  # 10 by 6
    total = 0.0
    for j in prange(a.shape[0]):
        inner = 0.0
        for i in range(ROWS):
            inner += a[(j + 1) % a.shape[0] - 1, i]
        total += np.sin(inner * c) * y[j]
    return total


def _of_steps(x, y, c):
    by_x, by_y = np.zeros_like(x), np.zeros_like(y)
    v, w = x[::2], y[::-2]
    by_x[::2], by_y[::-2] = 3 * v**2 * w * c, v**3 * c
    return by_x, by_y, (v**3 * w).sum()


@case(_of_steps)
def each_second_and_backwards(x, y, c):
    v, w = x[::2], y[::-2]
    total = 0.0
    for i in prange(v.size):
        total += v[i] ** 3 * w[i] * c
    return total


def _of_neighbours_with_steps(x, y, c):
    by_x, by_y = np.zeros_like(x), np.zeros_like(y)
    v, w = x[::3], y[:20]
    after = np.roll(v, -1)
    by_x[::3] = (after * w + np.roll(v * w, 1)) * c
    by_y[:20] = v * after * c
    return by_x, by_y, (v * after * w).sum()


@case(_of_neighbours_with_steps)
def neighbours_of_a_view(x, y, c):
    v = x[::3]
    total = 0.0
    for i in prange(v.size):
        total += v[i] * v[(i + 1) % v.size] * y[i] * c
    return total


# -- slices and writes


def _of_blocks(x, y, c):
    a = x.reshape(10, 6)
    norms = (a * a).sum(axis=1)
    by_y = np.zeros_like(y)
    by_y[:10] = np.sin(norms) * c
    d = np.cos(norms) * y[:10] * c
    return (2 * d[:, None] * a).ravel(), by_y, (np.sin(norms) * y[:10]).sum()


@case(_of_blocks)
def slices_read(x, y, c):
    total = 0.0
    for i in prange(10):
        part = x[6 * i : 6 * i + 6]
        total += np.sin((part * part).sum()) * y[i] * c
    return total


@case(_of_blocks, "`out` is written, and used by another index")
def slices_written(x, y, c):
    out = np.zeros(x.size)
    for i in prange(10):
        out[6 * i : 6 * i + 6] = x[6 * i : 6 * i + 6] ** 2
    total = 0.0
    for i in range(10):
        total += np.sin(out[6 * i : 6 * i + 6].sum()) * y[i] * c
    return total


@case(_of_blocks)
def rows_written(x, y, c):
    a = x.reshape(10, 6)
    out = np.empty(a.shape)
    for i in prange(10):
        out[i] = a[i] * a[i]
    total = 0.0
    for i in range(10):
        total += np.sin(out[i].sum()) * y[i] * c
    return total


def _of_permutation(x, y, c):
    places = np.arange(60) * 7 % 60
    w = y[places]
    by_y = np.zeros_like(y)
    by_y[places] = np.sin(x) * c
    return np.cos(x) * w * c, by_y, (np.sin(x) * w).sum()


@case(_of_permutation, "`out` is written, and used by another index")
def scatter(x, y, c):
    places = np.arange(x.size) * 7 % x.size
    out = np.zeros(x.size)
    for i in prange(x.size):
        out[places[i]] = np.sin(x[i]) * c
    return (out * y).sum()


@case(_of_permutation, "`out` is written, and used by another index")
def scatter_that_adds(x, y, c):
    places = np.arange(x.size) * 7 % x.size
    out = np.zeros(x.size)
    for i in prange(x.size):
        out[places[i]] += np.sin(x[i]) * c
    return (out * y).sum()


@case(lambda x, y, c: (2 * x[:] * y * c * c, (x * c) ** 2, 2 * (x * x * y).sum() * c))
def what_it_wrote_is_read(x, y, c):
    out, squares = np.empty_like(x), np.empty_like(x)
    for i in prange(x.size):
        out[i] = x[i] * c
        squares[i] = out[i] * out[i]
    return (squares * y).sum()


def _of_matrix(x, y, c):
    i, j = np.arange(60)[:, None], np.arange(60)[None, :]
    m = np.cos(0.1 * i + 0.2 * j)
    v = np.tanh(m @ x * 0.1) * y
    d = (1 - np.tanh(m @ x * 0.1) ** 2) * y * c * 0.1
    return m.T @ d, np.tanh(m @ x * 0.1) * c, v.sum()


@case(_of_matrix)
def matrix_by_vector(x, y, c):
    n = x.size
    m = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            m[i, j] = np.cos(0.1 * i + 0.2 * j)
    out = np.empty(n)
    for i in prange(n):
        inner = 0.0
        for j in range(n):
            inner += m[i, j] * x[j]
        out[i] = np.tanh(inner * 0.1) * y[i] * c
    return out.sum()


# -- kinds of numbers


def _of_complex_array(x, y, c):
    real, imaginary = x * x - y * y, 2 * x * y
    by_x = 2 * real * 2 * x * c + 2 * imaginary * 2 * y
    by_y = 2 * real * -2 * y * c + 2 * imaginary * 2 * x
    return by_x, by_y, (real * real).sum()


@case(_of_complex_array)
def complex_arrays(x, y, c):
    z = np.empty(x.size, np.complex128)
    for i in prange(x.size):
        z[i] = complex(x[i], y[i])
    total = 0.0
    for i in prange(x.size):
        square = z[i] * z[i]
        total += square.real * square.real * c + square.imag * square.imag
    return total


def _of_single_stencil(x, y, c):
    by_x = np.zeros_like(x)
    out = x[:-1] * x[1:] * c
    by_x[:-1] += 2 * out * y[:-1] * x[1:] * c
    by_x[1:] += 2 * out * y[:-1] * x[:-1] * c
    by_y = np.zeros_like(y)
    by_y[:-1] = out * out
    return by_x, by_y, (2 * out * out * y[:-1] / c).sum()


@case(_of_single_stencil, is_single=True)
def neighbours_in_float32(x, y, c):
    a, d = x.astype(np.float32), np.float32(c)
    out = np.zeros(a.size, np.float32)
    for i in prange(a.size - 1):
        out[i] = a[i] * a[i + 1] * d
    total = 0.0
    for i in range(a.size):
        total += float(out[i]) * float(out[i]) * y[i]
    return total


@case(
    lambda x, y, c: (
        np.where(x.real > 0.4, np.cos(x) * c, 0),
        np.where(x.real > 0.4, 0, 2 * y),
        np.where(x.real > 0.4, np.sin(x), 0).sum(),
    )
)
def a_mask_and_whole_numbers(x, y, c):
    mask, places = x > 0.4, np.empty(x.size, np.int64)
    for i in prange(x.size):
        places[i] = x.size - 1 - i
    total = 0.0
    for i in prange(x.size):
        if mask[i]:
            total += np.sin(x[i]) * c
        else:
            total += y[x.size - 1 - places[i]] ** 2
    return total


# -- containers


def _of_sums(x, y, c):
    return 2 * x * y * c, x * x * c, (x * x * y).sum()


@case(_of_sums, "is a Pair")
def a_named_tuple(x, y, c):
    both = Pair(x, y)
    total = 0.0
    for i in prange(x.size):
        total += both.u[i] * both.u[i] * both.v[i] * c
    return total


@case(_of_sums, "Record")
def an_array_of_records(x, y, c):
    both = np.empty(x.size, RECORD)
    for i in range(x.size):
        both[i].u = x[i]
        both[i].v = y[i]
    total = 0.0
    for i in prange(x.size):
        total += both[i].u * both[i].u * both[i].v * c
    return total


@case(_of_sums, "list")
def a_list_of_arrays(x, y, c):
    both = [x, y]
    total = 0.0
    for i in prange(x.size):
        total += both[0][i] * both[0][i] * both[1][i] * c
    return total


@case(_of_sums)
def a_list_of_the_body(x, y, c):
    total = 0.0
    for i in prange(x.size):
        items = [x[i], y[i]]
        items.append(items[0] * c)
        total += items[0] * items[1] * items[2]
    return total


@numba.njit
def _product_of(three, i):
    return three[0][i] * three[1][i] * three[2]


@case(lambda x, y, c: (y * c, x * c, (x * y).sum()))
def a_tuple_to_a_function(x, y, c):
    three = (x, y, c)
    total = 0.0
    for i in prange(x.size):
        total += _product_of(three, i)
    return total


def _of_temporaries(x, y, c):
    a = x.reshape(ROWS, -1)
    w = y[:10]
    sines = np.sin(a) * w
    sums = sines.sum(axis=1)
    by_y = np.zeros_like(y)
    by_y[:10] = (np.sin(a) * (2 * sums * c)[:, None]).sum(axis=0)
    return ((2 * sums * c)[:, None] * np.cos(a) * w).ravel(), by_y, (sums * sums).sum()


@case(_of_temporaries)
def temporaries(x, y, c):
    total = 0.0
    for i in prange(ROWS):
        row = x[10 * i : 10 * i + 10]
        sines = np.sin(row)
        weighted = sines * y[:10]
        m = np.empty((2, 10))
        m[0] = weighted
        m[1] = c
        total += m[0].sum() ** 2 * m[1, 3]
    return total


# -- what stays serial for other reasons


def _of_last(x, y, c):
    by_x, by_y = np.zeros_like(x), np.zeros_like(y)
    by_x[-1], by_y[-1] = 2 * x[-1] * y[-1] * c, x[-1] ** 2 * c
    return by_x, by_y, x[-1] ** 2 * y[-1]


@case(_of_last, "assigned in the loop")
def the_last_one(x, y, c):
    kept = 0.0
    for i in prange(x.size):
        kept = x[i] * x[i] * y[i] * c
    return kept


@case(_of_sums, "get_thread_id")
def numbered_threads(x, y, c):
    sums = np.zeros(numba.get_num_threads())
    for i in prange(x.size):
        sums[numba.get_thread_id()] += x[i] * x[i] * y[i] * c
    return sums.sum()


def _of_caught(x, y, c):
    is_large = x.real > 0.5
    return np.where(is_large, 2 * x * c, y), np.where(is_large, 0, x), np.where(is_large, x * x, 0).sum()


@case(_of_caught, "catches exceptions")
def a_try(x, y, c):
    total = 0.0
    for i in prange(x.size):
        try:
            if x[i] > 0.5:
                raise ValueError("large")
            total += x[i] * y[i]
        except Exception:
            total += x[i] * x[i] * c
    return total


