"""Const arrays that may take active values, as only the run decides which array is written: told, with few false alarms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numba.experimental
import numba.typed
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.errors import ActivityError, ConstWrittenWarning

X = np.arange(1.0, 6.0)
W = np.linspace(1.0, 2.0, 5)

PERHAPS: list[Callable[..., Any]] = []
KEPT: list[Callable[..., Any]] = []


def perhaps(kernel: Callable[..., Any]) -> Callable[..., Any]:
    PERHAPS.append(kernel)
    return kernel


def kept(kernel: Callable[..., Any]) -> Callable[..., Any]:
    KEPT.append(kernel)
    return kernel


@numba.njit
def fill(a, b):
    for i in range(a.size):
        b[i] = a[i] * a[i]


@numba.njit
def pair_of(w, x):
    return w, np.zeros(x.size)


@numba.experimental.jitclass([("a", numba.float64[::1]), ("b", numba.float64[::1])])
class Pair:
    def __init__(self, a, b):
        self.a = a
        self.b = b


@perhaps
def one_of_two(x, w):
    v = np.zeros(x.size)
    p = w if w[0] > x.size else v
    p[0] = x[0] * 2.0
    return v[0] + w[0]


@perhaps
def an_item_of_a_tuple(x, w):
    v = np.zeros(x.size)
    (w, v)[x.size % 2][0] = x[0] * 2.0
    return v[0] + w[0]


@perhaps
def carried_from_turn_to_turn(x, w):
    p = np.zeros(x.size)
    for _ in range(x.size):
        p[0] = x[0] * 2.0
        p = w
    return w[0]


@perhaps
def a_callee_of_one_of_two(x, w):
    v = np.ones(x.size)
    fill(x, v if w[0] > 1.5 else w)
    return v[0] + w[0]


@perhaps
def an_item_of_a_list(x, w):
    rows = [w, w[::1]]
    rows[x.size % 2][0] = x[0] * 2.0
    return w[0]


@perhaps
def an_item_that_came_later(x, w):
    v = np.zeros(x.size)
    rows = [v]
    for i in range(x.size):
        part = w[i:]
        rows.append(part)
    rows[x.size // 2][0] = x[0]
    return w[0]


@perhaps
def a_value_of_a_dict(x, w):
    held = {0: w}
    held[0][0] = x[0] * 2.0
    return w[0]


@perhaps
def lists_side_by_side(x, w):
    for r, s in zip([w], [x]):
        r[0] = s[0] * 2.0
    return w[0]


@kept
def another_item_of_a_list(x, w):
    rows = [w, np.zeros(x.size)]
    rows[1][0] = rows[0][0] * x[0]
    return rows[1][0] * w[1]


@kept
def items_of_constants(x, w):
    rows = [w, w[1:], np.ones(x.size)]
    rows[x.size % 2][0] = 2.0 * rows[1 - x.size % 2][1]
    return rows[1][0] * x[0]


@kept
def items_that_are_read(x, w):
    rows = [w, w[1:]]
    h = x * 1.0
    for i in range(x.size):
        h[i] = x[i] * rows[i % 2][0]
    return np.sum(h)


@kept
def another_field(x, w):
    pair = Pair(w, np.zeros(x.size))
    for i in range(x.size):
        pair.b[i] = pair.a[i] * x[i]
    return np.sum(pair.b)


@kept
def another_value_of_a_tuple_that_a_function_returns(x, w):
    a, b = pair_of(w, x)
    for i in range(x.size):
        b[i] = a[i] * x[i]
    return np.sum(b)


@kept
def one_of_two_with_constants(x, w):
    v = x * 2.0
    p = w if w[0] > 1.5 else v
    p[0] = 0.5
    return v[0] + w[0]


@kept
def one_of_two_that_is_read(x, w):
    v = x * 2.0
    p = w if w[0] > 1.5 else v
    v[1] = p[0] * x[0]
    return v[1] + w[0]


@kept
def a_copy_on_the_way(x, w):
    p = w
    for i in range(x.size):
        p = p * x[i]
        p[0] = x[0]
    return p[0] * p[1]


@kept
def an_array_that_grows(x, w):
    y = w
    for i in range(x.size):
        y = np.append(y, x[i] * y[0])
    return np.sum(y * y)


@kept
def an_array_that_grows_by_several(x, w):
    y = w
    for i in range(x.size):
        y = np.concatenate((y, w * x[i], x[:2]))
    return np.sum(y * y)


def reverse(kernel: Any) -> None:
    enzyme.autodiff(kernel, enzyme.Duplicated(X.copy(), np.zeros(X.size)), enzyme.Const(W.copy()))


@pytest.mark.parametrize("kernel", PERHAPS, ids=lambda kernel: kernel.__name__)
def test_what_may_be_written_is_told(kernel: Callable[..., Any]) -> None:
    with pytest.warns(ConstWrittenWarning, match="may write `w`, which is Const"):
        reverse(kernel)


@pytest.mark.parametrize("kernel", KEPT, ids=lambda kernel: kernel.__name__)
def test_no_false_alarm(kernel: Callable[..., Any]) -> None:
    """Warnings are errors in these tests."""
    reverse(kernel)


def test_strict_is_an_error() -> None:
    def scratch(x, w):
        p = w if w[0] > x.size else w[1:]
        p[0] = x[0] * 3.0
        return w[1]

    def choice(x, w):
        v = np.zeros(x.size)
        p = v if w[0] > x.size else w
        p[0] = x[0] * 3.0
        return w[0]

    with enzyme.config(strict=True):
        with pytest.raises(ActivityError, match="writes `w`"):
            reverse(scratch)
        for _ in range(2):
            with pytest.raises(ActivityError, match=r"(?s)may write `w`.*check=True"):
                reverse(choice)


def test_arrays_of_a_typed_list() -> None:
    def scratch(x, rows):
        rows[x.size % 2][0] = x[0] * x[1]
        return rows[1][0]

    rows = numba.typed.List([W.copy(), W.copy()])
    with pytest.warns(ConstWrittenWarning, match="may write `rows`"):
        enzyme.autodiff(scratch, enzyme.Duplicated(X.copy(), 0 * X), enzyme.Const(rows))


def test_a_typed_list_that_is_read() -> None:
    def layers(x, weights):
        states = [x]
        for t in range(len(weights)):
            h = np.zeros(x.size)
            for i in range(x.size):
                h[i] = np.tanh(weights[t][i] * states[t][i])
            states.append(h)
            states[t + 1][0] = weights[t][0] * x[0]
        return np.sum(states[-1])

    weights, shadow = numba.typed.List([W.copy(), W.copy()]), np.zeros(X.size)
    enzyme.autodiff(layers, enzyme.Duplicated(X.copy(), shadow), enzyme.Const(weights))
    assert shadow[0] == W[0]


@numba.njit
def written_item(y, held):
    held[0] = held[1] * y
    return held[0]


@numba.njit
def written_element(y, held):
    held[0][0] = held[1][0] * y
    return held[0][0]


@numba.njit
def read_item(y, held):
    return held[0] * y * y


def list_of_numbers(y):
    return enzyme.grad(written_item)(y, [1.0, 2.0]) * y


def list_of_arrays(y):
    return enzyme.grad(written_element)(y, [np.ones(2), np.full(2, 2.0)]) * y


def dict_of_arrays(y):
    return enzyme.grad(written_element)(y, {0: np.ones(2), 1: np.full(2, 2.0)}) * y


@pytest.mark.parametrize("kernel", [list_of_numbers, list_of_arrays, dict_of_arrays])
def test_containers_that_a_kernel_gives_to_a_derivative(kernel: Callable[..., Any]) -> None:
    """They are Const there, and the derivative of 2 y, which is lost, is told to be."""
    with pytest.warns(ConstWrittenWarning, match="may write `held`"):
        assert enzyme.grad(kernel)(0.7) == 0.0


def test_containers_that_a_derivative_only_reads() -> None:
    """The derivative of y y, times y and differentiated once more: 4 y."""

    def of_a_list(y):
        return enzyme.grad(read_item)(y, [1.0, 2.0]) * y

    def of_a_dict(y):
        return enzyme.grad(read_item)(y, {0: 1.0, 1: 2.0}) * y

    for kernel in (of_a_list, of_a_dict):
        assert enzyme.grad(kernel)(0.7) == 4 * 0.7
