"""Slopes where a kernel compared a number for equality: those of the branch that was taken, by hand."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.errors import Where
from enzyme_py.llvm import Module
from enzyme_py.passes.base import Draft
from enzyme_py.passes.values import equal_numbers
from enzyme_py.passes.values.equal_numbers import EqualNumbers
from tests.passes.switches import leave_out


def square_at_three(x):
    return x * x if x == 3.0 else 0.0


def not_at_three(x):
    if x != 3:
        return 0.0
    return x * x


def within_three(x):
    if x >= 3.0 and x <= 3.0:
        return x * x
    return 0.0


def place_of_three(x):
    place = 0
    pair = (1.0, x)
    for i in range(2):
        if pair[i] == 3.0:
            place = i
    return pair[place] ** 2


def at_a_constant_of_the_caller(x, knot):
    return x * x if x == knot else 0.0


def passed_on(x):
    return at_a_constant_of_the_caller(x, 3.0)


def by_single_numbers(x):
    return x * x if np.float32(x) == np.float32(3.0) else 0.0


ONE_NUMBER: list[Callable[..., Any]] = [
    square_at_three,
    not_at_three,
    within_three,
    place_of_three,
    passed_on,
    by_single_numbers,
]


TABLE, PAIR = np.array([3.0, 2.0]), (5.0, 3.0)


def in_a_table(x):
    return x * x if TABLE[0] == x else 0.0


def in_a_tuple(x):
    return x * x if PAIR[1] == x else 0.0


def in_a_chain(x):
    return x * x if np.pi > 3.0 == x else 0.0


def are_equal(one, other):
    return one == other


def asked_for(x):
    return x * x if are_equal(3.0, x) else 0.0


def an_integer(x):
    k = 3
    return x * x if k == x else 0.0


def between(x):
    low = 3.0
    return x * x if low <= x <= low else 0.0


def between_integers(x):
    low = 3
    return x * x if low <= x <= low else 0.0


def is_between(low, x):
    return low <= x <= low


def asked_to_be_between(x):
    return x * x if is_between(3.0, x) else 0.0


def not_above(x):
    low = 3.0
    if x >= low and not x > low:
        return x * x
    return 0.0


def between_what_is_in_a_table(x):
    return x * x if TABLE[0] <= x <= TABLE[0] else 0.0


def an_element_between(x):
    low, total = 3.0, 0.0
    for one in np.array([x, 2.0]):
        if low <= one <= low:
            total += one * one
    return total


# What the constant is, LLVM finds out later.
ONE_NUMBER += [
    in_a_table,
    in_a_tuple,
    in_a_chain,
    asked_for,
    an_integer,
    between,
    between_integers,
    asked_to_be_between,
    not_above,
    between_what_is_in_a_table,
    an_element_between,
]


@pytest.mark.parametrize("kernel", ONE_NUMBER, ids=lambda one: one.__name__)
def test_the_slope_is_that_of_the_branch(kernel: Any) -> None:
    assert enzyme.value_and_grad(kernel)(3.0) == (9.0, 6.0)
    assert enzyme.jvp(kernel, (3.0,), (1.0,))[1] == 6.0


def test_second_orders() -> None:
    cube = enzyme.hessian(lambda x: x[0] ** 3 if x[0] == 3.0 else 0.0)
    assert cube(np.array([3.0])).tolist() == [[18.0]]
    assert enzyme.jvp(enzyme.grad(square_at_three), (3.0,), (1.0,))[1] == 2.0


def test_a_limit_that_is_written_down() -> None:
    """(x - 1) / log x is 1 at 1 with the slope 1/2: the Taylor polynomial there, 1 + (x - 1) / 2."""

    def quotient(x):
        is_one = x == 1.0
        log = np.where(is_one, 1.0, np.log(x))
        return np.sum(np.where(is_one, 1.0 + 0.5 * (x - 1.0), (x - 1.0) / log))

    x = np.array([1.0, 2.0])
    slope = 1.0 / math.log(2.0) - 0.5 / math.log(2.0) ** 2
    np.testing.assert_allclose(enzyme.grad(quotient)(x), [0.5, slope], rtol=1e-15)


def test_fast_math_has_no_sign_of_zero() -> None:
    @numba.njit(fastmath=True)
    def product(x, y):
        return x * y if x == 0.0 else math.sin(x) * y

    assert enzyme.grad(product, argnums=(0, 1))(0.0, 2.0) == (2.0, 0.0)

    @numba.njit(fastmath=True)
    def same(x, y):
        return x * x * y if x == y else 0.0

    assert enzyme.grad(same, argnums=(0, 1))(2.0, 2.0) == (8.0, 4.0)


def test_two_variables() -> None:
    def same(x, y):
        return x * x * y if x == y else 0.0

    def between(x, y):
        return x * x * y if x <= y <= x else 0.0

    for kernel in (same, between):
        assert enzyme.grad(kernel, argnums=(0, 1))(2.0, 2.0) == (8.0, 4.0)


def test_complex_numbers() -> None:
    def square(z):
        return (z * z).real if z == 3.0 + 1.0j else 0.0

    ((slope,),) = enzyme.autodiff(enzyme.Reverse, square, enzyme.Active, enzyme.Active(3.0 + 1.0j))
    assert slope == 6.0 - 2.0j  # conj of 2z, as everywhere


def test_what_is_not_a_number_is_equal_to_nothing() -> None:
    kernel = enzyme.jit(lambda x: x * x if x == x else 5.0)
    assert enzyme.value_and_grad(kernel)(3.0) == (9.0, 6.0)
    assert enzyme.value_and_grad(kernel)(math.nan) == (5.0, 0.0)


OPERANDS = ("%x", "%y", "3.000000e+00", "-3.000000e+00", "0.000000e+00", "-0.000000e+00")
PREDICATES = ("oeq", "une", "oge", "ole", "ult", "ord", "true")


def compared(flags: str, *written: tuple[str, str, str]) -> str:
    lines = [f"  %c{n} = fcmp {flags}{p} double {a}, {b}" for n, (p, a, b) in enumerate(written)]
    return "\n".join(["define void @f(double %x, double %y) {", *lines, "  ret void", "}", ""])


@pytest.mark.parametrize("flags", ["", "nsz ", "nnan ninf ", "fast "])
def test_functions_are_read_where_something_has_to_be_hidden(flags: str) -> None:
    """Every comparison by itself, and every pair of two that is about the same number: the text alone tells whether to read on."""
    ones = list(itertools.product(PREDICATES, OPERANDS, OPERANDS))
    pairs = [(a, b) for a, b in itertools.product(ones, ones) if "3.000000e+00" in a and "3.000000e+00" in b]
    for written in [*((one,) for one in ones), *pairs[:: 1 if not flags else 7]]:
        whole, glanced = Module(compared(flags, *written)), Module(compared(flags, *written))
        for function in whole.functions:
            equal_numbers._hide(function)
        EqualNumbers().run(Draft(glanced, Where("f")))
        assert str(glanced) == str(whole)


def test_functions_are_not_read_for_comparisons_with_zero() -> None:
    """Numba asks of each division whether its divisor is zero."""
    code = Module(compared("", ("oeq", "%x", "0.000000e+00"), ("ogt", "%x", "3.000000e+00"), ("olt", "%x", "%y")))
    EqualNumbers().run(Draft(code, Where("f")))
    assert not any(one.is_read for one in code.functions)


def test_without_it_the_slope_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    leave_out("equal numbers", monkeypatch.setattr)
    assert enzyme.grad(lambda x: x * x + 0.25 if x == 3.0 else 0.5)(3.0) == 0.0
