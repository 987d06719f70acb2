"""Captured arrays in all orders: their numbers are constants, whatever the pass could read from their bytes.

Each kernel moves captured numbers c into an array b, one of which it multiplies by a, and returns sum |b|^2.
With that one c_k: by a, the first derivative is 2 a |c_k|^2, the second 2 |c_k|^2.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.llvm import Module
from enzyme_py.passes.base import Draft
from enzyme_py.passes.memory.captured_numbers import HideCapturedNumbers, RestoreCapturedNumbers
from tests.passes.running import ran
from tests.rotation import sweep

WITH_ZEROS = np.array([0.0, -1.25, 2.0])
WITHOUT = np.array([0.5, -1.25, 2.0])
ONLY_ZEROS = np.zeros(3)
SINGLE = np.array([0.0, 1.5, 2.0], np.float32)
COMPLEX = np.array([0.5 + 1j, 2 - 1j, 0j])
GRID = np.array([[0.0, 1.0], [2.0, 0.0]])
COLUMNS = np.asfortranarray(GRID)
STEPPED = np.arange(12.0)[::3]
LARGE = np.where(np.arange(200_000) % 2 == 0, 0.0, 0.75)
RECORDS = np.array([(1, 2.5), (2, 0.0)], dtype=[("n", "i8"), ("value", "f8")])
WHOLE = np.array([2, 0, 1])
STEPS = (0.0, 1.5, 2.5, -3.5)
A = 0.7


def one_by_one(a, n):
    b = np.zeros(8)
    for i in range(n):
        b[i] = WITH_ZEROS[i % 3]
    b[1] *= a
    return np.sum(b * b)


def no_zeros(a, n):
    b = np.zeros(8)
    for i in range(n):
        b[i] = WITHOUT[i % 3]
    b[1] *= a
    return np.sum(b * b)


def only_zeros(a, n):
    b = np.zeros(8)
    for i in range(n):
        b[i] = ONLY_ZEROS[i % 3] + 1.25
    b[1] *= a
    return np.sum(b * b)


def single(a, n):
    b = np.zeros(8)
    for i in range(n):
        b[i] = SINGLE[i % 3]
    b[1] *= a
    return np.sum(b * b)


def of_complex(a, n):
    b = np.zeros(8, np.complex128)
    for i in range(n):
        b[i] = COMPLEX[i % 3]
    b[0] *= a
    return np.sum((b * np.conj(b)).real)


def rows(a, n):
    b = np.zeros((4, 2))
    for i in range(n):
        b[i] = GRID[i % 2]
    b[1, 0] *= a
    return np.sum(b * b)


def in_columns(a, n):
    b = np.zeros(8)
    for i in range(n):
        b[i] = COLUMNS[i % 2, 1]
    b[0] *= a
    return np.sum(b * b)


def reshaped(a, n):
    flat = GRID.reshape(4)
    b = np.zeros(n)
    for i in range(n):
        b[i] = flat[i]
    b[2] *= a
    return np.sum(b * b)


def stepped(a, n):
    b = np.zeros(n)
    for i in range(n):
        b[i] = STEPPED[i]
    b[1] *= a
    return np.sum(b * b)


def large(a, n):
    b = np.zeros(n)
    for i in range(n):
        b[i] = LARGE[i * 7]
    b[1] *= a
    return np.sum(b * b)


def records(a, n):
    b = np.zeros(n)
    for i in range(n):
        b[i] = RECORDS[i % 2]["value"] * RECORDS[i % 2]["n"]
    b[0] *= a
    return np.sum(b * b)


def at_whole_numbers(a, n):
    b, k = np.zeros(8), np.zeros(8, np.int64)
    for i in range(n):
        k[i] = WHOLE[i % 3]
    for i in range(n):
        b[i] = k[i] * WITHOUT[WHOLE[k[i]]]
    b[2] *= a
    return np.sum(b * b)


def of_a_tuple(a, n):
    b = np.zeros(4)
    for i in range(n):
        b[i] = STEPS[i]
    b[3] *= a
    return np.sum(b * b)


def chosen(a, n):
    b = np.zeros(8)
    for i in range(8):
        k = (i * n) % 5
        if k == 0:
            c = 0.0
        elif k == 1:
            c = 1.5
        elif k == 2:
            c = 2.5
        else:
            c = -0.5
        b[i] = c
    b[4] *= a
    return np.sum(b * b)


def plain_function_of(a):
    """Nothing here that is looked at before the pass: LLVM writes names in its own way behind it."""
    total = 0.0
    for i in range(3):
        total = total * 0.0 + WITHOUT[i] * a
    return total * total


def copied(a, n):
    b = WITH_ZEROS.copy()
    b[n - 2] *= a
    return np.sum(b * b)


def assigned(a, n):
    b = np.empty((n, 3))
    b[:] = WITH_ZEROS
    b[0, 2] *= a
    return np.sum(b * b)


# By how much of the sum the number multiplied by a counts: |c_k|^2.
KERNELS: dict[Any, float] = {
    one_by_one: 1.5625,
    no_zeros: 1.5625,
    only_zeros: 1.5625,
    single: 2.25,
    of_complex: 1.25,
    rows: 4.0,
    in_columns: 1.0,
    reshaped: 4.0,
    stepped: 9.0,
    large: 0.5625,
    records: 6.25,
    at_whole_numbers: 0.25,
    of_a_tuple: 12.25,
    chosen: 2.25,
    copied: 4.0,
    assigned: 4.0,
}


@pytest.mark.parametrize("kernel", sweep(KERNELS, 2), ids=lambda kernel: kernel.__name__)
def test_all_orders(kernel: Any) -> None:
    weight, n = KERNELS[kernel], 4
    slope = enzyme.grad(kernel, argnums=0)

    def push(a):
        return enzyme.jvp(lambda z: kernel(z, n), (a,), (1.0,))[1]

    def pull(a):
        return slope(a, n)

    assert push(A) == pytest.approx(2 * A * weight, rel=1e-12)
    assert pull(A) == pytest.approx(2 * A * weight, rel=1e-12)
    for first in (push, pull):
        along = enzyme.jvp(first, (A,), (1.0,))[1]
        assert along == pytest.approx(2 * weight, rel=1e-12)
        assert enzyme.grad(first)(A) == pytest.approx(2 * weight, rel=1e-12)


DATA = """
@"a b" = internal unnamed_addr constant [8 x i8] c"\\00\\22\\00\\00\\00\\00\\00\\00", align 8, !enzyme_inactive !0
@table = private constant [2 x double] [double 0.0, double 1.0]
@text = internal constant [3 x i8] c"abc"
@zeros = internal constant [16 x i8] zeroinitializer, align 8, !enzyme_inactive !0
@other = external constant [3 x i8]
!0 = !{}
"""


def with_numbers(text: str, numbers: dict[str, tuple[str, str]]) -> str:
    """Return a text with the hidden numbers in place of their declarations."""
    draft = Draft(Module(text), hidden_numbers=numbers)
    RestoreCapturedNumbers().run(draft)
    return str(draft.code)


def test_data_with_floats_alone_are_taken_out_and_put_back() -> None:
    draft = ran(HideCapturedNumbers(), DATA)
    text, numbers = str(draft.code), draft.hidden_numbers
    assert set(numbers) == {"a b", "table", "zeros"}
    assert '@"a b" = external unnamed_addr constant [8 x i8], align 8, !enzyme_inactive !0' in text
    assert "@table = external constant [2 x double], !enzyme_inactive !{}" in text
    assert '@text = internal constant [3 x i8] c"abc"' in text
    marked = DATA.replace("double 1.0]", "double 1.0], !enzyme_inactive !{}")
    assert with_numbers(text, numbers) == marked
    assert '@"zeros" = internal constant [16 x i8] zeroinit' in with_numbers(
        text.replace("@zeros", '@"zeros"'), numbers
    )


def test_numbers_come_back_to_all_names() -> None:
    assert enzyme.jvp(plain_function_of, (A,), (1.0,))[1] == pytest.approx(8.0 * A, rel=1e-14)
    assert enzyme.grad(plain_function_of)(A) == pytest.approx(8.0 * A, rel=1e-14)


# -- where a constant meets active memory ----------------------------------------------------------

START = np.array([0.5, -1.25, 2.0])
WEIGHTS = np.array([[0.5, -0.25, 0.1], [0.2, 0.3, 0.4], [0.1, 0.2, 0.7]])


def carried(w, n):
    state = START
    for _ in range(n):
        state = np.tanh(w @ state)
    return np.sum(state)


def one_of_two(w, n):
    v = START if n > 3 else w[1]
    return np.sum(v * v * v)


def where(w, n):
    first = np.where(WITH_ZEROS > np.tanh(w[0, 0]), WITH_ZEROS, w[1])[:1]
    return np.sum(np.repeat(first, n) ** 3)


def in_a_callee(w, n):
    total = 0.0
    for _ in range(n):
        total += carried(w, 2)
    return total


@pytest.mark.parametrize("kernel", sweep([carried, one_of_two, where, in_a_callee], 2))
def test_what_a_kernel_captures_gets_a_shadow(kernel: Any) -> None:
    n, way = 3, np.cos(np.arange(9.0)).reshape(3, 3)
    slope = enzyme.grad(kernel, argnums=0)

    def push(w):
        return enzyme.jvp(lambda z: kernel(z, n), (w,), (way,))[1]

    def pull(w):
        return np.sum(slope(w, n) * way)

    def differences(function, step):
        return (function(WEIGHTS + step * way) - function(WEIGHTS - step * way)) / (2 * step)

    first = differences(lambda w: kernel(w, n), 1e-6)
    assert push(WEIGHTS) == pytest.approx(first, rel=1e-7, abs=1e-8)
    assert pull(WEIGHTS) == pytest.approx(first, rel=1e-7, abs=1e-8)
    second = differences(push, 1e-6)
    for inner in (push, pull):
        along = enzyme.jvp(inner, (WEIGHTS,), (way,))[1]
        assert along == pytest.approx(second, rel=1e-6, abs=1e-8)
        assert np.sum(enzyme.grad(inner)(WEIGHTS) * way) == pytest.approx(along, rel=1e-11)
