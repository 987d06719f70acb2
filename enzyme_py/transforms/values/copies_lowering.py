"""How copies of arguments, arguments that are lent, and their tangents are typed and lowered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing import signature
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import lower_builtin
from numba.np import arrayobj

from enzyme_py.assembly.results import copy_function, returned_type
from enzyme_py.frontend.containers.typed_lists import rebuilt
from enzyme_py.frontend.target.target import KernelContext
from enzyme_py.transforms.plans.binding import Emit
from enzyme_py.transforms.plans.structures import check_structure
from enzyme_py.transforms.values.copies import copy_of, lent, lent_tangent, tangent_like
from enzyme_py.transforms.values.large_pages import array_like


def emit_copy(emit: Emit, kind: Any, value: ir.Value) -> ir.Value:
    """Emit the copy of a number, an array, a record, or a tuple of these."""
    if isinstance(kind, types.Record):
        made = cgutils.alloca_once(emit.builder, value.type.pointee)
        cgutils.raw_memcpy(emit.builder, made, value, emit.context.get_constant(types.intp, kind.size), 1)
        return made
    if isinstance(kind, types.Array):
        if _is_contiguous(kind) and not isinstance(emit.context, KernelContext):
            return _copy_of_block(emit, kind, value)
        return emit.compiled(copy_function(kind), returned_type(kind), [kind], [value])
    if isinstance(kind, types.ListType):
        item = kind.item_type
        if isinstance(emit.context, KernelContext):
            # Numba's methods, compiled while a kernel is lowered, are not found.
            return rebuilt(
                emit.context, emit.builder, kind, value, lambda one: emit_copy(emit, item, one)
            )
        is_deep = isinstance(item, types.Array)
        copy = _copy_list_of_arrays if is_deep else _copy_list
        return emit.compiled(copy, kind, [kind], [value])
    if isinstance(kind, types.BaseTuple):
        parts = [
            emit_copy(emit, element, emit.builder.extract_value(value, i))
            for i, element in enumerate(kind)
        ]
        return emit.tuple(returned_type(kind), parts)
    emit.context.nrt.incref(
        emit.builder, kind, value
    )  # a function's arrays; no copies, see held_type
    return value


def _is_contiguous(kind: Any) -> bool:
    """Tell whether an array lies in memory as its copy does."""
    return kind.layout in "CF" and kind.aligned


def _copy_of_block(emit: Emit, kind: Any, value: ir.Value) -> ir.Value:
    given = arrayobj.make_array(kind)(emit.context, emit.builder, value)
    made, start, size = array_like(emit, kind, returned_type(kind), value)
    source = emit.builder.bitcast(given.data, start.type)
    cgutils.raw_memcpy(emit.builder, start, source, size, 1)
    return made


def _copy_list(items):  # type: ignore[no-untyped-def]  # compiled by Numba
    return items.copy()


def _copy_list_of_arrays(items):  # type: ignore[no-untyped-def]
    copied = items.copy()
    for i in range(len(copied)):
        copied[i] = copied[i].copy()
    return copied


def emit_lent(emit: Emit, kind: Any, value: ir.Value) -> ir.Value:
    """Emit the value itself, where its type is that of its copy, or the copy."""
    if isinstance(kind, types.BaseTuple):
        parts = [
            emit_lent(emit, element, emit.builder.extract_value(value, i))
            for i, element in enumerate(kind)
        ]
        return emit.tuple(returned_type(kind), parts)
    if isinstance(emit.context, KernelContext) or not _can_be_lent(kind):
        return emit_copy(emit, kind, value)
    emit.context.nrt.incref(emit.builder, kind, value)
    return value


def _can_be_lent(kind: Any) -> bool:
    return isinstance(kind, types.Array) and kind == returned_type(kind)


def emit_tangent(
    emit: Emit, kinds: tuple[Any, Any], values: tuple[ir.Value, ir.Value], *, is_lent: bool
) -> ir.Value:
    """Emit the direction as a tangent of the value: of the type and strides of a copy of it."""
    wanted, kind = kinds
    own = returned_type(kind)
    if isinstance(kind, types.BaseTuple):
        parts = [
            emit_tangent(
                emit,
                (wanted[i], kind[i]),
                (
                    emit.builder.extract_value(values[0], i),
                    emit.builder.extract_value(values[1], i),
                ),
                is_lent=is_lent,
            )
            for i in range(len(kind))
        ]
        return emit.tuple(own, parts)
    if not isinstance(kind, types.Array):
        return emit.compiled(_number_like, kind, kinds, values)
    if isinstance(emit.context, KernelContext) or not _is_contiguous(kind):
        function = _laid_out_f if own.layout == "F" else _laid_out
        return emit.compiled(function, own, kinds, values)
    if not is_lent or wanted != own or kind != own:
        return _laid_out_like(emit, kinds, values)
    fits = emit.compiled(_lies_alike, types.boolean, kinds, values)
    with emit.builder.if_else(fits) as (itself, anew):
        with itself:
            emit.context.nrt.incref(emit.builder, wanted, values[0])
            here = emit.builder.block
        with anew:
            made = _laid_out_like(emit, kinds, values)
            there = emit.builder.block
    found = emit.builder.phi(made.type)
    found.add_incoming(values[0], here)
    found.add_incoming(made, there)
    return found


def _laid_out_like(
    emit: Emit, kinds: tuple[Any, Any], values: tuple[ir.Value, ir.Value]
) -> ir.Value:
    """Return the direction in a new array with the strides of the value, also those of axes of one element."""
    own = returned_type(kinds[1])
    made, _, _ = array_like(emit, kinds[1], own, values[1])
    emit.compiled(_assign, types.none, (own, kinds[0]), (made, values[0]))
    return made


def _lies_alike(direction, value):  # type: ignore[no-untyped-def]  # compiled by Numba
    # A shadow at the address of its primal says that nothing moves there.
    is_elsewhere = direction.ctypes.data != value.ctypes.data
    return direction.shape == value.shape and direction.strides == value.strides and is_elsewhere


def _assign(made, direction):  # type: ignore[no-untyped-def]
    made[...] = direction


def _number_like(direction, value):  # type: ignore[no-untyped-def]
    return direction  # of the value's type, as the signature says


def _laid_out(direction, value):  # type: ignore[no-untyped-def]
    tangent = np.empty(value.shape, value.dtype)
    tangent[...] = direction
    return tangent


def _laid_out_f(direction, value):  # type: ignore[no-untyped-def]
    tangent = np.empty(value.shape[::-1], value.dtype).T
    tangent[...] = direction
    return tangent


@infer_global(copy_of)
@infer_global(lent)
class _CopyTemplate(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Sequence[Any], kws: Any) -> Any:
        kinds = [types.unliteral(kind) for kind in args]
        return None if kws or len(kinds) != 1 else signature(returned_type(kinds[0]), *kinds)


@lower_builtin(copy_of, types.Any)
def _lower_copy(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
    return emit_copy(Emit(context, builder, None), sig.args[0], args[0])


@lower_builtin(lent, types.Any)
def _lower_lent(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
    return emit_lent(Emit(context, builder, None), sig.args[0], args[0])


@infer_global(tangent_like)
@infer_global(lent_tangent)
class _TangentTemplate(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Sequence[Any], kws: Any) -> Any:
        kinds = [types.unliteral(kind) for kind in args]
        if kws or len(kinds) != 2:
            return None
        check_structure(kinds[1], kinds[0], "the direction")
        return signature(returned_type(kinds[1]), *kinds)


@lower_builtin(tangent_like, types.Any, types.Any)
def _lower_tangent(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
    return emit_tangent(Emit(context, builder, None), tuple(sig.args), tuple(args), is_lent=False)


@lower_builtin(lent_tangent, types.Any, types.Any)
def _lower_lent_tangent(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
    return emit_tangent(Emit(context, builder, None), tuple(sig.args), tuple(args), is_lent=True)
