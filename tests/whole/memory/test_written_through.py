"""Constants written through pointers that come from containers, results and choices, in every order.

The references are complex steps of the kernels in plain Python, and differences of those for second orders.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from numba.typed import List as TypedList

import enzyme_py as enzyme
from enzyme_py import Const, Duplicated, Forward
from enzyme_py.passes.memory.written_pointers import WRITTEN, WrittenPointers
from tests.passes.running import is_left_alone, ran
from tests.rotation import sweep

X = np.array([0.3, 0.5, 0.7])
C = np.array([0.4, 0.6])
V = np.array([1.0, 0.5, -0.3])
S, N = 0.8, 3
STEP = 1e-20


class Pair(NamedTuple):
    """Two vectors."""

    u: Any
    v: Any


def in_a_dict(x, s, c, n):
    u = x * x
    w = x * s
    rows = {0: u, 1: w}
    rows[n - 2][0] = c[0]
    return np.sum(u * u * u) + np.sum(w * w * u)


def in_a_dict_by_a_loop(x, s, c, n):
    u = x * x
    w = x * s
    rows = {0: u, 1: w}
    for i in range(n - 1):
        rows[i][i] = 0.5
    return np.tanh(s + np.sum(u) + w[0])


def in_a_list(x, s, c, n):
    u = x * x
    w = x * s
    rows = [u, w]
    for i in range(n - 1):
        rows[i][i] = 0.5
    return np.tanh(s + np.sum(u) + w[0])


def in_a_list_once(x, s, c, n):
    u = x * x
    w = x * s
    rows = [u, w]
    rows[n - 2][0] = c[0]
    return np.tanh(s + np.sum(u) + w[0] * w[1])


def in_a_typed_list(x, s, c, n):
    u = x * x
    w = x * s
    rows = TypedList()
    rows.append(u)
    rows.append(w)
    for i in range(n - 1):
        rows[i][i] = c[i]
    return np.tanh(s + np.sum(u) + w[0] * w[1])


def in_a_tuple(x, s, c, n):
    u = x * x
    w = x * s
    rows = (u, w)
    for i in range(n - 1):
        rows[i][i] = 0.5
    return np.tanh(s + np.sum(u) + w[0])


def in_a_list_of_lists(x, s, c, n):
    u = x * x
    w = x * s
    rows = [[u, w], [w, u]]
    rows[n - 3][0][0] = c[0]
    return np.tanh(s + np.sum(u) + w[0] * w[1])


def in_a_list_of_pairs(x, s, c, n):
    u = x * x
    w = x * s
    pairs = [Pair(u, w), Pair(w, u)]
    pairs[n - 3].u[0] = c[0]
    return np.tanh(s + np.sum(u) + w[0] * w[1])


def chosen_and_exchanged(x, s, c, n):
    u = x * x
    w = x * s
    for i in range(n):
        p = u if i == 1 else w
        p[i] = c[0]
        u, w = w, u
    return np.tanh(s + np.sum(u) + w[0] * w[1])


def whole_rows(x, s, c, n):
    u = x * x
    w = x * s
    rows = {0: u, 1: w}
    rows[n - 3][:] = 0.25
    return np.tanh(s + np.sum(u) + w[0] * w[1])


def slices_of_rows(x, s, c, n):
    rows = [x * i + s for i in range(n)]
    for i in range(n):
        rows[i][:2] = 0.25
    return np.tanh(rows[n - 1][2] * rows[0][0] + rows[1][2] * rows[2][1])


def views_in_a_dict(x, s, c, n):
    u = x * x
    parts = {0: u[:1], 1: u[1:]}
    parts[1][0] = c[0]
    return np.tanh(s + np.sum(u) * u[0])


def views_that_move(x, s, c, n):
    u = x * x
    v = u
    for i in range(n):
        v[0] = 0.5
        v = v[1:] if x[i].real > 0.4 else u
    return np.tanh(s + np.sum(u * u) * u[2])


def views_exchanged(x, s, c, n):
    u = x * x
    v, w = u, u[1:]
    for i in range(n):
        w[i % 2] = c[0]
        v[1] = v[1] * v[0]
        v, w = w, v
    return np.tanh(s + np.sum(v * v) + 0.5 * np.sum(w))


KERNELS = [
    in_a_dict,
    in_a_dict_by_a_loop,
    in_a_list,
    in_a_list_once,
    in_a_typed_list,
    in_a_tuple,
    in_a_list_of_lists,
    in_a_list_of_pairs,
    chosen_and_exchanged,
    whole_rows,
    slices_of_rows,
    views_in_a_dict,
    views_that_move,
    views_exchanged,
]


def slope(kernel: Callable[..., Any], x: Any) -> Any:
    """Return the gradient by complex steps in plain Python, exact to the last digits."""
    steps = 1j * STEP * np.eye(x.size)
    return np.array([kernel(x + step, S, C, N).imag / STEP for step in steps])


def curvature(kernel: Callable[..., Any], x: Any, v: Any) -> Any:
    """Return the Hessian times v, by differences of fourth order of exact gradients."""
    h = 1e-3
    far, near = (
        (slope(kernel, x + k * h * v) - slope(kernel, x - k * h * v)) / (2 * k * h) for k in (2, 1)
    )
    return near + (near - far) / 3


@pytest.fixture(autouse=True)
def _typed_lists_of_complex_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    """In plain Python a typed list would be compiled; a list means the same."""
    monkeypatch.setitem(globals(), "TypedList", list)


def compiled(kernel: Callable[..., Any]) -> Any:
    """Compile a kernel with the real typed list."""
    own = dict(kernel.__globals__, TypedList=TypedListOfNumba)
    return numba.njit(type(kernel)(kernel.__code__, own, kernel.__name__))


TypedListOfNumba = TypedList


@pytest.mark.parametrize("kernel", sweep(KERNELS, 2))
def test_first_orders(kernel: Any) -> None:
    """Reverse mode, forward mode, three directions at once, and the halves of a split derivative."""
    made, want = compiled(kernel), slope(kernel, X)
    np.testing.assert_allclose(enzyme.grad(made)(X, S, C, N), want, rtol=1e-13, atol=1e-15)
    rows = [enzyme.jvp(made, (X, S, C, N), (e, 0.0, C * 0, 0))[1] for e in np.eye(3)]
    np.testing.assert_allclose(rows, want, rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(enzyme.jacfwd(made)(X, S, C, N), want, rtol=1e-13, atol=1e-15)
    shadow = np.zeros(3)
    given = Duplicated(X, shadow), enzyme.Active(S), Const(C), Const(N)
    forward, reverse = enzyme.autodiff_thunk(
        enzyme.ReverseSplitWithPrimal, made, enzyme.Active, *given
    )
    reverse(*given, 1.0, forward(*given)[0])
    np.testing.assert_allclose(shadow, want, rtol=1e-13, atol=1e-15)


def forward_over_reverse(made: Any) -> Any:
    return enzyme.jvp(enzyme.grad(made), (X, S, C, N), (V, 0.0, C * 0, 0))[1]


def reverse_over_reverse(made: Any) -> Any:
    gradient = enzyme.grad(made)

    @numba.njit
    def pull(x, v):
        return np.sum(gradient(x, S, C, N) * v)

    return enzyme.grad(pull)(X, V)


def reverse_over_forward(made: Any) -> Any:
    @numba.njit
    def push(x, v):
        return enzyme.autodiff(Forward, made, Duplicated, Duplicated(x, v), S, Const(C), N)[0]

    return enzyme.grad(push)(X, V)


def by_rows(made: Any) -> Any:
    return enzyme.hessian(made)(X, S, C, N) @ V


SECOND_ORDERS = [reverse_over_reverse, forward_over_reverse, reverse_over_forward, by_rows]


@pytest.mark.parametrize(("kernel", "order"), sweep(product(KERNELS, SECOND_ORDERS), 7))
def test_second_orders(kernel: Any, order: Any) -> None:
    """Each mode over each, and the Hessian."""
    want = curvature(kernel, X, V)
    np.testing.assert_allclose(order(compiled(kernel)), want, rtol=1e-8, atol=1e-9)


def test_a_row_that_was_overwritten_has_no_slope() -> None:
    """Of t = sum(u) with u = x * x and u[0] = 1/2, tanh(t): 2 x (1 - tanh(t) ** 2), and nothing for the first."""

    @numba.njit
    def kernel(x, n):
        rows = [x * x, x * 1.0]
        rows[n][0] = 0.5
        return np.tanh(np.sum(rows[0]))

    t = np.tanh(0.5 + 0.25 + 0.49)
    want = np.array([0.0, 2 * 0.5, 2 * 0.7]) * (1 - t * t)
    np.testing.assert_allclose(enzyme.grad(kernel)(X, 0), want, rtol=1e-14)


@pytest.mark.parametrize("order", SECOND_ORDERS[:2])
def test_what_a_moving_view_overwrites_has_no_curvature(order: Any) -> None:
    """Of (1 + x_2^2) x_2^2, what is left of sum(u) u_2 with u = x * x where u_0 and u_1 are 1/2: 2 + 12 x_2^2."""

    @numba.njit
    def kernel(x, s, c, n):
        u = x * x
        v = u
        for i in range(n):
            v[0] = 0.5
            v = v[1:] if x[i] > 0.4 else u
        return np.sum(u) * u[2]

    np.testing.assert_allclose(order(kernel), [0.0, 0.0, (2 + 12 * X[2] ** 2) * V[2]], rtol=1e-14)


def test_rows_that_are_all_constant_stay_so() -> None:
    """A container of constants that is written through: the gradient by the rest, and the write."""

    @numba.njit
    def kernel(x, a, b, n):
        rows = [a, b]
        rows[n][0] = 0.5
        return np.sum(x * rows[n]) + np.sum(rows[0])

    a, b = np.ones(3), np.full(3, 2.0)
    got = enzyme.grad(kernel)(X, a, b, 1)
    np.testing.assert_allclose(got, [0.5, 2.0, 2.0], rtol=1e-15)
    assert b[0] == 0.5


TEXT = """declare ptr @calloc(i64, i64)
define void @f(ptr %a, ptr %rows, i64 %i) {
entry:
  %own = call ptr @calloc(i64 1, i64 8)
  store double 1.000000e+00, ptr %own, align 8
  %q = getelementptr double, ptr %a, i64 %i
  store double 1.000000e+00, ptr %q, align 8
  ret void
}
"""


def test_pointers_that_are_known_get_no_mark() -> None:
    """Memory of the function's own making, and of its parameters."""
    assert is_left_alone(WrittenPointers(), TEXT)


CHOSEN = "select i1 true, ptr %a, ptr %own"
NESTED = """declare void @__enzyme_fwddiff(ptr, ptr)
declare void @__enzyme_autodiff(ptr, ptr)
define void @g(ptr %a) {
  call void @__enzyme_fwddiff(ptr @f, ptr %a)
  ret void
}
define void @h(ptr %a) {
  call void @__enzyme_autodiff(ptr @g, ptr %a)
  ret void
}
"""


@pytest.mark.parametrize(
    "pointer",
    ["load ptr, ptr %rows, align 8", "extractvalue { ptr, i64 } undef, 0", CHOSEN],
)
def test_marks_stand_in_front_of_writes(pointer: str) -> None:
    """Through pointers from memory or a result; in derivatives of derivatives from a choice; once, asked twice."""
    alone = TEXT.replace("  %q =", f"  %p = {pointer}\n  %q =")
    alone = alone.replace("double, ptr %a,", "double, ptr %p,")
    given = alone + NESTED if pointer == CHOSEN else alone
    got = str(ran(WrittenPointers(), given).code)
    write = "  store double 1.000000e+00, ptr %q, align 8"
    assert f"  call void @{WRITTEN}(ptr %q)\n{write}" in got
    assert got.count(f"call void @{WRITTEN}(ptr %q)") == 1
    assert is_left_alone(WrittenPointers(), got)
    assert pointer != CHOSEN or is_left_alone(WrittenPointers(), alone)


LOOP = """declare ptr @calloc(i64, i64)
define void @f(ptr %a, ptr %rows, i1 %c) {
entry:
  br label %loop

loop:
  %p = phi ptr [ %a, %entry ], [ %next, %loop ]
  store double 1.000000e+00, ptr %p, align 8
  %moved = getelementptr double, ptr %p, i64 1
  %next = MOVED
  br i1 %c, label %loop, label %end

end:
  ret void
}
"""


def test_views_of_one_array_are_chosen_and_counters_are_not() -> None:
    chosen = LOOP.replace("MOVED", "select i1 %c, ptr %moved, ptr %a")
    assert f"call void @{WRITTEN}(ptr %p)" in str(ran(WrittenPointers(), chosen + NESTED).code)
    assert is_left_alone(WrittenPointers(), chosen)
    counted = LOOP.replace("MOVED", "getelementptr double, ptr %p, i64 1")
    assert is_left_alone(WrittenPointers(), counted + NESTED)
