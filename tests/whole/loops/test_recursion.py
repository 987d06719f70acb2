"""Functions that call themselves, in all orders: what one of them keeps for its derivative is differentiated as well."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.errors import DerivativeError
from enzyme_py.passes.types.flat_parameters import FlatParameters
from tests.passes.running import is_left_alone, ran

X = np.array([0.7, 1.3, 0.4, 2.1, 0.9])
V = np.array([0.3, -0.7, 0.5, 1.1, -0.2])

Case = tuple[Callable[..., Any], Callable[[np.ndarray], Any]]


@numba.njit
def product_from(x, i):
    if i >= 3:
        return 1.0
    return x[i] * product_from(x, i + 1)


def product(x):
    return product_from(x, 0)


@numba.njit
def value_of_tree(x, i):
    if i >= 5:
        return 1.0
    left = value_of_tree(x, 2 * i + 1)
    right = value_of_tree(x, 2 * i + 2)
    return x[i] * left + right * right


def tree(x):
    return value_of_tree(x, 0)


@numba.njit
def fill_from(x, i, out):
    if i >= 2:
        return
    out[i] = x[i] * x[i + 1]
    fill_from(x, i + 1, out)
    out[i] *= out[i + 1]


def filled(x):
    out = np.zeros(3)
    out[2] = x[0]
    fill_from(x, 0, out)
    return out[0]


@numba.njit
def halves(x):
    if x.size == 1:
        return x[0] * x[0]
    middle = x.size // 2
    return halves(x[:middle]) * halves(x[middle:])


def square_of_product(x):
    return halves(x)


@numba.njit
def even(x, i):
    return 1.0 if i >= 3 else x[i] * odd(x, i + 1)


@numba.njit
def odd(x, i):
    return 2.0 if i >= 3 else x[i] + even(x, i + 1) ** 2


def in_turns(x):
    return even(x, 0)


def symbolic(value: Callable[..., Any]) -> Callable[[np.ndarray], Any]:
    """Return the same function written without recursion, for complex numbers too."""
    return lambda x: value(*x)


@numba.njit
def step_in_table(a, table, i, j, last):
    if a < table[j] or i == last:
        return a, table, i, j, 1
    i = j
    j = i + 1
    a, table, i, j, found = step_in_table(a, table, i, j, last)
    return a, table, i, j, found


def in_table(x):
    a, table, i, j, _ = step_in_table(x[0], x[1:], 0, 1, 2)
    return (a - table[i]) ** 2 * table[j]


@numba.njit
def step_in_table_or_none(a, table, i, j, last):
    if a < table[j] or i == last:
        return a, table if i < 7 else None, i, j
    a, table, i, j = step_in_table_or_none(a, table, j, j + 1, last)
    return a, table, i, j


def in_table_or_none(x):
    a, table, i, j = step_in_table_or_none(x[0], x[1:], 0, 1, 2)
    return 0.0 if table is None else (a - table[i]) ** 2 * table[j]


CASES: dict[str, Case] = {
    "product": (product, symbolic(lambda a, b, c, d, e: a * b * c)),
    # x0 (x1 (x3 + 1) + (x4 + 1)^2) + (x2 + 1)^2
    "tree": (
        tree,
        symbolic(lambda a, b, c, d, e: a * (b * (d + 1) + (e + 1) ** 2) + (c + 1) ** 2),
    ),
    # (x0 x1) ((x1 x2) x0)
    "filled": (filled, symbolic(lambda a, b, c, d, e: a * b * b * c * a)),
    # the table is behind x0, and x0 lies between its second and its third number
    "in_table": (in_table, symbolic(lambda a, b, c, d, e: (a - c) ** 2 * d)),
    "in_table_or_none": (in_table_or_none, symbolic(lambda a, b, c, d, e: (a - c) ** 2 * d)),
    # x0 (x1 + x2^2 2^2)
    "in_turns": (in_turns, symbolic(lambda a, b, c, d, e: a * (b + 4 * c * c))),
}


def slopes(f: Callable[[np.ndarray], Any], x: np.ndarray) -> np.ndarray:
    """Return the gradient of a function of vectors, by complex steps."""
    return np.array([f(x + 1e-30j * way).imag / 1e-30 for way in np.eye(x.size)])


def along(f: Callable[[np.ndarray], Any]) -> Callable[[np.ndarray], Any]:
    """Return the slope along V, by a difference of fourth order that is exact for polynomials of degree four."""
    weights = ((2, -1 / 12), (1, 2 / 3), (-1, -2 / 3), (-2, 1 / 12))
    return lambda x: sum(weight * f(x + step * V) for step, weight in weights)


@pytest.mark.parametrize("name", ["product", "tree", "filled", "in_turns", "in_table", "in_table_or_none"])
def test_two_orders(name: str) -> None:
    """The same polynomial written out says what is right."""
    kernel, value = CASES[name]
    np.testing.assert_allclose(enzyme.grad(kernel)(X), slopes(value, X), rtol=1e-12)

    def by_forward(x, v):
        return enzyme.jvp(kernel, (x,), (v,))[1]

    def by_reverse(x, v):
        return np.dot(enzyme.grad(kernel)(x), v)

    second = slopes(along(value), X)
    for inner in (by_forward, by_reverse):
        np.testing.assert_allclose(enzyme.grad(inner)(X, V), second, rtol=1e-9)
    forward = enzyme.jvp(enzyme.grad(kernel), (X,), (V,))[1]
    np.testing.assert_allclose(forward, second, rtol=1e-9)


@pytest.mark.parametrize("name", ["product", "filled", "in_turns"])
def test_reverse_of_reverse_of_reverse(name: str) -> None:
    """The two calls of the tree make of this more than the pass can do in its time."""
    kernel, value = CASES[name]

    def once(x, v):
        return np.dot(enzyme.grad(kernel)(x), v)

    def twice(x, v):
        return np.dot(enzyme.grad(once)(x, v), v)

    third = slopes(along(along(value)), X)
    np.testing.assert_allclose(enzyme.grad(twice)(X, V), third, rtol=1e-9, atol=1e-9)


def test_the_second_derivative_of_halves() -> None:
    """Of prod(x)^2 it is 4 prod(x)^2 / (x_i x_j), and 2 prod(x)^2 / x_i^2 on the diagonal."""

    def by_reverse(x, v):
        return np.dot(enzyme.grad(square_of_product)(x), v)

    hessian = np.prod(X) ** 2 * (4 / np.outer(X, X) - np.diag(2 / X**2))
    np.testing.assert_allclose(enzyme.grad(by_reverse)(X, V), hessian @ V, rtol=1e-12)


def test_a_tape_in_a_struct_loses_slopes(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the rewriting is for: without it the same question has another answer, and nobody tells."""
    monkeypatch.setattr(FlatParameters, "run", lambda _, __: None)

    def by_reverse(x, v):
        return np.dot(enzyme.grad(lambda y: product_from(y, 0))(x), v)

    with enzyme.config(cache=False):
        lost = enzyme.grad(by_reverse)(X, V)
    assert abs(lost[1] - (X[2] * V[0] + X[0] * V[2])) > 0.1


def test_what_steps_do_not_take_is_refused() -> None:
    @numba.njit
    def root(a, i):
        if i >= a.shape[0]:  # a number would let LLVM inline all calls
            return a
        return root(np.linalg.inv(a) * a[0, 0], i + 1)

    def first(a):
        return root(a, 0)[0, 1]

    def by_reverse(a, v):
        return np.sum(enzyme.grad(first)(a) * v)

    matrix = np.array([[2.0, 0.3], [0.1, 1.5]])
    with pytest.raises(DerivativeError, match=r"(?s)`root`, which calls itself.*jvp of grad"):
        enzyme.grad(by_reverse)(matrix, matrix)


TEXT = """
define internal fastcc void @"f x"(ptr %p, { ptr, [2 x double], { i1, i64 } } %tape, double %y) #0 {
entry:
  %inner = extractvalue { ptr, [2 x double], { i1, i64 } } %tape, 0
  store double %y, ptr %inner, align 8
  ret void
}

define void @g(ptr %p, { ptr, [2 x double], { i1, i64 } } %tape) {
  tail call fastcc void @"f x"(ptr nonnull %p, { ptr, [2 x double], { i1, i64 } } %tape, double 1.0) #0
  call fastcc void @"f x"(ptr %p, { ptr, [2 x double], { i1, i64 } } { ptr null, [2 x double] zeroinitializer, { i1, i64 } { i1 true, i64 3 } }, double 1.0)
  ret void
}

attributes #0 = { nounwind }
"""


def test_the_text() -> None:
    flat = str(ran(FlatParameters(), TEXT).code)
    heads = [line for line in flat.split("\n") if line.startswith("define")]
    kinds = [one.split()[0] for one in heads[0].split("(", 1)[1].split(", ")]
    assert kinds == ["ptr", "ptr", "double", "double", "i1", "i64", "double"]
    assert "{ ptr, [2 x double]" in heads[1]  # not its own: others may call it
    assert is_left_alone(FlatParameters(), flat)


def test_a_module_without_structs_is_left_alone() -> None:
    text = "define internal void @f(ptr %p, [0 x i8] %none) {\n  ret void\n}\n"
    assert is_left_alone(FlatParameters(), text)
