"""Loops over the columns, rows and products of Jacobians: one after the other, or shared out among threads.

Contract. The iterations of such a loop are independent: each reads the arguments, works on copies of what it may write to,
and writes to its own part of a result. So they run on the pool of csrc/threads.c where `enzyme.config(threads=...)` allows
more than one, and results have the same bits on any number. Each derivative of an iteration opens a region of its own, in
the thread that it runs on; loops on threads inside of it stay on that thread. What the lowest part raises is raised.

The caller gives Python's lock back while the parts run: a rule in Python, or a wrapper of BLAS, may ask for it in any of them.

Plain loops remain: where one thread is all there will be, in code that becomes part of a kernel, and of kernels that draw random
numbers without a seed of their own, since each thread has a generator of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.target_extension import current_target
from numba.core.typing import signature
from numba.extending import intrinsic

from enzyme_py.assembly.entry import return_status
from enzyme_py.frontend.numpy_functions.draws import draws_anew
from enzyme_py.frontend.target.lower import compile_kernel
from enzyme_py.native.runtime import runtime_function
from enzyme_py.native.threads.counts import follow_settings
from enzyme_py.symbols import FORK, PARTS
from enzyme_py.transforms.jacobians import counting
from enzyme_py.transforms.plans.helpers import helper
from enzyme_py.transforms.plans.structures import defined

# Of rows that take unequal times, a thread that is done early takes more.
PARTS_A_THREAD = 4

_VOID = ir.VoidType()
_INT, _WORD = ir.IntType(32), ir.IntType(64)
_POINTER = ir.IntType(8).as_pointer()


@dataclass(frozen=True)
class Loop:
    """`for block in range(first, end)` around some lines, which use `given` and names of the scope."""

    first: str
    end: str
    body: Sequence[str]
    given: Sequence[str]  # variables of the function that the loop stands in
    kind: int  # see `counting`
    done: str  # how many columns, rows, products are done behind a block
    total: str

    def lines(self, name: str, on_threads: bool, scope: dict[str, Any]) -> list[str]:
        """Return the lines of the loop; `name` is its own in the scope."""
        scope |= counting.SCOPE
        if not on_threads:
            head = f"for block in range({self.first}, {self.end}):"
            return counting.counted([head, *(f"    {one}" for one in self.body)], self.kind, self.done, self.total)
        function = f"part_of_{name}"
        text = [
            f"def {function}(begin, end, counting, total, {', '.join(self.given)}):",
            "    for block in range(begin, end):",
            *(f"        {one}" for one in self.body),
            f"        count(counting, {self.kind}, {self.done}, total)",
        ]
        scope[function] = helper(defined("\n".join(text), function, dict(scope)))
        scope["share_out"] = _share_out
        given = "".join(f"{one}, " for one in self.given)
        return [
            "counting = count_begin()",
            f"share_out({function}, {self.first}, {self.end}, (counting, {self.total}, {given}))",
            "count_end(counting)",
        ]


def may_share_out(plan: Any, kinds: Sequence[Any]) -> bool:
    """Tell whether the loops of a plan, for arguments of these types, are shared out."""
    if current_target() != "cpu" or not plan.on_threads:
        return False
    if draws_anew(compile_kernel(plan.kernel, tuple(kinds)).library, kinds):
        return False
    follow_settings()
    return True


@intrinsic
def _share_out(typing_context: Any, part: Any, first: Any, end: Any, values: Any) -> Any:
    """Run `part(begin, end, *values)` for ranges that together are that from `first` to `end`."""
    word = types.int64
    called = typing_context.resolve_function_type(part, (word, word, *values), {})

    def code(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        _, first, end, packed = arguments
        found = part.dispatcher.overloads[tuple(called.args)]
        context.add_linking_libs([found.library])
        count, given = _count(builder, first, end), cgutils.unpack_tuple(builder, packed, len(values))
        pack = _stored(builder, [first, end, count, *given])
        task = _task(context, builder.module, found, pack.type)
        _run(context, builder, _body(builder.module, task, pack.type), pack)
        return context.get_dummy_value()

    return signature(types.void, part, word, word, values), code


def _count(builder: ir.IRBuilder, first: ir.Value, end: ir.Value) -> ir.Value:
    """Return how many parts there are: none without an iteration, and not more than iterations."""
    parts = builder.call(runtime_function(builder.module, PARTS, _WORD, []), [])
    parts = builder.mul(parts, _WORD(PARTS_A_THREAD))
    iterations = builder.sub(end, first)
    return builder.select(builder.icmp_signed("<", iterations, parts), iterations, parts)


def _stored(builder: ir.IRBuilder, values: Sequence[ir.Value]) -> ir.Value:
    pack = cgutils.alloca_once(builder, ir.LiteralStructType([one.type for one in values]))
    for place, value in enumerate(values):
        builder.store(value, cgutils.gep_inbounds(builder, pack, 0, place))
    return pack


def _loaded(builder: ir.IRBuilder, pack: ir.Value) -> list[ir.Value]:
    count = len(pack.type.pointee.elements)
    return [builder.load(cgutils.gep_inbounds(builder, pack, 0, place)) for place in range(count)]


def _task(context: Any, module: ir.Module, found: Any, pack: ir.Type) -> ir.Function:
    """Define `void task(ptr pack, i64 k)`: part k of the range. What it raises goes to the frame that it runs below."""
    task = _function(module, "share_out_task", [pack, _WORD])
    builder = ir.IRBuilder(task.append_basic_block("entry"))
    first, end, count, *values = _loaded(builder, task.args[0])
    iterations = builder.sub(end, first)
    bounds = [
        builder.add(first, builder.sdiv(builder.mul(iterations, k), count))
        for k in (task.args[1], builder.add(task.args[1], _WORD(1)))
    ]
    status, _ = context.call_internal_no_propagate(builder, found.fndesc, found.signature, [*bounds, *values])
    with builder.if_then(status.is_error, likely=False):
        function = runtime_function(module, "enzyme_py_raise", _VOID, [_INT, _POINTER])
        builder.call(function, [status.code, builder.bitcast(status.excinfoptr, _POINTER)])
    builder.ret_void()
    return task


def _body(module: ir.Module, task: ir.Function, pack: ir.Type) -> ir.Function:
    """Define `void body(ptr pack)`, which forks: the pool wants a frame and a region around it."""
    body = _function(module, "share_out_body", [pack])
    builder = ir.IRBuilder(body.append_basic_block("entry"))
    count = builder.load(cgutils.gep_inbounds(builder, body.args[0], 0, 2))
    fork = runtime_function(module, FORK, _VOID, [_POINTER, _POINTER, _WORD])
    operands = [builder.bitcast(one, _POINTER) for one in (task, body.args[0])]
    builder.call(fork, [*operands, count])
    builder.ret_void()
    return body


def _function(module: ir.Module, name: str, kinds: Sequence[ir.Type]) -> ir.Function:
    made = ir.Function(module, ir.FunctionType(_VOID, kinds), module.get_unique_name(name))
    made.linkage = "internal"
    return made


def _run(context: Any, builder: ir.IRBuilder, body: ir.Function, pack: ir.Value) -> None:
    """Call the body without Python's lock, and return from the function with what it raised, if it did."""
    module = builder.module
    held = builder.call(runtime_function(module, "PyGILState_Check", _INT, []), [])
    is_held = builder.icmp_signed("!=", held, _INT(0))
    place = cgutils.alloca_once_value(builder, _POINTER(None))
    with builder.if_then(is_held):
        builder.store(builder.call(runtime_function(module, "PyEval_SaveThread", _POINTER, []), []), place)
    enter = runtime_function(module, "enzyme_py_enter", _INT, [_POINTER] * 3 + [_INT])
    operands = [builder.bitcast(one, _POINTER) for one in (body, pack, builder.function.args[1])]
    status = builder.call(enter, [*operands, _INT(0)])
    with builder.if_then(is_held):
        builder.call(runtime_function(module, "PyEval_RestoreThread", _VOID, [_POINTER]), [builder.load(place)])
    with builder.if_then(builder.icmp_signed("!=", status, _INT(0)), likely=False):
        return_status(context, builder, builder.function, status)


__all__ = ["Loop", "may_share_out"]
