"""np.max, np.min, np.ptp, np.argmax, np.argmin, np.any and np.all: constants, found where Enzyme does not look.

Numba compares all elements in a loop. Enzyme notes in each iteration which element is the largest so far, beside
it, and LLVM makes no vectors of such a pair: half of the time of a log-sum-exp (docs/decisions/lowering.md). Here the place is
found outside, and the element is read from there: the first among equals, as in Numba's loop, or the first NaN, if there is
one. A loop that returns at the first that is true has a trip count that nobody knows: reverse over reverse is refused.

An array that is not contiguous is copied for the scan, and the element is read from the array itself.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing import signature
from numba.cpython.unsafe.tuple import tuple_setitem
from numba.extending import intrinsic, overload
from numba.np.arrayobj import load_item, make_array

from enzyme_py.frontend.numpy_functions.searching import TARGET
from enzyme_py.rules.orders import SCAN

_POINTER = ir.IntType(8).as_pointer()
_SIZE = ir.IntType(64)


def _scan(context: Any, builder: ir.IRBuilder, kind: Any, array: Any, side: str) -> ir.Value:
    """Emit the scan of an array."""
    function = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(_SIZE, [_POINTER, _SIZE]), f"{SCAN}.{side}.{kind.dtype}"
    )
    return builder.call(function, [builder.bitcast(array.data, _POINTER), array.nitems])


def _finder(side: str) -> Any:
    """Return `find(values)`: the place of the first extreme of an array that is not empty; for any and all 1 or 0."""

    @intrinsic
    def find(typing_context, values):  # type: ignore[no-untyped-def]
        def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> Any:
            array = make_array(sig.args[0])(context, builder, args[0])
            return _scan(context, builder, sig.args[0], array, side)

        return signature(types.intp, values), lower

    return find


@intrinsic
def _element(typing_context, values, place):  # type: ignore[no-untyped-def]
    """Return the element at a place that is known to be there."""

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> Any:
        kind = sig.args[0]
        array = make_array(kind)(context, builder, args[0])
        return load_item(context, builder, kind, builder.gep(array.data, [args[1]]))

    return signature(values.dtype, values, place), lower


def _is_known(array: Any, *dtypes: Any) -> bool:
    """Tell whether there is a scan for the elements of an array."""
    is_array = isinstance(array, types.Array) and array.ndim > 0
    return is_array and array.dtype in (dtypes or (types.float64, types.float32))


def _is_in_order(array: Any) -> bool:
    """Tell whether elements lie one behind the other, in the order in which Numba compares them."""
    return bool(array.layout == "C")


def _truth(find: Any) -> Callable[..., Any]:
    def of_kind(a: Any) -> Callable[..., Any] | None:
        if not _is_known(a, types.boolean):
            return None
        if _is_in_order(a):
            return lambda a: find(a) != 0
        return lambda a: find(a.ravel()) != 0

    return of_kind


def _elements(find: Any, message: str) -> Callable[..., Any]:
    def of_kind(a: Any) -> Callable[..., Any] | None:
        if not _is_known(a):
            return None

        def extreme(a):  # type: ignore[no-untyped-def]  # compiled by Numba
            if a.size == 0:
                raise ValueError(message)
            return _element(a, find(a))

        def extreme_of_copy(a):  # type: ignore[no-untyped-def]
            if a.size == 0:
                raise ValueError(message)
            return a.flat[find(a.ravel())]

        return extreme if _is_in_order(a) else extreme_of_copy

    return of_kind


def _places(find: Any, message: str) -> Callable[..., Any]:
    def of_kind(a: Any, axis: Any = None) -> Callable[..., Any] | None:
        if not _is_known(a):
            return None
        if isinstance(axis, types.Integer):
            return _places_by_axis(find, message, a.ndim)
        if not cgutils.is_nonelike(axis):
            return None

        def place(a, axis=None):  # type: ignore[no-untyped-def]
            if a.size == 0:
                raise ValueError(message)
            return find(a)

        def place_in_copy(a, axis=None):  # type: ignore[no-untyped-def]
            if a.size == 0:
                raise ValueError(message)
            return find(a.ravel())

        return place if _is_in_order(a) else place_in_copy

    return of_kind


def _places_by_axis(find: Any, message: str, rank: int) -> Callable[..., Any]:
    """Return what copies the elements along an axis, place by place, and scans each copy."""
    in_order = tuple(range(rank))

    def places(a, axis=None):  # type: ignore[no-untyped-def]
        last = axis + rank if axis < 0 else axis
        if last < 0 or last >= rank:
            raise ValueError("axis is out of bounds")
        axes = in_order
        for i in range(last, rank - 1):
            axes = tuple_setitem(axes, i, i + 1)
        moved = a.transpose(tuple_setitem(axes, rank - 1, last))
        length = moved.shape[rank - 1]
        if length == 0:
            raise ValueError(message)
        found = np.empty(moved.shape[:-1], np.intp)
        row = np.empty(length, a.dtype)
        for index in np.ndindex(moved.shape[:-1]):
            line = moved[index]
            for i in range(length):
                row[i] = line[i]
            found[index] = find(row)
        return found

    def only_place(a, axis=None):  # type: ignore[no-untyped-def]
        if axis not in (0, -1):
            raise ValueError("axis is out of bounds")
        if a.size == 0:
            raise ValueError(message)
        return find(a.ravel())

    return places if rank > 1 else only_place


_WORDS = {"max": "maximum", "min": "minimum"}
_NO_ELEMENT = "zero-size array to reduction operation {} which has no identity"
_NO_PLACE = "attempt to get arg{} of an empty sequence"


_FINDERS = {side: _finder(side) for side in (*_WORDS, "any", "all")}
# What a call becomes, by NumPy's function or the name of the array's method.
_BY_METHOD: dict[str, Callable[..., Any]] = {
    side: _truth(_FINDERS[side]) for side in ("any", "all")
}
_BY_METHOD |= {side: _elements(_FINDERS[side], _NO_ELEMENT.format(_WORDS[side])) for side in _WORDS}
_BY_METHOD |= {f"arg{side}": _places(_FINDERS[side], _NO_PLACE.format(side)) for side in _WORDS}
for _name, _code in _BY_METHOD.items():
    overload(getattr(np, _name), target=TARGET, strict=False)(_code)
for _name in ("amax", "amin"):
    overload(getattr(np, _name), target=TARGET, strict=False)(_BY_METHOD[_name[1:]])


@overload(np.ptp, target=TARGET, strict=False)
def _spread(a: Any) -> Callable[..., Any] | None:
    return _largest_less_smallest if _is_known(a) else None


def _largest_less_smallest(a):  # type: ignore[no-untyped-def]  # compiled by Numba
    if a.size == 0:
        raise ValueError("zero-size array reduction not possible")  # in Numba's words
    return np.max(a) - np.min(a)


def method(function: Any, sig: Any) -> Callable[..., Any] | None:
    """Return what lowers `x.max()`, `x.argmax()` or `x.any()`, None for anything else.

    Lowered here, because Numba keeps the code of a method under one name for all targets: which of two overloads
    it takes depends on what was imported first.
    """
    key = getattr(function, "typing_key", None)
    if sig is None or not isinstance(key, tuple) or key[0] is not types.Array:
        return None
    if key[1] not in _BY_METHOD:
        return None
    code = _BY_METHOD[key[1]](*sig.as_function().args)
    return None if code is None else functools.partial(_lower, code)


def _lower(code: Any, context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
    return context.compile_internal(builder, code, sig.as_function(), args)
