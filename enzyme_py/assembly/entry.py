"""Assembly: one request becomes one module with one entry that anyone can call.

The entry has Numba's own signature for the request's arguments and its flat result tuple:

    i32 enzyme_py_entry(ptr result, ptr excinfo, leaves...)      0, or Numba's status of an exception

It packs its arguments and runs the body through the trampoline of csrc/raise.c, which opens the
region of the call and catches the noreturn raise (DESIGN 4 and 5). If the result holds arrays, they
lie in the region, and the caller copies them before it calls `enzyme_py_leave`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba.core import callconv, cgutils, types

from enzyme_py.assembly.block_copies import chosen_way, get_bodies_later, link_copies
from enzyme_py.assembly.emit import compiled
from enzyme_py.assembly.inlining import CallsItselfError, inline_all, inline_derivatives
from enzyme_py.assembly.marker import differentiate
from enzyme_py.assembly.module import DiffModule
from enzyme_py.assembly.results import holds_arrays
from enzyme_py.assembly.runtime_ir import runtime_ir
from enzyme_py.assembly.special_functions import link_special_functions
from enzyme_py.errors import DerivativeError, ImpossibleSizeError, OutOfMemoryError, Where
from enzyme_py.foundations.llvm_modules import Modules
from enzyme_py.foundations.places import where_is
from enzyme_py.frontend.external.linked_rules import drop_unused_rules, holds_rules
from enzyme_py.frontend.target.lower import (
    CompiledKernel,
    LoweredKernel,
    catches,
    lower,
)
from enzyme_py.frontend.target.target import KERNEL
from enzyme_py.llvm import Module
from enzyme_py.llvm.reading.named_types import written_out
from enzyme_py.passes import pipeline
from enzyme_py.passes.base import Draft
from enzyme_py.passes.module.requests import count_of_requests, nesting
from enzyme_py.request import Activity, Direction, Request
from enzyme_py.rules import blas
from enzyme_py.settings import settings
from enzyme_py.symbols import ANY_ORDER, NO_RECOMPUTING

ENTRY = "enzyme_py_entry"
REVERSE_ENTRY = "enzyme_py_reverse_entry"
_SWEEPS = (Direction.REVERSE, Direction.SPLIT_FORWARD, Direction.SPLIT_REVERSE)
_HALVES = (Direction.SPLIT_FORWARD, Direction.SPLIT_REVERSE)
_FIRST_ARGUMENT = 2  # behind the result and excinfo

# Enzyme, and what runs before it (DESIGN 3 and 5). Each row is there for a reason:
_OPTIONS = (
    "--enzyme-fast-math=0",  # derivatives must not ignore NaN and infinity
    "--vectorize-loops=0",  # vectorise after differentiation, never before
    "--vectorize-slp=0",
    "--unroll-runtime=0",
    "--unroll-allow-partial=0",
    # What is left of a loop whose first iterations are peeled off counts from there: less than none, where it is
    # not reached. The room for what they cache is made in front of all: a MemoryError (measured; the fuzzer found it).
    "--unroll-peel-max-count=0",
    # No branch becomes a select: the adjoint of what was not taken divides zero by zero even with
    # strong zero (`if v > 0: s += v * log(v)` at v = 0 gave NaN, measured).
    "--phi-node-folding-threshold=0",
    "--two-entry-phi-node-folding-threshold=0",
    "--speculate-one-expensive-inst=0",
    "--disable-loop-idiom-memcpy",  # loops of typed copies say more than one untyped block
    "--disable-loop-idiom-memset",  # likewise: of the zeros in a list's room no type would be left
    # Where it copies what a loop reads in front of the loop, it does not see what earlier iterations write
    # (passes/memory/overwriting/later_iterations.py).
    "--enzyme-loop-invariant-cache=0",
    "--jump-threading-threshold=0",  # it splits allocations: zero gradients with rematerialisation
)

# The second half frees what loops have made, and takes the last iteration's array for each of them where that is constant and its size is read
# in the loop (measured: "freed a block twice"). What a half makes belongs to the tape, which frees it.
_FREES_NOTHING = "--enzyme-free-internal-allocations=0"

# The statuses of csrc/runtime.h, and what a caller sees.
_FAILURES = (
    (-16, OutOfMemoryError, ()),  # which ask the runtime what happened
    (-17, RuntimeError, ("this tape is in use by another thread",)),
    (-18, OverflowError, ("array size too large to fit in C int",)),
    (-19, ImpossibleSizeError, ()),
)

_POINTER = ir.IntType(8).as_pointer()
_INT = ir.IntType(32)


def assemble(request: Request, given_types: Sequence[Any]) -> DiffModule:
    """Lower the request's kernel with everything around it into one module for Enzyme.

    Both halves of a split reverse are in one module, or Enzyme could give them different tapes.
    """
    where = where_is(request.kernel)
    requests = [request]
    if request.is_split:
        requests = [replace(request, direction=half) for half in _HALVES]
    lowered = [_lower_entry(one, given_types, where) for one in requests]
    names = tuple(entry_name(one) for one in requests)
    is_catching = any(catches(one.kernel) for one in lowered)
    text, kept = _linked(lowered, requests)
    draft = pipeline.run(pipeline.ASSEMBLE, Draft(Module(text), where, entries=kept))
    is_nested = _nests(draft.code, request)
    if is_nested:
        draft = pipeline.run(pipeline.ASSEMBLE_NESTED, draft)
    nests_products = is_nested and draft.code.get(blas.HELPERS[0]) is not None
    is_recomputed = not is_catching and not nests_products and not request.is_split
    # With status returns, rematerialisation gave wrong gradients (DESIGN 5, np.correlate). With products
    # it does where operands are recomputed (allocations.py), which in the code that an inner derivative
    # makes cannot be prevented. In reverse halves it lost whole loops, or wrote out of bounds, where an inner
    # loop counts the elements of an array (measured: a gradient of zero; a segmentation fault).
    options = _OPTIONS + (() if is_recomputed else (NO_RECOMPUTING,)) + ((_FREES_NOTHING,) if request.is_split else ())
    keeps_slopes = settings.keep_slopes and request.direction in _SWEEPS and not is_nested
    return DiffModule(
        str(draft.code),
        names,
        options,
        where,
        fast_math=_fast_math(request.kernel) if settings.ordered_sums else (*_fast_math(request.kernel), ANY_ORDER),
        keeps_slopes=keeps_slopes,
        is_nested=is_nested,
        name=request.name,
        types=", ".join(map(str, given_types)),
    )


def _fast_math(kernel: Any) -> tuple[str, ...]:
    """Return what `fastmath` of a kernel allows; that of a derivative is what its kernel allows."""
    allowed = getattr(kernel, "targetoptions", {}).get("fastmath")
    if isinstance(allowed, (set, frozenset)):
        return tuple(sorted(map(str, allowed)))
    if allowed:
        return ("fast",)
    inner = getattr(getattr(kernel, "plan", None), "kernel", None)
    return () if inner is None else _fast_math(inner)


def _nests(code: Module, request: Request) -> bool:
    """Tell whether something in the module of a request is differentiated more than once."""
    return count_of_requests(code) > 1 + request.is_split


def entry_name(request: Request) -> str:
    """Return the symbol of a request's entry in its module."""
    return REVERSE_ENTRY if request.direction is Direction.SPLIT_REVERSE else ENTRY


def _lower_entry(request: Request, given_types: Sequence[Any], where: Where) -> LoweredKernel:
    function = _entry_function(request)
    kept = list(given_types)
    if request.is_split:
        kept = kept[: argument_count(request)]
        if request.direction is Direction.SPLIT_REVERSE:
            kept += _seed_types(request, kept)
    return lower(function, tuple(kept), where, shadows_constants=request.shadows_inner_constants)


def argument_count(request: Request) -> int:
    """Return the number of a half's arguments without seeds: the tape, primals, shadows."""
    return 1 + sum(1 + request.width * one.has_shadow for one in request.activities)


def _seed_types(request: Request, given: Sequence[Any]) -> list[Any]:
    """Return the types of the seeds that a reverse half takes: a scalar result has them."""
    kernel = compiled(request, given)
    is_scalar = isinstance(kernel.return_type, types.Number)
    is_seeded = is_scalar and request.result is not Activity.CONST
    return [kernel.return_type] * request.width if is_seeded else []


def _entry_function(request: Request) -> Callable[..., Any]:
    def derivative(*arguments):  # type: ignore[no-untyped-def]  # compiled by Numba
        return differentiate(request, *arguments)

    derivative.__name__ = derivative.__qualname__ = request.name
    return derivative


def _linked(
    lowered: Sequence[LoweredKernel], requests: Sequence[Request]
) -> tuple[str, tuple[str, ...]]:
    """Return the text of everything in one module, and the names in it that must stay as they are."""
    with Modules() as modules:
        module, names = _linked_module(lowered, requests, modules)
        return written_out(str(module)), names


def _linked_module(
    lowered: Sequence[LoweredKernel], requests: Sequence[Request], modules: Modules
) -> tuple[llvm.ModuleRef, tuple[str, ...]]:
    module = _with_kernels(lowered, requests, modules)
    code = Module(str(module))
    is_nested = _nests(code, requests[0])
    if is_nested and holds_rules(module):  # Enzyme differentiates the code of rules then
        module = _with_kernels(lowered, requests, modules, is_whole=True)
        code = Module(str(module))
    names = [entry_name(request) for request in requests]
    order = nesting(code) if is_nested else 1
    names += link_helpers(module, modules, order=order, is_forward=requests[0].direction not in _SWEEPS)
    is_ruled = holds_rules(module)
    if is_ruled:
        _check_width(module, lowered[0].where)
        drop_unused_rules(module)
    is_plain = not is_nested and not is_ruled
    if is_ruled or not (is_nested and get_bodies_later(code)):
        names += link_copies(module, chosen_way(requests, is_plain=is_plain), modules)
    if is_nested:
        inline_derivatives(module)
    if requests[0].runtime_activity and inline_all(module):
        what = "run-time activity of a function that calls itself"
        remedy = (
            "write it as a loop, or annotate all memory that meets there alike: Duplicated, with "
            "a shadow of zeros, in place of Const"
        )
        raise CallsItselfError(what, where=lowered[0].where, remedy=remedy)
    if requests[0].inlines:
        inline_all(module)
    module.verify()
    return module, tuple(names)


def _with_kernels(
    lowered: Sequence[LoweredKernel],
    requests: Sequence[Request],
    modules: Modules,
    *,
    is_whole: bool = False,
) -> llvm.ModuleRef:
    module = _parsed("", modules)
    for one, request in zip(lowered, requests, strict=True):
        # First what calls, then what is called: LLVM links such functions only on demand.
        module.link_in(_parsed(str(_trampoline(one.kernel, request)), modules))
        module.link_in(one.linked(modules, is_whole=is_whole))
    return module


def link_helpers(
    module: llvm.ModuleRef, modules: Modules, *, order: int, is_forward: bool = False
) -> tuple[str, ...]:
    """Define what compiled kernels call; returns what must keep its name for Enzyme."""
    module.link_in(_parsed(runtime_ir(), modules))
    link_special_functions(module, modules, order=order, is_forward=is_forward)
    return _link_products(module, modules, order)


def _check_width(module: llvm.ModuleRef, where: Where) -> None:
    """Refuse batches of what takes ruled functions, of which Enzyme fails an assertion."""
    if any(one.name == "enzyme_width" for one in module.global_variables):
        what = "several directions at once through linear algebra or a custom rule"
        remedy = "take one direction after the other: Duplicated in place of BatchDuplicated"
        raise DerivativeError(what, where=where, remedy=remedy)


def _link_products(module: llvm.ModuleRef, modules: Modules, order: int) -> tuple[str, ...]:
    """Define the products that the module calls; returns what must keep its name for Enzyme."""
    called = {one.name for one in module.functions if one.is_declaration} & set(blas.PRODUCTS)
    if not called:
        return ()
    module.link_in(_parsed(blas.bodies(called, order), modules))
    return blas.HELPERS


def _parsed(text: str, modules: Modules) -> llvm.ModuleRef:
    module = modules.parsed(text)
    module.triple = llvm.get_process_triple()
    module.data_layout = str(KERNEL.target_context.target_data)
    return module


def _trampoline(kernel: CompiledKernel, request: Request) -> ir.Module:
    context = kernel.target.target_context
    module = context.create_module("entry")
    kind = context.call_conv.get_function_type(kernel.return_type, kernel.argument_types)
    pack = ir.LiteralStructType(kind.args)
    entry = ir.Function(module, kind, entry_name(request))
    builder = ir.IRBuilder(entry.append_basic_block("entry"))
    packed = builder.alloca(pack)
    for position, value in enumerate(entry.args):
        builder.store(value, cgutils.gep_inbounds(builder, packed, 0, position))
    body = _body(module, kernel, kind, pack)
    operands = [builder.bitcast(value, _POINTER) for value in (body, packed, entry.args[1])]
    if request.is_split:
        tape = builder.inttoptr(entry.args[_FIRST_ARGUMENT], _POINTER)
        enter_type = ir.FunctionType(_INT, [_POINTER] * 4)
        enter = ir.Function(module, enter_type, "enzyme_py_enter_tape")
        status = builder.call(enter, [tape, *operands])
    else:
        enter_type = ir.FunctionType(_INT, [_POINTER] * 3 + [_INT])
        enter = ir.Function(module, enter_type, "enzyme_py_enter")
        status = builder.call(enter, [*operands, _INT(int(holds_arrays(kernel.return_type)))])
    return_status(context, builder, entry, status)
    return module


def return_status(
    context: Any, builder: ir.IRBuilder, entry: ir.Function, status: ir.Value
) -> None:
    """Return the status; those of the runtime become exceptions."""
    for code, error, arguments in _FAILURES:
        with builder.if_then(builder.icmp_signed("==", status, _INT(code)), likely=False):
            info = (error, arguments, None)
            excinfo = context.get_python_api(builder).serialize_object(info)
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
