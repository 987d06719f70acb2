"""Derivatives of derivatives, in one module: right, or refused.

The kernels are sums of cubes, so the gradient is 3 x^2 and the Hessian diag(6 x), on the elements
that the loop reaches.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.errors import DerivativeError
from enzyme_py.llvm import Module
from enzyme_py.passes.checks.nested_exits import CheckNestedExits
from enzyme_py.passes.control_flow.exits import (
    has_several_exits,
    with_several_exits,
    without_raises,
)
from enzyme_py.passes.control_flow.single_exits import SingleExits
from enzyme_py.passes.llvm_own import to_memory
from tests.passes.running import ran

X = np.array([1.0, 2.0, 3.0, 4.0])
V = np.array([0.3, 0.2, 0.5, 0.7])


def plain(x):
    total = 0.0
    for i in range(x.size):
        total += x[i] ** 3
    return total


def with_while(x):
    total, i = 0.0, 0
    while i < x.size:
        total += x[i] * x[i] * x[i]
        i += 1
    return total


def with_raise(x):
    total = 0.0
    for i in range(x.size):
        if x[i] < 0.0:
            message = "negative"
            raise ValueError(message)
        total += x[i] ** 3
    return total


def with_temporaries(x):
    total = 0.0
    for i in range(x.size):
        cubes = x[i : i + 1] * x[i : i + 1] * x[i : i + 1]
        total += np.sum(cubes)
    return total


def with_break(x):
    total = 0.0
    for i in range(x.size):
        total += x[i] ** 3
        if total > 20.0:
            break
    return total


def with_return(x):
    total = 0.0
    for i in range(x.size):
        if total > 20.0:
            return total
        total += x[i] ** 3
    return total


def along(f: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel (x, v) -> grad f(x) . v, whose gradient by x is the Hessian times v."""
    return lambda x, v: np.sum(enzyme.grad(f)(x) * v)


def slope(f: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel (x, v) -> f'(x) v, by forward mode."""
    return lambda x, v: enzyme.jvp(f, (x,), (v,))[1]


SINGLE_EXIT = (plain, with_while, with_raise, with_temporaries)
SEVERAL_EXITS = (with_break, with_return)


def expected(f: Callable[..., Any]) -> np.ndarray:
    reached = np.ones(4) if f in SINGLE_EXIT else np.array([1.0, 1.0, 1.0, 0.0])
    return 6 * X * V * reached


@pytest.mark.parametrize("f", SINGLE_EXIT + SEVERAL_EXITS)
def test_reverse_over_reverse(f: Callable[..., Any]) -> None:
    assert np.allclose(enzyme.grad(along(f))(X, V), expected(f), rtol=1e-14)


ENTERED_TWICE = """
define void @outer(ptr %x) {
  call void (...) @__enzyme_autodiff(ptr @middle, ptr %x)
  ret void
}

define void @middle(ptr %x) {
  call void (...) @__enzyme_autodiff(ptr @inner, ptr %x)
  ret void
}

define void @inner(ptr %x) {
entry:
  %a = load i1, ptr %x
  br i1 %a, label %first, label %second

first:                                            ; preds = %second, %entry
  %b = load volatile i1, ptr %x
  br i1 %b, label %second, label %end

second:                                           ; preds = %first, %entry
  %c = load volatile i1, ptr %x
  br i1 %c, label %first, label %end

end:                                              ; preds = %second, %first
  ret void
}

declare void @__enzyme_autodiff(...)
"""


def test_a_loop_that_is_entered_twice_keeps_its_exits_and_is_refused() -> None:
    # Python cannot write such a loop; some optimisation of LLVM might.
    assert [one.name for one in with_several_exits(Module(ENTERED_TWICE))] == ["inner"]
    joined = ran(SingleExits(to_memory), ENTERED_TWICE)
    with pytest.raises(DerivativeError, match="several exits") as caught:
        CheckNestedExits().run(joined)
    assert "forward over reverse" in caught.value.remedy


RAISES = """
define void @f(i1 %a) {
entry:
  br label %loop
loop:
  br i1 %a, label %raises, label %next
raises:
  call void @enzyme_py_raise(i32 1, ptr null)
  unreachable, !dbg !1
next:
  br i1 %a, label %loop, label %end
end:
  ret void
}
"""


def test_a_raise_with_a_location_is_no_exit() -> None:
    graph = without_raises(Module(RAISES).function("f"))
    assert "raises" not in {block.name for block in graph}
    assert not has_several_exits(graph)


@pytest.mark.parametrize("f", SINGLE_EXIT + SEVERAL_EXITS)
def test_forward_over_reverse(f: Callable[..., Any]) -> None:
    gradient, hessian_v = enzyme.jvp(lambda x: enzyme.grad(f)(x), (X,), (V,))
    reached = expected(f) != 0
    assert np.allclose(gradient, 3 * X**2 * reached, rtol=1e-14)
    assert np.allclose(hessian_v, expected(f), rtol=1e-14)


@pytest.mark.parametrize("f", SINGLE_EXIT + SEVERAL_EXITS)
def test_reverse_over_forward(f: Callable[..., Any]) -> None:
    assert np.allclose(enzyme.grad(slope(f))(X, V), expected(f), rtol=1e-14)


ORDERS = {
    "reverse over reverse": lambda f: enzyme.grad(lambda x: enzyme.grad(f)(x)),
    "forward over reverse": lambda f: (
        lambda x: enzyme.jvp(lambda t: enzyme.grad(f)(t), (x,), (1.0,))[1]
    ),
    "reverse over forward": lambda f: enzyme.grad(lambda x: enzyme.jvp(f, (x,), (1.0,))[1]),
    "forward over forward": lambda f: (
        lambda x: enzyme.jvp(lambda t: enzyme.jvp(f, (t,), (1.0,))[1], (x,), (1.0,))[1]
    ),
}


@pytest.mark.parametrize("order", ORDERS)
def test_where_an_adjoint_is_zero(order: str) -> None:
    """Zero times a slope is differentiated as a product, by the zero as well.

    (x^2 - 4)^2 has the second derivative 12 x^2 - 16; x sin x cos x has 2 cos 2x - 2 x sin 2x.
    """

    def residual(x):
        r = x * x - 4.0
        return r * r

    def three_factors(x):
        return np.sin(x) * np.cos(x) * x

    assert ORDERS[order](residual)(2.0) == pytest.approx(32.0, rel=1e-14)
    assert ORDERS[order](three_factors)(0.0) == pytest.approx(2.0, rel=1e-14)


def test_derivative_by_a_direction_of_zeros() -> None:
    def along(x, v):
        return enzyme.jvp(lambda t: np.sin(t) * t, (x,), (v,))[1]

    expected = np.cos(0.5) * 0.5 + np.sin(0.5)
    assert enzyme.grad(along, argnums=1)(0.5, 0.0) == pytest.approx(expected, rel=1e-14)
    assert enzyme.jvp(along, (0.5, 0.0), (0.0, 1.0))[1] == pytest.approx(expected, rel=1e-14)


def test_raise_in_the_inner_kernel_arrives() -> None:
    with pytest.raises(ValueError, match="negative"):
        enzyme.grad(along(with_raise))(-X, V)


def test_third_order_of_a_power() -> None:
    def cube(x):
        return x**3

    def first(x):
        return enzyme.grad(cube)(x)

    def second(x):
        return enzyme.grad(first)(x)

    assert enzyme.grad(second)(1.7) == pytest.approx(6.0, rel=1e-14)


def test_inner_variable_is_not_confused_with_the_outer() -> None:
    # d/dx x * d/dy (x + y) is 1, wherever y is.
    def outer(x):
        return x * enzyme.jvp(lambda y: x + y, (1.0,), (1.0,))[1]

    assert enzyme.grad(outer)(1.0) == 1.0
    assert enzyme.grad(outer)(-2.5) == 1.0
