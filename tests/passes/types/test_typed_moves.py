"""Copies of blocks become loops of floats, and what that is for: reverse over forward of a gather from a copy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.passes.types.typed_moves import TypedMoves
from tests.passes.running import is_left_alone, ran, with_line

TEXT = """
define void @f(ptr %to, ptr %from, i64 %bytes) {
entry:
  call void @enzyme_py_hint.Float.double(ptr %from)
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %to, ptr align 8 %from, i64 %bytes, i1 false)
  ret void
}

declare void @enzyme_py_hint.Float.double(ptr)

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
"""


def test_the_text() -> None:
    code = str(ran(TypedMoves(), TEXT).code)
    assert "call void @llvm.memcpy" not in code
    assert "%numbers = udiv i64 %bytes, 8" in code
    assert "load double, ptr" in code
    assert "store double %number, ptr" in code
    assert is_left_alone(TypedMoves(), code)


OTHERS = {
    "of who knows what": ("Float.double(ptr %from)", "Float.double(ptr %bytes.at)"),
    "volatile": ("i64 %bytes, i1 false", "i64 %bytes, i1 true"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_stays(name: str) -> None:
    text = TEXT.replace("i64 %bytes)", "i64 %bytes, ptr %bytes.at)", 1)
    assert is_left_alone(TypedMoves(), with_line(text, *OTHERS[name]))


def test_floats_of_both_sizes_at_once_stay() -> None:
    text = with_line(TEXT, "(ptr %from)\n", "(ptr %from)\n  call void @enzyme_py_hint.Float.float(ptr %to)\n")
    text += "\ndeclare void @enzyme_py_hint.Float.float(ptr)\n"
    assert is_left_alone(TypedMoves(), text)


def gathered(values, columns, x, times):
    """Products of a matrix of one entry a row with a vector, one after another."""
    v = x.copy()
    new = x.copy()
    for _ in range(times):
        for i in range(x.size):
            new[i] = values[i] * v[columns[i]]
        v, new = new, v
    return np.sum(v * v)


def sparse(values, columns, starts, x, times):
    v = x.copy()
    new = x.copy()
    for _ in range(times):
        for i in range(x.size):
            total = 0.0
            for p in range(starts[i], starts[i + 1]):
                total += values[p] * v[columns[p]]
            new[i] = total
        v, new = new, v
    return np.sum(v * v)


def along_gathered(values, v, columns, x, times):
    moves = enzyme.Duplicated(values, v)
    return enzyme.autodiff(
        enzyme.Forward, gathered, moves, enzyme.Const(columns), enzyme.Const(x), enzyme.Const(times)
    )[0]


def along_sparse(values, v, columns, starts, x, times):
    moves = enzyme.Duplicated(values, v)
    return enzyme.autodiff(
        enzyme.Forward, sparse, moves, enzyme.Const(columns), enzyme.Const(starts), enzyme.Const(x), enzyme.Const(times)
    )[0]


N = 5
RANDOM = np.random.default_rng(4)
COLUMNS = RANDOM.integers(0, N, 2 * N)
STARTS = np.arange(0, 2 * N + 1, 2)
X = RANDOM.random(N) + 0.5
CASES: dict[str, tuple[Callable[..., Any], int, tuple[Any, ...]]] = {
    "gathered": (gathered, N, (COLUMNS[:N].copy(), X, 3)),
    "sparse": (sparse, 2 * N, (COLUMNS, STARTS, X, 3)),
}


def by_complex_steps(kernel: Callable[..., Any], values: np.ndarray, v: np.ndarray, others: Any) -> np.ndarray:
    """Return the Hessian times `v` of a polynomial: complex steps of differences that are exact up to degree six."""
    weights = ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))

    def along(at: np.ndarray) -> complex:
        terms = ((w, kernel(at + n * v, *others), kernel(at - n * v, *others)) for n, w in weights)
        return sum(w * (a - b) for w, a, b in terms)

    columns, *rest = others
    others = (columns, *(one + 0j if one is X else one for one in rest))
    return np.array([along(values + 1e-30j * way).imag / 1e-30 for way in np.eye(values.size)])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", CASES)
def test_reverse_over_forward(name: str, dtype: Any) -> None:
    kernel, size, others = CASES[name]
    others = tuple(one.astype(dtype) if one is X else one for one in others)

    along = {"gathered": along_gathered, "sparse": along_sparse}[name]
    values, v = RANDOM.random(size) + 0.5, RANDOM.random(size)
    wanted = by_complex_steps(kernel, values, v, CASES[name][2])
    found = enzyme.grad(along)(values.astype(dtype), v.astype(dtype), *others)
    forward = enzyme.hvp(kernel, values.astype(dtype), v.astype(dtype), *others)
    digits = 1e-9 if dtype is np.float64 else 2e-4
    np.testing.assert_allclose(found, wanted, rtol=digits, atol=digits * np.max(np.abs(wanted)))
    np.testing.assert_allclose(forward, wanted, rtol=digits, atol=digits * np.max(np.abs(wanted)))
