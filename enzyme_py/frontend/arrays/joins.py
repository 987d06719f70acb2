"""Concatenation and copies of arrays as block copies (blocks.py), where the table says so; copies of records by fields.

Numba's lowering calls two functions of its own for all of concatenate, stack, append, copy, flatten
and their kin, and one for the source of an assignment to a slice. While a kernel is compiled they are
replaced by those of this file, which pass everything on that is not theirs.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types, typing
from numba.core.imputils import impl_ret_new_ref
from numba.np import arrayobj
from numba.np.arrayobj import make_array

from enzyme_py.frontend.arrays.blocks import NUMBA, Block, can_copy, copy_block, ways

_concatenate = arrayobj._do_concatenate
_copy = arrayobj._array_copy
_source = arrayobj.maybe_copy_source


@contextlib.contextmanager
def block_joins() -> Iterator[None]:
    """Within the block, what Numba compiles joins and copies arrays by this file."""
    arrayobj._do_concatenate, arrayobj._array_copy = _joined, _copied
    arrayobj.maybe_copy_source = _source_of_assignment
    try:
        yield
    finally:
        arrayobj._do_concatenate, arrayobj._array_copy = _concatenate, _copy
        arrayobj.maybe_copy_source = _source


def _joined(
    context: Any,
    builder: ir.IRBuilder,
    axis: Any,
    kinds: Any,
    arrays: Any,
    shapes: Any,
    steps: Any,
    result: Any,
    shape: Any,
) -> Any:
    if ways["concatenate"] == NUMBA or not all(can_copy(result, one, result.ndim) for one in kinds):
        return _concatenate(context, builder, axis, kinds, arrays, shapes, steps, result, shape)
    made = arrayobj._empty_nd_impl(context, builder, result, shape)
    to_steps = cgutils.unpack_tuple(builder, made.strides)
    place = made.data
    for kind, array, own, own_steps in zip(kinds, arrays, shapes, steps, strict=True):
        target = Block(place, own, to_steps)
        copy_block(builder, result.dtype, target, kind.dtype, Block(array.data, own, own_steps))
        place = cgutils.pointer_add(builder, place, _along(builder, axis, own, to_steps))
    return made


def _along(builder: ir.IRBuilder, axis: Any, shape: Any, steps: Any) -> Any:
    """Return how many bytes an array takes along an axis that is known at run time only."""
    offset = axis.type(0)
    for dimension, (size, step) in enumerate(zip(shape, steps, strict=True)):
        is_axis = builder.icmp_signed("==", axis.type(dimension), axis)
        offset = builder.select(is_axis, builder.mul(size, step), offset)
    return offset


def _copied(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> Any:
    kind, result = sig.args[0], sig.return_type
    if isinstance(kind.dtype, types.Record):
        return _copied_records(context, builder, sig, args)
    if ways["copy"] == NUMBA or not can_copy(result, kind, kind.ndim):
        return _copy(context, builder, sig, args)
    source = make_array(kind)(context, builder, args[0])
    shape = cgutils.unpack_tuple(builder, source.shape)
    made = arrayobj._empty_nd_impl(context, builder, result, shape)
    target = Block(made.data, shape, cgutils.unpack_tuple(builder, made.strides))
    origin = Block(source.data, shape, cgutils.unpack_tuple(builder, source.strides))
    copy_block(builder, result.dtype, target, kind.dtype, origin)
    return impl_ret_new_ref(context, builder, result, made._getvalue())


def _copied_records(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> Any:
    """Copy record by record, field by field.

    As one block they have one type for Enzyme, that of the first field: the reverse sweep adds adjoints of doubles across
    a record's end or its float32, which is nonsense as soon as both arrays are read behind the copy.
    """
    kind, result = sig.args[0], sig.return_type
    source = make_array(kind)(context, builder, args[0])
    shape = cgutils.unpack_tuple(builder, source.shape)
    made = arrayobj._empty_nd_impl(context, builder, result, shape)
    ends = [
        (one.data, cgutils.unpack_tuple(builder, one.strides), layout)
        for one, layout in ((source, kind.layout), (made, result.layout))
    ]
    with cgutils.loop_nest(builder, shape, context.get_value_type(types.intp)) as indices:
        places = [
            cgutils.get_item_pointer2(context, builder, data, shape, steps, layout, indices)
            for data, steps, layout in ends
        ]
        context.pack_value(builder, kind.dtype, *places)
    return impl_ret_new_ref(context, builder, result, made._getvalue())


def _source_of_assignment(
    context: Any,
    builder: ir.IRBuilder,
    is_shared: Any,
    indexer: Any,
    kind: Any,
    source: Any,
    shape: Any,
    steps: Any,
    data: Any,
) -> Any:
    """Return what reads the source of `to[...] = from`, and what ends that: records are copied first, field by field.

    Numba copies them where the two overlap, as bytes: their tangents and adjoints would be lost.
    """
    if not isinstance(kind.dtype, types.Record):
        return _source(context, builder, is_shared, indexer, kind, source, shape, steps, data)
    whole = kind.copy(layout="C", readonly=False)
    copy = _copied_records(context, builder, typing.signature(whole, kind), [source._getvalue()])
    made = make_array(whole)(context, builder, copy)
    own = cgutils.unpack_tuple(builder, made.strides)
    false = ir.Constant(ir.IntType(1), 0)
    read, end = _source(context, builder, false, indexer, whole, made, shape, own, made.data)

    def ended() -> None:
        end()
        context.nrt.decref(builder, whole, copy)

    return read, ended
