"""Loops that write over what they have read, in every way that alias analysis takes for apart at one moment."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.passes.memory.overwriting.later_iterations import LaterIterations
from tests.passes.running import is_left_alone, ran
from tests.rotation import sweep
from tests.whole.by_forward_mode import gradient_by_forward_mode

X = np.array([0.7, -0.4, 0.35, 1.1, -0.9, 0.2, 0.8])
C = np.array([0.3, 0.8, -0.5, 0.25, 1.2, -0.1, 0.6])


def neighbours(x, c, n):
    u = x.copy()
    for i in range(u.size - 1):
        u[i] = u[i] * u[i + 1]
    return np.sum(c * u)


def neighbours_of_an_argument(x, c, n):
    for i in range(x.size - 1):
        x[i] = x[i] * x[i + 1]
    return np.sum(c * x)


@pytest.mark.parametrize("kernel", [neighbours, neighbours_of_an_argument])
def test_products_of_neighbours(kernel: Any) -> None:
    """sum c_i x_i x_(i+1), and the last c x: its gradient and its Hessian times v."""

    def times(v):
        result = np.zeros(X.size)
        result[:-1] += C[:-1] * v[1:]
        result[1:] += C[:-1] * v[:-1]
        return result

    slope = enzyme.grad(kernel, argnums=0)
    want = times(X)
    want[-1] += C[-1]
    np.testing.assert_allclose(slope(X.copy(), C, 1), want, rtol=1e-14)
    if kernel is neighbours_of_an_argument:
        return
    v = np.cos(X)

    def pull(x):
        return np.sum(slope(x, C, 1) * v)

    def push(x):
        return enzyme.jvp(lambda z: kernel(z, C, 1), (x,), (v,))[1]

    for first in (pull, push):
        np.testing.assert_allclose(enzyme.grad(first)(X), times(v), rtol=1e-13)
    along = enzyme.jvp(pull, (X,), (C,))[1]
    np.testing.assert_allclose(along, np.sum(times(v) * C), rtol=1e-13)


def rows_in_turn(x, c, n):
    a = np.zeros((2, x.size))
    a[0] = x
    k = 0
    for _ in range(n):
        a[1 - k] = a[k] * a[k]
        k = 1 - k
    return np.sum(a[k])


def rows_by_remainder(x, c, n):
    a = np.zeros((2, x.size))
    a[0] = x
    for t in range(n):
        k = t % 2
        for i in range(x.size):
            a[1 - k, i] = a[k, i] * a[k, i]
    return np.sum(a[n % 2])


def halves_of_one_array(x, c, n):
    m = x.size
    a = np.zeros(2 * m)
    a[:m] = x
    k = 0
    for _ in range(n):
        for i in range(m):
            a[(1 - k) * m + i] = a[k * m + i] * a[k * m + i]
        k = 1 - k
    return np.sum(a[k * m : (k + 1) * m])


@pytest.mark.parametrize("kernel", [rows_in_turn, rows_by_remainder, halves_of_one_array])
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_squares_of_squares(kernel: Any, n: int) -> None:
    """x^(2^n): every turn writes over what the last but one has left."""
    found = enzyme.grad(kernel, argnums=0)(X, C, n)
    np.testing.assert_allclose(found, 2**n * X ** (2**n - 1), rtol=1e-12)


def next_ones(x, c, n):
    u = x.copy()
    for _ in range(n):
        for i in range(u.size - 1):
            u[i] += u[i + 1] * u[i + 1] * 0.25
    return np.sum(u * u)


def both_sides(x, c, n):
    u = x.copy()
    for _ in range(n):
        for i in range(1, u.size - 1):
            u[i] = u[i - 1] * u[i + 1] + 0.5 * u[i]
    return np.sum(u * u)


def from_behind(x, c, n):
    u = x.copy()
    for i in range(u.size - 1, 0, -1):
        u[i] *= u[i - 1]
    return np.sum(c * u)


def mirrored(x, c, n):
    u, m = x.copy(), x.size
    for _ in range(n):
        for i in range(m):
            u[i] *= 0.5 + u[m - 1 - i]
    return np.sum(u)


def at_a_distance(x, c, n):
    u = x.copy()
    for i in range(u.size - n):
        u[i] = u[i] * u[i + n]
    return np.sum(c * u)


def chosen_places(x, c, n):
    u = x.copy()
    for t in range(3 * n):
        k = int(abs(c[t % c.size]) * 8) % 5
        u[k + 1] *= 0.5 + u[k]
    return np.sum(u)


def two_places_in_turn(x, c, n):
    u, a, b = x.copy(), 0, 1
    for _ in range(n):
        u[a] *= 0.5 + u[b] * u[b]
        a, b = b, a
    return np.sum(u)


def two_colours(x, c, n):
    u, m = x.copy(), x.size
    for _ in range(n):
        for colour in range(2):
            for i in range((m - 1 - colour) // 2):
                j = 2 * i + colour
                u[j] = u[j] * u[j + 1] + 0.25
    return np.sum(u * u)


def bit_flipped(x, c, n):
    u = np.append(x, 1.0)
    for _ in range(n):
        for i in range(u.size):
            u[i] *= 0.5 + u[i ^ 1]
    return np.sum(u)


def columns_in_turn(x, c, n):
    u = np.zeros((x.size, 3))
    u[:, 0] = x
    u[:, 1] = c
    for t in range(n):
        k = t % 3
        for i in range(x.size):
            u[i, k] += u[i, (k + 1) % 3] * u[i, (k + 2) % 3]
    return np.sum(u * u)


def all_but_itself(x, c, n):
    u = x.copy()
    for _ in range(n):
        for i in range(u.size):
            for j in range(u.size):
                if i != j:
                    u[i] += 0.1 * u[i] * u[j]
    return np.sum(u)


def elimination(x, c, n):
    a = np.outer(x, c) + np.eye(x.size) * 3.0
    for p in range(x.size):
        for i in range(p + 1, x.size):
            a[i, p] /= a[p, p]
            for j in range(p + 1, x.size):
                a[i, j] -= a[i, p] * a[p, j]
    product = 1.0
    for i in range(x.size):
        product *= a[i, i]
    return product


def reduction_tree(x, c, n):
    u, s = x.copy(), 1
    while s < u.size:
        for i in range(0, u.size - s, 2 * s):
            u[i] = u[i] * u[i + s] + c[i]
        s *= 2
    return u[0]


def places_that_are_read_from_an_array(x, c, n):
    u, order = x.copy(), np.array([0, 1, 2, 3, 4, 0, 1, 2, 3, 4])
    for t in range(3 * n):
        k = order[t % order.size]
        order[t % order.size] = order[(t + 1) % order.size]
        u[k] *= 0.5 + u[k + 1] * c[k]
    return np.sum(u)


POINT = np.dtype([("p", "f8"), ("v", "f8")])


def records(x, c, n):
    r = np.zeros(x.size, dtype=POINT)
    for i in range(x.size):
        r[i].p, r[i].v = x[i], c[i]
    for _ in range(n):
        for i in range(x.size - 1):
            r[i].p = r[i].p * r[i + 1].p + r[i].v
            r[i + 1].v *= r[i].p
    s = 0.0
    for i in range(x.size):
        s += r[i].p * r[i].v
    return s


# -- buffers that change places, with rims that are copied -----------------------------------------


def wave(x, c, n):
    old, now, new = x.copy(), 0.5 * x, np.zeros(x.size)
    for _ in range(n):
        new[1:-1] = 2 * now[1:-1] - old[1:-1] + 0.1 * now[1:-1] * (now[2:] - now[:-2])
        new[0] = 0.0
        new[-1:] = now[-1:]
        old, now, new = now, new, old
    return np.sum(now * now * now)


def heat(x, c, n):
    old = np.outer(x, c)
    new = old.copy()
    for _ in range(n):
        for i in range(1, x.size - 1):
            for j in range(1, x.size - 1):
                new[i, j] = old[i, j] * (old[i + 1, j] + old[i - 1, j] - old[i, j + 1])
        new[0, :] = 0.0
        new[-1, :] = c
        new[:, 0] = new[:, 1]
        new[:, -1] = x
        old, new = new, old
    return np.sum(old * old)


@numba.njit
def stepped(old, new, x):
    new[1:-1, 1:-1] = old[1:-1, 1:-1] + 0.1 * old[2:, 1:-1] * old[:-2, 1:-1]
    new[0, :] = x
    new[-1, :] = new[-2, :]
    new[:, -1] = old[:, 0]


def steps_of_a_function(x, c, n):
    old, new = np.outer(x, c), np.zeros((x.size, x.size))
    for _ in range(n):
        stepped(old, new, x)
        old, new = new, old
    return np.sum(old * old)


def until_it_rests(x, c, n):
    old, new, count, change = x.copy(), np.zeros(x.size), 0, 1.0
    while change > 1e-3 and count < n:
        new[:] = 0.5 * old + 0.25 * old * old * x
        change = np.sum((old - new) ** 2)
        new[0] = x[0]
        old, new, count = new, old, count + 1
    return np.sum(old * old * old)


def now_and_then(x, c, n):
    old, new = x.copy(), 0.5 * x
    for t in range(n):
        new[:3] = old[:3] * old[3:6]
        if t % 2 == 0:
            old, new = new, old
    return np.sum(old * old * old) + np.sum(new * new)


# -- buffers that change places, read by calls -----------------------------------------------------


def powers_of_a_matrix(x, c, n):
    matrix, old, new, s = np.outer(x, c), 0.5 * x, np.zeros(x.size), 0.0
    for _ in range(n):
        np.dot(matrix, old, new)
        new[:] = np.tanh(new) * new
        s += np.dot(old, new) * np.linalg.norm(new + x)
        old, new = new, old
    return s + np.sum(old * old)


def solved_in_turn(x, c, n):
    matrix, old, new = np.outer(x, c) + 3.0 * np.eye(x.size), x.copy(), np.zeros(x.size)
    for t in range(n):
        new[:] = np.linalg.solve(matrix, old) * old
        if t % 2 == 0:
            old, new = new, old
    return np.sum(old * new) + np.sum(old)


@numba.njit
def nested_sum(a, start):
    if start == a.size:
        return 0.0
    return a[start] * (0.5 + nested_sum(a, start + 1))


def read_by_recursion(x, c, n):
    old, new, s = x.copy(), np.zeros(x.size), 0.0
    for _ in range(n):
        s += nested_sum(old, 0)
        for i in range(x.size):
            new[i] = np.sin(old[i]) * c[i]
        old, new = new, old
    return s


def sinkhorn(x, c, n):
    """As pynndescent has it: what was, every other time, beside what is read by products."""
    matrix, u = np.exp(-np.outer(x, x)), np.ones(x.size)
    v, previous = u, u
    for t in range(n):
        v = (c * c + 0.1) / (matrix.T @ u)
        u = (x * x + 0.1) / (matrix @ v)
        if t % 2 == 0:
            if np.abs(u - previous).max() < 1e-12:
                break
            previous = u
    return np.sum(u * (matrix @ v)) + np.sum(previous * x)


KERNELS = (
    powers_of_a_matrix,
    solved_in_turn,
    read_by_recursion,
    sinkhorn,
    wave,
    heat,
    steps_of_a_function,
    until_it_rests,
    now_and_then,
    next_ones,
    both_sides,
    from_behind,
    mirrored,
    at_a_distance,
    chosen_places,
    two_places_in_turn,
    two_colours,
    bit_flipped,
    columns_in_turn,
    all_but_itself,
    elimination,
    reduction_tree,
    places_that_are_read_from_an_array,
    records,
)


@pytest.mark.parametrize("kernel", sweep(KERNELS, 2), ids=lambda kernel: kernel.__name__)
def test_reverse_mode_agrees_with_forward_mode(kernel: Any) -> None:
    compiled = numba.njit(kernel)
    slope = enzyme.grad(compiled, argnums=0)
    for n in (1, 3):
        want = gradient_by_forward_mode(compiled, X, C, n)
        np.testing.assert_allclose(slope(X, C, n), want, rtol=1e-12, atol=1e-14)


# -- what is left alone ----------------------------------------------------------------------------


def all_times(u):
    for t in range(u.shape[0] - 1):
        for i in range(1, u.shape[1] - 1):
            u[t + 1, i] = u[t, i] * (u[t, i + 1] - u[t, i - 1])
    return np.sum(u[-1])


def all_states(u):
    for t in range(u.size - 1):
        u[t + 1] = u[t] * (1.0 - u[t])
    return u[-1]


def two_back(u):
    for t in range(2, u.size):
        u[t] = u[t - 1] * u[t - 2] + 0.5
    return u[-1]


def scaled(u):
    for i in range(u.size):
        u[i] = u[i] * u[i]
    return np.sum(u)


def next_one(u):
    for i in range(u.size - 1):
        u[i] = u[i] * u[i + 1]
    return u[0]


@pytest.mark.parametrize(
    ("kernel", "ndim", "count"),
    [(all_times, 2, 0), (all_states, 1, 0), (two_back, 1, 0), (scaled, 1, 0), (next_one, 1, 1)],
    ids=lambda given: getattr(given, "__name__", str(given)),
)
def test_what_no_later_turn_writes_over_is_left_alone(kernel: Any, ndim: int, count: int) -> None:
    """Kept numbers cost memory, one for each turn."""
    text = enzyme.inspect.ir(kernel, np.ones((4,) * ndim), stage="simplified")
    changed = str(ran(LaterIterations(), text).code)
    assert changed.count(", i64 %enzyme_py.far") == count
    assert is_left_alone(LaterIterations(), changed)
