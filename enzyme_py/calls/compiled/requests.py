"""A request called from plain @njit code: a call of finished machine code by its address.

Everything is compiled while Numba types the call; lowering only writes the call down. (Compiling
for our target while Numba lowers breaks its CPU functions, NUMBA-TARGET.md.) Code that lies in the disk
cache is called by a name that other processes give to the same code, so that the caller can be kept on disk
as well (finished/). Other code is called by its address, a dynamic global, by which Numba knows that the caller cannot.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba.core import cgutils

from enzyme_py.assembly.entry import entry_name
from enzyme_py.assembly.marker import install_outside
from enzyme_py.assembly.results import holds_arrays
from enzyme_py.calls.compiled.shared_memory import SharedMemory
from enzyme_py.compiling import compiled
from enzyme_py.errors import SharedMemoryError, UnsupportedTypeError, Where
from enzyme_py.finished.cached_callers import bind
from enzyme_py.foundations.places import where_is
from enzyme_py.native.function import NativeFunction
from enzyme_py.native.runtime import runtime_function
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
    _keep(context.active_code_library, native, where_is(request.kernel))
    kind = context.call_conv.get_function_type(sig.return_type, given_types)
    callee = _entry_of(native, entry_name(request), context, builder, kind)
    shared = SharedMemory(context, builder, request, given_types, args[1:])
    status, value = context.call_conv.call_function(
        builder, callee, sig.return_type, given_types, args[1:]
    )
    written = shared.was_written()
    with builder.if_then(status.is_error, likely=False):
        _let_go(context, builder)
        context.call_conv.return_status_propagate(builder, status)
    is_kept = holds_arrays(sig.return_type) and not request.is_split  # what lies on the tape stays there
    if written is not None:
        with builder.if_then(written, likely=False):
            _let_go(context, builder)
            if is_kept:
                _leave(builder)
            told = (shared.names, where_is(request.kernel))
            context.call_conv.return_user_exc(builder, SharedMemoryError, told)
    if not holds_arrays(sig.return_type):
        return value
    kept = emit_copy(Emit(context, builder, None), sig.return_type, value)
    if is_kept:
        _leave(builder)
    return kept


def _let_go(context: Any, builder: ir.IRBuilder) -> None:
    """Let go what nobody else could, on the way out by an exception."""
    for kind, one in owned_by(builder):
        context.nrt.decref(builder, kind, one)


def _leave(builder: ir.IRBuilder) -> None:
    """Close the region in which the result's arrays lie."""
    builder.call(runtime_function(builder.module, "enzyme_py_leave", ir.VoidType(), []), [])


def _keep(library: Any, native: NativeFunction, where: Where) -> None:
    """Let the caller's code hold the derivative's, to which it is bound, and say what it needs in another process.

    A library that links the caller's holds that one.
    """
    library.__dict__.setdefault("enzyme_py_derivatives", []).append(native)
    if native.key:
        bind(library, native, where)


def _entry_of(
    native: NativeFunction, entry: str, context: Any, builder: ir.IRBuilder, kind: ir.FunctionType
) -> ir.Value:
    if native.key:
        return cgutils.get_or_insert_function(builder.module, kind, native.symbols[entry])
    address = native.addresses[entry]
    pointer = context.add_dynamic_addr(builder, address, info=f"derivative {address:#x}")
    return builder.bitcast(pointer, kind.as_pointer())


install_outside(_prepare, _lower)
