"""Integers that are read from memory only to count with: indices that are multiplied by a step on their way.

The k-th turn takes the third smallest of (k + 1) x and squares it: with s the third smallest of x that is s^2 (1 + 4 + 9)
in three turns, the slope by s is 28 s, and its slope 28.
"""

from __future__ import annotations

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.errors import NoDerivativeError
from enzyme_py.passes.types.integers.loads import IntegerLoads
from enzyme_py.symbols import OF_INTEGER
from tests.passes.running import is_left_alone, ran
from tests.passes.switches import leave_out

X = np.array([0.5, 0.3, 0.9, 0.7])


@numba.njit
def thirds(x):
    """The column is every second number, so an index into it is multiplied."""
    t = 0.0
    for k in range(3):
        p = np.zeros((x.size, 2))
        p[:, 1] = x * (k + 1.0)
        column = p[:, 1]
        t += column[np.argpartition(column, 2)[2]] ** 2
    return t


@numba.njit
def halved_bits(x):
    """Shifts the bits of its floats."""
    y = x * 1.0
    bits = y.view(np.int64)
    t = 0.0
    for k in range(x.size):
        bits[k] = (bits[k] << 1) >> 1
        t += y[k]
    return t


def test_an_index_from_memory_into_a_column() -> None:
    np.testing.assert_allclose(enzyme.grad(thirds)(X), [0.0, 0.0, 0.0, 28 * 0.7], rtol=1e-14)
    slope = enzyme.jvp(thirds, (X,), (np.ones(4),))[1]
    np.testing.assert_allclose(slope, 28 * 0.7, rtol=1e-14)


@pytest.mark.parametrize("way", ["forward", "reverse"])
def test_its_second_derivative(way: str) -> None:
    gradient = enzyme.grad(thirds)

    @numba.njit
    def along(x, v):
        return np.sum(gradient(x) * v)

    v, w = np.array([0.1, 0.2, 0.3, 0.4]), np.array([1.0, 2.0, 3.0, 4.0])
    if way == "forward":
        found = enzyme.jvp(along, (X, v), (w, np.zeros(4)))[1]
    else:
        found = enzyme.grad(along)(X, v) @ w
    np.testing.assert_allclose(found, 28 * 0.4 * 4.0, rtol=1e-14)


@numba.njit
def times_the_largest(x, n):
    y = np.sort(x[::-1].copy())
    s = 0.0
    for i in range(n):
        s += y[i % y.size] * np.max(y)
    return s


@numba.njit
def times_the_largest_twice(x):
    return times_the_largest(x, 2) * times_the_largest(x * 0.5, 2)


def test_the_size_of_an_array_that_a_call_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a < b < c < d that is (a + b) d, and a quarter of it."""
    leave_out("LLVM's inlining", monkeypatch.setattr)
    a, b, _, d = sorted(X)
    once = (a + b) * d
    slopes = np.array([d if one in (a, b) else a + b if one == d else 0.0 for one in X]) * once / 2
    np.testing.assert_allclose(enzyme.grad(times_the_largest_twice)(X), slopes, rtol=1e-14)
    for one, slope in zip(np.eye(4), slopes, strict=True):
        np.testing.assert_allclose(enzyme.jvp(times_the_largest_twice, (X,), (one,))[1], slope, rtol=1e-14)


def test_bits_of_floats_are_refused_as_before() -> None:
    with pytest.raises(NoDerivativeError, match="a float's bits") as refused:
        enzyme.grad(halved_bits)(X)
    assert "(bits[k] << 1) >> 1" in str(refused.value)


HEAD = "declare i64 @llvm.smin.i64(i64, i64)\ndeclare void @g(i64)\n"
HEAD += f"declare i64 @h(ptr, i64 {OF_INTEGER})\n"
HEAD += "define double @f(ptr %p, ptr %q, i64 %n) {\nentry:\n  %i = load i64, ptr %p, align 8\n"
INDEX = "  %step = shl i64 %i, 4\n  %at = getelementptr i8, ptr %q, i64 %step\n"
END = "  %r = load double, ptr %q, align 8\n  ret double %r\n}\n"
HARMLESS = {
    "an index": INDEX,
    "a comparison": "  %c = icmp slt i64 %i, %n\n",
    "a float by its value": "  %d = sitofp i64 %i to double\n",
    "the smaller of two": "  %j = call i64 @llvm.smin.i64(i64 %i, i64 %n)\n"
    "  %at = getelementptr double, ptr %q, i64 %j\n",
    "a function that is told a count": "  %j = call i64 @h(ptr %q, i64 %i)\n  %at = getelementptr double, ptr %q, i64 %j\n",
    "half of it": "  %j = lshr i64 %i, 1\n  %at = getelementptr double, ptr %q, i64 %j\n",
}
OTHERS = {
    "bits of a float": "  %b = shl i64 %i, 1\n  %d = bitcast i64 %b to double\n",
    "memory": "  store i64 %i, ptr %q, align 8\n",
    "a call": "  call void @g(i64 %i)\n",
    "what such a function finds": "  %j = call i64 @h(ptr %q, i64 %i)\n  %d = inttoptr i64 %j to ptr\n",
    "a pointer": "  %d = inttoptr i64 %i to ptr\n",
}


@pytest.mark.parametrize("use", HARMLESS.values(), ids=HARMLESS)
def test_what_is_only_counted_is_told_to_be_an_integer(use: str) -> None:
    code = ran(IntegerLoads(), HEAD + use + END).code
    tag = code.function("f")["i"].metadata["tbaa"]
    (integer, same, _) = code.metadata[tag].operands
    assert integer == same
    assert code.metadata[integer].operands[0] == '!"long"'
    assert f"  %i = load i64, ptr %p, align 8, !tbaa {tag}\n" in str(code)
    assert "  %r = load double, ptr %q, align 8\n" in str(code)


@pytest.mark.parametrize("use", OTHERS.values(), ids=OTHERS)
def test_what_may_become_a_float_again_is_not(use: str) -> None:
    assert is_left_alone(IntegerLoads(), HEAD + INDEX + use + END)


def test_what_has_a_tag_keeps_it() -> None:
    text = (HEAD + INDEX + END).replace("align 8\n", "align 8, !tbaa !7\n")
    types = '!7 = !{!8, !8, i64 0}\n!8 = !{!"other", !9, i64 0}\n!9 = !{!"root"}\n'
    assert is_left_alone(IntegerLoads(), text + types)
