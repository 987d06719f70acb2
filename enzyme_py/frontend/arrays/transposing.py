"""`x.transpose(axes)`, and with it `swapaxes`, `moveaxis`, `rollaxis` and `rot90`, by selections.

Numba looks for repeated axes with a Python set, whose search for a place has no trip count that is
known before, and picks shapes and steps by index arrays. Reverse over reverse is refused for the first.
Here each dimension of the result selects among those of the source.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import impl_ret_borrowed
from numba.np.arrayobj import make_array, populate_array

_REPEATED = "repeated axis in transpose"
_OUTSIDE = "axis is out of bounds for array of given dimension"


def transposition(function: Any, sig: Any) -> Callable[..., Any] | None:
    """Return what lowers `x.transpose(axes)`, or None for anything else."""
    if getattr(function, "typing_key", None) != "array.transpose" or sig is None:
        return None
    return _lower if len(sig.as_function().args) > 1 else None


def _lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
    kind, *axis_kinds = sig.as_function().args
    source = make_array(kind)(context, builder, args[0])
    given = list(args[1:])
    if isinstance(axis_kinds[0], types.BaseTuple):
        given = cgutils.unpack_tuple(builder, args[1])
        axis_kinds = list(axis_kinds[0])
    axes = [
        context.cast(builder, axis, own, types.intp)
        for axis, own in zip(given, axis_kinds, strict=True)
    ]
    _check(context, builder, axes, kind.ndim)
    places = [_counted_from_start(builder, axis, kind.ndim) for axis in axes]
    parts = [cgutils.unpack_tuple(builder, part) for part in (source.shape, source.strides)]
    shape, strides = (
        cgutils.pack_array(builder, [_selected(builder, place, part) for place in places])
        for part in parts
    )
    made = make_array(sig.return_type)(context, builder)
    populate_array(
        made,
        data=source.data,
        shape=shape,
        strides=strides,
        itemsize=source.itemsize,
        meminfo=source.meminfo,
        parent=source.parent,
    )
    return impl_ret_borrowed(context, builder, sig.return_type, made._getvalue())


def _check(context: Any, builder: ir.IRBuilder, axes: Sequence[Any], rank: int) -> None:
    """Raise as Numba does: it compares axes as they are given, so -1 and the last are two."""
    pairs = [(one, other) for number, one in enumerate(axes) for other in axes[:number]]
    repeated = [builder.icmp_signed("==", one, other) for one, other in pairs]
    outside = [
        builder.icmp_signed(sign, axis, axis.type(bound))
        for axis in axes
        for sign, bound in ((">=", rank), ("<", -rank))
    ]
    for conditions, message in ((repeated, _REPEATED), (outside, _OUTSIDE)):
        if conditions:
            with builder.if_then(reduce(builder.or_, conditions), likely=False):
                context.call_conv.return_user_exc(builder, ValueError, (message,))


def _counted_from_start(builder: ir.IRBuilder, axis: ir.Value, rank: int) -> ir.Value:
    is_negative = builder.icmp_signed("<", axis, axis.type(0))
    return builder.select(is_negative, builder.add(axis, axis.type(rank)), axis)


def _selected(builder: ir.IRBuilder, place: ir.Value, values: Sequence[ir.Value]) -> ir.Value:
    found = values[0]
    for number, value in enumerate(values[1:], 1):
        is_here = builder.icmp_signed("==", place, place.type(number))
        found = builder.select(is_here, value, found)
    return found
