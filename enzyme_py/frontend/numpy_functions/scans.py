"""np.max, np.min, np.argmax, np.argmin, np.any and np.all: constants, found where Enzyme does not look.

Numba compares all elements in a loop. Enzyme notes in each iteration which element is the largest so far, beside
it, and LLVM makes no vectors of such a pair: half of the time of a log-sum-exp (docs/decisions/lowering.md). Here the place is
found outside, and the element is read from there: the first among equals, as in Numba's loop, or the first NaN, if there is
one. A loop that returns at the first that is true has a trip count that nobody knows: reverse over reverse is refused.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing import signature
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
    """Tell whether elements lie one behind the other, in the order in which Numba compares them."""
    is_array = isinstance(array, types.Array) and array.layout == "C"
    return is_array and array.dtype in (dtypes or (types.float64, types.float32))


def _truth(find: Any) -> Callable[..., Any]:
    def of_kind(a: Any) -> Callable[..., Any] | None:
        if not _is_known(a, types.boolean):
            return None
        return lambda a: find(a) != 0

    return of_kind


def _elements(find: Any, message: str) -> Callable[..., Any]:
    def of_kind(a: Any) -> Callable[..., Any] | None:
        if not _is_known(a):
            return None

        def extreme(a):  # type: ignore[no-untyped-def]  # compiled by Numba
            if a.size == 0:
                raise ValueError(message)
            return _element(a, find(a))

        return extreme

    return of_kind


def _places(find: Any, message: str) -> Callable[..., Any]:
    def of_kind(a: Any, axis: Any = None) -> Callable[..., Any] | None:
        if not _is_known(a) or not cgutils.is_nonelike(axis):
            return None

        def place(a, axis=None):  # type: ignore[no-untyped-def]
            if a.size == 0:
                raise ValueError(message)
            return find(a)

        return place

    return of_kind


_WORDS = {"max": "maximum", "min": "minimum"}
_NO_ELEMENT = "zero-size array to reduction operation {} which has no identity"
_NO_PLACE = "attempt to get arg{} of an empty sequence"


def _replace(side: str, functions: Sequence[Any], of_place: Any) -> None:
    """Give np.max or np.min, and what finds its place, new code for kernels."""
    find = _finder(side)
    for function in functions:
        message = _NO_ELEMENT.format(_WORDS[side])
        overload(function, target=TARGET, strict=False)(_elements(find, message))
    overload(of_place, target=TARGET, strict=False)(_places(find, _NO_PLACE.format(side)))


_replace("max", (np.max, np.amax), np.argmax)
_replace("min", (np.min, np.amin), np.argmin)
overload(np.any, target=TARGET, strict=False)(_truth(_finder("any")))
overload(np.all, target=TARGET, strict=False)(_truth(_finder("all")))
_METHODS: dict[Any, tuple[str, str]] = {
    (types.Array, f"{word}{side}"): (word, side) for word in ("", "arg") for side in _WORDS
}


def method(function: Any, sig: Any) -> Callable[..., Any] | None:
    """Return what lowers `x.max()`, `x.argmax()` or `x.any()`, None for anything else.

    Lowered here, because Numba keeps the code of a method under one name for all targets: which of two overloads
    it takes depends on what was imported first.
    """
    key = getattr(function, "typing_key", None)
    if sig is None or not isinstance(key, tuple) or key[0] is not types.Array:
        return None
    array, *axis = sig.as_function().args
    if key[1] in ("any", "all") and _is_known(array, types.boolean):
        return functools.partial(_lower_truth, key[1])
    found = _METHODS.get(key)
    if found is None or not _is_known(array) or not all(map(cgutils.is_nonelike, axis)):
        return None
    return functools.partial(_lower_extreme, *found)


def _lower_truth(
    side: str, context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]
) -> Any:
    kind = sig.as_function().args[0]
    found = _scan(context, builder, kind, make_array(kind)(context, builder, args[0]), side)
    return builder.icmp_signed("!=", found, found.type(0))


def _lower_extreme(
    word: str, side: str, context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]
) -> Any:
    kind = sig.as_function().args[0]
    array = make_array(kind)(context, builder, args[0])
    message = _NO_PLACE.format(side) if word else _NO_ELEMENT.format(_WORDS[side])
    with builder.if_then(cgutils.is_null(builder, array.nitems), likely=False):
        context.call_conv.return_user_exc(builder, ValueError, (message,))
    place = _scan(context, builder, kind, array, side)
    if word:
        return place
    return load_item(context, builder, kind, builder.gep(array.data, [place]))
