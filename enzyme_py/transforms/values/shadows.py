"""Shadows made in compiled code: zeros like an argument, and tangents laid out like their primal.

The shadow of an array has the strides of its primal (Enzyme moves through both with the same
offsets), so the zeros for a strided view lie in a buffer that spans the view.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.typing import signature
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import lower_builtin
from numba.np import arrayobj

from enzyme_py.assembly.results import with_arrays
from enzyme_py.errors import ShadowError
from enzyme_py.frontend.containers.typed_lists import rebuilt
from enzyme_py.frontend.leaves import Role, leaves
from enzyme_py.frontend.target.target import KernelContext
from enzyme_py.transforms.plans.binding import Emit
from enzyme_py.transforms.plans.elements import copy_elements
from enzyme_py.transforms.values.large_pages import array_like


def shadow_type(kind: Any) -> Any:
    """Return the type of the shadow of a value: the same, but its arrays can be written."""
    return with_arrays(kind, lambda array: types.Array(array.dtype, array.ndim, array.layout))


def zero_shadow(emit: Emit, kind: Any, value: ir.Value) -> ir.Value:
    """Return zeros of the type, shape and strides of a value."""
    if isinstance(kind, types.Array):
        return _zero_array(emit, kind, value)
    if isinstance(kind, types.ListType):
        item = kind.item_type
        if isinstance(emit.context, KernelContext):
            # Numba's methods, compiled while a kernel is lowered, are not found.
            return rebuilt(
                emit.context, emit.builder, kind, value, lambda one: zero_shadow(emit, item, one)
            )
        is_deep = isinstance(item, types.Array)
        zeros = _zeros_for_arrays if is_deep else _zeros_for_numbers
        return emit.compiled(zeros, kind, [kind], [value])
    if isinstance(kind, types.BaseTuple):
        parts = [
            zero_shadow(emit, element, emit.builder.extract_value(value, i))
            for i, element in enumerate(kind)
        ]
        return emit.tuple(shadow_type(kind), parts)
    if not _has_no_zero(kind):
        return emit.context.get_constant_null(kind)
    emit.context.nrt.incref(emit.builder, kind, value)  # a string, a member of an enum: there is no zero of such
    return value


def gradient_kind(kind: Any) -> Any:
    """Return the type of a gradient by a value: that of its shadow, with None for a string, a member of an enum."""
    kind = shadow_type(kind)
    if not isinstance(kind, types.BaseTuple) or not _has_no_zero(kind):
        return kind
    parts = [gradient_kind(one) if isinstance(one, types.BaseTuple) or not _has_no_zero(one) else types.none for one in kind]
    return types.BaseTuple.from_types(parts, getattr(kind, "instance_class", None))


def as_gradient(emit: Emit, kind: Any, value: ir.Value, *, is_shadow: bool) -> ir.Value:
    """Return a value in that type. A shadow holds strings of its own, which are given back."""
    if not isinstance(kind, types.BaseTuple) or not _has_no_zero(kind):
        return value
    parts = []
    for i, one in enumerate(kind):
        part = emit.builder.extract_value(value, i)
        if isinstance(one, types.BaseTuple) or not _has_no_zero(one):
            parts.append(as_gradient(emit, one, part, is_shadow=is_shadow))
            continue
        if is_shadow:
            emit.context.nrt.decref(emit.builder, one, part)
        parts.append(emit.none())
    return emit.tuple(gradient_kind(kind), parts)


def _has_no_zero(kind: Any) -> bool:
    if isinstance(kind, types.BaseTuple):
        return any(map(_has_no_zero, kind))
    return not isinstance(kind, types.Number | types.Boolean | types.NoneType | types.Array | types.ListType)


def _zeros_for_numbers(items):  # type: ignore[no-untyped-def]  # compiled by Numba
    zeros = items.copy()
    for i in range(len(zeros)):
        zeros[i] = 0
    return zeros


def _zeros_for_arrays(items):  # type: ignore[no-untyped-def]
    zeros = items.copy()
    for i in range(len(zeros)):
        zeros[i] = zeros_laid_out_as(zeros[i])
    return zeros


def _zeros_like(array):  # type: ignore[no-untyped-def]  # compiled by Numba
    return np.zeros_like(array)


def _zeros_f(array):  # type: ignore[no-untyped-def]
    return np.zeros(array.shape[::-1], array.dtype).T


def _span(array):  # type: ignore[no-untyped-def]
    # A buffer for all the elements of a strided view, and where in it the first one lies.
    below = 0
    above = array.itemsize
    for axis in range(array.ndim):
        step = (array.shape[axis] - 1) * array.strides[axis]
        if step < 0:
            below -= step
        else:
            above += step
    if array.size == 0:
        return np.zeros(1, np.uint8), 0
    return np.zeros(below + above, np.uint8), below


def _zero_array(emit: Emit, kind: Any, value: ir.Value) -> ir.Value:
    wanted = shadow_type(kind)
    is_vector_f = kind.layout == "F" and kind.ndim == 1  # a column of a matrix in that order
    if kind.layout == "C" or kind.ndim == 0 or is_vector_f:
        if isinstance(emit.context, KernelContext):
            return emit.compiled(_zeros_like, wanted, [kind], [value])
        return array_like(emit, kind, wanted, value, is_zero=True)[0]
    if kind.layout == "F":
        return emit.compiled(_zeros_f, wanted, [kind], [value])
    memory = types.Array(types.uint8, 1, "C")
    pair = emit.compiled(_span, types.Tuple((memory, types.intp)), [kind], [value])
    buffer = arrayobj.make_array(memory)(
        emit.context, emit.builder, emit.builder.extract_value(pair, 0)
    )
    start = emit.builder.gep(buffer.data, [emit.builder.extract_value(pair, 1)])
    view = arrayobj.make_array(kind)(emit.context, emit.builder, value)
    shadow = arrayobj.make_array(wanted)(emit.context, emit.builder)
    arrayobj.populate_array(
        shadow,
        data=emit.builder.bitcast(start, shadow.data.type),
        shape=view.shape,
        strides=view.strides,
        itemsize=view.itemsize,
        meminfo=buffer.meminfo,
    )
    return shadow._getvalue()


def _distinct(array):  # type: ignore[no-untyped-def]
    # Along each axis a step leads behind all that the axes of smaller steps reach, or elements may share memory.
    for axis in range(array.ndim):
        step = abs(array.strides[axis])
        reach = array.itemsize
        for other in range(array.ndim):
            is_smaller = abs(array.strides[other]) < step or (abs(array.strides[other]) == step and other > axis)
            if is_smaller and array.shape[other] > 1:
                reach += (array.shape[other] - 1) * abs(array.strides[other])
        if array.shape[axis] > 1 and step < reach:
            return array.copy()
    return array


def may_share_elements(kind: Any) -> bool:
    """Tell whether elements of an array of this type, or of one in a tuple, may share memory (np.broadcast_to, sliding windows)."""
    if isinstance(kind, types.BaseTuple):
        return any(map(may_share_elements, kind))
    return isinstance(kind, types.Array) and kind.layout == "A"


def distinct_elements(emit: Emit, kind: Any, value: ir.Value) -> ir.Value:
    """Return the value, with copies of the arrays whose elements may share memory.

    The gradient with respect to each element is wanted, and in shared memory they would be added
    up. The caller gives the reference back.
    """
    if isinstance(kind, types.BaseTuple):
        parts = [
            distinct_elements(emit, element, emit.builder.extract_value(value, i))
            for i, element in enumerate(kind)
        ]
        return emit.tuple(kind, parts)
    if may_share_elements(kind):
        copied = types.Array(kind.dtype, kind.ndim, "A", readonly=not kind.mutable)
        return emit.compiled(_distinct, copied, [kind], [value])
    emit.context.nrt.incref(emit.builder, kind, value)
    return value


# Messages stand in the raise: Numba would make any other at run time, and lose it on the way.


def _check_shapes(primal, tangent):  # type: ignore[no-untyped-def]
    if primal.shape != tangent.shape:
        raise ShadowError("a tangent has another shape than its primal")


def _apart(primal, tangent):  # type: ignore[no-untyped-def]
    if primal.size > 0 and primal.ctypes.data == tangent.ctypes.data:
        return tangent.copy()
    return tangent


def _apart_f(primal, tangent):  # type: ignore[no-untyped-def]
    if primal.size > 0 and primal.ctypes.data == tangent.ctypes.data:
        return tangent.T.copy().T  # Numba's copy of a matrix in Fortran's order is one in C's
    return tangent


def _check_apart(primal, tangent):  # type: ignore[no-untyped-def]
    if primal.size > 0 and primal.ctypes.data == tangent.ctypes.data:
        raise ShadowError("a tangent is the memory of its primal: pass a copy, v.copy()")


def _check_layout(primal, shadow):  # type: ignore[no-untyped-def]
    if primal.shape != shadow.shape:
        raise ShadowError("a shadow has another shape than its primal")
    if primal.size > 1 and primal.strides != shadow.strides:
        raise ShadowError("a shadow has other strides than its primal")
    if primal.size > 0 and primal.ctypes.data == shadow.ctypes.data:
        raise ShadowError("a shadow is the memory of its primal: give it memory of its own")


def _check_length(primal, shadow):  # type: ignore[no-untyped-def]
    if len(primal) != len(shadow):
        raise ShadowError("the shadow of a typed list has another length than its primal")


def _check_items(primal, shadow):  # type: ignore[no-untyped-def]
    if len(primal) != len(shadow):
        raise ShadowError("the shadow of a typed list has another length than its primal")
    for i in range(len(primal)):
        if primal[i].shape != shadow[i].shape:
            raise ShadowError("a shadow has another shape than its primal")
        if primal[i].size > 1 and primal[i].strides != shadow[i].strides:
            raise ShadowError("a shadow has other strides than its primal")


def _check_list(emit: Emit, kind: Any, value: ir.Value, shadow_kind: Any, shadow: ir.Value) -> None:
    check = _check_items if isinstance(kind.item_type, types.Array) else _check_length
    emit.compiled(check, types.none, [kind, shadow_kind], [value, shadow])


def _assign(shadow, tangent):  # type: ignore[no-untyped-def]
    shadow[...] = tangent


def _assign_elements(shadow, tangent):  # type: ignore[no-untyped-def]  # compiled by Numba
    copy_elements(shadow, tangent)


def check_layout(
    emit: Emit, kind: Any, value: ir.Value, shadow_kind: Any, shadow: ir.Value
) -> None:
    """Emit the check that a given shadow has shape and strides of its primal."""
    if isinstance(kind, types.Array):
        emit.compiled(_check_layout, types.none, [kind, shadow_kind], [value, shadow])
    elif isinstance(kind, types.ListType):
        _check_list(emit, kind, value, shadow_kind, shadow)
    elif isinstance(kind, types.BaseTuple):
        for i, (part, its_shadow) in enumerate(zip(kind, shadow_kind, strict=True)):
            check_layout(
                emit,
                part,
                emit.builder.extract_value(value, i),
                its_shadow,
                emit.builder.extract_value(shadow, i),
            )


def tangent_like(
    emit: Emit,
    kind: Any,
    value: ir.Value,
    tangent_kind: Any,
    tangent: ir.Value,
    owned: list[tuple[Any, ir.Value]],
) -> ir.Value:
    """Return the tangent of a value laid out as the value is, in other memory than the value's; shapes are checked.

    In Enzyme, and in rules, a shadow at the primal's own address says that the argument is constant: the
    derivative along x itself was zero, or a part of it was, without a word (measured). What is made here
    is put on the list of what the caller lets go.
    """
    if isinstance(kind, types.Array):
        emit.compiled(_check_shapes, types.none, [kind, tangent_kind], [value, tangent])
        if kind.layout == tangent_kind.layout and kind.layout in "CF":
            given, kinds = [value, tangent], [kind, tangent_kind]
            if not isinstance(kind.dtype, (types.Float, types.Complex, types.Record)):
                return tangent
            if isinstance(
                emit.context, KernelContext
            ):  # a choice between two would be one for Enzyme
                emit.compiled(_check_apart, types.none, kinds, given)
                return tangent
            copied = _apart if kind.layout == "C" else _apart_f
            apart = emit.compiled(copied, tangent_kind, kinds, given)
            owned.append((tangent_kind, apart))
            return apart
        shadow = zero_shadow(emit, kind, value)
        own = shadow_type(kind)
        assign = _assign if isinstance(emit.context, KernelContext) else _assign_elements
        emit.compiled(assign, types.none, [own, tangent_kind], [shadow, tangent])
        owned.append((own, shadow))
        return shadow
    if isinstance(kind, types.ListType):
        _check_list(emit, kind, value, tangent_kind, tangent)
        return tangent
    if isinstance(kind, types.BaseTuple):
        parts = [
            tangent_like(
                emit,
                element,
                emit.builder.extract_value(value, i),
                tangent_kind[i],
                emit.builder.extract_value(tangent, i),
                owned,
            )
            for i, element in enumerate(kind)
        ]
        return emit.tuple(shadow_type(kind), parts)
    return emit.context.cast(emit.builder, tangent, tangent_kind, kind)


def with_numbers(emit: Emit, kind: Any, shadow: ir.Value, numbers: Sequence[ir.Value]) -> ir.Value:
    """Return the shadow of a mixed value with its numbers replaced by the given ones."""
    packer = emit.context.get_arg_packer([shadow_type(kind)])
    flat = list(packer.as_arguments(emit.builder, [shadow]))
    following = iter(numbers)
    for index, leaf in enumerate(leaves(emit.context, kind)):
        if leaf.role is Role.FLOAT:
            flat[index] = next(following)
    return packer.from_arguments(emit.builder, flat)[0]


def zeros_laid_out_as(array: Any) -> Any:
    """Return zeros of the type, shape and strides of an array; only in compiled code."""
    message = "zeros_laid_out_as is called from compiled code only"
    raise RuntimeError(message)


@infer_global(zeros_laid_out_as)
class _ZerosTemplate(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Sequence[Any], kws: Any) -> Any:
        return None if kws else signature(shadow_type(args[0]), *args)


@lower_builtin(zeros_laid_out_as, types.Array)
def _lower_zeros(context: Any, builder: Any, sig: Any, args: Sequence[Any]) -> Any:
    return zero_shadow(Emit(context, builder, None), sig.args[0], args[0])
