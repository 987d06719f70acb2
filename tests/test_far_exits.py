"""Ways out of two nested loops at once: right where the pass is right, refused where it is not."""

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


FIRST_ORDER = [the_sum, places_kept_in_variables]
RAISING = [a_raise]
BOTH_ORDERS = [an_element_by_the_outer_counter, where_an_integer_search_ends]
REFUSED = [
    an_element_by_the_inner_counter,
    the_inner_counter,
    a_value_of_the_turn,
    an_array_of_the_inner_loop,
]


def name(f: Callable[..., Any]) -> str:
    return f.__name__


@pytest.mark.parametrize("f", [*FIRST_ORDER, *BOTH_ORDERS, *RAISING], ids=name)
def test_reverse_as_forward(f: Callable[..., Any]) -> None:
    wanted = [enzyme.jvp(f, (X,), (one,))[1] for one in np.eye(4)]
    assert np.allclose(enzyme.grad(f)(X), wanted, rtol=1e-12)


@pytest.mark.parametrize("f", REFUSED, ids=name)
def test_reverse_is_refused(f: Callable[..., Any]) -> None:
    with pytest.raises(DerivativeError, match="leaves nested loops at once") as caught:
        enzyme.grad(f)(X)
    assert "flag" in str(caught.value)


@pytest.mark.parametrize("f", REFUSED[:3], ids=name)
def test_forward_is_right_where_reverse_is_refused(f: Callable[..., Any]) -> None:
    step = 1e-6
    wanted = (f(X + step * V) - f(X - step * V)) / (2 * step)
    assert np.isclose(enzyme.jvp(f, (X,), (V,))[1], wanted, rtol=1e-7)


def reverse_over_forward(f: Callable[..., Any]) -> Callable[..., Any]:
    return enzyme.grad(lambda x, v: enzyme.jvp(f, (x,), (v,))[1])


def reverse_over_reverse(f: Callable[..., Any]) -> Callable[..., Any]:
    return enzyme.grad(lambda x, v: np.sum(enzyme.grad(f)(x) * v))


# A loop with several exits in one with several exits.
NOT_REVERSED_TWICE = (an_element_by_the_outer_counter, where_an_integer_search_ends)


@pytest.mark.parametrize("order", [reverse_over_forward, reverse_over_reverse], ids=name)
@pytest.mark.parametrize("f", BOTH_ORDERS, ids=name)
def test_second_order(f: Callable[..., Any], order: Callable[..., Any]) -> None:
    if order is reverse_over_reverse and f in NOT_REVERSED_TWICE:
        with pytest.raises(DerivativeError, match="reverse"):
            order(f)(X, V)
        return
    step = 1e-6
    ahead, back = (
        np.array([enzyme.jvp(f, (X + s * V,), (one,))[1] for one in np.eye(4)])
        for s in (step, -step)
    )
    assert np.allclose(order(f)(X, V), (ahead - back) / (2 * step), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("order", [reverse_over_forward, reverse_over_reverse], ids=name)
@pytest.mark.parametrize("f", [*FIRST_ORDER, REFUSED[0]], ids=name)
def test_second_order_is_refused(f: Callable[..., Any], order: Callable[..., Any]) -> None:
    with pytest.raises(DerivativeError, match="leaves nested loops at once"):
        order(f)(X, V)


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
