"""Kernels that write to arguments by which nobody differentiates: columns, gradients and Hessians by the others, by hand.

x[0] = x[0] y         f = (sum(x) after that) y = (x0 y + x1) y
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterator

import numba
import numba.typed
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py import Forward, Reverse

Y = 2.0


@pytest.fixture(autouse=True)
def _nothing_is_told() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error", enzyme.errors.EnzymeWarning)
        yield


def x() -> np.ndarray:
    return np.array([1.0, 2.0])


@enzyme.jit
def scaled(x, y):
    x[0] = x[0] * y
    return x * y


@enzyme.jit
def summed(x, y):
    x[0] = x[0] * y
    return np.sum(x) * y


@enzyme.jit
def by_the_first(y, x):
    x[0] = x[0] * y
    return np.sum(x) * y


def test_columns_and_rows() -> None:
    by_x, by_y = [[4.0, 0.0], [0.0, 2.0]], [4.0, 2.0]  # (x0 y^2, x1 y)
    for jacobian in (enzyme.jacfwd, enzyme.jacrev):
        first, second = jacobian(scaled, argnums=(0, 1))(x(), Y)
        np.testing.assert_array_equal(first, by_x)
        np.testing.assert_array_equal(second, by_y)
        np.testing.assert_array_equal(jacobian(scaled, argnums=1)(x(), Y), by_y)
    for mode in (Forward, Reverse):
        np.testing.assert_array_equal(enzyme.jacobian(mode, scaled, x(), Y)[1], by_y)


def test_gradients() -> None:
    for mode in (Forward, Reverse):
        by_x, by_y = enzyme.gradient(mode, summed, x(), Y)
        np.testing.assert_array_equal(by_x, [4.0, 2.0])
        assert by_y == 6.0
    assert enzyme.grad(summed, argnums=1)(x(), Y) == 6.0
    assert enzyme.jit(lambda x, y: enzyme.grad(summed, argnums=1)(x, y))(x(), Y) == 6.0


def test_hessians() -> None:
    (by_xx, by_xy), (by_yx, by_yy) = enzyme.hessian(summed, argnums=(0, 1))(x(), Y)
    np.testing.assert_array_equal(by_xx, np.zeros((2, 2)))
    np.testing.assert_array_equal(by_xy, [4.0, 1.0])
    np.testing.assert_array_equal(by_yx, [4.0, 1.0])
    assert by_yy == 2.0
    for outer, inner in itertools.product((Forward, Reverse), repeat=2):
        assert enzyme.hessian(summed, argnums=1, outer=outer, inner=inner)(x(), Y) == 2.0
        assert enzyme.hvp(by_the_first, Y, 3.0, x(), outer=outer, inner=inner) == 6.0


def test_jacobians_leave_the_arrays_of_the_caller() -> None:
    given = x()
    enzyme.jacrev(scaled, argnums=1)(given, Y)
    enzyme.jacfwd(scaled, argnums=1)(given, Y)
    np.testing.assert_array_equal(given, x())


def tuple_of_both(x, p):
    for i in range(3):
        p[0][i] = x * x
    return np.sum(p[0]) * p[1]


def tuple_of_arrays(x, both):
    for i in range(2):
        both[i][0] = x * (i + 1)
    return both[0][0] * both[1][0]


def by_key(x, p):
    for i in range(3):
        p["a"][i] = x * x
    return np.sum(p["a"]) * p["b"]


def record(x, r):
    for i in range(r.size):
        r[i].m = x * x
    return r[0].m * r[1].m


def by_field_and_by_row(x, r):
    r["m"][1] = x * x * x
    return r[1]["m"]


def records() -> np.ndarray:
    return np.zeros(2, [("m", float), ("n", np.int64)])


def single_record(x, r):
    for _ in range(3):
        r.m += x * x
    return r.m * x


def record_within(x, r):
    for i in range(r.size):
        r[i].u.v[1] = x * x
    return r[0].u.v[1] * r[1].u.v[1]


def records_within() -> np.ndarray:
    return np.zeros(2, [("u", [("v", float, 2), ("k", np.int32)]), ("n", np.int64)])


def behind(w):
    return w[1:]


def behind_two(w):
    return behind(behind(w))


def both_ends(w):
    return w[:1], w[-1:]


def by_a_returned_view(x, w):
    behind_two(w)[0] = x * x
    return w[2] * x


def by_a_pair_of_views(x, w):
    _, last = both_ends(w)
    last[0] = x * x
    return w[2] * x


def returning_a_view(x, w):
    behind_two(w)[0] = x * x
    return np.sum(behind(w)) * x - w[1] * x


# The kernel, what it writes to, and its first two derivatives at 2.
OF_MORE = [
    (tuple_of_both, lambda: (np.ones(3), 3.0), 36.0, 18.0),  # 9 x^2
    (tuple_of_arrays, lambda: (np.ones(1), np.ones(1)), 8.0, 4.0),  # 2 x^2
    (tuple_of_arrays, lambda: [np.ones(1), np.ones(1)], 8.0, 4.0),
    (by_key, lambda: {"a": np.ones(3), "b": 3.0}, 36.0, 18.0),
    (record, records, 32.0, 48.0),  # x^4
    (by_field_and_by_row, records, 12.0, 12.0),  # x^3
    (single_record, lambda: records()[0], 36.0, 36.0),  # 3 x^3
    (record_within, records_within, 32.0, 48.0),  # x^4
    (by_a_returned_view, lambda: np.ones(3), 12.0, 12.0),  # x^3
    (by_a_pair_of_views, lambda: np.ones(3), 12.0, 12.0),
    (returning_a_view, lambda: np.ones(3), 12.0, 12.0),
]


@pytest.mark.parametrize(("kernel", "written", "first", "second"), OF_MORE)
def test_tuples_and_records(kernel, written, first: float, second: float) -> None:
    assert enzyme.grad(kernel)(2.0, written()) == first
    assert enzyme.jacfwd(kernel)(2.0, written()) == first
    assert enzyme.hvp(kernel, 2.0, 1.0, written()) == second
    assert enzyme.hvp(kernel, 2.0, 1.0, written(), outer=Reverse) == second


def test_arguments_are_called_as_in_the_kernel() -> None:
    def of_a_list(x, rows):
        for row in rows:
            row[0] = x * x
        return rows[0][0] * x

    with pytest.warns(enzyme.errors.ConstWrittenWarning, match="may write `rows`"):
        enzyme.jacrev(of_a_list)(2.0, numba.typed.List([np.ones(1), np.ones(1)]))


def test_records_that_users_call_constant_are_told_of() -> None:
    with pytest.warns(enzyme.errors.ConstWrittenWarning, match="writes `r`"):
        enzyme.autodiff(Reverse, record, enzyme.Active(2.0), enzyme.Const(records()))
