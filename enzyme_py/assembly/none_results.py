"""Results that may be None, as Numba types them: `return x` on one path, nothing on another.

None has no derivative. A derivative is made of the kernel that returns what is there, and raises a TypeError where that
is None. So code of others can be differentiated where it does find what it looks for.

    compile_with_result(function, argument_types) -> CompiledKernel

The same for parts of a tuple, but for numbers of an aux, of which no derivative is taken: they may be None.
"""

from __future__ import annotations

from typing import Any

import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing import signature
from numba.extending import intrinsic

from enzyme_py.assembly.results import holds_arrays, numbers_of
from enzyme_py.foundations.keeping import made_of, released
from enzyme_py.frontend.target.lower import CompiledKernel, compile_kernel
from enzyme_py.frontend.target.target import KERNEL, KernelTarget

_MESSAGE = "the result, or a part of it, is None here, which has no derivative: return a number or an array on this path"


def compile_with_result(
    function: Any, argument_types: tuple[Any, ...], target: KernelTarget = KERNEL, *, has_aux: bool = False
) -> CompiledKernel:
    """Return the compiled kernel, as `compile_kernel` does; its result is there, or it raises."""
    kernel = compile_kernel(function, argument_types, target)
    if not _can_be_none(kernel.return_type, has_aux):
        return kernel
    return compile_kernel(_raising(function, has_aux), argument_types, target)


def _can_be_none(kind: Any, has_aux: bool) -> bool:
    kind = types.unliteral(kind)
    return bool(_there(kind, has_aux) != kind)


def _there(kind: Any, has_aux: bool) -> Any:
    """Return the type of a result that is there."""
    if has_aux and isinstance(kind, types.BaseTuple) and len(kind) == 2:
        return _tuple_of(kind, [_there(kind[0], False), without_none(kind[1], is_aux=True)])
    if isinstance(kind, types.Optional):
        return _there(kind.type, has_aux)
    return without_none(kind)


def without_none(kind: Any, *, is_aux: bool = False) -> Any:
    """Return a type without its parts that carry derivatives, or memory, and may be None."""
    if isinstance(kind, types.BaseTuple):
        return _tuple_of(kind, [without_none(one, is_aux=is_aux) for one in kind])
    if isinstance(kind, types.Optional):
        held = without_none(kind.type, is_aux=is_aux)
        return held if holds_arrays(held) or (numbers_of(held) and not is_aux) else kind
    return kind


def _tuple_of(kind: Any, parts: list[Any]) -> Any:
    if parts == list(kind):
        return kind
    return types.BaseTuple.from_types(parts, getattr(kind, "instance_class", None))


def _raising(function: Any, has_aux: bool) -> Any:
    """Return the kernel that returns what a function does, and raises where that is None."""
    known = made_of(function, "with result")
    if has_aux not in known:
        taken = there_with_aux if has_aux else there

        def kernel(*arguments):  # type: ignore[no-untyped-def]  # compiled by Numba
            return taken(function(*arguments))

        kernel.__name__ = kernel.__qualname__ = function.py_func.__name__
        known[has_aux] = released(numba.njit(kernel))
    return known[has_aux]


@intrinsic  # type: ignore[untyped-decorator]  # Numba has no types
def there(typing_context: Any, value: Any) -> Any:
    """Return a value under the type that it has where nothing of it is None; raise a TypeError where something is."""
    return signature(_there(types.unliteral(value), False), value), _lower


@intrinsic  # type: ignore[untyped-decorator]  # Numba has no types
def there_with_aux(typing_context: Any, value: Any) -> Any:
    """Return a pair (value, aux), of which numbers of the aux may be None."""
    return signature(_there(types.unliteral(value), True), value), _lower


def _lower(context: Any, builder: ir.IRBuilder, call: Any, given: list[ir.Value]) -> ir.Value:
    value = _taken(context, builder, call.args[0], call.return_type, given[0])
    if context.enable_nrt:
        context.nrt.incref(builder, call.return_type, value)
    return value


def _taken(context: Any, builder: ir.IRBuilder, kind: Any, wanted: Any, value: ir.Value) -> ir.Value:
    if kind == wanted:
        return value
    if isinstance(kind, types.Optional):
        held = context.make_helper(builder, kind, value)
        is_missing = cgutils.is_false(builder, cgutils.as_bool_bit(builder, held.valid))
        with builder.if_then(is_missing, likely=False):
            context.call_conv.return_user_exc(builder, TypeError, (_MESSAGE,))
        return _taken(context, builder, kind.type, wanted, held.data)
    if isinstance(kind, types.BaseTuple):
        parts = [
            _taken(context, builder, one, other, builder.extract_value(value, place))
            for place, (one, other) in enumerate(zip(kind, wanted, strict=True))
        ]
        return context.make_tuple(builder, wanted, parts)
    return context.cast(builder, value, kind, wanted)
