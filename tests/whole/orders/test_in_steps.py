"""Derivatives of derivatives that one run of the pass refuses: the innermost is made in a run of its own."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.errors import DerivativeError
from enzyme_py.llvm import Load
from enzyme_py.passes.base import Draft
from enzyme_py.passes.steps import Postpone, Resume
from tests.passes.running import is_left_alone, ran, tag_of

A = np.zeros((3, 6))[:, ::2]  # neither C's order nor Fortran's
A[:] = [[0.9, 0.4, 1.2], [0.7, 1.5, 0.3], [0.8, 0.6, 1.1]]
V = np.arange(9.0).reshape(3, 3) + 1.0


@numba.njit
def smallest(a):
    """The smallest number, by indices that are carried, and a way out at a number that is none."""
    rows, columns = a.shape
    found = a[0, 0]
    i, j = 0, 0
    while True:
        if a[i, j] != a[i, j]:
            return a[i, j]
        found = min(found, a[i, j])
        j += 1
        if j == columns:
            i, j = i + 1, 0
            if i == rows:
                return found


def cube_of_the_smallest(a):
    """The second derivative of m^3 is 6 m where the smallest is, nothing elsewhere."""
    return smallest(a) ** 3


def product_of_ends(a):
    """The largest times the smallest: 1 by the two, in either order."""
    return -smallest(-a) * smallest(a)


def squares_of_some(a):
    """The squares of rows 0, 1, 3, 7, ...: 2 by each."""
    if a.shape[0] == 1:
        return a[0, 0] ** 2
    total = 0.0
    i = 0
    while i < a.shape[0]:
        total += a[i, 0] ** 2
        i = 2 * i + 1
    return total


def slope_along(f: Any) -> Any:
    """Return the derivative of a kernel along a direction, by reverse mode."""
    gradient = enzyme.grad(f)

    @numba.njit
    def along(a, v):
        return np.sum(gradient(a) * v)

    return along


def second_along(f: Any) -> float:
    """Return v H v, forward mode over reverse mode."""
    _, second = enzyme.jvp(slope_along(f), (A, V), (V, np.zeros((3, 3))))
    return second


def test_the_second_derivative_of_a_minimum() -> None:
    second = second_along(numba.njit(cube_of_the_smallest))
    np.testing.assert_allclose(second, 6 * 0.3 * V[1, 2] ** 2, rtol=1e-14)


def test_the_second_derivative_of_squares_by_an_index_that_is_carried() -> None:
    second = second_along(numba.njit(squares_of_some))
    np.testing.assert_allclose(second, 2.0 * np.sum(V[:2, 0] ** 2), rtol=1e-14)


def test_the_second_derivative_of_a_product_of_both_ends() -> None:
    second = second_along(numba.njit(product_of_ends))
    np.testing.assert_allclose(second, 2 * V[1, 1] * V[1, 2], rtol=1e-14)


@numba.njit
def product_from(x, i):
    """The product of all elements from i on, by a function that calls itself."""
    if i == x.size:
        return 1.0
    return x[i] * product_from(x, i + 1)


def two_products_until_a_break(x, stop):
    """With x0 x1 x2 + x1 x2 in each of k iterations, the number of which only the break tells."""
    total = 0.0
    for i in range(x.size):
        total += product_from(x, 0) + product_from(x, 1)
        if x[i] == stop:
            break
    return total


@pytest.mark.parametrize("count", [1, 2, 3])
def test_tapes_of_calls_in_a_loop_that_ends_at_a_break(count: int) -> None:
    """Two caches of records grow: their numbers have slopes behind the growth as in front of it."""
    x, v = np.array([2.0, 3.0, 5.0]), np.array([0.5, -1.0, 2.0])
    inner = enzyme.grad(two_products_until_a_break)
    slope = numba.njit(lambda x, v, stop: np.sum(inner(x, stop) * v))
    found = enzyme.gradient(slope, x, v, x[count - 1])[0]
    hessian = [[0.0, x[2], x[1]], [x[2], 0.0, x[0] + 1.0], [x[1], x[0] + 1.0, 0.0]]
    np.testing.assert_allclose(found, count * np.array(hessian) @ v, rtol=1e-14)


def test_what_one_run_refuses_is_told_if_steps_do_not_help(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first refusal is the one to read: the other is about a text that nobody wrote."""

    def refuse(_: Resume, __: Draft) -> None:
        raise DerivativeError("about the second step", remedy="none")

    monkeypatch.setattr(Resume, "run", refuse)
    with pytest.raises(DerivativeError, match="a float's bits") as refusal:
        second_along(numba.njit(lambda a: 5.0 * smallest(a) ** 5))  # not in any cache
    assert "second step" not in str(refusal.value)


NESTED = """define double @inner(ptr %x) {
  %n = load i64, ptr %x, align 8
  %m = load i64, ptr %x, align 8
  %k = mul i64 %n, 3
  %a = add i64 %m, 8
  ret double 0.0
}

define double @middle(ptr %x) {
  %d = call double (ptr, ...) @__enzyme_autodiff.1(ptr @inner, ptr %x)
  ret double %d
}

define double @outer(ptr %x) {
  call void @enzyme_py_hint.kept(ptr %x)
  %d = call double (ptr, ...) @__enzyme_fwddiff(ptr nonnull @middle, ptr %x)
  ret double %d
}

declare double @made(ptr, ptr)
declare double @__enzyme_autodiff.1(ptr, ...)
declare double @__enzyme_fwddiff(ptr, ...)
declare void @enzyme_py_hint.kept(ptr) nounwind
"""


def test_the_innermost_comes_first() -> None:
    first = str(ran(Postpone(), NESTED).code)
    assert "@__enzyme_autodiff.1(ptr @inner" in first
    assert "@enzyme_py_later.fwddiff(ptr nonnull @middle" in first
    assert "declare double @enzyme_py_later.fwddiff(ptr, ...)\n" in first
    done = first.replace(
        "call double (ptr, ...) @__enzyme_autodiff.1(ptr @inner", "call double @made(ptr @inner"
    )
    done = done.replace("declare double @__enzyme_fwddiff(ptr, ...)\n", "")  # as O2 does
    after = str(ran(Resume(), done).code)
    assert "@__enzyme_fwddiff(ptr nonnull @middle" in after
    assert after.count("declare double @__enzyme_fwddiff(") == 1
    assert "enzyme_py_later.fwddiff" not in after
    assert is_left_alone(Postpone(), after)


def test_integers_are_said_to_be_integers_and_marks_are_gone() -> None:
    code = ran(Resume(), NESTED).code
    n, m = (one for one in code.function("inner").instructions if isinstance(one, Load))
    assert n.text.startswith("%n = load i64, ptr %x, align 8, !tbaa ")
    assert tag_of(code, "n", "inner") == "long"
    assert m.text == "%m = load i64, ptr %x, align 8"  # added only: it may be an address
    assert "enzyme_py_hint.kept" not in str(code)


def test_one_derivative_has_no_steps() -> None:
    once = NESTED.replace("(ptr, ...) @__enzyme_autodiff.1(ptr @inner, ", "@inner(")
    assert is_left_alone(Postpone(), once)


NEAR = np.array([[0, 1, 2], [1, 2, -1], [2, 3, -1], [3, -1, -1]])


def cubes_of_means(x):
    """The sum of m^3, where m is the mean of a number and its neighbours."""
    means = np.zeros(x.size)
    for i in range(x.size):
        near = NEAR[i]
        near = near[near != -1]
        if near.size > 0:
            means[i] = np.nanmean(x[near])
    return np.sum(means**3)


def test_memory_that_is_made_again_for_a_comparison() -> None:
    # What is looked at for NaN is picked once more in the reverse sweep: it meets with memory of the sweep before it.
    x, v = np.array([0.3, 1.2, 0.7, 0.9]), np.array([1.0, -0.4, 0.5, 2.0])
    means = [(np.mean(x[row[row != -1]]), np.mean(v[row[row != -1]])) for row in NEAR]
    _, second = enzyme.jvp(slope_along(numba.njit(cubes_of_means)), (x, v), (v, np.zeros(4)))
    np.testing.assert_allclose(second, sum(6 * m * along**2 for m, along in means), rtol=1e-13)
