"""Copies of whole records, `p[0] = q[1]`: field by field, each with its type.

Numba loads and stores the bytes of a record as one value. Enzyme sees bytes there that are no floats, and refuses. What lies
between the fields is not copied, as in NumPy.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types


class CopiesRecords:
    """A context that stores records so."""

    def pack_value(self, builder: ir.IRBuilder, ty: Any, value: ir.Value, ptr: ir.Value, align: Any = None) -> None:
        """See Numba's."""
        if isinstance(ty, types.Record):
            _copy(self, builder, ty, value, ptr)
        else:
            super().pack_value(builder, ty, value, ptr, align)  # type: ignore[misc]


def _copy(context: Any, builder: ir.IRBuilder, record: Any, source: ir.Value, target: ir.Value) -> None:
    for name, kind in record.members:
        ends = [cgutils.get_record_member(builder, end, record.offset(name), _data_type(context, kind)) for end in (source, target)]
        if isinstance(kind, types.Record):
            _copy(context, builder, kind, *ends)
            continue
        align = None if record.aligned else 1
        if not isinstance(kind, types.NestedArray):
            builder.store(builder.load(ends[0], align=align), ends[1], align=align)
            continue
        items = [builder.bitcast(end, context.get_data_type(kind.dtype).as_pointer()) for end in ends]
        with cgutils.for_range(builder, ir.Constant(ir.IntType(64), kind.nitems)) as loop:
            one, other = (builder.gep(end, [loop.index]) for end in items)
            if isinstance(kind.dtype, types.Record):
                _copy(context, builder, kind.dtype, one, other)
            else:
                builder.store(builder.load(one, align=align), other, align=align)


def _data_type(context: Any, kind: Any) -> ir.Type:
    return context.get_data_type(kind)
