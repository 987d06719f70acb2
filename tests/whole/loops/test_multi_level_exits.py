"""Ways out of two nested loops at once: each loop gets one exit (single_exit.py), and reverse mode is right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.errors import DerivativeError

X = np.array([0.7, 1.1, 0.4, 1.3])
V = np.array([0.3, -0.2, 0.5, 0.7])


def the_sum(x):
    s = 0.0
    for i in range(x.size):
        for j in range(x.size):
            s += np.sin(x[i] * x[j])
            if s > 4.0:
                return s * s
    return s


def an_element_by_the_outer_counter(x):
    s = 0.0
    for i in range(x.size):
        for j in range(x.size):
            s += np.sin(x[i] * x[j])
            if s > 4.0:
                return x[i] * x[i]
    return s


def places_kept_in_variables(x):
    s, k = 0.0, -1
    for i in range(x.size):
        for j in range(x.size):
            s += np.sin(x[i] * x[j])
            if s > 4.0:
                k = j
                break
        if k >= 0:
            break
    return s * x[k]


def an_integer_search(x):
    for i in range(x.size):
        for j in range(x.size):
            if x[i] * x[j] > 1.2:
                return 4 * i + j
    return -1


def where_an_integer_search_ends(x):
    k = an_integer_search(x)
    return x[k // 4] * x[k % 4] ** 2


def a_raise(x):
    s = 0.0
    for i in range(x.size):
        for j in range(x.size):
            s += np.sin(x[i] * x[j])
            if s > 100.0:
                raise ValueError("too much")
    return s


def an_element_by_the_inner_counter(x):
    s = 0.0
    for i in range(x.size):
        for j in range(x.size):
            s += np.sin(x[i] * x[j])
            if s > 4.0:
                return s * x[j]
    return s


def the_inner_counter(x):
    s = 0.0
    for i in range(x.size):
        for j in range(x.size):
            s += np.sin(x[i] * x[j])
            if s > 4.0:
                return s * j
    return s


def a_value_of_the_turn(x):
    s = 0.0
    for i in range(x.size):
        for j in range(i, x.size):
            y = np.sin(x[i] * x[j])
            s += y * y
            if s > 2.0:
                return s * y * y
    return s


def an_array_of_the_inner_loop(x):
    v = np.zeros(4)
    for i in range(x.size):
        for j in range(x.size):
            v[j] += np.sin(x[i] * x[j])
            w = v * x[i]
            if np.sum(w) > 2.0:
                return w[j] * v[i]
    return np.sum(v)


def a_return_of_the_counter_around(x):
    s = 0.1
    for i in range(x.size - 1, -1, -1):
        for _ in range(i, x.size):
            if x[i] > 1.0:
                return s * i
        s += x[i] * 0.5
        s += np.sin(x[i] * s)
    return s * x[0] * x[0]


def returns_from_three_depths(x):
    s = 0.1
    v = x * 1.0
    for i in range(x.size):
        s += x[i] * x[i] * 0.5
        q = x[i]
        for j in range(x.size - 1, -1, -1):
            v[j] = np.sin(x[j]) + 0.3 * v[j]
            q = q * s
            for k in range(x.size):
                s = s * 1.4 + s * x[k] * 0.3
                if v[j] > 0.95:
                    return x[k] * s
            if v[j] > 0.85:
                return v[j] * q
            s = s * 0.9 + v[j] * 0.15
    return s * q


def a_return_behind_a_break(x):
    s = 0.1
    q = x[0]
    v = x * 1.0
    for i in range(x.size):
        for j in range(x.size):
            v[j] = np.sin(x[i]) + 0.3 * v[j]
            if abs(q) > 0.863:
                return x[0] * s
        if x[i] > 1.2:
            break
        s = s * 0.9 + np.sin(x[i]) * 0.3
        if abs(q) > 0.8:
            return s * x[i]
    return s


EVERY = [
    the_sum,
    places_kept_in_variables,
    a_raise,
    an_element_by_the_outer_counter,
    where_an_integer_search_ends,
    an_element_by_the_inner_counter,
    the_inner_counter,
    a_value_of_the_turn,
    an_array_of_the_inner_loop,
    a_return_of_the_counter_around,
    returns_from_three_depths,
    a_return_behind_a_break,
]
POINTS = [X, 0.3 * X, X[::-1].copy(), np.array([0.4, 0.9, 1.25, 0.2])]


def name(f: Callable[..., Any]) -> str:
    return f.__name__


def reverse_over_forward(f: Callable[..., Any]) -> Callable[..., Any]:
    return enzyme.grad(lambda x, v: enzyme.jvp(f, (x,), (v,))[1])


def reverse_over_reverse(f: Callable[..., Any]) -> Callable[..., Any]:
    return enzyme.grad(lambda x, v: np.sum(enzyme.grad(f)(x) * v))


@pytest.mark.parametrize("f", EVERY, ids=name)
def test_reverse_as_forward_and_differences(f: Callable[..., Any]) -> None:
    for x in POINTS:
        slope = enzyme.grad(f)(x.copy())
        wanted = [enzyme.jvp(f, (x,), (one,))[1] for one in np.eye(4)]
        assert np.allclose(slope, wanted, rtol=1e-12)
        near = [f(x + step) - f(x - step) for step in 1e-6 * np.eye(4)]
        assert np.allclose(slope, np.array(near) / 2e-6, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("f", EVERY, ids=name)
def test_reverse_over_forward(f: Callable[..., Any]) -> None:
    step = 1e-6
    ahead, back = (
        np.array([enzyme.jvp(f, (X + s * V,), (one,))[1] for one in np.eye(4)])
        for s in (step, -step)
    )
    got = reverse_over_forward(f)(X, V)
    assert np.allclose(got, (ahead - back) / (2 * step), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("f", EVERY, ids=name)
def test_reverse_over_reverse(f: Callable[..., Any]) -> None:
    got = reverse_over_reverse(f)(X, V)
    assert np.allclose(got, reverse_over_forward(f)(X, V), rtol=1e-10)


@enzyme.custom_vjp
def sine(x):
    return np.sin(x)


sine.defvjp(lambda x: (np.sin(x), np.cos(x)), lambda slope, given: (slope * given,))


def test_a_flag_is_what_the_refusal_says_to_write() -> None:
    """Two loops are left by a return, and call a function with a rule; with a flag both run to their ends, and are counted."""

    def ruled(x):
        s = 0.0
        for i in range(x.size):
            for j in range(x.size):
                s += sine(x[i] * x[j])
                if s > 4.0:
                    return s * s
        return s

    def with_a_flag(x):
        s, is_left = 0.0, False
        for i in range(x.size):
            for j in range(x.size):
                if not is_left:
                    s += sine(x[i] * x[j])
                    is_left = s > 4.0
        return s * s if is_left else s

    with pytest.raises(DerivativeError, match="a flag"):
        reverse_over_reverse(ruled)(X, V)
    for x in POINTS[:2]:
        got = reverse_over_reverse(with_a_flag)(x, V)
        assert np.allclose(got, reverse_over_forward(the_sum)(x, V), rtol=1e-10)


def sines_of_all_products(x):
    s = 0.0
    for i in range(x.size):
        for j in range(x.size):
            s += np.sin(x[i] * x[j])
    return s


def sines_of_all_triples(x):
    s = 0.0
    for i in range(x.size):
        for j in range(x.size):
            for k in range(x.size):
                s += np.sin(x[i] * x[j] * x[k])
    return s


@pytest.mark.parametrize("f", [sines_of_all_products, sines_of_all_triples], ids=name)
def test_reverse_over_reverse_of_loops_of_one_bound(f: Callable[..., Any]) -> None:
    wanted = reverse_over_forward(f)(X, V)
    step = 1e-6
    ahead, back = (enzyme.grad(f)(X + s * V) for s in (step, -step))
    assert np.allclose(wanted, (ahead - back) / (2 * step), rtol=1e-6, atol=1e-8)
    assert np.allclose(reverse_over_reverse(f)(X, V), wanted, rtol=1e-10)
