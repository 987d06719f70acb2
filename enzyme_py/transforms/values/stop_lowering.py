"""How `stop_gradient` is typed and lowered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.typing import signature
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import lower_builtin

from enzyme_py.assembly.results import returned_type
from enzyme_py.frontend.leaves import leaves
from enzyme_py.frontend.target.target import KERNEL, KernelContext
from enzyme_py.symbols import BARRIER
from enzyme_py.transforms.plans.binding import Emit
from enzyme_py.transforms.values.copies_lowering import emit_copy
from enzyme_py.transforms.values.stop import stop_gradient


@infer_global(stop_gradient)
class _StopTemplate(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Sequence[Any], kws: Any) -> Any:
        kinds = [types.unliteral(kind) for kind in args]
        return None if kws or len(kinds) != 1 else signature(returned_type(kinds[0]), *kinds)


@lower_builtin(stop_gradient, types.Any)
def _lower_stop(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
    if isinstance(context, KernelContext) and "enzyme_py" not in builder.function.name:
        context.active_code_library.stops = True
    return _stopped(Emit(context, builder, None), sig.args[0], args[0])


def _stopped(emit: Emit, kind: Any, value: ir.Value) -> ir.Value:
    if isinstance(kind, types.BaseTuple):
        parts = [
            _stopped(emit, element, emit.builder.extract_value(value, i))
            for i, element in enumerate(kind)
        ]
        return emit.tuple(returned_type(kind), parts)
    if isinstance(kind, types.Array):
        if not isinstance(kind.dtype, types.Float | types.Complex):
            return emit_copy(emit, kind, value)
        copied = returned_type(kind)
        stop = _stopped_copy if copied.layout == "C" else _stopped_copy_by_columns
        return emit.compiled(stop, copied, [kind], [value])
    if not isinstance(emit.context, KernelContext):
        return value
    packer = emit.context.get_arg_packer([kind])
    flat = packer.as_arguments(emit.builder, [value])
    passed = [
        _through_barrier(emit.builder, part) if leaf.is_differentiable else part
        for part, leaf in zip(flat, leaves(KERNEL.target_context, kind), strict=True)
    ]
    return packer.from_arguments(emit.builder, passed)[0]


# Number by number, into new memory: Enzyme does not take a pointer to active memory through the
# barrier, and holds memory for active that was ever copied from such.


def _stopped_copy(array):  # type: ignore[no-untyped-def]  # compiled by Numba
    found = np.empty(array.shape, array.dtype)
    for index, value in np.ndenumerate(array):
        found[index] = stop_gradient(value)
    return found


def _stopped_copy_by_columns(array):  # type: ignore[no-untyped-def]
    found = np.empty(array.shape[::-1], array.dtype).T
    for index, value in np.ndenumerate(array):
        found[index] = stop_gradient(value)
    return found


def _through_barrier(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """Pass one value through a function of its type that Enzyme takes as inactive."""
    module = builder.module
    name = f"{BARRIER}.{value.type}"
    function = module.globals.get(name)
    if function is None:
        function = ir.Function(module, ir.FunctionType(value.type, [value.type]), name)
    return builder.call(function, [value])
