"""A dispatcher and its slots -> a C function, as code that can be loaded here, or written to a file.

Two functions come of each door:

    int32_t NAME(arguments and results, as slots.py has them)
    int32_t NAME_packed(void *const *data, const int64_t *const *sizes)

The second is for hosts that hold buffers: `data` has a pointer for each argument and result, also to numbers, `sizes` the
sizes of each, which are read for arrays alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numba
from llvmlite import ir
from numba.core import cgutils, compiler, types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target
from numba.extending import intrinsic, overload

from enzyme_py.doors import failures
from enzyme_py.doors.slots import Slot
from enzyme_py.transforms.plans.runner_compiler import RunnerCompiler
from enzyme_py.transforms.plans.unloading import UnloadableLibrary

PACKED = "_packed"
_INT = ir.IntType(32)
_LONG = ir.IntType(64)
_POINTER = ir.IntType(8).as_pointer()


def lowered(
    name: str,
    number: int,
    dispatcher: Any,
    held: Sequence[Any],
    slots: tuple[tuple[Slot, ...], tuple[Slot, ...]],
) -> UnloadableLibrary:
    """Return the loaded library of a door: `name` and `name_packed` are in it."""
    arguments, results = slots
    function = _body(dispatcher, held, arguments, results)
    kinds = tuple(kind for slot in (*arguments, *results) for kind in _kinds(slot, slot in results))
    target, typing = cpu_target.target_context, cpu_target.typing_context
    flags = compiler.Flags()
    flags.nrt = True
    flags.release_gil = True
    flags.no_cpython_wrapper = True
    flags.no_cfunc_wrapper = True
    with global_compiler_lock:
        body = compiler.compile_extra(
            typing, target, function, kinds, types.int32, flags, {}, pipeline_class=RunnerCompiler
        )
        library = UnloadableLibrary(target.codegen(), name)
        library.add_ir_module(_entries(name, number, target, body, kinds, arguments, results))
        library.add_linking_library(body.library)
        library.finalize()
    return library


# -- the body: Python that Numba compiles


def _body(
    dispatcher: Any, held: Sequence[Any], arguments: Sequence[Slot], results: Sequence[Slot]
) -> Any:
    """Return the function of the C parameters that calls the dispatcher and writes the results."""
    names, lines = [], []
    given = [f"held{number}" for number in range(len(held))]
    for slot in arguments:
        names += [slot.name, *slot.sizes]
        if slot.is_array:
            view = f"carray({slot.name}, ({', '.join(slot.sizes)},))"
            lines.append(f"{slot.name}_ = {f'constant({view})' if slot.is_constant else view}")
        else:
            lines.append(
                f"{slot.name}_ = {slot.name}{' != 0' if slot.item == types.boolean else ''}"
            )
        given.append(f"{slot.name}_")
    lines.append(f"returned = call({', '.join(given)})")
    for slot in results:
        names += [slot.name, *slot.sizes]
        part = "returned" + "".join(f"[{place}]" for place in slot.path)
        if not slot.is_array:
            lines.append(f"{slot.name}[0] = {part}")
            continue
        lines.append(
            f"if {part}.shape != ({', '.join(slot.sizes)},): return {failures.OTHER_SIZES}"
        )
        lines.append(f"fill({slot.name}, {part})")
    text = "\n    ".join([f"def body({', '.join(names)}):", *lines, f"return {failures.GOOD}"])
    scope = {
        "call": dispatcher,
        "carray": numba.carray,
        "constant": _constant,
        "fill": _fill,
        **{f"held{number}": value for number, value in enumerate(held)},
    }
    exec(text, scope)  # noqa: S102  (made of names of ours alone)
    return scope["body"]


def _kinds(slot: Slot, is_result: bool) -> list[Any]:
    is_byte = slot.item == types.boolean and (
        is_result or not slot.is_array
    )  # Numba's is a single bit
    item = types.uint8 if is_byte else slot.item
    if not slot.is_array and not is_result:
        return [item]
    return [types.CPointer(item), *[types.int64] * (slot.ndim or 0)]


@intrinsic  # type: ignore[untyped-decorator]
def _constant(typing, array):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """The array itself, as one that may not be written to."""

    def lower(context, builder, signature, arguments):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        return arguments[0]

    return array.copy(readonly=True)(array), lower


def _fill(memory: Any, values: Any) -> None:
    """Write the numbers of an array, in C order, to memory; only in compiled code."""
    raise NotImplementedError


@overload(_fill, strict=False)  # type: ignore[untyped-decorator]
def _fill_compiled(memory: Any, values: Any) -> Any:
    def in_a_row(memory, values):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        for place in range(values.size):
            memory[place] = values[place]

    def in_order(memory, values):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
        place = 0
        for value in values.flat:
            memory[place] = value
            place += 1  # noqa: SIM113

    return in_a_row if values.ndim == 1 else in_order


# -- the entries: LLVM code around it


def _entries(
    name: str,
    number: int,
    context: Any,
    body: Any,
    kinds: Sequence[Any],
    arguments: Sequence[Slot],
    results: Sequence[Slot],
) -> ir.Module:
    module = context.create_module(name)
    kind = context.call_conv.get_function_type(types.int32, kinds)
    callee = ir.Function(module, kind, body.fndesc.llvm_func_name)
    failed = ir.Function(
        module, ir.FunctionType(ir.VoidType(), [_LONG, _INT, _POINTER]), failures.FAILED
    )
    entry = ir.Function(module, ir.FunctionType(_INT, kind.args[2:]), name)
    builder = ir.IRBuilder(entry.append_basic_block("entry"))
    returned = cgutils.alloca_once(builder, _INT)
    excinfo = cgutils.alloca_once(builder, kind.args[1].pointee)
    builder.store(_INT(0), returned)
    builder.store(cgutils.get_null_value(excinfo.type.pointee), excinfo)
    status = builder.call(callee, [returned, excinfo, *entry.args])
    with builder.if_then(builder.icmp_signed("!=", status, _INT(0)), likely=False):
        told = builder.bitcast(builder.load(excinfo), _POINTER)
        builder.call(failed, [_LONG(number), status, told])
        builder.ret(_INT(failures.RAISED))
    builder.ret(builder.load(returned))
    _packed(module, name + PACKED, entry, arguments, results)
    return module


def _packed(
    module: ir.Module,
    name: str,
    entry: ir.Function,
    arguments: Sequence[Slot],
    results: Sequence[Slot],
) -> None:
    kind = ir.FunctionType(_INT, [_POINTER.as_pointer(), _LONG.as_pointer().as_pointer()])
    packed = ir.Function(module, kind, name)
    builder = ir.IRBuilder(packed.append_basic_block("entry"))
    data, sizes = packed.args
    given: list[Any] = []
    wanted = iter(entry.function_type.args)
    for number, slot in enumerate((*arguments, *results)):
        pointer = builder.load(builder.gep(data, [_INT(number)]))
        first = next(wanted)
        if not slot.is_array and number < len(arguments):
            given.append(builder.load(builder.bitcast(pointer, first.as_pointer())))
            continue
        given.append(builder.bitcast(pointer, first))
        for axis in range(slot.ndim or 0):
            own = builder.load(builder.gep(sizes, [_INT(number)]))
            given.append(builder.load(builder.gep(own, [_INT(axis)])))
            next(wanted)
    builder.ret(builder.call(entry, given))
