"""logsumexp, softmax and log_softmax in compiled code: loops along an axis, which Enzyme differentiates.

SciPy's are Python. Here as there the largest number is taken away before the exponentials. The result does not depend on
what is taken away, so it counts as constant, and that holds for all orders.

Arguments are real: numbers, arrays, lists and tuples of numbers. `axis` is None or an integer, which may be known at run
time only; `keepdims` is written in the call. Several axes at once, complex numbers and `return_sign` are refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special
from numba.core import types
from numba.cpython.unsafe.tuple import tuple_setitem
from numba.extending import overload, register_jitable

from enzyme_py.errors import UnsupportedTypeError
from enzyme_py.frontend.codegen.library_calls import constant

_TARGETS = ("generic", "enzyme")
_LARGEST = 700.0  # exp of it is finite


def register() -> None:
    """Teach Numba the three."""
    for target in _TARGETS:
        options = {"target": target, "strict": False, "prefer_literal": True}
        overload(scipy.special.logsumexp, **options)(_typed_logsumexp)
        overload(scipy.special.softmax, **options)(_of_axis("softmax", _softmax, 1.0))
        overload(scipy.special.log_softmax, **options)(_of_axis("log_softmax", _log_softmax, 0.0))


def _typed_logsumexp(a, axis=None, b=None, keepdims=False, return_sign=False):  # type: ignore[no-untyped-def]
    if _value(return_sign) is not False:
        raise _refusal("logsumexp with return_sign", "the sum of b * np.exp(a - np.max(a)), and its np.sign")
    if _value(keepdims) not in (True, False):
        raise _refusal("logsumexp with a keepdims that is known at run time only", "keepdims=True in the call")
    _check("logsumexp", a, axis)
    has_weights, is_kept = _value(b) is not None, _value(keepdims)
    if isinstance(a, types.Number):
        if has_weights:
            return lambda a, axis=None, b=None, keepdims=False, return_sign=False: a + np.log(b)
        return lambda a, axis=None, b=None, keepdims=False, return_sign=False: a * 1.0
    along = _along(axis, is_kept)
    if not has_weights:

        def plain(a, axis=None, b=None, keepdims=False, return_sign=False):  # type: ignore[no-untyped-def]
            numbers = _floats(a)
            return along(numbers, _log_sums(_as_blocks(numbers, axis)), axis)

        return plain

    def weighted(a, axis=None, b=None, keepdims=False, return_sign=False):  # type: ignore[no-untyped-def]
        numbers = _floats(a)
        weights = np.broadcast_to(_floats(b), numbers.shape)
        return along(numbers, _weighted_log_sums(_as_blocks(numbers, axis), _as_blocks(weights, axis)), axis)

    return weighted


def _of_axis(name: str, of_blocks: Any, of_number: float) -> Callable[..., Any]:
    """Return the typing of a function whose result has the shape of its argument."""

    def typed(x, axis=None):  # type: ignore[no-untyped-def]
        _check(name, x, axis)
        if isinstance(x, types.Number):
            return lambda x, axis=None: of_number

        def implementation(x, axis=None):  # type: ignore[no-untyped-def]
            numbers = _floats(x)
            return of_blocks(_as_blocks(numbers, axis)).reshape(numbers.shape)

        return implementation

    return typed


def _check(name: str, given: Any, axis: Any) -> None:
    """Refuse arguments that have no loop here."""
    axis = _value(axis)
    if not (axis is None or isinstance(axis, int | types.Integer)):
        raise _refusal(f"{name} along several axes", "one axis, or a reshape before it")
    kind = getattr(given, "dtype", given)
    if isinstance(kind, types.Complex):
        raise _refusal(f"{name} of complex numbers", "np.log(np.sum(np.exp(a)))")


def _refusal(what: str, instead: str) -> UnsupportedTypeError:
    return UnsupportedTypeError(f"a kernel calls {what}, which is not differentiated", remedy=f"write {instead}")


def _value(kind: Any) -> Any:
    """Return a constant that a type stands for: of an argument left out, of a literal; else the type."""
    kind = getattr(kind, "value", kind) if isinstance(kind, types.Omitted) else kind
    kind = getattr(kind, "literal_value", kind)
    return None if isinstance(kind, types.NoneType) else kind


def _along(axis: Any, is_kept: bool) -> Any:
    """Return what gives sums, as (before, behind) an axis, the shape of the result."""
    if _value(axis) is None:
        return _all_kept if is_kept else _all
    return _kept if is_kept else _one


# Compiled by Numba from here on.


def _fixed(number: Any) -> Any:
    """Stand for a number that is constant to derivatives; elsewhere there are none."""


overload(_fixed, target="generic", strict=False)(lambda number: lambda number: number)
overload(_fixed, target="enzyme", strict=False)(lambda number: lambda number: constant(number))  # noqa: PLW0108


@register_jitable
def _all(a: Any, sums: Any, axis: Any) -> Any:
    return sums[0, 0]


@register_jitable
def _all_kept(a: Any, sums: Any, axis: Any) -> Any:
    shape = a.shape
    for i in range(a.ndim):
        shape = tuple_setitem(shape, i, 1)
    return sums.reshape(shape)


@register_jitable
def _kept(a: Any, sums: Any, axis: Any) -> Any:
    return sums.reshape(tuple_setitem(a.shape, axis % a.ndim, 1))


def _one(a: Any, sums: Any, axis: Any) -> Any:
    """Stand for the shape without the axis, a number if that was all."""


@overload(_one, strict=False)
def _typed_one(a: Any, sums: Any, axis: Any) -> Any:
    if a.ndim == 1:
        return lambda a, sums, axis: sums[0, 0]

    def implementation(a: Any, sums: Any, axis: Any) -> Any:
        shape, place = a.shape[1:], axis % a.ndim
        for i in range(a.ndim - 1):
            shape = tuple_setitem(shape, i, a.shape[i if i < place else i + 1])
        return sums.reshape(shape)

    return implementation


def _floats(a: Any) -> Any:
    """Stand for an array of floats made of an argument."""


@overload(_floats, strict=False)
def _typed_floats(a: Any) -> Any:
    if not isinstance(a, types.Array):
        return lambda a: _floats(np.array(a))
    if isinstance(a.dtype, types.Float):
        return lambda a: a
    return lambda a: a.astype(np.float64)


def _as_blocks(a: Any, axis: Any) -> Any:
    """Stand for an array seen as (before, along, behind) an axis; all of it is along None."""


@overload(_as_blocks, strict=False)
def _typed_as_blocks(a: Any, axis: Any) -> Any:
    if _value(axis) is None:
        return lambda a, axis: np.ascontiguousarray(a).reshape((1, a.size, 1))

    def implementation(a: Any, axis: Any) -> Any:
        if axis < -a.ndim or axis >= a.ndim:
            raise ValueError("axis is out of bounds")
        place = axis % a.ndim
        before, behind = 1, 1
        for i in range(a.ndim):
            before *= a.shape[i] if i < place else 1
            behind *= a.shape[i] if i > place else 1
        return np.ascontiguousarray(a).reshape((before, a.shape[place], behind))

    return implementation


@register_jitable
def _place_of_largest(blocks: Any, i: Any, k: Any) -> Any:
    """Return where the largest number is; -1 if it is not finite, or there is none."""
    place = -1
    for j in range(blocks.shape[1]):
        number = blocks[i, j, k]
        if np.isnan(number) or number == np.inf:
            return -1
        if number > -np.inf and (place < 0 or number > blocks[i, place, k]):
            place = j
    return place


@register_jitable
def _log_sum(blocks: Any, i: Any, k: Any, place: Any) -> Any:
    """Return the logarithm of a sum of exponentials, less the largest number."""
    if place < 0:
        total = 0.0
        for j in range(blocks.shape[1]):
            total += np.exp(blocks[i, j, k])
        return np.log(total)
    level = _fixed(blocks[i, place, k])
    rest = 0.0
    for j in range(blocks.shape[1]):
        shifted = blocks[i, j, k] - level
        rest += np.expm1(shifted) if j == place else np.exp(shifted)
    return np.log1p(rest)


@register_jitable
def _log_sums(blocks: Any) -> Any:
    sums = np.empty((blocks.shape[0], blocks.shape[2]), blocks.dtype)
    for i in range(blocks.shape[0]):
        for k in range(blocks.shape[2]):
            place = _place_of_largest(blocks, i, k)
            level = _fixed(blocks[i, place, k]) if place >= 0 else blocks.dtype.type(0.0)
            sums[i, k] = level + _log_sum(blocks, i, k, place)
    return sums


@register_jitable
def _weighted_log_sums(blocks: Any, weights: Any) -> Any:
    """Return logarithms of sums with weights; what has the weight zero counts for nothing, but has a slope by its weight."""
    sums = np.empty((blocks.shape[0], blocks.shape[2]), blocks.dtype)
    for i in range(blocks.shape[0]):
        for k in range(blocks.shape[2]):
            level = -np.inf
            for j in range(blocks.shape[1]):
                if weights[i, j, k] != 0.0:
                    level = max(level, _fixed(blocks[i, j, k]))
            level = level if np.isfinite(level) else 0.0
            total = 0.0
            for j in range(blocks.shape[1]):
                shifted = blocks[i, j, k] - level
                if weights[i, j, k] == 0.0 and not shifted <= _LARGEST:
                    shifted = _LARGEST + 0.0 * level
                total += weights[i, j, k] * np.exp(shifted)
            sums[i, k] = level + np.log(total)
    return sums


@register_jitable
def _softmax(blocks: Any) -> Any:
    found = np.empty_like(blocks)
    for i in range(blocks.shape[0]):
        for k in range(blocks.shape[2]):
            place = _place_of_largest(blocks, i, k)
            level = _fixed(blocks[i, place, k]) if place >= 0 else blocks.dtype.type(0.0)
            total = 0.0
            for j in range(blocks.shape[1]):
                found[i, j, k] = np.exp(blocks[i, j, k] - level)
                total += found[i, j, k]
            for j in range(blocks.shape[1]):
                found[i, j, k] = found[i, j, k] / total
    return found


@register_jitable
def _log_softmax(blocks: Any) -> Any:
    found = np.empty_like(blocks)
    for i in range(blocks.shape[0]):
        for k in range(blocks.shape[2]):
            place = _place_of_largest(blocks, i, k)
            level = _fixed(blocks[i, place, k]) if place >= 0 else blocks.dtype.type(0.0)
            total = _log_sum(blocks, i, k, place)
            for j in range(blocks.shape[1]):
                found[i, j, k] = blocks[i, j, k] - level - total
    return found
