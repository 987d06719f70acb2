"""Integers that are counted in a field of records: what else lies in that field, and kernels that were refused.

    r[p[i]].v += x[i];  r[p[i]].k += 1        a sum and a count, side by side

With three turns of weights 1, 2, 3 and a place for each x the value is the sum of 3 (6 x)^2, its slope 216 x.

    far, i = heappop(waiting);  near[k] = i + k + 1        an index beside a number, and an array of what is computed of it

The heap holds tuples of a number and an index (distances by pysheds). From place 0 of four, one step or two at a time: the steps begin at
0 (twice), at a = x1 (twice), at b = x1 + x2 and at c = x2. The value is the sum of their squares, 2 a^2 + b^2 + c^2.
"""

from __future__ import annotations

from heapq import heappop, heappush

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.llvm import Module
from enzyme_py.passes.base import Draft
from enzyme_py.passes.types.integers.loads import IntegerLoads

SUMS = np.dtype([("k", np.int64), ("v", np.float64)], align=True)
X = np.array([0.5, 1.2, -0.7, 2.0])

RECORDS = """declare ptr @malloc(i64)
declare void @free(ptr)
declare void @other(ptr)
define double @f(ptr %x, i64 %n) {{
entry:
  %block = call ptr @malloc(i64 %n)
  %begin = getelementptr i8, ptr %block, i64 8
  %behind = getelementptr i8, ptr %block, i64 16
  %far = mul i64 %n, 16
  %record = getelementptr i8, ptr %begin, i64 %far
  %sum = getelementptr i8, ptr %record, i64 8
  store double 1.0, ptr %sum, align 8
  %count = load i64, ptr %record, align 8
  %more = add i64 %count, 1
  store i64 %more, ptr %record, align 8
  {use}
  %float = sitofp i64 %count to double
  ret double %float
}}
"""
APART = [
    "call void @free(ptr %block)",
    "%number = load double, ptr %block, align 8",
    "store double 1.0, ptr %behind, align 8",
    "%again = load i64, ptr %begin, align 8\n  %number = sitofp i64 %again to double",
]
TOGETHER = [
    "call void @other(ptr %block)",
    "%number = load double, ptr %begin, align 8",
    "store float 1.0, ptr %begin, align 4",
    "%middle = getelementptr i8, ptr %block, i64 12\n  store float 1.0, ptr %middle, align 4",
    "%middle = getelementptr i8, ptr %block, i64 4\n  store double 1.0, ptr %middle, align 4",
    "%next = getelementptr double, ptr %block, i64 %n\n  store double 1.0, ptr %next, align 8",
    "%again = load i64, ptr %begin, align 8\n  %number = bitcast i64 %again to double",
    "store ptr %block, ptr %x, align 8",
]


def is_tagged(use: str) -> bool:
    draft = Draft(Module(RECORDS.format(use=use)))
    IntegerLoads().run(draft)
    (count,) = [one for one in draft.code.function("f").instructions if one.name == "count"]
    return count.has_metadata("tbaa")


@pytest.mark.parametrize("use", APART)
def test_a_field_of_integers_alone(use: str) -> None:
    assert is_tagged(use)


@pytest.mark.parametrize("use", TOGETHER)
def test_a_field_that_may_hold_a_float(use: str) -> None:
    assert not is_tagged(use)


@numba.njit
def counted(x):
    total, n = 0.0, x.size
    sums = np.zeros(n, SUMS)
    for turn in range(3):
        for i in range(n):
            sums[(i * 3) % n].v += x[i] * (turn + 1)
            sums[(i * 3) % n].k += 1
    for i in range(n):
        total += sums[i].v ** 2 * sums[i].k
    return total


def test_a_sum_and_a_count() -> None:
    np.testing.assert_allclose(enzyme.grad(counted)(X), 216.0 * X, rtol=1e-14)
    np.testing.assert_allclose(enzyme.jvp(counted, (X,), (np.ones(4),))[1], 216.0 * X.sum(), rtol=1e-14)


@pytest.mark.parametrize("outer", [enzyme.Forward, enzyme.Reverse], ids=["forward", "reverse"])
def test_its_second_derivative(outer: enzyme.Mode) -> None:
    v = np.array([0.1, 0.2, 0.3, 0.4])
    np.testing.assert_allclose(enzyme.hvp(counted, X, v, outer=outer), 216.0 * v, rtol=1e-14)


@numba.njit
def waiting_places(x):
    squares = np.zeros(x.size)
    waiting = [(0.0, 0)]
    while waiting:
        far, i = heappop(waiting)
        near = np.empty(2, np.int64)
        for k in range(2):
            near[k] = i + k + 1
        for k in range(2):
            j = near[k]
            if j < x.size:
                squares[j] += far * far
                heappush(waiting, (far + x[j], j))
    return squares.sum()


def test_a_heap_of_numbers_and_places() -> None:
    """Refused in reverse mode: a field of the first record was counted from where the list begins.

    Where `near` is not an array the gradient was right, and the product with the Hessian ended the process: grown_caches.py.
    """
    x, v = np.array([0.5, 1.2, 0.7, 2.0]), np.array([0.1, 0.2, 0.3, 0.4])
    slopes = [0.0, 4.0 * x[1] + 2.0 * (x[1] + x[2]), 2.0 * (x[1] + x[2]) + 2.0 * x[2], 0.0]
    np.testing.assert_allclose(enzyme.grad(waiting_places)(x), slopes, rtol=1e-14)
    np.testing.assert_allclose(enzyme.jvp(waiting_places, (x,), (v,))[1], v @ slopes, rtol=1e-14)
    product = [0.0, 6.0 * v[1] + 2.0 * v[2], 2.0 * v[1] + 4.0 * v[2], 0.0]
    np.testing.assert_allclose(enzyme.hvp(waiting_places, x, v), product, rtol=1e-14)
