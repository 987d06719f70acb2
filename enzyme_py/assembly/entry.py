"""Assembly: one request becomes one module with one entry that anyone can call.

The entry has Numba's own signature for the request's arguments and its flat result tuple:

    i32 enzyme_py_entry(ptr result, ptr excinfo, leaves...)      0, or Numba's status of an exception

It packs its arguments and runs the body through the trampoline of csrc/raise.c, which opens the
region of the call and catches the noreturn raise (DESIGN 4 and 5). If the result holds arrays, they
lie in the region, and the caller copies them before it calls `enzyme_py_leave`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba.core import callconv, cgutils

from enzyme_py.assembly.attributes import with_attributes
from enzyme_py.assembly.marker import differentiate
from enzyme_py.assembly.module import DiffModule
from enzyme_py.assembly.names import stable_names
from enzyme_py.assembly.results import holds_arrays
from enzyme_py.assembly.runtime_ir import runtime_ir
from enzyme_py.frontend.lower import CompiledKernel, LoweredKernel, catches, lower, where_is
from enzyme_py.frontend.target import KERNEL
from enzyme_py.request import Request

ENTRY = "enzyme_py_entry"
_ENTER = "enzyme_py_enter"

# The pass, and what runs before it (DESIGN 3 and 5). Each row is there for a reason:
_OPTIONS = (
    "--enzyme-fast-math=0",  # derivatives must not ignore NaN and infinity
    "--vectorize-loops=0",  # vectorise after differentiation, never before
    "--vectorize-slp=0",
    "--unroll-runtime=0",
    "--unroll-allow-partial=0",
    "--jump-threading-threshold=0",  # it splits allocations: zero gradients with rematerialisation
)
# With status returns, rematerialisation gave wrong gradients (DESIGN 5, np.correlate).
_CATCHING_OPTIONS = ("--enzyme-rematerialize=0",)

_POINTER = ir.IntType(8).as_pointer()
_INT = ir.IntType(32)


def assemble(request: Request, given_types: Sequence[Any]) -> DiffModule:
    """Lower the request's kernel with everything around it into one module for the pass."""
    where = where_is(request.kernel)
    lowered = lower(_entry_function(request), tuple(given_types), where)
    options = _OPTIONS + (_CATCHING_OPTIONS if catches(lowered.kernel) else ())
    return DiffModule(_module_text(lowered), (ENTRY,), options, where)


def _entry_function(request: Request) -> Callable[..., Any]:
    def derivative(*arguments):  # type: ignore[no-untyped-def]  # compiled by Numba
        return differentiate(request, *arguments)

    derivative.__name__ = derivative.__qualname__ = request.name
    return derivative


def _module_text(lowered: LoweredKernel) -> str:
    module = lowered.module
    for text in (str(_trampoline(lowered.kernel)), runtime_ir()):
        module.link_in(_parsed(text))
    module.verify()
    return with_attributes(stable_names(str(module), (ENTRY,)))


def _parsed(text: str) -> llvm.ModuleRef:
    module = llvm.parse_assembly(text)
    module.triple = llvm.get_process_triple()
    module.data_layout = str(KERNEL.target_context.target_data)
    return module


def _trampoline(kernel: CompiledKernel) -> ir.Module:
    context = kernel.target.target_context
    module = context.create_module("entry")
    kind = context.call_conv.get_function_type(kernel.return_type, kernel.argument_types)
    pack = ir.LiteralStructType(kind.args)
    entry = ir.Function(module, kind, ENTRY)
    builder = ir.IRBuilder(entry.append_basic_block("entry"))
    packed = builder.alloca(pack)
    for position, value in enumerate(entry.args):
        builder.store(value, cgutils.gep_inbounds(builder, packed, 0, position))
    enter_type = ir.FunctionType(_INT, [_POINTER, _POINTER, _POINTER, _INT])
    enter = ir.Function(module, enter_type, _ENTER)
    body = _body(module, kernel, kind, pack)
    status = builder.call(
        enter,
        [
            builder.bitcast(body, _POINTER),
            builder.bitcast(packed, _POINTER),
            builder.bitcast(entry.args[1], _POINTER),
            _INT(int(holds_arrays(kernel.return_type))),
        ],
    )
    _return_status(context, builder, entry, status)
    return module


def _return_status(
    context: Any, builder: ir.IRBuilder, entry: ir.Function, status: ir.Value
) -> None:
    """Return the status; exhausted memory becomes the MemoryError that Numba would raise."""
    exhausted = builder.icmp_signed("==", status, _INT(NO_MEMORY))
    with builder.if_then(exhausted, likely=False):
        arguments = ("the region allocator of enzyme_py is out of memory",)
        excinfo = context.get_python_api(builder).serialize_object((MemoryError, arguments, None))
        builder.store(excinfo, entry.args[1])
        builder.ret(callconv.RETCODE_USEREXC)
    builder.ret(status)


def _body(
    module: ir.Module, kernel: CompiledKernel, kind: ir.FunctionType, pack: ir.Type
) -> ir.Function:
    """Define `void body(ptr pack)`: what runs inside the region."""
    body = ir.Function(module, ir.FunctionType(ir.VoidType(), [pack.as_pointer()]), "body")
    body.linkage = "internal"
    builder = ir.IRBuilder(body.append_basic_block("entry"))
    values = [
        builder.load(cgutils.gep_inbounds(builder, body.args[0], 0, position))
        for position in range(len(kind.args))
    ]
    callee = ir.Function(module, kind, kernel.symbol)
    builder.call(callee, values)
    builder.ret_void()
    return body


# ENZYME_PY_NO_MEMORY of csrc/runtime.h
NO_MEMORY = -16
