"""Roots and logarithms outside of their domain: NaN, in derivatives of derivatives as in first ones, and nothing where a choice masks them.

In derivatives of derivatives the gradient of `np.sqrt` was 0 and that of `np.log` infinite there, and the second derivatives 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import enzyme_py as enzyme
from tests.whole.numbers.choosing import one_of

# One kernel chooses among all functions of a table by a number, so that each order is compiled once for them.
FUNCTIONS = (
    *("np.sqrt(x) * 1.5", "np.log(x)", "np.log2(x) * x", "np.log10(x)", "np.log1p(x - 1.0)", "x**0.7"),
    "np.float64(np.sqrt(np.float32(x)))",
)
# What is behind the rim here can only be NaN, and LLVM knows it: gradients were 0, of np.logaddexp 1; second orders of such powers were 0.
ONLY_NAN = (
    *("np.log1p(np.exp(x))", "np.log1p(np.abs(x))", "np.logaddexp(x, 0.3)", "np.logaddexp2(x, 0.3)"),
    *("(x * x + 1.0) ** 0.5", "np.sqrt(np.abs(x))", "np.linalg.norm(np.array([x, 1.0]))", "np.std(np.array([x, 1.0]))"),
)


def in_all_orders(kernel: Any) -> list[Callable[[float, int], Any]]:
    """Return functions for the slopes and the second derivatives, in all orders of two modes."""
    gradient = enzyme.grad(kernel)

    def slope(x: float, k: int) -> float:
        return enzyme.jvp(kernel, (x, k), (1.0, None))[1]

    return [
        gradient,
        slope,
        lambda x, k: enzyme.jvp(gradient, (x, k), (1.0, None)),
        enzyme.value_and_grad(gradient),
        lambda x, k: enzyme.jvp(slope, (x, k), (1.0, None)),
        enzyme.value_and_grad(slope),
    ]


@pytest.mark.parametrize(("functions", "x"), [(FUNCTIONS, -2.0), (ONLY_NAN, math.nan)], ids=["beyond the rim", "of nan"])
def test_all_orders_are_nan(functions: Sequence[str], x: float) -> None:
    kernel = one_of(functions)
    for order in in_all_orders(kernel):
        for k, one in enumerate(functions):
            assert np.isnan(order(x, k)).all(), one


INNER = [
    *(f"np.{name}(x)" for name in "exp expm1 exp2 log log1p log2 log10 sqrt cbrt abs sin cos tan tanh sinh cosh".split()),
    *(f"np.{name}(x)" for name in "arcsin arccos arctan arcsinh arccosh arctanh sinc".split()),
    *(f"math.{name}(x)" for name in "erf erfc gamma lgamma".split()),
    *("x * x", "1.0 / x", "x**3", "x**0.5", "x**1.5", "2.0**x", "max(x, 0.0)", "min(x, 1.0)", "np.maximum(x, 0.0)", "1.0 - x"),
    *("x * x + 1.0", "np.hypot(x, 1.0)", "np.arctan2(x, 1.0)", "np.logaddexp(x, 0.0)", "np.fmod(x, 3.0)"),
]


OUTER = [f"np.{name}(y)" for name in ("log", "log2", "log10", "sqrt", "arcsinh", "arccosh")]


SOME = ["np.exp(x)", "np.abs(x)", "np.cos(x)", "np.arcsinh(x)", "x**1.5", "np.maximum(x, 0.0)", "x * x + 1.0", "np.logaddexp(x, 0.0)"]
assert set(SOME) <= set(INNER)


@pytest.mark.parametrize(
    ("outer", "inners"),
    [
        pytest.param("np.log1p(y)", SOME, id="some"),
        *(pytest.param(one, INNER, id=one, marks=pytest.mark.full) for one in ["np.log1p(y)", *OUTER, "y**0.5"]),
    ],
)
def test_what_is_taken_of_nan(outer: str, inners: Sequence[str]) -> None:
    """LLVM knows of some of these that nothing but NaN gets behind a rim."""
    kernel = one_of(outer.replace("y", f"({inner})") for inner in inners)
    gradient = enzyme.grad(kernel)
    twice = enzyme.value_and_grad(gradient)
    for k, inner in enumerate(inners):
        slope, _ = twice(math.nan, k)  # a second derivative may be zero
        found = [gradient(math.nan, k), *enzyme.jvp(kernel, (math.nan, k), (1.0, None)), slope]
        assert np.isnan(found).all(), (inner, found)


@pytest.mark.parametrize(("x", "root"), [(-0.0, 0.0), (-math.inf, math.inf), (math.inf, math.inf), (4.0, 2.0)])
def test_half_powers_are_no_roots_at_their_ends(x: float, root: float) -> None:
    value, _ = enzyme.jvp(lambda x: x**0.5, (x,), (1.0,))
    assert value == root
    assert math.copysign(1.0, value) == 1.0
    again, _ = enzyme.jvp(lambda x: enzyme.jvp(lambda x: x**0.5, (x,), (1.0,))[0], (x,), (1.0,))
    assert again == root
    assert math.copysign(1.0, again) == 1.0


def masked(x):
    root = np.where(x > 0, np.sqrt(x), x * x)
    total = 0.0
    for one in x:
        logarithm = np.log(one)
        total += logarithm * one if one > 0.0 else one**3
    return root.sum() + total


def test_what_is_masked() -> None:
    """sqrt(x) + x log(x) where it is positive, else x^2 + x^3."""
    x = np.array([-2.0, 0.5, -1e-3, 3.0, 0.0, -1e-310])
    inside, size = x > 0, np.maximum(x, 0.1)
    first = np.where(inside, 0.5 / np.sqrt(size) + np.log(size) + 1, 2 * x + 3 * x * x)
    second = np.where(inside, -0.25 / np.sqrt(size) ** 3 + 1 / size, 2 + 6 * x)
    gradient = enzyme.grad(masked)
    value, change = enzyme.jvp(gradient, (x,), (np.ones(6),))
    reverse = enzyme.grad(lambda x: gradient(x).sum())(x)
    for found, right in ((gradient(x), first), (value, first), (change, second), (reverse, second)):
        np.testing.assert_allclose(found, right, rtol=1e-14)
