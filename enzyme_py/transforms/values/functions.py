"""Functions as values in compiled code: bound kernels are made, called, and come in from Python."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.datamodel import models
from numba.core.imputils import lower_cast, lower_constant
from numba.core.typing import signature
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import NativeValue, lower_builtin, register_model, typeof_impl, unbox

from enzyme_py.errors import AnnotationError
from enzyme_py.frontend.functions.bound import BoundTransform
from enzyme_py.frontend.functions.bound_types import (
    BoundKernelType,
    call_bound,
    function_parts,
    held_type,
    is_function,
)
from enzyme_py.frontend.functions.captures import Maker
from enzyme_py.frontend.functions.function_arguments import function_type, values_of
from enzyme_py.frontend.functions.partials import partial_kernel


@register_model(BoundKernelType)
class _BoundModel(models.StructModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: BoundKernelType) -> None:
        members = [(f"part{i}", part) for i, part in enumerate(kind.kinds)]
        super().__init__(manager, kind, members)


def can_differentiate(kind: Any) -> bool:
    """Tell whether a value of this type is a function with a kernel; refuse other functions."""
    if not is_function(kind) and isinstance(kind, types.Callable):
        message = f"a function of Numba's own, of type {kind}, cannot be differentiated as it is"
        raise AnnotationError(message, remedy="wrap the call in a function: lambda x: f(x)")
    return is_function(kind)


def held_values(context: Any, builder: ir.IRBuilder, kind: Any, value: ir.Value) -> list[ir.Value]:
    """Return what a function of this type holds; nothing, if it is a plain one."""
    if not isinstance(kind, BoundKernelType):
        return []
    struct = context.make_helper(builder, kind, value)
    return [getattr(struct, f"part{i}") for i in range(len(kind.kinds))]


def make_bound(
    context: Any,
    builder: ir.IRBuilder,
    kind: BoundKernelType,
    kinds: Sequence[Any],
    values: Sequence[ir.Value],
) -> ir.Value:
    """Return the bound kernel that holds values of the given types."""
    struct = context.make_helper(builder, kind)
    for i, (given, value) in enumerate(zip(kinds, values, strict=True)):
        held = context.cast(builder, value, given, kind.kinds[i])
        setattr(struct, f"part{i}", held)
        context.nrt.incref(builder, kind.kinds[i], held)
    return struct._getvalue()


def of_same_values(context: Any, builder: ir.IRBuilder, sig: Any, function: ir.Value) -> ir.Value:
    """Return the function of a call's result type that holds what its first argument holds."""
    kind = sig.return_type
    if not isinstance(kind, BoundKernelType):
        return context.get_dummy_value()
    held = held_values(context, builder, sig.args[0], function)
    return make_bound(context, builder, kind, kind.kinds, held)


def as_held(value: Any) -> Any:
    """Return a value as a function holds it; only in compiled code."""
    message = "as_held is called from compiled code only"
    raise RuntimeError(message)


@infer_global(as_held)
class _HeldTemplate(AbstractTemplate):  # type: ignore[misc]
    key = as_held

    def generic(self, args: Sequence[Any], kws: Any) -> Any:
        return None if kws or len(args) != 1 else signature(held_type(args[0]), *args)


@lower_builtin(as_held, types.Any)
def _lower_held(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
    value = context.cast(builder, args[0], sig.args[0], sig.return_type)
    context.nrt.incref(builder, sig.return_type, value)
    return value


# Calls


@lower_builtin(call_bound, BoundKernelType, types.VarArg(types.Any))
def _lower_call(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
    kind = sig.args[0]
    function = types.Dispatcher(kind.kernel)
    values = [*held_values(context, builder, kind, args[0]), *args[1:]]
    kinds = (*kind.kinds, *sig.args[1:])
    call = signature(sig.return_type, *kinds)
    place = kind.starred
    if place is not None and place < len(kind.kinds):
        call = context.typing_context.resolve_function_type(function, kinds, {})
        values[place:] = [context.make_tuple(builder, call.args[place], values[place:])]
    return context.get_function(function, call)(builder, values)


@lower_cast(types.Dispatcher, BoundKernelType)
def _plain_as_bound(context: Any, builder: Any, _given: Any, wanted: Any, _value: Any) -> Any:
    return context.make_helper(builder, wanted)._getvalue()


@lower_cast(types.NamedTuple, types.NamedTuple)
@lower_cast(types.NamedTuple, types.NamedUniTuple)
@lower_cast(types.NamedUniTuple, types.NamedTuple)
@lower_cast(types.NamedUniTuple, types.NamedUniTuple)
def _named_tuple_as_held(context: Any, builder: Any, given: Any, wanted: Any, value: Any) -> Any:
    """Cast a named tuple part by part, as Numba does with tuples: what a function holds cannot be written."""
    if given.instance_class is not wanted.instance_class:
        raise NotImplementedError
    parts = [
        context.cast(builder, one, kind, held)
        for one, kind, held in zip(cgutils.unpack_tuple(builder, value), given, wanted, strict=True)
    ]
    return context.make_tuple(builder, wanted, parts)


# Closures


class MakerType(types.Callable):  # type: ignore[misc]
    """The type of what makes a closure of captured values."""

    def __init__(self, maker: Maker) -> None:
        self.maker = maker
        super().__init__(f"Maker({id(maker.kernel)})")

    @property
    def key(self) -> Any:
        """Equal for equal kernels."""
        return self.maker

    def get_call_type(self, _context: Any, args: Sequence[Any], kws: Any) -> Any:
        """Type the making of a closure."""
        if kws:
            return None
        if not args:
            return signature(types.Dispatcher(self.maker.kernel))
        return signature(BoundKernelType(self.maker.kernel, args), *args)

    def get_call_signatures(self) -> tuple[list[Any], bool]:
        """Nothing is known before the values are."""
        return [], True

    def get_impl_key(self, _sig: Any) -> Any:
        """All makers share one lowering."""
        return _make


register_model(MakerType)(models.OpaqueModel)


@typeof_impl.register(Maker)
def _typeof_maker(value: Maker, _context: Any) -> MakerType:
    return MakerType(value)


@lower_constant(MakerType)
def _constant_maker(context: Any, _builder: Any, _kind: Any, _value: Any) -> Any:
    return context.get_dummy_value()


def _make(*values: Any) -> None:
    """Stand for the lowering of the making of a closure."""


@lower_builtin(_make, types.VarArg(types.Any))
def _lower_make(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
    if not args:
        return context.get_dummy_value()
    return make_bound(context, builder, sig.return_type, sig.args, args)


# functools.partial


class _PartialMaker(types.Callable, types.Dummy):  # type: ignore[misc]
    """The type of functools.partial itself."""

    def __init__(self) -> None:
        super().__init__("functools.partial")

    def get_call_type(self, _context: Any, args: Sequence[Any], kws: Any) -> Any:
        """Type a partial of a function."""
        if not args or not is_function(args[0]):
            return None
        kernel, held = function_parts(args[0])
        given = [*args[1:], *kws.values()]
        made = partial_kernel(kernel, len(held), len(args) - 1, tuple(kws), (None,) * len(given))
        result = BoundKernelType(made, (*held, *given))
        names = [f"argument{i}" for i in range(len(args))]
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        parameters = [inspect.Parameter(name, kind) for name in (*names, *kws)]
        sig = signature(result, args[0], *given)
        return sig.replace(pysig=inspect.Signature(parameters))

    def get_call_signatures(self) -> tuple[list[Any], bool]:
        """Nothing is known before the function is."""
        return [], True

    def get_impl_key(self, _sig: Any) -> Any:
        """All partials share one lowering."""
        return _make_partial


register_model(_PartialMaker)(models.OpaqueModel)
infer_global(functools.partial, _PartialMaker())


def _make_partial(function: Any, *values: Any) -> None:
    """Stand for the lowering of the making of a partial."""


@lower_builtin(_make_partial, types.VarArg(types.Any))
def _lower_partial(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
    held = held_values(context, builder, sig.args[0], args[0])
    kinds = sig.args[0].kinds if held else ()
    return make_bound(
        context, builder, sig.return_type, [*kinds, *sig.args[1:]], [*held, *args[1:]]
    )


# From Python


@typeof_impl.register(BoundTransform)
def _typeof_transform(value: BoundTransform, _context: Any) -> Any:
    return function_type(value)


@unbox(BoundKernelType)
def _unbox(kind: BoundKernelType, value: ir.Value, c: Any) -> NativeValue:
    api = c.pyapi
    if not kind.kinds:
        return NativeValue(c.context.make_helper(c.builder, kind)._getvalue())
    function = api.unserialize(api.serialize_object(values_of))
    values = api.call_function_objargs(function, (value,))
    api.decref(function)
    struct = c.context.make_helper(c.builder, kind)
    is_error = cgutils.alloca_once_value(c.builder, cgutils.false_bit)
    with c.builder.if_else(cgutils.is_null(c.builder, values)) as (failed, fine):
        with failed:
            c.builder.store(cgutils.true_bit, is_error)
        with fine:
            whole = types.Tuple(kind.kinds)
            native = c.unbox(whole, values)
            for i in range(len(kind.kinds)):
                setattr(struct, f"part{i}", c.builder.extract_value(native.value, i))
            c.builder.store(native.is_error, is_error)
            api.decref(values)
    return NativeValue(struct._getvalue(), is_error=c.builder.load(is_error))


@lower_constant(BoundKernelType)
def _constant(context: Any, builder: Any, kind: BoundKernelType, value: Any) -> Any:
    struct = context.make_helper(builder, kind)
    for i, (part, one) in enumerate(zip(kind.kinds, values_of(value), strict=True)):
        setattr(struct, f"part{i}", context.get_constant_generic(builder, part, one))
    return struct._getvalue()
