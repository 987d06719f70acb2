"""New arrays for callers, in pages of 2 MiB if they are many, as NumPy asks for its arrays.

They are often made anew at each call, and the system needs as long for a small page as the fill of it. Written out as
instructions, since compiling a call of np.empty_like is a quarter of a first gradient from the disk cache.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.np import arrayobj

from enzyme_py.native.runtime import runtime_function
from enzyme_py.transforms.plans.binding import Emit


def array_like(
    emit: Emit, kind: Any, made_kind: Any, value: ir.Value, *, is_zero: bool = False
) -> tuple[ir.Value, ir.Value, ir.Value]:
    """Return a new array with the shape and strides of a contiguous one, its address, and how many bytes it has.

    Zeros are written on threads, if they are many (csrc/runtime.h).
    """
    builder, context = emit.builder, emit.context
    given = arrayobj.make_array(kind)(context, builder, value)
    size = builder.mul(given.nitems, given.itemsize)
    alignment = context.get_preferred_array_alignment(kind.dtype)
    meminfo = context.nrt.meminfo_alloc_aligned(
        builder, size=size, align=context.get_constant(types.uint32, alignment)
    )
    start = context.nrt.meminfo_data(builder, meminfo)
    parameters = [cgutils.voidptr_t, size.type]
    name = "enzyme_py_zeros" if is_zero else "enzyme_py_large"
    builder.call(runtime_function(builder.module, name, ir.VoidType(), parameters), [start, size])
    made = arrayobj.make_array(made_kind)(context, builder)
    arrayobj.populate_array(
        made,
        data=builder.bitcast(start, made.data.type),
        shape=given.shape,
        strides=given.strides,
        itemsize=given.itemsize,
        meminfo=meminfo,
    )
    return made._getvalue(), start, size
