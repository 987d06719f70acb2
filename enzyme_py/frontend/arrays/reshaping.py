"""`x.reshape(...)` of contiguous arrays, without memory and without calls.

Numba writes the new shape into a variable, hands it to a compiled function that fills in a -1, and to a
function in C that finds the strides. Enzyme sees an array whose shape and strides come out of memory
behind calls that it cannot look into: it does not know which memory is active, refuses, and all is compiled
a second time with run-time activity (measured: half of the first gradient of an attention). Here each
size is a number, and the strides are products of sizes: what both functions find for a C array.

Arrays in Fortran's order stay with Numba.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import impl_ret_borrowed
from numba.np.arrayobj import make_array, populate_array

_SIZE = ir.IntType(64)
_OTHER_SIZE = "total size of new array must be unchanged"
_UNKNOWN = "multiple negative shape values"


def reshaped(function: Any, sig: Any) -> Callable[..., Any] | None:
    """Return what lowers `x.reshape(...)` of a C array, or None for anything else."""
    if getattr(function, "typing_key", None) != "array.reshape" or sig is None:
        return None
    return _lower if sig.as_function().args[0].layout == "C" else None


def _lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
    kind, *size_kinds = sig.as_function().args
    source = make_array(kind)(context, builder, args[0])
    given = list(args[1:])
    if size_kinds and isinstance(size_kinds[0], types.BaseTuple):
        given = cgutils.unpack_tuple(builder, args[1])
        size_kinds = list(size_kinds[0])
    sizes = [
        context.cast(builder, size, own, types.intp)
        for size, own in zip(given, size_kinds, strict=True)
    ]
    sizes = _complete(context, builder, source.nitems, sizes)
    made = make_array(sig.return_type)(context, builder)
    populate_array(
        made,
        data=source.data,
        shape=cgutils.pack_array(builder, sizes, _SIZE),
        strides=cgutils.pack_array(builder, _strides(builder, source, sizes), _SIZE),
        itemsize=source.itemsize,
        meminfo=source.meminfo,
        parent=source.parent,
    )
    return impl_ret_borrowed(context, builder, sig.return_type, made._getvalue())


def _complete(
    context: Any, builder: ir.IRBuilder, count: ir.Value, sizes: Sequence[Any]
) -> list[Any]:
    """Return the sizes with the one filled in that is negative; raises as Numba does."""
    one, zero = _SIZE(1), _SIZE(0)
    is_open = [builder.icmp_signed("<", size, zero) for size in sizes]
    known = _product(
        builder,
        [builder.select(each, one, size) for each, size in zip(is_open, sizes, strict=True)],
    )
    opened = reduce(builder.add, (builder.zext(each, _SIZE) for each in is_open), zero)
    _refuse(context, builder, builder.icmp_signed(">", opened, one), ValueError, _UNKNOWN)
    # Where another size is 0 any would do; Numba takes 0.
    is_none = builder.icmp_signed("==", known, zero)
    divisor = builder.select(is_none, one, known)
    inferred = builder.select(is_none, zero, builder.udiv(count, divisor))
    found = builder.select(builder.icmp_signed("==", opened, one), inferred, one)
    is_other = builder.icmp_signed("!=", builder.mul(known, found), count)
    _refuse(context, builder, is_other, ValueError, _OTHER_SIZE)
    return [builder.select(each, inferred, size) for each, size in zip(is_open, sizes, strict=True)]


def _refuse(
    context: Any, builder: ir.IRBuilder, condition: ir.Value, error: type[Exception], text: str
) -> None:
    with builder.if_then(condition, likely=False):
        context.call_conv.return_user_exc(builder, error, (text,))


def _strides(builder: ir.IRBuilder, source: Any, sizes: Sequence[Any]) -> list[Any]:
    """Return the strides of a C array; without elements Numba makes each the size of an element."""
    is_empty = builder.icmp_signed("==", source.nitems, _SIZE(0))
    strides: list[Any] = []
    step = source.itemsize
    for size in reversed(sizes):
        strides.insert(0, step)
        step = builder.mul(step, builder.select(is_empty, _SIZE(1), size))
    return strides


def _product(builder: ir.IRBuilder, sizes: Sequence[Any]) -> Any:
    return reduce(builder.mul, sizes, _SIZE(1))
