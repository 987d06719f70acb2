"""Second derivatives of kernels whose loops carry memory from turn to turn.

Enzyme recomputes allocations. What reverse mode meets in code that an inner derivative made, shadows
carried around loops, has come out wrong without a word. Answers are central differences of the
gradient, which test_kernels.py and test_scenarios.py hold against exact ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.errors import NoDerivativeError
from tests.rotation import sweep

X = np.array([0.7, 1.1, 0.4, 1.3])
V = np.array([0.3, -0.2, 0.5, 0.7])
STEP = 1e-6

KERNELS: list[Callable[..., Any]] = []


def carrying(kernel: Callable[..., Any]) -> Callable[..., Any]:
    KERNELS.append(kernel)
    return kernel


@carrying
def a_new_array_each_turn(x):
    v = x.copy()
    for _ in range(3):
        v = np.sin(v) * x
    return np.sum(v * v)


@carrying
def masks_beside_a_list(x):
    total = 0.5
    for _ in range(x.size):
        items = [x[0] * np.sum(x[x > 0.5])]
        for e in x:
            items.append(items[-1] * 0.5 + e)
        total += np.sin(items[x.size]) * 0.25
    return np.tanh(total)


@carrying
def choices_by_a_mask_beside_a_list(x):
    total = 0.5
    for _ in range(x.size):
        items = [x[0] * np.sum(np.where(x > 0.5, x * x, x))]
        for e in x:
            items.append(items[-1] * 0.5 + e)
        total += np.sin(items[x.size]) * 0.25
    return np.tanh(total)


@carrying
def an_array_that_grows(x):
    y = np.zeros(0)
    for i in range(x.size):
        y = np.concatenate((y, np.sin(x[i : i + 1])))
    return np.sum(y * y * y)


@carrying
def an_array_that_grows_and_is_scaled(x):
    y = x[:1] * x[1:2]
    for i in range(x.size):
        y = np.concatenate((y * x[i], np.sin(x[i : i + 1])))
    return np.sum(np.sin(y))


@carrying
def one_of_two_each_turn(x):
    v = x
    for i in range(4):
        if i % 2 == 1:
            v = v * v
        v = np.sin(v) * x
    return np.sum(v)


@carrying
def a_list_of_two_each_turn(x):
    s = x * x
    for _ in range(3):
        pair = [s * x, np.sin(s)]
        s = pair[0] + pair[1] * pair[0]
    return np.sum(s)


@carrying
def two_arrays_that_change_places(x):
    a, b = x * 1.0, x * x
    for _ in range(3):
        a, b = b, np.sin(a) * b
    return np.sum(a * b)


@carrying
def two_buffers_that_change_places(x):
    old, new = x.copy(), np.zeros(4)
    for _ in range(4):
        for j in range(4):
            new[j] = np.sin(old[j]) * x[j] + old[(j + 1) % 4] * old[j]
        old, new = new, old
    return np.sum(old)


@carrying
def three_buffers_that_change_places(x):
    a, b, c = x.copy(), x * x, np.zeros(4)
    for _ in range(4):
        for j in range(4):
            c[j] = np.sin(a[j] * b[(j + 1) % 4] * b[j])
        a, b, c = b, c, a
    return np.sum(a + b)


@carrying
def arrays_in_a_tuple(x):
    pair = (x, x * x)
    for _ in range(3):
        pair = (pair[1] * x, np.sin(pair[0]))
    return np.sum(pair[0] * pair[1])


@carrying
def an_array_that_shrinks(x):
    v = np.concatenate((x, x * x))
    while v.size > 1:
        v = v[::2] * np.sin(v[1::2])
    return v[0]


@carrying
def a_vector_times_a_matrix(x):
    a = np.outer(x, x)
    v = x
    for _ in range(3):
        v = np.tanh(a @ v) * v
    return np.sum(v)


@carrying
def a_loop_in_a_loop(x):
    v = x.copy()
    for _ in range(2):
        w = v * x
        for _ in range(2):
            w = np.sin(w) * v
        v = w + x
    return np.sum(v * v)


@carrying
def an_array_under_a_branch_copied_by_a_loop(x):
    y = np.zeros(x.size * x.size)
    n = 0
    for t in range(x.size):
        if x[t] > 0.5:
            p = x[t] * x
            for k in range(x.size):
                y[n + k] = p[k] * p[k]
            n += x.size
    return np.sum(y)


@carrying
def an_array_under_a_branch_assigned(x):
    y = np.zeros(2 * x.size * x.size)
    n = 0
    for t in range(x.size):
        if x[t] > 0.5:
            p = x[t] * x
            y[n : n + x.size] = p
            n += x.size
        else:
            y[n + 1 : n + 1 + x.size] = np.sin(x[t] * x)
            n += x.size + 1
    return np.sum(y * y * y)


@carrying
def arrays_after_a_continue(x):
    s = 0.0
    for t in range(x.size):
        if x[t] < 0.5:
            continue
        p = np.sin(x[t] * x)
        q = p * p
        if x[t] > 1.2:
            q = np.exp(q) * p
        s += np.sum(q * x) * np.sum(q)
    return s


@carrying
def a_product_under_a_branch(x):
    a = np.outer(x, x)
    s = 0.0
    for t in range(x.size):
        if t % 2 == 1:
            p = a @ (x[t] * x)
            s += np.sum(p * p)
    return s


@carrying
def blocks_read_backwards_under_a_branch(x):
    s = 0.0
    for t in range(x.size):
        if x[t] > 0.5:
            y = np.empty(x.size)
            for i in range(x.size):
                y[i] = np.sin(x[i] * x[t])
            for i in range(x.size):
                s += y[i] * y[x.size - 1 - i]
    return s


@carrying
def three_loops_of_one_length(x):
    s = 1.0
    for i in range(x.size):
        for j in range(x.size):
            for k in range(x.size):
                s += np.sin(x[i] * x[j] * x[k]) * s * 0.1
    return s


def gradient_along(f: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, v: np.sum(enzyme.grad(f)(x) * v)


def slope_along(f: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, v: enzyme.jvp(f, (x,), (v,))[1]


def expected(f: Callable[..., Any]) -> np.ndarray:
    gradient = enzyme.grad(f)
    return (gradient(X + STEP * V) - gradient(X - STEP * V)) / (2 * STEP)


def check(found: np.ndarray, f: Callable[..., Any]) -> None:
    wanted = expected(f)
    assert np.max(np.abs(found - wanted)) < 1e-7 * (1 + np.max(np.abs(wanted)))


@pytest.mark.parametrize("f", sweep(KERNELS, 2), ids=lambda f: f.__name__)
def test_reverse_over_forward(f: Callable[..., Any]) -> None:
    check(enzyme.grad(slope_along(f))(X, V), f)


@pytest.mark.parametrize("f", sweep(KERNELS, 2, 1), ids=lambda f: f.__name__)
def test_reverse_over_reverse(f: Callable[..., Any]) -> None:
    taken = enzyme.grad(gradient_along(f))
    if f is an_array_that_shrinks:
        # It came out right here, and crashed where every block ends at a page that nobody may touch.
        with pytest.raises(NoDerivativeError, match=r"memory that nobody wrote[^$]*jvp of grad"):
            taken(X, V)
        return
    check(taken(X, V), f)


@pytest.mark.parametrize("f", sweep(KERNELS, 3), ids=lambda f: f.__name__)
def test_forward_over_reverse(f: Callable[..., Any]) -> None:
    check(enzyme.jvp(lambda x: enzyme.grad(f)(x), (X,), (V,))[1], f)


W = np.array([1.0, 0.5, -0.3, 0.2])


def cubes_of_sines(x):
    return (6 * np.sin(x) * np.cos(x) ** 2 - 3 * np.sin(x) ** 3) * 1.0


def two_lanes(x, v, w):
    pair = enzyme.autodiff(enzyme.Forward, an_array_that_grows, enzyme.BatchDuplicated(x, (v, w)))[
        0
    ]
    return pair[0] + 2.0 * pair[1]


def test_reverse_over_forward_of_two_lanes() -> None:
    wanted = cubes_of_sines(X) * (V + 2.0 * W)
    assert np.allclose(enzyme.grad(two_lanes)(X, V, W), wanted, rtol=1e-12)


def test_reverse_over_forward_of_one_lane_and_two() -> None:
    def mixed(x, v, w):
        return two_lanes(x, v, w) + enzyme.jvp(an_array_that_grows, (x,), (v,))[1]

    wanted = cubes_of_sines(X) * (2.0 * V + 2.0 * W)
    assert np.allclose(enzyme.grad(mixed)(X, V, W), wanted, rtol=1e-12)


def test_third_order() -> None:
    def first(x, v):
        return enzyme.jvp(an_array_that_grows, (x,), (v,))[1]

    def second(x, v):
        return enzyme.jvp(first, (x, v), (v, 0.0 * v))[1]

    # the sum of sin(x)^3, in closed form
    s, c = np.sin(X), np.cos(X)
    wanted = (6 * c**3 - 21 * s**2 * c) * V**2
    assert np.allclose(enzyme.grad(second)(X, V), wanted, rtol=1e-12)
