"""np.searchsorted, np.digitize and np.interp: places are constants, found where Enzyme does not look.

Numba finds them by bisection, in loops whose trip count nobody knows; reverse over reverse was refused
for these, and np.interp for all second orders. Numba's np.interp has another flaw: at a node it
returns what is given there, and with it the derivative by the point itself is lost. Here a node
belongs to the piece at its right.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing import signature
from numba.extending import intrinsic, overload, register_jitable
from numba.np.arrayobj import make_array
from numba.np.numpy_support import as_dtype, from_dtype

from enzyme_py.rules.orders import SEARCH, TYPES

TARGET = "enzyme"
_POINTER = ir.IntType(8).as_pointer()
_SIZE = ir.IntType(64)


def _finder(side: str) -> Any:
    """Return `find(sorted, values, places)`: the call of a function of rules/orders.py."""

    @intrinsic
    def find(typing_context, values, points, places):  # type: ignore[no-untyped-def]
        def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> Any:
            arrays = [
                make_array(kind)(context, builder, value)
                for kind, value in zip(sig.args, args, strict=True)
            ]
            data = [builder.bitcast(one.data, _POINTER) for one in arrays]
            kind = ir.FunctionType(ir.VoidType(), [_POINTER, _SIZE, _POINTER, _SIZE, _POINTER])
            name = f"{SEARCH}.{side}.{sig.args[0].dtype}"
            function = cgutils.get_or_insert_function(builder.module, kind, name)
            builder.call(function, [data[0], arrays[0].nitems, data[1], arrays[1].nitems, data[2]])
            return context.get_dummy_value()

        return signature(types.none, values, points, places), lower

    return find


_FINDERS = {"left": _finder("left"), "right": _finder("right")}


def _searched(side: str) -> Any:
    find = _FINDERS[side]

    # Inlined: a function that returns constant memory meets memory with derivatives at its return.
    @register_jitable(forceinline=True)
    def search(values, points, dtype):  # type: ignore[no-untyped-def]  # compiled by Numba
        """Return the places of a vector of points among sorted values."""
        places = np.empty(points.size, np.intp)
        if points.size:
            find(values.astype(dtype), points.astype(dtype), places)
        return places

    return search


_search_left = _searched("left")
_search_right = _searched("right")


def _common(*kinds: Any) -> Any:
    """Return the type in which numbers of these types are compared; None if nobody knows it here."""
    try:
        found = np.result_type(*(as_dtype(getattr(kind, "dtype", kind)) for kind in kinds))
    except (NotImplementedError, TypeError):
        return None
    return found.type if str(from_dtype(found)) in TYPES else None


@overload(np.searchsorted, target=TARGET, strict=False)  # annotations would count as a difference
def _searchsorted(a: Any, v: Any, side: Any = "left") -> Callable[..., Any] | None:
    side = getattr(side, "literal_value", getattr(side, "value", side))
    is_known = isinstance(a, types.Array) and isinstance(v, types.Array | types.Number)
    dtype = _common(a, v) if is_known and side in _FINDERS else None
    if dtype is None:
        return None
    search = _search_left if side == "left" else _search_right
    if isinstance(v, types.Array):

        def of_array(a, v, side="left"):  # type: ignore[no-untyped-def]
            return search(a, v.ravel(), dtype).reshape(v.shape)

        return of_array

    def of_number(a, v, side="left"):  # type: ignore[no-untyped-def]
        return search(a, np.full(1, v), dtype)[0]

    return of_number


@overload(np.digitize, target=TARGET, strict=False)
def _digitize(x: Any, bins: Any, right: Any = False) -> Callable[..., Any] | None:
    is_known = isinstance(bins, types.Array) and isinstance(x, types.Array | types.Number)
    dtype = _common(x, bins) if is_known else None
    if dtype is None:
        return None

    def digitize(x, bins, right=False):  # type: ignore[no-untyped-def]
        rises, falls = True, True
        for i in range(bins.size - 1):
            rises = rises and bins[i] <= bins[i + 1]
            falls = falls and bins[i] >= bins[i + 1]
        if not rises and not falls:
            raise ValueError("bins must be monotonically increasing or decreasing")
        if rises:
            return np.searchsorted(bins, x, "left") if right else np.searchsorted(bins, x, "right")
        turned = bins[::-1]
        if right:
            return bins.size - np.searchsorted(turned, x, "right")
        return bins.size - np.searchsorted(turned, x, "left")

    return digitize


@overload(np.interp, target=TARGET, strict=False)
def _interp(x: Any, xp: Any, fp: Any) -> Callable[..., Any] | None:
    arrays = all(isinstance(one, types.Array) and one.ndim == 1 for one in (xp, fp))
    reals = types.Float | types.Integer
    is_real = arrays and isinstance(getattr(x, "dtype", x), reals) and isinstance(xp.dtype, reals)
    if not is_real or not isinstance(x, types.Array | types.Number):
        return None
    is_complex = isinstance(fp.dtype, types.Complex)
    dtype: Any = np.complex128 if is_complex else np.float64
    between = _between_complex if is_complex else _between

    @register_jitable
    def at_points(x, xp, fp):  # type: ignore[no-untyped-def]
        n = xp.size
        if n == 0:
            raise ValueError("array of sample points is empty")
        if n != fp.size:
            raise ValueError("fp and xp are not of the same size.")
        places = _search_right(xp, x, np.float64)
        result = np.empty(x.size, dtype)
        for i in range(x.size):
            point = np.float64(x[i])
            j = places[i] - 1
            if np.isnan(point) and n > 1:
                result[i] = point
            elif j < 0:
                result[i] = fp[0]
            elif j >= n - 1:
                result[i] = fp[n - 1]
            else:
                result[i] = between(point, xp[j], xp[j + 1], dtype(fp[j]), dtype(fp[j + 1]))
        return result

    if isinstance(x, types.Array):
        return lambda x, xp, fp: at_points(x.ravel(), xp, fp).reshape(x.shape)
    return lambda x, xp, fp: at_points(np.full(1, x), xp, fp)[0]


@register_jitable
def _between(x, left, right, at_left, at_right):  # type: ignore[no-untyped-def]
    """Return the value at x on a line; as in NumPy, NaN only where nothing else can be said."""
    slope = (at_right - at_left) / (right - left)
    value = slope * (x - left) + at_left
    if np.isnan(value):
        if x == left:
            return at_left
        value = slope * (x - right) + at_right
        if np.isnan(value) and at_left == at_right:
            return at_left
    return value


@register_jitable
def _between_complex(x, left, right, at_left, at_right):  # type: ignore[no-untyped-def]
    """Return the complex value at x on a line: part by part, as an infinite part says nothing of the other."""
    inverse = 1 / (right - left)
    real = (at_right.real - at_left.real) * inverse
    imag = (at_right.imag - at_left.imag) * inverse
    slope = real + 1j * imag  # as Numba has it: the real part is NaN where the imaginary one is infinite
    real = _part(x, left, right, slope.real, at_left.real, at_right.real)
    imag = _part(x, left, right, slope.imag, at_left.imag, at_right.imag)
    if x == left and (np.isnan(real) or np.isnan(imag)):
        return at_left
    return real + 1j * imag


@register_jitable
def _part(x, left, right, slope, at_left, at_right):  # type: ignore[no-untyped-def]
    value = slope * (x - left) + at_left
    if np.isnan(value):
        value = slope * (x - right) + at_right
        if np.isnan(value) and at_left == at_right:
            return at_left
    return value
