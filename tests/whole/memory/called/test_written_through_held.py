"""A function that is given a record, a list or a dict writes to the array that it finds there: what was read before it is cached.

The function adds p a[0] to a[1], where p is the sum of a a. It does so to a = x w, which becomes b, and to a copy of that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest
from numba.experimental import jitclass, structref

import enzyme_py as enzyme
from tests.passes.switches import leave_out

X = np.array([0.3, 0.8, 0.5, 0.7])
W = np.array([0.9, 0.4, 1.1, 0.6])


@structref.register
class _HolderType(numba.types.StructRef):
    pass


class _Holder(structref.StructRefProxy):
    pass


structref.define_proxy(_Holder, _HolderType, ["a", "n"])


@jitclass([("a", numba.float64[::1]), ("n", numba.int64)])
class _Kept:
    def __init__(self, a, n):
        self.a = a
        self.n = n


def _search(a):
    for i in range(a.size):
        if not a[i] < 9.0:
            raise ValueError("too large")
        for j in range(i):
            if a[j] == a[i] and a[j] > 8.0:
                raise ValueError("twice")
    return 1


def field_stirred(one, p):
    one.a[search(one.a)] += p * one.a[0]
    return search(one.a)


def first_stirred(one, p):
    one[0][search(one[0])] += p * one[0][0]
    return search(one[0])


def field_filled(one, y):
    for i in range(y.size):
        one.a[i] = y[i] * y[i]
    return search(one.a)


def first_filled(one, y):
    for i in range(y.size):
        one[0][i] = y[i] * y[i]
    return search(one[0])


def field_taken(one):
    if search(one.a) < 1:
        raise ValueError("none")
    return one.a


search, field_stirred, first_stirred = map(numba.njit, (_search, field_stirred, first_stirred))
field_filled, first_filled, field_taken = map(numba.njit, (field_filled, first_filled, field_taken))


@numba.njit
def by_struct(x, w):
    one = _Holder(x * w, 1)
    field_stirred(one, np.sum(one.a * one.a))
    other = _Holder(one.a.copy(), 1)
    field_stirred(other, np.sum(other.a * other.a))
    return other.a[1]


@numba.njit
def by_class(x, w):
    one = _Kept(x * w, 1)
    field_stirred(one, np.sum(one.a * one.a))
    other = _Kept(one.a.copy(), 1)
    field_stirred(other, np.sum(other.a * other.a))
    return other.a[1]


@numba.njit
def by_list(x, w):
    a = x * w
    first_stirred([a], np.sum(a * a))
    b = a.copy()
    first_stirred([b], np.sum(b * b))
    return b[1]


@numba.njit
def by_dict(x, w):
    a = x * w
    first_stirred({0: a}, np.sum(a * a))
    b = a.copy()
    first_stirred({0: b}, np.sum(b * b))
    return b[1]


@numba.njit
def by_a_list_of_lists(x, w):
    a = x * w
    held = [[a], [a]]
    first_stirred(held[0], np.sum(a * a))
    b = a.copy()
    held[1][0] = b
    first_stirred(held[1], np.sum(b * b))
    return b[1]


@pytest.mark.parametrize("inlining", ["inlined", "not inlined"])
@pytest.mark.parametrize("kernel", [by_struct, by_class, by_list, by_dict, by_a_list_of_lists])
def test_what_a_call_writes_by_an_address_in_memory(
    kernel: Callable[..., Any], inlining: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if inlining == "not inlined":
        leave_out("LLVM's inlining", monkeypatch.setattr)
    else:
        calls = enzyme.inspect.ir(kernel, X, W, stage="simplified").count("_stirred(")
        assert calls >= 3, "LLVM has inlined the function"
    a, first, second = X * W, np.eye(4)[0], np.eye(4)[1]
    b = a + np.sum(a * a) * a[0] * second
    by_b = second + 2.0 * b * b[0] + np.sum(b * b) * first
    by_a = by_b + by_b[1] * (2.0 * a * a[0] + np.sum(a * a) * first)
    for got, want in zip(enzyme.grad(kernel, argnums=(0, 1))(X, W), (by_a * W, by_a * X), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-13)


@numba.njit
def zeros_in_a_struct(x):
    a = np.zeros(x.size)
    one = _Holder(a, 1)
    field_filled(one, x)
    b = a.copy()
    field_filled(one, b)
    return np.sum(a * b)


@numba.njit
def zeros_in_a_list(x):
    a = np.zeros(x.size)
    held = [a]
    first_filled(held, x)
    b = a.copy()
    first_filled(held, b)
    return np.sum(a * b)


@numba.njit
def zeros_given_back(x):
    a = np.zeros(x.size)
    one = _Holder(a, 1)
    b = field_taken(one)
    b[:] = x * x
    c = a.copy()
    field_taken(one)[:] = c * c
    return np.sum(a * c)


@pytest.mark.parametrize("inlining", ["inlined", "not inlined"])
@pytest.mark.parametrize("kernel", [zeros_in_a_struct, zeros_in_a_list, zeros_given_back])
def test_zeros_that_a_call_writes(kernel: Callable[..., Any], inlining: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of what begins with zeros, and no instruction in sight writes, a copy was zeros, in both modes: the sum of x^6."""
    if inlining == "not inlined":
        leave_out("LLVM's inlining", monkeypatch.setattr)
    np.testing.assert_allclose(enzyme.grad(kernel)(X), 6.0 * X**5, rtol=1e-13)
    value, slope = enzyme.jvp(kernel, (X,), (W,))
    np.testing.assert_allclose((value, slope), (np.sum(X**6), np.sum(6.0 * X**5 * W)), rtol=1e-13)
