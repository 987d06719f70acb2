"""Sums of a reverse sweep in any order: what is taken away, what is moved, and that it is the same sum."""

from __future__ import annotations

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.llvm import Module
from enzyme_py.native.rewrites.sums.reverse_sums import allow_any_order
from tests.native.sums.running import run

HEAD = """
define double @f(ptr %d, ptr %b, i64 %n, double %start) {
entry:
  br label %invertBody

invertBody:
  %i = phi i64 [ 0, %entry ], [ %next, %invertBody ]
  %sum = phi double [ %start, %entry ], [ %more, %invertBody ]
  %d.at = getelementptr double, ptr %d, i64 %i
  %x = load double, ptr %d.at, align 8
  %b.at = getelementptr double, ptr %b, i64 %i
  %y = load double, ptr %b.at, align 8
"""
END = """
  %next = add nsw i64 %i, 1
  %end = icmp eq i64 %next, %n
  br i1 %end, label %done, label %invertBody

done:
  ret double %more
}
"""
STRONG_ZERO = """
  %product = fmul double %x, %y
  %is.zero = fcmp oeq double %x, 0.000000e+00
  %with = fadd double %sum, %product
  %more = select i1 %is.zero, double %sum, double %with
"""
TWICE = """
  %product = fmul double %x, %y
  %is.zero = fcmp oeq double %x, 0.000000e+00
  %once = fadd double %product, %sum
  %with = fsub double %once, %y
  %more = select i1 %is.zero, double %sum, double %with
"""
USED_OTHERWISE = """
  %with = fadd double %sum, %x
  store double %with, ptr %b.at, align 8
  %more = fadd double %with, %y
"""
NO_SUM = """
  %more = fmul double %sum, %x
"""
IN_A_TERM = """
  %term = fmul double %sum, %x
  %more = fadd double %sum, %term
"""


def changed(body: str, head: str = HEAD) -> str:
    code = Module(head + body + END)
    allow_any_order(code)
    return str(code)


@pytest.mark.parametrize("body", [STRONG_ZERO, TWICE], ids=["strong zero", "two terms"])
def test_the_choice_is_made_of_the_term(body: str) -> None:
    text = changed(body)
    assert "fadd reassoc nsz double %sum" in text
    assert "double -0.000000e+00" in text
    rng = np.random.default_rng(0)
    for count in (1, 2, 7, 64, 301):
        d, b = rng.integers(-2, 3, count).astype(float), rng.integers(-5, 6, count).astype(float)
        expected = 4.0
        for x, y in zip(d, b, strict=True):
            expected += 0.0 if x == 0 else x * y - (y if body is TWICE else 0.0)
        assert run(text, d, b, 4.0) == expected
    d, b = np.array([0.0, 1.0, 0.0]), np.array([np.inf, 2.0, np.nan])
    assert run(text, d, b, 4.0) == (6.0 if body is STRONG_ZERO else 4.0)


@pytest.mark.parametrize("body", [USED_OTHERWISE, NO_SUM, IN_A_TERM], ids=["used", "no sum", "in a term"])
def test_other_values_stay(body: str) -> None:
    assert changed(body) == str(Module(HEAD + body + END))


def test_zeros_are_dropped_in_reverse_sweeps_only() -> None:
    body = """
  %moved = fadd double %x, 0.000000e+00
  %own_unwrap = fadd double %y, 0.000000e+00
  %term = fmul double %moved, %own_unwrap
  %more = fadd double %sum, %term
"""
    text = changed(body)
    assert "%moved" not in text
    assert "%own_unwrap = fadd double %y, 0.000000e+00" in text, "a number of the primal, computed again"
    primal = (HEAD + body + END).replace("invertBody", "forBody")
    code = Module(primal)
    allow_any_order(code)
    assert str(code) == str(Module(primal))


def test_a_negative_zero_is_added_to_by_nothing_else() -> None:
    """fadd x, -0.0 and fsub x, 0.0 are x already for LLVM; fadd x, 1.0 is not."""
    body = """
  %moved = fadd double %x, 1.000000e+00
  %more = fadd double %sum, %moved
"""
    assert "%moved = fadd double %x, 1.000000e+00" in changed(body)


def test_one_order_where_it_is_asked_for() -> None:
    """The gradient of a matrix product by loops sums along a row: `ordered_sums` keeps Enzyme's order to the last digit."""

    def product(a, b):
        total = 0.0
        for i in range(a.shape[0]):
            for k in range(a.shape[1]):
                for j in range(b.shape[1]):
                    total += np.sin(i + 0.1 * j) * a[i, k] * b[k, j]
        return total

    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(7, 33)), rng.normal(size=(33, 41))
    weights = np.sin(np.arange(7)[:, None] + 0.1 * np.arange(41))
    free = enzyme.grad(numba.njit(product), argnums=(0, 1))(a, b)
    with enzyme.config(ordered_sums=True):
        ordered = enzyme.grad(numba.njit(product), argnums=(0, 1))(a, b)
        again = enzyme.grad(numba.njit(product), argnums=(0, 1))(a, b)
    for one, other, third, exact in zip(free, ordered, again, (weights @ b.T, a.T @ weights), strict=True):
        np.testing.assert_allclose(one, exact, rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(other, exact, rtol=1e-12, atol=1e-13)
        np.testing.assert_array_equal(other, third)


def test_choices_of_choices_are_not_followed_in_all_ways(monkeypatch) -> None:
    """Thirty choices between two sums of the one before: 2^30 ways, of which a first gradient took half a minute."""
    from enzyme_py.native.rewrites.sums import reverse_sums

    steps, step = [0], reverse_sums._step

    def counted(*given):
        steps[0] += 1
        assert steps[0] < 10_000
        return step(*given)

    monkeypatch.setattr(reverse_sums, "_step", counted)
    lines, last = ["  %is.zero = fcmp oeq double %x, 0.000000e+00"], "%sum"
    for level in range(30):
        lines += [
            f"  %one{level} = fadd double %x, {last}",
            f"  %two{level} = fadd double %y, {last}",
            f"  %chosen{level} = select i1 %is.zero, double %one{level}, double %two{level}",
        ]
        last = f"%chosen{level}"
    body = "\n".join([*lines, f"  %more = fadd double {last}, %x"])
    changed(body)
