"""What is known of memory that a loop clears: the accesses of a function, and those of the functions that are handed it.

The kernel at the end is A B of A = sum x and B = sum x^2; its gradient is G = B + 2 A x, and the gradient of G.G is
4 ((sum G) x + G.x + A G). Where nothing was known of the memory of a loop's parts, the loop ran on one thread.
"""

from __future__ import annotations

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py import inspect
from enzyme_py.passes.types.typed_fills import TypedFills
from tests.passes.running import ran, with_line

CLEARED = """declare double @__enzyme_autodiff(...)
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @other(ptr)
define internal void @add(ptr %row, i64 %k, ptr %kept) {
  %at = getelementptr i8, ptr %row, i64 %k
  store double 1.0, ptr %at, align 8
  ret void
}
define double @f(ptr %kept, i64 %n) {
entry:
  %block = call ptr @malloc(i64 %n)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %next = add i64 %i, 24
  %row = getelementptr i8, ptr %block, i64 %i
  call void @llvm.memset.p0.i64(ptr %row, i8 0, i64 24, i1 false)
  call void @add(ptr %row, i64 8, ptr %kept)
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %end
end:
  %sum = load double, ptr %block, align 8
  call void @free(ptr %block)
  ret double %sum
}
define double @g(ptr %x) {
  %d = call double (...) @__enzyme_autodiff(ptr @f, ptr %x, ptr %x, i64 96)
  ret double %d
}
"""
STORED = "store double 1.0, ptr %at, align 8"
SAYS_FLOATS = '"enzyme_type"="{[-1]:Pointer, [-1,-1]:Float@double}" %row'
SAYS_NOTHING = "call void @enzyme_py_hint.before_clearing()"


def test_a_called_function_writes_floats() -> None:
    text = str(ran(TypedFills(), CLEARED).code)
    assert SAYS_FLOATS in text
    assert SAYS_NOTHING not in text


@pytest.mark.parametrize(
    "instead",
    [
        "call void @other(ptr %at)",
        "store ptr %at, ptr %kept, align 8",
        "store i64 1, ptr %at, align 8",
        f"{STORED}\n  store i64 %k, ptr %row, align 8",
    ],
)
def test_a_called_function_may_write_anything_else(instead: str) -> None:
    text = str(ran(TypedFills(), with_line(CLEARED, STORED, instead)).code)
    assert SAYS_FLOATS not in text
    assert SAYS_NOTHING in text


@pytest.mark.parametrize("called", ["@add", "@other"])
def test_what_it_calls_in_turn(called: str) -> None:
    """Itself, or a function that is not seen."""
    given = "ptr %at, i64 8, ptr %kept" if called == "@add" else "ptr %at"
    code = with_line(CLEARED, STORED, f"{STORED}\n  call void {called}({given})")
    assert (SAYS_FLOATS in str(ran(TypedFills(), code).code)) is (called == "@add")


@numba.njit(parallel=True)
def product_of_sums(x):
    sums = np.zeros(2)
    for i in numba.prange(x.size):
        sums += np.array([x[i], x[i] * x[i]])
    return sums[0] * sums[1]


def test_a_gradient_of_the_gradient_of_a_sum_of_arrays_on_threads() -> None:
    x = np.array([0.5, -1.25, 2.0, 0.75, -0.3])
    gradient = enzyme.grad(product_of_sums)

    def squared(x):
        by_x = gradient(x)
        return (by_x * by_x).sum()

    g = x @ x + 2 * x.sum() * x
    with enzyme.config(threads=2, parts=2):
        np.testing.assert_allclose(enzyme.grad(squared)(x), 4 * (g.sum() * x + g @ x + x.sum() * g), rtol=1e-13)
        (loop,) = inspect.loops(squared, x)
    assert loop.why_serial == ""
