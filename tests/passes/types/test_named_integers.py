"""Integers that the language names: what functions that are called compute of arrays of indices, and what looks at the bits of floats."""

from __future__ import annotations

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.errors import NoDerivativeError
from enzyme_py.passes.types.integers.loads import IntegerLoads
from enzyme_py.symbols import BIT_VIEWS
from tests.passes.running import is_left_alone, ran
from tests.passes.switches import leave_out

X = np.array([1.7, 2.3, 0.4, 0.9])


@numba.njit
def add_up(sizes, parents, node):
    """Go from a node to the root of a tree, and write down on the way how the sizes differ."""
    total = 0
    while node > 0:
        parent = parents[node]
        total += sizes[node] - sizes[parent]
        sizes[node] = total
        node = parent


@numba.njit
def picked(x, kind):
    sizes, parents = np.zeros(4, kind.dtype), np.zeros(4, kind.dtype)
    for i in range(4):
        sizes[i], parents[i] = i * i, max(i - 1, 0)
    s = 0.0
    for _ in range(3):
        add_up(sizes, parents, 3)
        s += x[abs(sizes[2]) % 4] ** 2
    return s


def slopes_of_picked() -> np.ndarray:
    sizes, slopes = [0, 1, 4, 9], np.zeros(4)
    for _ in range(3):
        total = 0
        for node in (3, 2, 1):
            total += sizes[node] - sizes[node - 1]
            sizes[node] = total
        slopes[abs(sizes[2]) % 4] += 2 * X[abs(sizes[2]) % 4]
    return slopes


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.uint8])
def test_indices_that_a_called_function_computes_from_each_other(kind: type, monkeypatch: pytest.MonkeyPatch) -> None:
    leave_out("LLVM's inlining", monkeypatch.setattr)
    whole = np.zeros(1, kind)
    slopes = slopes_of_picked()
    np.testing.assert_allclose(enzyme.grad(picked)(X, whole), slopes, rtol=1e-14)
    for one, slope in zip(np.eye(4), slopes, strict=True):
        assert enzyme.jvp(lambda x: picked(x, whole), (X,), (one,))[1] == pytest.approx(slope, rel=1e-14)


@numba.njit
def through_bits(x):
    y = x * 1.0
    bits, other = y.view(np.int64), np.zeros(x.size, np.int64)
    for i in range(x.size):
        other[i] = bits[i]
    z = other.view(np.float64)
    return np.sum(z * z)


@numba.njit
def added_to_bits(x, k):
    y = x * 1.0
    bits, other = y.view(np.int64), np.zeros(x.size, np.int64)
    for i in range(x.size):
        other[i] = bits[i] + k
    z = other.view(np.float64)
    return np.sum(z * z)


def test_bits_of_floats_that_are_moved() -> None:
    np.testing.assert_allclose(enzyme.grad(through_bits)(X), 2 * X, rtol=1e-14)
    assert enzyme.jvp(through_bits, (X,), (np.ones(4),))[1] == pytest.approx(2 * X.sum(), rel=1e-14)


def test_bits_of_floats_that_are_computed_with_are_refused() -> None:
    with pytest.raises(NoDerivativeError, match="a float's bits"):
        enzyme.grad(added_to_bits)(X, 0)


NAMED = """define i64 @f(ptr %p) {
entry:
  %i = load i64, ptr %p, align 8, !tbaa !2
  %j = mul i64 %i, 3
  store i64 %j, ptr %p, align 8, !tbaa !2
  ret i64 %j
}

!0 = !{!"enzyme_py"}
!1 = !{!"whole", !0, i64 0}
!2 = !{!1, !1, i64 0}
"""


def test_what_is_named_is_told() -> None:
    code = ran(IntegerLoads(), NAMED).code
    tags = {one.metadata["tbaa"] for one in code.function("f").instructions if one.has_metadata("tbaa")}
    (tag,) = tags
    assert code.metadata[code.metadata[tag].operands[0]].operands[0] == '!"long"'


def test_not_where_bits_are_looked_at() -> None:
    assert is_left_alone(IntegerLoads(), f"declare void @{BIT_VIEWS}()\n{NAMED}")
