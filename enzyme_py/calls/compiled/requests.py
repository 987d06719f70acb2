"""A request called from plain @njit code: a call of finished machine code by its address.

Everything is compiled while Numba types the call; lowering only writes the call down. (Compiling
for our target while Numba lowers breaks its CPU functions, NUMBA-TARGET.md.) The address is a
dynamic global, by which Numba knows that the caller cannot be cached on disk.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir

from enzyme_py.assembly.entry import entry_name
from enzyme_py.assembly.marker import install_outside
from enzyme_py.assembly.results import holds_arrays
from enzyme_py.compiling import compiled
from enzyme_py.errors import UnsupportedTypeError
from enzyme_py.foundations.places import where_is
from enzyme_py.native.function import NativeFunction
from enzyme_py.native.runtime import runtime_addresses
from enzyme_py.request import Request
from enzyme_py.transforms.plans.binding import Emit, owned_by
from enzyme_py.transforms.plans.dispatcher import CAN_BE_TAKEN, is_passable
from enzyme_py.transforms.values.copies_lowering import emit_copy


def _prepare(request: Request, given_types: Sequence[Any]) -> None:
    for kind in given_types:
        if not is_passable(kind):
            message = f"a value of type {kind} cannot be passed to a derivative"
            where = where_is(request.kernel)
            raise UnsupportedTypeError(message, where=where, remedy=CAN_BE_TAKEN)
    compiled(request, tuple(given_types))


def _lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
    """Emit the call, and copy out of the region what the result holds."""
    given_types = sig.args[1:]
    request = sig.args[0].request
    native = compiled(request, tuple(given_types))
    _keep(context.active_code_library, native)
    kind = context.call_conv.get_function_type(sig.return_type, given_types)
    callee = _function_at(context, builder, native.addresses[entry_name(request)], kind)
    status, value = context.call_conv.call_function(
        builder, callee, sig.return_type, given_types, args[1:]
    )
    with builder.if_then(status.is_error, likely=False):
        for kind, one in owned_by(builder):
            context.nrt.decref(builder, kind, one)
        context.call_conv.return_status_propagate(builder, status)
    if not holds_arrays(sig.return_type):
        return value
    kept = emit_copy(Emit(context, builder, None), sig.return_type, value)
    if request.is_split:  # what lies on the tape stays there
        return kept
    leave = ir.FunctionType(ir.VoidType(), [])
    address = runtime_addresses()["enzyme_py_leave"]
    builder.call(_function_at(context, builder, address, leave), [])
    return kept


def _keep(library: Any, native: NativeFunction) -> None:
    """Let the caller's code hold the derivative's, whose address is written into it.

    A library that links the caller's holds that one.
    """
    library.__dict__.setdefault("_enzyme_py_kept", []).append(native.keep_alive)


def _function_at(
    context: Any, builder: ir.IRBuilder, address: int, kind: ir.FunctionType
) -> ir.Value:
    pointer = context.add_dynamic_addr(builder, address, info=f"derivative {address:#x}")
    return builder.bitcast(pointer, kind.as_pointer())


install_outside(_prepare, _lower)
