"""np.convolve, np.correlate, np.ediff1d, np.unwrap and np.insert, as one pass over the result.

Numba swaps the operands where the second is longer, and walks the three parts of the result by shared
counters; Enzyme lost the derivative of the shorter operand without a word (measured, np.convolve
in reverse mode), and refused second orders. Here every entry of the result is a sum of its own. Phases are
unwrapped by whole turns, which are integers; and a number that is inserted need not become an array first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload, register_jitable
from numba.np.numpy_support import as_dtype, from_dtype

from enzyme_py.frontend.codegen.library_calls import constant

TARGET = "enzyme"


@register_jitable
def _place(mode, is_swapped, longer, shorter):  # type: ignore[no-untyped-def]  # compiled by Numba
    """Return where the result begins in that of mode "full", and its length."""
    if mode == "full":
        return 0, longer + shorter - 1
    if mode == "same":
        return (shorter if is_swapped else shorter - 1) // 2, longer
    if mode == "valid":
        return shorter - 1, longer - shorter + 1
    raise ValueError("mode must be 'full', 'same' or 'valid'")


@register_jitable
def _check(a, v):  # type: ignore[no-untyped-def]
    if len(a) == 0:
        raise ValueError("'a' cannot be empty")
    if len(v) == 0:
        raise ValueError("'v' cannot be empty")


def _joined(a: Any, v: Any) -> Any:
    """Return the type of the products of two vectors; None if these are something else."""
    if not all(isinstance(one, types.Array) and one.ndim == 1 for one in (a, v)):
        return None
    found = np.promote_types(as_dtype(a.dtype), as_dtype(v.dtype))
    return found.type if isinstance(from_dtype(found), types.Float | types.Complex) else None


@overload(np.convolve, target=TARGET, strict=False)  # annotations would count as a difference
def _convolve(a: Any, v: Any, mode: Any = "full") -> Callable[..., Any] | None:
    dtype = _joined(a, v)
    if dtype is None:
        return None

    def convolve(a, v, mode="full"):  # type: ignore[no-untyped-def]
        _check(a, v)
        m, n = len(a), len(v)
        start, length = _place(mode, False, max(m, n), min(m, n))
        result = np.empty(length, dtype)
        for i in range(length):
            total = dtype(0)
            for j in range(max(0, i + start - n + 1), min(i + start + 1, m)):
                total += a[j] * v[i + start - j]
            result[i] = total
        return result

    return convolve


@overload(np.correlate, target=TARGET, strict=False)
def _correlate(a: Any, v: Any, mode: Any = "valid") -> Callable[..., Any] | None:
    dtype = _joined(a, v)
    if dtype is None:
        return None

    def correlate(a, v, mode="valid"):  # type: ignore[no-untyped-def]
        _check(a, v)
        m, n = len(a), len(v)
        start, length = _place(mode, m < n, max(m, n), min(m, n))
        result = np.empty(length, dtype)
        for i in range(length):
            total = dtype(0)
            first = i + start - n + 1  # the place in `a` that meets v[0]
            for j in range(max(0, first), min(i + start + 1, m)):
                total += a[j] * np.conj(v[j - first])
            result[i] = total
        return result

    return correlate


@overload(np.ediff1d, target=TARGET, strict=False)
def _ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Callable[..., Any] | None:
    if not isinstance(ary, types.Array) or not isinstance(ary.dtype, types.Float | types.Complex):
        return None

    def ediff1d(ary, to_end=None, to_begin=None):  # type: ignore[no-untyped-def]
        begin, end, flat = _row(to_begin, ary), _row(to_end, ary), ary.ravel()
        count = max(0, flat.size - 1)
        result = np.empty(begin.size + count + end.size, ary.dtype)
        for i in range(begin.size):
            result[i] = begin[i]
        for i in range(count):
            result[begin.size + i] = flat[i + 1] - flat[i]
        for i in range(end.size):
            result[begin.size + count + i] = end[i]
        return result

    return ediff1d


def _row(given: Any, like: Any) -> Any:
    """Return what stands at an end, as a vector; only in compiled code."""


@overload(_row, strict=False)
def _as_row(given: Any, like: Any) -> Callable[..., Any]:
    if given is None or isinstance(given, types.NoneType | types.Omitted):
        return _nothing
    return _flat if isinstance(given, types.Array) else _single


def _nothing(given, like):  # type: ignore[no-untyped-def]
    return np.empty(0, like.dtype)


def _flat(given, like):  # type: ignore[no-untyped-def]
    return given.ravel()


def _single(given, like):  # type: ignore[no-untyped-def]
    return np.full(1, given, like.dtype)


@overload(np.unwrap, target=TARGET, strict=False)
def _unwrap(p: Any, discont: Any = None, axis: Any = -1, period: Any = 2 * np.pi) -> Any:
    if not isinstance(p, types.Array) or not isinstance(p.dtype, types.Float):
        return None
    return {1: _unwrapped, 2: _unwrapped_rows}.get(p.ndim)


def _unwrapped(p, discont=None, axis=-1, period=6.283185307179586):  # type: ignore[no-untyped-def]
    if axis != -1:
        raise ValueError('Value for argument "axis" is not supported')
    result = np.empty(p.size, p.dtype)
    _unwrap_into(result, p, period / 2 if discont is None else discont, period)
    return result


def _unwrapped_rows(p, discont=None, axis=-1, period=6.283185307179586):  # type: ignore[no-untyped-def]
    if axis != -1:
        raise ValueError('Value for argument "axis" is not supported')
    result = np.empty(p.shape, p.dtype)
    for row in range(p.shape[0]):
        _unwrap_into(result[row], p[row], period / 2 if discont is None else discont, period)
    return result


@register_jitable(forceinline=True)
def _unwrap_into(result, phases, largest, period):  # type: ignore[no-untyped-def]
    turns = 0
    for i in range(phases.size):
        if i > 0:
            step = constant(phases[i] - phases[i - 1])
            turns += _turns(step, largest, period / 2, period)
        result[i] = phases[i] + turns * period


@register_jitable(forceinline=True)
def _turns(step, largest, half, period):  # type: ignore[no-untyped-def]
    """Return how many periods take a step of phases to where NumPy wants it, as an integer."""
    if abs(step) < largest:
        return 0
    within = np.mod(step + half, period) - half
    if within == -half and step > 0:
        within = half
    return int(np.rint((within - step) / period))


@overload(np.insert, target=TARGET, strict=False)
def _insert(arr: Any, obj: Any, values: Any, axis: Any = None) -> Any:
    is_number = isinstance(values, types.Number | types.Boolean)
    if not is_number or not isinstance(obj, types.Integer) or not isinstance(arr, types.Array):
        return None
    return _with_number


def _with_number(arr, obj, values, axis=None):  # type: ignore[no-untyped-def]
    flat = np.ascontiguousarray(arr).reshape(arr.size)
    if obj < -flat.size or obj > flat.size:
        raise IndexError("index is out of bounds for the given array size")
    place = obj + flat.size if obj < 0 else obj
    result = np.empty(flat.size + 1, flat.dtype)
    for i in range(place):
        result[i] = flat[i]
    result[place] = values
    for i in range(place, flat.size):
        result[i + 1] = flat[i]
    return result
