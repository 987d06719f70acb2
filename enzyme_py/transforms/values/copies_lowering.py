"""How `copy_of` is typed and lowered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.typing import signature
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import lower_builtin

from enzyme_py.assembly.results import copy_function, returned_type
from enzyme_py.frontend.containers.typed_lists import rebuilt
from enzyme_py.frontend.target.target import KernelContext
from enzyme_py.transforms.plans.binding import Emit
from enzyme_py.transforms.values.copies import copy_of


def emit_copy(emit: Emit, kind: Any, value: ir.Value) -> ir.Value:
    """Emit the copy of a number, an array, or a tuple of these."""
    if isinstance(kind, types.Array):
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


def _copy_list(items):  # type: ignore[no-untyped-def]  # compiled by Numba
    return items.copy()


def _copy_list_of_arrays(items):  # type: ignore[no-untyped-def]
    copied = items.copy()
    for i in range(len(copied)):
        copied[i] = copied[i].copy()
    return copied


@infer_global(copy_of)
class _CopyTemplate(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Sequence[Any], kws: Any) -> Any:
        kinds = [types.unliteral(kind) for kind in args]
        return None if kws or len(kinds) != 1 else signature(returned_type(kinds[0]), *kinds)


@lower_builtin(copy_of, types.Any)
def _lower_copy(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
    return emit_copy(Emit(context, builder, None), sig.args[0], args[0])
