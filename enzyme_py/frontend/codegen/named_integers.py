"""Reads and writes of integers say so, in words that only our own passes read.

    a[i] += a[j]            %1 = load i32, ptr %p, align 4, !tbaa !7         !7: "whole", the kind above all others

Symptom: derivatives were refused as arithmetic on a float's bits: arrays of indices that a function which is called computes from each
other, and writes back (a network simplex in pynndescent, umap's random numbers, `np.sort(x)[i % n]`).

Cause: Enzyme concludes what memory holds from what is done with it. What is read from an array of integers, added, and written to such an
array tells it nothing; but the language knows.

Cure: passes/types/integers/loads.py tells Enzyme, where it has refused. Not always: the number may be a float's bits all the same,
`x.view(np.int64)`. A kernel with such a view has a mark, and nothing is told there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.np import arrayobj

from enzyme_py.frontend.codegen.type_hints import tag_integer
from enzyme_py.symbols import BIT_VIEWS, WHOLE

_WHOLE = (types.Integer, types.Boolean)


class NamesIntegers:
    """The part of a lowering context that reads and writes items of arrays and fields of records."""

    def unpack_value(self, builder: ir.IRBuilder, ty: Any, ptr: Any, align: int | None = None) -> Any:
        """Read a value; say of an integer that it is one."""
        value = super().unpack_value(builder, ty, ptr, align)  # type: ignore[misc]
        if isinstance(ty, types.Integer):
            _name(value, ir.instructions.LoadInstr)
        return value

    def pack_value(self, builder: ir.IRBuilder, ty: Any, value: Any, ptr: Any, align: int | None = None) -> None:
        """Write a value; say of an integer that it is one."""
        super().pack_value(builder, ty, value, ptr, align)  # type: ignore[misc]
        if isinstance(ty, types.Integer):
            _name(builder.block.instructions[-1], ir.instructions.StoreInstr)


def _name(access: Any, kind: type) -> None:
    if isinstance(access, kind):
        tag_integer(access, (WHOLE,))


def bit_view(function: Any, sig: Any) -> Callable[..., Any] | None:
    """Return what lowers a view of floats as integers, or of integers as floats; None for anything else."""
    if sig is None or getattr(function, "typing_key", None) != "array.view":
        return None
    before, after = sig.as_function().args[0].dtype, sig.return_type.dtype
    if before == after or (isinstance(before, _WHOLE) and isinstance(after, _WHOLE)):
        return None
    return _marked_view


def _marked_view(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
    kind = ir.FunctionType(ir.VoidType(), [])
    builder.call(cgutils.get_or_insert_function(builder.module, kind, BIT_VIEWS), [])
    return arrayobj.array_view(context, builder, sig.as_function(), args)
