"""Shadows of zeros for constant arrays, which nobody sees.

Natural code mixes constant and active memory: `h = h0; for ...: h = np.tanh(w @ h)` with a constant h0.
Enzyme refuses that at compile time. Deciding while running (run-time activity) is the cheap answer in
reverse mode; but forward mode has none for products, and where reverse mode is differentiated again
with products in it, the adjoint is added to the constant's own memory (measured). A constant with a
shadow of its own is right everywhere: its tangent is zero, and its gradient is thrown away.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.np.arrayobj import make_array, populate_array

from enzyme_py.frontend.codegen.type_hints import hint_function
from enzyme_py.frontend.leaves import element_content
from enzyme_py.request import Activity, Request

_SIZE = ir.IntType(64)
_POINTER = ir.IntType(8).as_pointer()


def needs_hidden_shadow(request: Request, kind: Any, activity: Activity) -> bool:
    """Tell whether an argument of this type, so annotated, gets a shadow in this request."""
    return request.shadows_constants and activity is Activity.CONST and _holds_floats(kind) and _can_be_shadowed(kind)


def _holds_floats(kind: Any) -> bool:
    if isinstance(kind, types.BaseTuple):
        return any(map(_holds_floats, kind))
    if isinstance(kind, types.Array):
        return isinstance(kind.dtype, (types.Float, types.Complex, types.Record))
    return isinstance(kind, types.Record)


def _can_be_shadowed(kind: Any) -> bool:
    """Tell whether a value is made of nothing but arrays, records and numbers."""
    if isinstance(kind, types.BaseTuple):
        return all(map(_can_be_shadowed, kind))
    return isinstance(kind, (types.Array, types.Record, types.Number, types.Boolean))


def zeros_like(context: Any, builder: ir.IRBuilder, kind: Any, value: ir.Value) -> ir.Value:
    """Return arrays of zeros with the shapes and the strides of the given ones, in the same tuples; numbers beside them are zero."""
    if isinstance(kind, types.BaseTuple):
        parts = [builder.extract_value(value, place) for place in range(len(kind))]
        return context.make_tuple(builder, kind, [zeros_like(context, builder, *one) for one in zip(kind, parts, strict=True)])
    if isinstance(kind, types.Record):
        return builder.bitcast(_zeros(builder, _SIZE(kind.size)), value.type)
    if not isinstance(kind, types.Array):
        return cgutils.get_null_value(value.type)
    return _array_of_zeros(context, builder, kind, value)


def _array_of_zeros(context: Any, builder: ir.IRBuilder, kind: Any, value: ir.Value) -> ir.Value:
    array = make_array(kind)(context, builder, value)
    shape, strides = (cgutils.unpack_tuple(builder, part) for part in (array.shape, array.strides))
    low, bytes_ = _extent(builder, shape, strides, array.itemsize)
    start = _zeros(builder, bytes_)
    content = element_content(kind.dtype)
    if content is not None:  # else nothing tells what the zeros are
        builder.call(hint_function(builder.module, content), [start])
    first = builder.gep(start, [builder.neg(low)])
    made = make_array(kind)(context, builder)
    populate_array(
        made,
        data=builder.bitcast(first, array.data.type),
        shape=array.shape,
        strides=array.strides,
        itemsize=array.itemsize,
        meminfo=None,
        parent=None,
    )
    return made._getvalue()


def _zeros(builder: ir.IRBuilder, bytes_: ir.Value) -> ir.Value:
    function_type = ir.FunctionType(_POINTER, [_SIZE, _SIZE])
    allocate = cgutils.get_or_insert_function(builder.module, function_type, "calloc")
    return builder.call(allocate, [_SIZE(1), bytes_])


def _extent(builder: ir.IRBuilder, shape: Any, strides: Any, itemsize: Any) -> tuple[Any, Any]:
    """Return how far an array reaches below its first element, as a negative number, and its bytes."""
    zero = _SIZE(0)
    low, high = zero, itemsize
    for size, stride in zip(shape, strides, strict=True):
        # An empty dimension reaches nowhere; what the others say is then too much, and harmless.
        last = builder.select(
            builder.icmp_signed(">", size, zero), builder.sub(size, _SIZE(1)), zero
        )
        distance = builder.mul(last, stride)
        is_down = builder.icmp_signed("<", distance, zero)
        low = builder.add(low, builder.select(is_down, distance, zero))
        high = builder.add(high, builder.select(is_down, zero, distance))
    return low, builder.sub(high, low)
