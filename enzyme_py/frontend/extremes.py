"""np.max, np.min, np.argmax and np.argmin: the place is a constant, found where the pass does not look; the element is read from there.

Numba compares all elements in a loop. The pass notes in each turn which element is the largest so far, beside
it, and LLVM makes no vectors of such a pair: half of the time of a log-sum-exp (docs/decisions.md). The place is that
of the first among equals, as Numba's loop finds it, and of the first NaN, if there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing import signature
from numba.extending import intrinsic, overload, overload_method
from numba.np.arrayobj import load_item, make_array

from enzyme_py.frontend.searching import TARGET
from enzyme_py.rules.orders import EXTREME

_POINTER = ir.IntType(8).as_pointer()
_SIZE = ir.IntType(64)


def _finder(side: str) -> Any:
    """Return `find(values)`: the place of the first extreme of an array that is not empty."""

    @intrinsic
    def find(typing_context, values):  # type: ignore[no-untyped-def]
        def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> Any:
            kind = sig.args[0]
            array = make_array(kind)(context, builder, args[0])
            function = cgutils.get_or_insert_function(
                builder.module,
                ir.FunctionType(_SIZE, [_POINTER, _SIZE]),
                f"{EXTREME}.{side}.{kind.dtype}",
            )
            return builder.call(function, [builder.bitcast(array.data, _POINTER), array.nitems])

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


def _is_known(array: Any) -> bool:
    """Tell whether elements lie one behind the other, in the order in which Numba compares them."""
    is_array = isinstance(array, types.Array) and array.layout == "C"
    return is_array and array.dtype in (types.float64, types.float32)


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


def _replace(side: str, word: str, functions: Sequence[Any], of_place: Any) -> None:
    """Give np.max or np.min, and what finds its place, new code for kernels."""
    find, element = _finder(side), functions[0]
    none = f"zero-size array to reduction operation {word} which has no identity"
    for function in functions:
        overload(function, target=TARGET, strict=False)(_elements(find, none))
    none = f"attempt to get arg{side} of an empty sequence"
    overload(of_place, target=TARGET, strict=False)(_places(find, none))

    # A method of one's own hides Numba's, for all arrays.
    @overload_method(types.Array, side, target=TARGET, strict=False)
    def element_method(a: Any) -> Callable[..., Any]:
        return lambda a: element(a)  # noqa: PLW0108  (Numba compiles it)

    @overload_method(types.Array, f"arg{side}", target=TARGET, strict=False)
    def place_method(a: Any, axis: Any = None) -> Callable[..., Any]:
        return lambda a, axis=None: of_place(a, axis)


_replace("max", "maximum", (np.max, np.amax), np.argmax)
_replace("min", "minimum", (np.min, np.amin), np.argmin)
