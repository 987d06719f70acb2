"""LLVM IR of other languages: read, checked, and called from kernels and from jitted code.

In a kernel its module is linked in as it is, so Enzyme sees one program. All but the called function becomes
internal, under a name that nothing else has. What was written for another compiler's optimiser goes: the
features of a CPU (functions with different ones are not inlined), and marks against optimisation.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.errors import TypingError
from numba.core.typing import signature
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from enzyme_py.errors import RuleError
from enzyme_py.foundations.llvm_modules import run_once
from enzyme_py.frontend.codegen.type_hints import hint_function
from enzyme_py.frontend.external.intrinsics import write_intrinsics
from enzyme_py.frontend.external.variables import keep_needed, mark_constant
from enzyme_py.frontend.leaves import element_content
from enzyme_py.frontend.target.target import KERNEL, KernelContext
from enzyme_py.llvm import Module
from enzyme_py.llvm.analyses.control_flow import ControlFlow
from enzyme_py.llvm.values import attribute_name
from enzyme_py.symbols import plain_symbol

PREFIX = "enzyme_py_linked"
_POINTER = ir.IntType(8).as_pointer()
_UNWANTED = frozenset(
    "target-cpu target-features tune-cpu probe-stack no-trapping-math optnone noinline".split()
)
_HEADER = ("target triple = ", "target datalayout = ", "source_filename = ")
_SYSTEMS = ("linux", "darwin", "macos", "windows")
_KEEPS_FLOATS = {"float32": "float", "float64": "double"}


@dataclass(frozen=True)
class ForeignCode:
    """The IR of one function with all that its file defines, and its Numba types."""

    file: Path
    symbol: str
    text: str
    arguments: tuple[Any, ...]
    result: Any
    outside: tuple[str, ...]  # what it only declares


def read_foreign(file: Path, name: str, arguments: tuple[Any, ...], result: Any) -> ForeignCode:
    """Return the code of a function in a file, checked against its types."""
    module = _parsed(file)
    _check_target(file, module)
    functions = {one.name: one for one in module.functions}
    found = functions.get(name)
    if found is None or found.is_declaration:
        defined = [one.name for one in module.functions if not one.is_declaration]
        message = f"{file} defines no function `{name}`"
        remedy = f"it defines {', '.join(defined[:8]) or 'none'}; C++ and Rust change names unless told not to"
        raise RuleError(message, remedy=remedy)
    _check_type(file, found, arguments, result)
    digest = hashlib.sha256(str(module).encode()).hexdigest()[:16]
    symbol = f"{PREFIX}.{digest}.{plain_symbol(name)}"
    for one in (*module.functions, *module.global_variables):
        if not one.is_declaration and one.name != name and not one.name.startswith("llvm."):
            one.linkage = "internal"
    found.linkage = "external"
    found.name = symbol
    code = Module(str(module))
    keep_needed(file, code, symbol)
    write_intrinsics(code)
    _check_jumps(file, code)
    variables = [one for one in code.variables if one.initializer is None]
    declared = (*code.declarations, *variables)
    outside = tuple(one.name for one in declared if not one.name.startswith("llvm."))
    _strip(code)
    mark_constant(code)
    return ForeignCode(file, symbol, str(code), arguments, result, outside)


def _strip(code: Module) -> None:
    """Take away what was written for another compiler's optimiser, and what tells a debugger of the source."""
    code.drop_debug_information()
    code.drop_lines(*_HEADER)
    for group in code.groups.values():
        kept = [one for one in group.attributes if attribute_name(one) not in _UNWANTED]
        if kept != group.attributes:
            group.set_attributes(kept)
    for function in code.functions:  # C++: groups of the linker, by names that will change
        function.remove_attribute("comdat")
    for variable in code.variables:
        variable.remove_comdat()


def _parsed(file: Path) -> llvm.ModuleRef:
    data = file.read_bytes()
    context = llvm.create_context()
    try:
        if data[:2] == b"BC" or data[:4] == b"\xde\xc0\x17\x0b":
            return llvm.parse_bitcode(data, context)
        return llvm.parse_assembly(data.decode(), context)
    except (RuntimeError, UnicodeDecodeError) as error:
        version = ".".join(map(str, llvm.llvm_version_info))
        message = f"LLVM {version} cannot read {file} as IR or bitcode"
        remedy = f"write it with a compiler of LLVM {version} or older (clang -O1 -emit-llvm -c); {error}"
        raise RuleError(message, remedy=remedy) from error


def _check_target(file: Path, module: llvm.ModuleRef) -> None:
    own = llvm.get_process_triple()
    given = module.triple
    layout = str(KERNEL.target_context.target_data)
    is_other = given and _machine(given) != _machine(own)
    if is_other or (module.data_layout and module.data_layout != layout):
        message = f"{file} was compiled for {given or module.data_layout}; this process is {own}"
        raise RuleError(message, remedy=f"compile it with --target={own}")


def _machine(triple: str) -> tuple[str, str]:
    parts = triple.split("-")
    system = next((one for one in parts[1:] if one.startswith(_SYSTEMS)), "")
    return parts[0], system.rstrip("0123456789.")


def _check_type(file: Path, function: Any, arguments: tuple[Any, ...], result: Any) -> None:
    given = str(function.global_value_type)
    wanted = [_llvm_name(kind) for kind in arguments]
    head, _, inside = given.partition(" (")
    returned = "void" if isinstance(result, types.NoneType) else _llvm_name(result)
    parameters = [one for one in inside.rstrip(")").split(", ") if one]
    if parameters == wanted and head == returned:
        return
    shown = ", ".join(map(str, arguments))
    message = f"`{function.name}` in {file} is {given}; the signature says {returned} ({', '.join(wanted)})"
    if len(parameters) != len(wanted):
        message += f": {len(parameters)} arguments, not {len(wanted)}"
    remedy = f"change the signature {result}({shown}): double is float64, ptr is float64[::1], i32 is int32"
    raise RuleError(message, remedy=remedy)


def _check_jumps(file: Path, code: Module) -> None:
    """Refuse paths that no pass follows: behind exceptions that are caught, and to places that are computed."""
    for function in code.functions:
        if function.analysis(ControlFlow).is_plain:
            continue
        ends = {block.terminator.opcode for block in function.blocks}
        name = function.name.rpartition(".")[2]
        if ends.isdisjoint(("indirectbr", "callbr")):
            message = f"`{name}` in {file} goes on behind exceptions: it catches them, or cleans up after them"
            raise RuleError(message, remedy="compile it with -fno-exceptions (clang), or with panic=abort (Rust)")
        message = f"`{name}` in {file} jumps to places that are computed"
        raise RuleError(message, remedy="write a switch in place of `goto *`")


def _llvm_name(kind: Any) -> str:
    if isinstance(kind, types.Array):
        return "ptr"
    if isinstance(kind, types.Integer):
        return f"i{kind.bitwidth}"
    return _KEEPS_FLOATS[str(kind)]


def foreign_call(code: ForeignCode) -> Any:
    """Return the intrinsic that calls the function, for kernels and for jitted code."""
    outer: dict[str, Any] = {}

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> Any:
        kinds = [
            _POINTER if isinstance(k, types.Array) else context.get_value_type(k) for k in sig.args
        ]
        is_void = isinstance(code.result, types.NoneType)
        returned = ir.VoidType() if is_void else context.get_value_type(code.result)
        kind = ir.FunctionType(returned, kinds)
        is_kernel = isinstance(context, KernelContext)
        if is_kernel:
            context.add_linking_libs([_library(context, code)])
        elif "engine" not in outer:
            outer["engine"] = _loaded(code)
        name = code.symbol if is_kernel else f"{code.symbol}.native"
        function = cgutils.get_or_insert_function(builder.module, kind, name)
        values = []
        for value, argument in zip(args, sig.args, strict=True):
            given = value
            if isinstance(argument, types.Array):
                data = make_array(argument)(context, builder, value).data
                given = builder.bitcast(data, _POINTER)
                content = element_content(argument.dtype)
                if is_kernel and content:
                    builder.call(hint_function(builder.module, content), [given])
            values.append(given)
        found = builder.call(function, values)
        return context.get_dummy_value() if is_void else found

    @intrinsic
    def call(typing_context, arguments):  # type: ignore[no-untyped-def]
        given = tuple(map(types.unliteral, arguments))
        _check_given(code, given)
        parameters = tuple(
            kind if isinstance(kind, types.Array) else wanted
            for kind, wanted in zip(given, code.arguments, strict=True)
        )
        inner = types.Tuple(parameters)

        def lower_packed(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> Any:
            values = cgutils.unpack_tuple(
                builder, context.cast(builder, args[0], sig.args[0], inner)
            )
            return lower(context, builder, signature(code.result, *parameters), values)

        return signature(code.result, arguments), lower_packed

    return call


def _check_given(code: ForeignCode, given: tuple[Any, ...]) -> None:
    name = code.symbol.rpartition(".")[2]
    for i, (kind, wanted) in enumerate(zip(given, code.arguments, strict=True)):
        if isinstance(wanted, types.Array):
            is_fit = isinstance(kind, types.Array) and kind.dtype == wanted.dtype
            is_fit = is_fit and kind.ndim == wanted.ndim and kind.layout == wanted.layout
            is_fit = is_fit or (
                isinstance(kind, types.Array)
                and kind.dtype == wanted.dtype
                and kind.ndim == wanted.ndim == 1
                and kind.layout in "CF"
            )
        else:
            is_fit = isinstance(kind, types.Number | types.Boolean) and not (
                isinstance(wanted, types.Integer)
                and not isinstance(kind, types.Integer | types.Boolean)
            )
        if not is_fit:
            message = f"argument {i} of `{name}` is {kind}; its signature says {wanted}"
            raise TypingError(message)


def _library(context: Any, code: ForeignCode) -> Any:
    codegen = context.codegen()
    found = codegen.libraries.get(code.symbol)
    if found is None:
        found = codegen.libraries[code.symbol] = codegen.create_library(code.symbol)
        _kept.append(found)
        module = llvm.parse_assembly(code.text)
        module.triple = llvm.get_process_triple()
        module.data_layout = str(KERNEL.target_context.target_data)
        found.add_llvm_module(module)
        found.finalize()
    return found


_kept: list[Any] = []  # the table of libraries does not keep them, nor LLVM its engines


def _loaded(code: ForeignCode) -> Any:
    """Compile the code for calls outside of kernels, and tell LLVM of its address."""
    module = llvm.parse_assembly(code.text)
    module.get_function(code.symbol).linkage = "external"
    machine = llvm.Target.from_default_triple().create_target_machine(opt=3, jit=True)
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=3))
    run_once(builder.getModulePassManager(), module, builder)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    _kept.append(engine)
    llvm.add_symbol(f"{code.symbol}.native", engine.get_function_address(code.symbol))
    return engine
