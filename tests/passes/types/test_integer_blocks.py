"""Integers that are computed and kept in arrays: what is read from a block of them, and kernels that were refused."""

from __future__ import annotations

import itertools
import math

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.errors import EnzymeError
from enzyme_py.llvm import Module
from enzyme_py.passes.base import Draft
from enzyme_py.passes.types.integers.loads import IntegerLoads

BLOCK = """declare ptr @malloc(i64)
declare void @free(ptr)
declare void @other(ptr)
declare void @sort(ptr "enzyme_type"="{{[-1]:Pointer, [-1,-1]:Integer}}")
define double @f(ptr "enzyme_type"="{{[-1]:Pointer, [-1,8]:Pointer, [-1,8,-1]:Integer, [-1,16]:Pointer, [-1,16,-1]:Float@double}}" %result, ptr %table, ptr %x, i64 %n) {{
entry:
  %block = call ptr @malloc(i64 %n)
  %spare = call ptr @malloc(i64 %n)
  %step = load i64, ptr %table, align 8
  %product = mul i64 %step, %n
  %place = getelementptr i64, ptr %block, i64 %n
  store i64 %product, ptr %place, align 8
  {use}
  %index = load i64, ptr %block, align 8
  %item = getelementptr double, ptr %x, i64 %index
  %number = load double, ptr %item, align 8
  ret double %number
}}
"""

RIGHT = [
    "call void @free(ptr %block)",
    "call void @sort(ptr %place)",
    "store ptr %block, ptr %result.8, align 8",
    "%at = ptrtoint ptr %place to i64\n  %is.behind = icmp ult i64 %at, %n",
    "%either = select i1 true, ptr %place, ptr null\n  store i64 %product, ptr %either, align 8",
    "%both = select i1 true, ptr %place, ptr %spare\n  store i64 %product, ptr %both, align 8\n  call void @free(ptr %spare)",
]
WRONG = [
    "call void @other(ptr %block)",
    "%bits = load double, ptr %place, align 8",
    "store ptr %block, ptr %result.16, align 8",
    "store ptr %block, ptr %table, align 8",
    "%at = ptrtoint ptr %place to i64\n  store i64 %at, ptr %table, align 8",
    "store double 1.0, ptr %place, align 8",
    "%both = select i1 true, ptr %place, ptr %x\n  store i64 %product, ptr %both, align 8",
    "%both = select i1 true, ptr %place, ptr %spare\n  store i64 %product, ptr %both, align 8\n  store double 1.0, ptr %spare",
    "%both = select i1 true, ptr %place, ptr inttoptr (i64 8 to ptr)\n  store i64 %product, ptr %both, align 8",
    "%both = select i1 true, ptr %place, ptr %spare\n  %bits = load double, ptr %both, align 8",
]


def tagged(use):
    for offset in (8, 16):
        if f"%result.{offset}" in use:
            use = f"%result.{offset} = getelementptr inbounds i8, ptr %result, i64 {offset}\n  {use}"
    draft = Draft(Module(BLOCK.format(use=use)))
    IntegerLoads().run(draft)
    (step,) = [one for one in draft.code.function("f").instructions if one.name == "step"]
    return step.has_metadata("tbaa")


@pytest.mark.parametrize("use", RIGHT)
def test_a_block_of_integers(use):
    assert tagged(use)


@pytest.mark.parametrize("use", WRONG)
def test_a_block_that_may_hold_a_float(use):
    assert not tagged(use)


def selected(x, columns, shape, lengths):
    """The entries of a sparse row that a slice holds, and their places in it: code as pydata's sparse has it."""
    strides = np.empty(len(shape), dtype=np.intp)
    stride = 1
    for axis in range(len(shape) - 1, -1, -1):
        strides[axis] = stride
        stride *= lengths[axis]
    places = np.empty(len(x), dtype=np.intp)
    kept = np.empty(len(x), dtype=np.intp)
    count = 0
    for p in range(len(x)):
        place = 0
        for axis in range(len(shape)):
            at = columns[p] // shape[axis]
            if at >= lengths[axis]:
                break
            place += at * strides[axis]
        else:
            places[count] = place
            kept[count] = p
            count += 1
    order = np.argsort(places[:count])
    places[:count] = places[:count][order]
    kept[:count] = kept[:count][order]
    return x[kept[:count]] ** 2, places[:count].copy()


X = np.array([1.0, 2.0, 3.0, 4.0])
ARGUMENTS = (X, np.array([5, 0, 9, 2]), np.array([3, 2]), np.array([2, 3]))


def test_forward_mode_of_places_that_are_computed():
    """Columns 5, 0 and 2 lie at (1, 2), (0, 0) and (0, 1) of the slice, whose places are 5, 0 and 1; 9 lies outside."""
    way = np.array([1.0, 0.5, 2.0, -1.0])
    zeros = [np.zeros_like(one) for one in ARGUMENTS[1:]]
    (numbers, places), (slopes, none) = enzyme.jvp(selected, ARGUMENTS, (way, *zeros))
    assert numbers.tolist() == [4.0, 16.0, 1.0]
    assert places.tolist() == [0, 1, 5]
    assert np.allclose(slopes, [2 * 2 * 0.5, 2 * 4 * -1.0, 2 * 1 * 1.0])
    assert none.tolist() == [0, 0, 0]
    jacobian = np.zeros((3, 4))
    jacobian[0, 1], jacobian[1, 3], jacobian[2, 0] = 4.0, 8.0, 2.0
    assert np.allclose(enzyme.jacfwd(selected)(*ARGUMENTS)[0], jacobian)
    _, pull = enzyme.vjp(selected, *ARGUMENTS)
    assert np.allclose(pull((np.ones(3), None))[0], jacobian.sum(axis=0))


def test_bits_of_floats_in_such_a_block_are_refused():
    """Else their derivative would be zero, without a word."""

    def doubled(x):
        bits = x.view(np.int64)
        moved = np.empty(len(x), np.int64)
        for i in range(len(x)):
            moved[i] = bits[i] + (1 << 52)
        return moved.view(np.float64)

    assert np.allclose(doubled(X), 2 * X)
    with pytest.raises(EnzymeError):
        enzyme.jvp(doubled, (X,), (X,))
    with pytest.raises(EnzymeError):
        enzyme.vjp(doubled, X)[1](X)


@numba.njit
def subsets(n, size):
    """All subsets of so many of the first n numbers, in order."""
    chosen = np.arange(size)
    yield chosen.copy()
    while True:
        k = size - 1
        while k >= 0 and chosen[k] == n - size + k:
            k -= 1
        if k < 0:
            return
        chosen[k] += 1
        for m in range(k + 1, size):
            chosen[m] = chosen[m - 1] + 1
        yield chosen.copy()


def symmetric(x, size):
    """The elementary symmetric polynomial of a degree."""
    total = 0.0
    for subset in subsets(x.size, size):
        product = 1.0
        for i in subset:
            product *= x[i]
        total += product
    return total


def test_indices_that_a_generator_keeps():
    """Refused, as arithmetic on a float's bits: where the generator goes on, its array may be one of two. The slope is that of the others."""
    x = np.array([0.2, 0.3, 0.4, 0.5, 0.7])
    others = [np.delete(x, i) for i in range(5)]
    right = np.array([sum(a * b for a, b in itertools.combinations(one, 2)) for one in others])
    np.testing.assert_allclose(enzyme.grad(symmetric)(x, 3), right, rtol=1e-14)
    assert np.isclose(enzyme.jvp(symmetric, (x, 3), (x, 0))[1], right @ x, rtol=1e-14)
    second = [[0.0 if i == k else x.sum() - x[i] - x[k] for i in range(5)] for k in range(5)]
    np.testing.assert_allclose(enzyme.hessian(symmetric)(x, 3), second, rtol=1e-12)


def test_places_of_an_argument_or_sorted_ones_that_are_written():
    """Refused in forward mode: the sorted block was marked as active, beside an argument that is constant."""

    def kernel(x, places):
        chosen = places
        if x.shape[0] == 2:
            chosen = np.sort(places * 3)
        chosen[0] = 7
        total = 0.0
        for k in range(x.shape[0]):
            total += x[k] * chosen[k]
        return total

    for count, weights in ((3, [7.0, 3.0, 1.0]), (2, [7.0, 9.0])):
        x = np.arange(1.0, count + 1.0)
        value, tangent = enzyme.jvp(kernel, (x, np.array([5, 3, 1])), (np.eye(count)[1], None))
        assert (value, tangent) == (x @ weights, weights[1])
        np.testing.assert_array_equal(enzyme.grad(kernel)(x, np.array([5, 3, 1])), weights)


def windows(y, places, width):
    """The sum of the squares of each window about a place, in arrays whose sizes are differences of counts (wotan's running lines)."""
    n, total = places.size, 0.0
    left, right = np.zeros(n, np.int64), np.zeros(n, np.int64)
    for i in range(n):
        for j in range(n):
            if places[j] < places[i] - width:
                left[i] += 1
            if places[j] <= places[i] + width:
                right[i] += 1
    for i in range(n):
        kept = np.empty(right[i] - left[i])
        for j in range(kept.size):
            kept[j] = y[left[i] + j] ** 2
        total += kept.sum()
    return total


def test_sizes_that_are_differences_of_counts() -> None:
    """Refused in both modes: a number that says how much memory is made was taken for what may be a float's bits."""
    places, y = np.array([0.0, 1.0, 1.5, 4.0, 5.0]), np.array([1.0, 2.0, -1.0, 0.5, 3.0])
    times = np.array([np.sum(np.abs(places - one) <= 1.6) for one in places])
    gradient = enzyme.grad(windows)
    np.testing.assert_allclose(gradient(y, places, 1.6), 2.0 * times * y, rtol=1e-15)
    still = np.zeros(5), 0.0
    np.testing.assert_allclose(enzyme.jvp(windows, (y, places, 1.6), (np.ones(5), *still))[1], np.sum(2.0 * times * y), rtol=1e-15)
    np.testing.assert_allclose(enzyme.jvp(gradient, (y, places, 1.6), (np.ones(5), *still))[1], 2.0 * times, rtol=1e-15)


SIZES = {
    "malloc": "%use = call ptr @malloc(i64 %index)",
    "memset": "call void @llvm.memset.p0.i64(ptr %x, i8 0, i64 %index, i1 false)",
    "checked": "%both = call { i64, i1 } @llvm.smul.with.overflow.i64(i64 %index, i64 %n)\n  %part = extractvalue { i64, i1 } %both, 0\n  %use = call ptr @malloc(i64 %part)",
}
NO_SIZES = {
    "address": "%use = inttoptr i64 %index to ptr\n  call void @llvm.memset.p0.i64(ptr %use, i8 0, i64 8, i1 false)",
    "float": "%use = bitcast i64 %index to double",
    "byte": "%use = trunc i64 %index to i8\n  call void @llvm.memset.p0.i64(ptr %x, i8 %use, i64 8, i1 false)",
}


@pytest.mark.parametrize("name", [*SIZES, *NO_SIZES])
def test_what_says_how_much_memory_is_an_integer(name: str) -> None:
    text = """
declare ptr @malloc(i64)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare { i64, i1 } @llvm.smul.with.overflow.i64(i64, i64)
define void @f(ptr %x, i64 %n) {
  %index = load i64, ptr %x, align 8
  USE
  ret void
}
"""
    draft = Draft(Module(text.replace("USE", (SIZES | NO_SIZES)[name])))
    IntegerLoads().run(draft)
    assert draft.code.function("f")["index"].has_metadata("tbaa") == (name in SIZES)


@numba.njit
def counted(x, calls, a):
    """A function that counts its calls, and says in its error how many: two of it are not inlined (scijit's root finders)."""
    calls[0] += 1
    y = math.exp(a * x)
    if math.isnan(y):
        raise ValueError("no number in call " + str(calls[0]))
    return y


def called_twice(a):
    calls = np.zeros(1, np.int64)
    return (counted(2.0, calls, a) + counted(3.0, calls, a)) * calls[0]


def test_counts_in_functions_that_are_called() -> None:
    """Forward mode was refused: the block of counts was not followed into functions, nor the count into its text."""
    expected = 4.0 * math.exp(1.0) + 6.0 * math.exp(1.5)
    np.testing.assert_allclose(enzyme.jvp(called_twice, (0.5,), (1.0,))[1], expected, rtol=1e-14)
    np.testing.assert_allclose(enzyme.grad(called_twice)(0.5), expected, rtol=1e-14)
    with pytest.raises(ValueError, match="no number in call 1"):
        enzyme.grad(called_twice)(math.nan)
