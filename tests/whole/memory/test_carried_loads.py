"""Numbers that an iteration reads from its own memory, for the next one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.llvm import Module
from enzyme_py.passes.memory.loop_carried_loads import loop_carried_loads
from enzyme_py.passes.memory.merged_pointers import allocations

X = np.array([0.5, -0.3, 0.7, 1.2])
S = 0.3


def first_of_the_state(x, s, n):
    v = x.copy()
    for _ in range(1, n):
        v = np.sin(v) + s * v[0]
        if v[0] > 0.3647 or np.sum(v * v) > 1.3:
            continue
    v[-1] = 0.3 * v[-1]
    return np.sum(v)


def of_first_of_the_state(x: np.ndarray, s: float, n: int) -> tuple[np.ndarray, float]:
    v, by_x, by_s = x, np.eye(4), np.zeros(4)
    for _ in range(1, n):
        slope = np.cos(v)
        by_x = slope[:, None] * by_x + s * by_x[0]
        by_s = slope * by_s + v[0] + s * by_s[0]
        v = np.sin(v) + s * v[0]
    weights = np.array([1.0, 1.0, 1.0, 0.3])
    return weights @ by_x, float(weights @ by_s)


def product_of_two(x, s, n):
    v, q = x.copy(), 1.0
    for _ in range(n):
        v = np.sin(v) + s * q
        q = v[0] * v[1]
    return np.sum(v)


def of_product_of_two(x: np.ndarray, s: float, n: int) -> tuple[np.ndarray, float]:
    v, q = x, 1.0
    by_x, by_s, q_x, q_s = np.eye(4), np.zeros(4), np.zeros(4), 0.0
    for _ in range(n):
        slope = np.cos(v)
        by_x, by_s = slope[:, None] * by_x + s * q_x, slope * by_s + q + s * q_s
        v = np.sin(v) + s * q
        q_x, q_s = by_x[0] * v[1] + v[0] * by_x[1], by_s[0] * v[1] + v[0] * by_s[1]
        q = v[0] * v[1]
    return by_x.sum(axis=0), float(by_s.sum())


KERNELS = [
    (first_of_the_state, of_first_of_the_state),
    (product_of_two, of_product_of_two),
]


@pytest.mark.parametrize(("kernel", "answer"), KERNELS)
@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_reverse_mode(kernel: Any, answer: Any, n: int) -> None:
    by_x, by_s, _ = (*enzyme.grad(kernel, argnums=(0, 1))(X.copy(), S, n), None)
    want_x, want_s = answer(X, S, n)
    assert np.allclose(by_x, want_x, rtol=1e-13)
    assert np.isclose(by_s, want_s, rtol=1e-13)


# Arrays of a size that the compiler knows, which a block copy fills from a temporary of the iteration:
# v_j becomes the product of x_i^C(n, j - i).
def products_of_neighbours(x, n):
    v = np.empty(4)
    for i in range(4):
        v[i] = x[i]
    for _ in range(n):
        v[1:] = v[:-1] * v[1:]
    return v[2]


def sum_of_products(x, n):
    v = np.array((x[0], x[1], x[2], x[3]))
    total = 0.0
    for _ in range(n):
        v[1:] = v[:-1] * v[1:]
        total += v[2]
    return total


def under_a_branch(x, n):
    v = np.zeros(2)
    v[:] = x[2:]
    u = v * 0.5
    for _ in range(n):
        if v[0] > -9.0:
            v[:1] = v[1:] * v[:1] * 0.5
        w = v * u
        u = w + 0.1
        v[:] = w
    return np.sum(v)


def of_under_a_branch(x: np.ndarray, n: int) -> np.ndarray:
    v, by_x = x[2:].copy(), np.eye(4)[2:]
    u, u_x = v * 0.5, by_x * 0.5
    for _ in range(n):
        first = 0.5 * (by_x[1] * v[0] + v[1] * by_x[0])
        by_x, v = np.array([first, by_x[1]]), np.array([v[1] * v[0] * 0.5, v[1]])
        by_x, v = by_x * u[:, None] + v[:, None] * u_x, v * u
        u, u_x = v + 0.1, by_x
    return by_x.sum(axis=0)


def slope_of_product(x: np.ndarray, n: int) -> np.ndarray:
    powers = np.array([n * (n - 1) // 2, n, 1, 0])
    return powers * np.prod(x**powers) / x


@pytest.mark.parametrize("n", [1, 2, 4])
def test_copies_of_a_temporary(n: int) -> None:
    assert np.allclose(enzyme.grad(products_of_neighbours)(X, n), slope_of_product(X, n), rtol=1e-12)
    assert np.allclose(enzyme.grad(under_a_branch)(X, n), of_under_a_branch(X, n), rtol=1e-12)
    want = sum(slope_of_product(X, one) for one in range(1, n + 1))
    assert np.allclose(enzyme.grad(sum_of_products)(X, n), want, rtol=1e-12)


def doubled(x, n):
    v = np.zeros(5)
    v[:4] = x
    for _ in range(n):
        v[0:3] = v[0:3] + v[0:3]
    return v[0] + v[-2]


def test_sums_of_what_a_copy_fills_with_itself() -> None:
    """The reverse loop adds a sum to itself: it was rewritten as a sum of terms, and ended with an AssertionError."""
    assert enzyme.grad(doubled)(X, 3).tolist() == [8.0, 0.0, 0.0, 1.0]


TEXT = """declare ptr @malloc(i64)

define double @f(ptr %x, i64 %n) {
entry:
  br label %turn
turn:
  %i = phi i64 [ 0, %entry ], [ %more, %turn ]
  %q = phi double [ 1.0, %entry ], [ %next, %turn ]
  %t = phi double [ 0.0, %entry ], [ %sum, %turn ]
  %own = call ptr @malloc(i64 8)
  %given = load double, ptr %x, align 8
  store double %given, ptr %own, align 8
  %read = load double, ptr %own, align 8
  %added = load double, ptr %own, align 8
  %next = OPERATION
  %sum = fadd double %t, %added
  %more = add i64 %i, 1
  %again = icmp slt i64 %more, %n
  br i1 %again, label %turn, label %behind
behind:
  ret double %sum
}"""


@pytest.mark.parametrize(
    ("operation", "found"),
    [
        ("fmul double %read, 2.0", {"read"}),
        ("fmul double %given, 2.0", set()),
        ("select i1 true, double %read, double %added", {"read", "added"}),
    ],
)
def test_which_loads_go_on(operation: str, found: set[str]) -> None:
    function = Module(TEXT.replace("OPERATION", operation)).function("f")
    loads = loop_carried_loads(function, allocations(function))
    assert {one.name for one in loads} == found
