"""Kernels without `prange`: their array expressions and sums run on threads. As in the package.

Tests ask with parts of a few numbers (`tests.threads.table.small_parts`).
"""

from __future__ import annotations

import numba
import numpy as np

from tests.threads.kernels import ROWS, Case, adder

OF_ARRAYS: list[Case] = []
case = adder(OF_ARRAYS)


@case(lambda x, y, c: (np.cos(x) * y * c, np.sin(x) * c, (np.sin(x) * y).sum()))
def sum_of_an_expression(x, y, c):
    return np.sum(np.sin(x) * y * c)


def _of_expressions(x, y, c):
    t = x * y + c
    u = np.exp(-t * t)
    k = -2 * t * u * x
    return u + k * y, k * x, k.sum()


@case(_of_expressions)
def expressions_of_expressions(x, y, c):
    t = x * y + c
    u = np.exp(-t * t)
    return (u * x).sum()


def _of_tanh(x, y, c):
    b = np.tanh(x * y * c)
    k = 2 * b * (1 - b * b)
    return k * y * c, k * x * c, (k * x * y).sum()


@case(_of_tanh)
def expressions_of_a_matrix(x, y, c):
    a, w = x.reshape(ROWS, 10), y.reshape(ROWS, 10)
    b = np.tanh(a * w * c)
    return np.sum(b * b)


@case(_of_tanh)
def expressions_of_three_dimensions(x, y, c):
    a, w = x.reshape(5, 4, 3), y.reshape(5, 4, 3)
    b = np.tanh(a * w * c)
    return np.sum(b * b)


def _of_a_row(x, y, c):
    a, v = x.reshape(ROWS, 10), y[:10]
    k = np.cos(a * v) * c
    by_y = 0 * y
    by_y[:10] = (k * a).sum(axis=0)
    return (k * v).ravel(), by_y, np.sin(a * v).sum()


@case(_of_a_row)
def a_matrix_and_a_row(x, y, c):
    a, v = x.reshape(ROWS, 10), y[:10]
    return np.sum(np.sin(a * v) * c)


def _of_neighbours(x, y, c):
    d = x[1:] - x[:-1]
    k = 2 * d * y[1:] * c
    by_x, by_y = 0 * x, 0 * y
    by_x[1:] += k
    by_x[:-1] -= k
    by_y[1:] = d * d * c
    return by_x, by_y, (d * d * y[1:]).sum()


@case(_of_neighbours)
def neighbours_by_slices(x, y, c):
    d = x[1:] - x[:-1]
    return np.sum(d * d * y[1:] * c)


def _of_second_differences(x, y, c):
    d = x[2:] - 2 * x[1:-1] + x[:-2]
    k = 2 * d * y[1:-1] * c
    by_x, by_y = 0 * x, 0 * y
    by_x[2:] += k
    by_x[1:-1] -= 2 * k
    by_x[:-2] += k
    by_y[1:-1] = d * d * c
    return by_x, by_y, (d * d * y[1:-1]).sum()


@case(_of_second_differences)
def second_differences_by_slices(x, y, c):
    d = x[2:] - 2.0 * x[1:-1] + x[:-2]
    return np.sum(d * d * y[1:-1]) * c


def _of_in_place(x, y, c):
    u, by_x, by_y, by_c = x * c, c + 0 * x, 0 * y, x + 0 * y
    for _ in range(3):
        slope = 1 + np.cos(u) * y
        by_x, by_y, by_c = by_x * slope, by_y * slope + np.sin(u), by_c * slope
        u = u + np.sin(u) * y
    return by_x, by_y, by_c.sum()


@case(_of_in_place, why_serial="may be written here")
def expressions_added_in_place(x, y, c):
    u = x * c
    for _ in range(3):
        u += np.sin(u) * y
    return u.sum()


@case(_of_in_place)
def expressions_in_a_loop(x, y, c):
    u = x * c
    for _ in range(3):
        u = u + np.sin(u) * y
    return u.sum()


def _of_slices(x, y, c):
    by_x, by_y, by_c = 0 * x, 0 * y, 0 * x
    u, grow = x * c, [c + 0 * x]
    slopes = []
    for _ in range(3):
        slopes.append(np.cos(u[:-1]) * y[1:])
        u = np.concatenate((u[:1], u[1:] + np.sin(u[:-1]) * y[1:]))
    adjoint = 1 + 0 * x
    states = [x * c]
    for _ in range(3):
        s = states[-1]
        states.append(np.concatenate((s[:1], s[1:] + np.sin(s[:-1]) * y[1:])))
    for step in (2, 1, 0):
        by_y[1:] += adjoint[1:] * np.sin(states[step][:-1])
        moved = np.concatenate((adjoint[1:] * slopes[step], 0 * x[:1]))
        adjoint = adjoint + moved
    by_x, by_c = adjoint * grow[0], adjoint * x
    return by_x, by_y, by_c.sum()


@case(_of_slices, why_serial="may be written here")
def slices_that_overlap_in_place(x, y, c):
    u = x * c
    for _ in range(3):
        u[1:] += np.sin(u[:-1]) * y[1:]
    return u.sum()


def _of_moments(x, y, c):
    n, p = x.size, x * y
    spread, width = x - x.mean(), y - y.mean()
    std = np.sqrt((width * width).mean())
    by_x = y * c / n + 2 * spread * c / n
    by_y = x * c / n + width / (n * std)
    return by_x, by_y, p.mean() + (spread * spread).mean()


@case(_of_moments)
def means_and_variances(x, y, c):
    return np.mean(x * y) * c + np.var(x) * c + y.std()


def _of_complex(x, y, c):
    k = np.exp(2 * c * x)
    return 2 * c * k, 0 * y, (2 * x * k).sum()


@case(_of_complex)
def complex_expressions(x, y, c):
    w = np.exp((x + 1j * y) * c)
    return np.sum((w * np.conj(w)).real)


@case(lambda x, y, c: (2 * x * y * c, x * x * c, (x * x * y).sum()), is_single=True)
def expressions_in_single_precision(x, y, c):
    a, w = x.astype(np.float32), y.astype(np.float32)
    return np.sum(a * a * w) * c


def _of_where(x, y, c):
    is_large = x.real > 0.5
    by_x, by_y = np.where(is_large, 2 * x * c, 0), np.where(is_large, 0, c)
    return by_x, by_y, np.where(is_large, x * x, y).sum()


@case(_of_where)
def chosen_elements(x, y, c):
    return np.sum(np.where(x > 0.5, x * x, y) * c)


def _of_steps(x, y, c):
    by_x, by_y = 0 * x, 0 * y
    by_x[::2], by_y[1::2] = 2 * x[::2] * y[1::2] * c, x[::2] ** 2 * c
    return by_x, by_y, (x[::2] ** 2 * y[1::2]).sum()


@case(_of_steps)
def expressions_of_every_other_number(x, y, c):
    return np.sum(x[::2] ** 2 * y[1::2] * c)


def _of_transposed(x, y, c):
    a, w = x.reshape(ROWS, 10).T, y.reshape(10, ROWS)
    return (np.cos(a) * w * c).T.ravel(), (np.sin(a) * c).ravel(), (np.sin(a) * w).sum()


@case(_of_transposed)
def a_matrix_and_one_transposed(x, y, c):
    a, w = x.reshape(ROWS, 10).T, y.reshape(10, ROWS)
    return np.sum(np.sin(a) * w * c)


@numba.njit(parallel=True)
def _sines(x, y):
    return np.sin(x * y) + x


def _of_a_callee(x, y, c):
    by_x, by_y, u, by_c = c + 0 * x, 0 * y, x * c, x + 0 * y
    for _ in range(3):
        k = np.cos(u * y)
        by_y = by_y * (1 + k * y) + k * u
        by_x, by_c = by_x * (1 + k * y), by_c * (1 + k * y)
        u = np.sin(u * y) + u
    return by_x, by_y, by_c.sum()


@case(_of_a_callee)
def expressions_of_a_callee(x, y, c):
    u = x * c
    for _ in range(3):
        u = _sines(u, y)
    return np.sum(u)


def _of_written(x, y, c):
    t = 2 * x * c
    by_x = 2 * (x + t) * (1 + 2 * c) * y
    by_x[0] = 2 * (5 + t[0]) * 2 * c * y[0]
    u = x + t
    u[0] = 5 + t[0]
    return by_x, u * u, (2 * u * y * 2 * x).sum()


@case(_of_written, why_serial="may be written here")
def written_between_expressions(x, y, c):
    x = x.copy()
    t = 2.0 * x * c
    x[0] = 5.0
    u = x + t
    return np.sum(u * u * y)


@numba.njit
def _all_of(x):
    return x[:]


@case(_of_written, why_serial="may be written here")
def written_behind_a_view_of_a_function(x, y, c):
    x = x.copy()
    v = _all_of(x)
    t = 2.0 * v * c
    x[0] = 5.0
    u = v + t
    return np.sum(u * u * y)
