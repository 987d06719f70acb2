"""Reverse over reverse of loops with several exits: as reverse over forward has it.

Reverse over forward is right on these kernels whatever their loops do, and the Hessian is symmetric,
so the two must agree to the last digits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import enzyme_py as enzyme

X = np.array([0.7, 1.1, 0.4, 1.3])
V = np.array([0.3, -0.2, 0.5, 0.7])

KERNELS: list[Callable[..., Any]] = []


def leaving(kernel: Callable[..., Any]) -> Callable[..., Any]:
    KERNELS.append(kernel)
    return kernel


@leaving
def a_break(x):
    s = 0.0
    for i in range(x.size):
        s += x[i] ** 3
        if s > 1.2:
            break
    return s


@leaving
def a_break_never_taken(x):
    s = 0.0
    for i in range(x.size):
        s += x[i] ** 3
        if s > 1e9:
            break
    return s * s


@leaving
def breaks_and_a_continue(x):
    s, n = x[0], 0
    while True:
        s = s * np.sin(s) + x[n % 4]
        n += 1
        if s > 2.5:
            break
        if n > 6:
            break
        if n == 2:
            continue
        s *= x[1]
    return s * x[2]


@leaving
def a_break_of_the_inner_loop(x):
    s = 0.0
    for i in range(x.size):
        v = x[i]
        for j in range(10):
            v = v * x[j % 4] + 0.1
            if v < 0.3:
                break
            if v > 3.0:
                break
        s += v * v
    return s


@leaving
def an_array_carried_to_the_break(x):
    v = x.copy()
    for _ in range(6):
        v = np.sin(v) * x
        if v[0] < 0.3:
            break
    return np.sum(v * v)


@leaving
def an_else_of_the_loop(x):
    s = 0.0
    for i in range(x.size):
        s += x[i] * x[i] * s + x[i]
        if s > 100.0:
            s = s * 2.0
            break
    else:
        s = s * s
    return s


def square_roots_by_newton(x):
    s = 0.0
    for i in range(x.size):
        r = 1.0
        for _ in range(50):
            step = (r * r - x[i]) / (2.0 * r)
            r -= step
            if abs(step) < 1e-9:
                break
        s += r * x[i]
    return s


@leaving
def as_many_turns_as_it_takes(x):
    s = 0.0
    for i in range(x.size):
        v, n = x[i], 0
        while v < 5.0 and n < 100:
            v = v * 1.1 + x[(i + 1) % 4] * 0.1
            if v > 4.5:
                break
            n += 1
        s += v * v * x[i]
    return s


@leaving
def a_search(x):
    i = 0
    while i < x.size:
        if x[i] > 1.0:
            break
        i += 1
    return np.sum(x * x * x) if i == x.size else np.sum(x * x) * x[i]


@leaving
def rows_of_a_matrix_assigned(x):
    table = np.zeros((4, 4))
    h = x
    for i in range(4):
        h = np.tanh(h * x[i] + x)
        table[i] = h
    return np.sum(table * table)


@pytest.mark.parametrize("f", KERNELS, ids=lambda f: f.__name__)
def test_reverse_over_reverse(f: Callable[..., Any]) -> None:
    wanted = enzyme.grad(lambda x, v: enzyme.jvp(f, (x,), (v,))[1])(X, V)
    found = enzyme.grad(lambda x, v: np.sum(enzyme.grad(f)(x) * v))(X, V)
    assert np.max(np.abs(found - wanted)) < 1e-12 * (1 + np.max(np.abs(wanted)))


def test_turns_that_nobody_can_count() -> None:
    """The kernel is sum x^(3/2), whose second derivative is 3/4 x^(-1/2)."""
    wanted = 0.75 * V / np.sqrt(X)
    found = enzyme.jvp(enzyme.grad(square_roots_by_newton), (X,), (V,))[1]
    assert np.allclose(found, wanted, rtol=1e-7)
    found = enzyme.grad(lambda x, v: np.sum(enzyme.grad(square_roots_by_newton)(x) * v))(X, V)
    assert np.allclose(found, wanted, rtol=1e-7)


def test_third_order() -> None:
    def cubes(x):
        s = 0.0
        for i in range(x.size):
            s += x[i] ** 4
            if s > 1e9:
                break
        return s

    def first(x):
        return np.sum(enzyme.grad(cubes)(x))

    def second(x):
        return np.sum(enzyme.grad(first)(x))

    assert np.allclose(enzyme.grad(second)(X), 24 * X, rtol=1e-13)
