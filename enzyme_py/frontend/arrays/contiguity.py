"""Whether the memory of an array is contiguous, without a search.

Numba asks an array of any layout by three loops over its axes, each with several exits
(`np.ascontiguousarray`, `.flags`). Enzyme makes that search again in the reverse sweep, and the search of the
inner sweep in the outer one: reverse over reverse of `np.ascontiguousarray(x)` took 8 s to compile for four
dimensions and minutes for five. The number of axes is known. Here every axis is asked, and the answers are joined.

The answer is Numba's: axes of one element (or none) at either end are passed over, those in between are not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from llvmlite import ir
from numba.core import cgutils
from numba.np.numpy_support import is_contiguous, is_fortran


def is_contiguity(function: Any) -> bool:
    """Tell whether a function is one of Numba's that look at shape and strides for an order of memory."""
    return function is is_contiguous or function is is_fortran


def contiguity(builder: ir.IRBuilder, function: Callable[..., Any], args: Sequence[Any]) -> ir.Value:
    """Lower a call of such a function: by shape, strides and the bytes of an element."""
    shape, strides = (list(cgutils.unpack_tuple(builder, part)) for part in args[:2])
    if function is is_fortran:
        shape.reverse()
        strides.reverse()
    is_long = [builder.icmp_signed(">", size, size.type(1)) for size in shape]
    innermost = args[2]  # no long axis: nothing is apart
    for size_is_long, stride in zip(is_long, strides, strict=True):
        innermost = builder.select(size_is_long, stride, innermost)
    right = builder.icmp_signed("==", innermost, args[2])
    for axis in range(1, len(shape)):
        outside = reduce(builder.or_, is_long[:axis])
        inside = reduce(builder.or_, is_long[axis:])
        reached = builder.mul(strides[axis], shape[axis])
        joins = builder.icmp_signed("==", reached, strides[axis - 1])
        is_end = builder.not_(builder.and_(outside, inside))
        right = builder.and_(right, builder.or_(is_end, joins))
    return right
