"""Copies of arrays, element by element, in what runs around derivatives.

Numba compiles for `to[...] = given` the text of an error as well, which takes it two seconds in every process that has no
finished code yet (measured: 40 % of the first Jacobian). Kernels have their own way (frontend/arrays/assignments.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core import cgutils, types
from numba.extending import intrinsic


@intrinsic
def copy_elements(typing_context: Any, to: Any, given: Any) -> tuple[Any, Callable[..., Any]]:
    """Copy an array into one of the same shape, which shares no memory with it; the shapes are not looked at."""

    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        from numba.np.arrayobj import (  # not at import: it is large
            load_item,
            make_array,
            store_item,
        )

        arrays = [make_array(kind)(context, builder, one) for kind, one in zip(sig.args, args, strict=True)]
        shape = cgutils.unpack_tuple(builder, arrays[0].shape)
        with cgutils.loop_nest(builder, shape, context.get_value_type(types.intp)) as indices:
            target, source = (
                cgutils.get_item_pointer(context, builder, kind, one, indices, wraparound=False)
                for kind, one in zip(sig.args, arrays, strict=True)
            )
            value = load_item(context, builder, given, source)
            store_item(context, builder, to, context.cast(builder, value, given.dtype, to.dtype), target)
        return context.get_dummy_value()

    return types.none(to, given), lower
