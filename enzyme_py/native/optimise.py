"""DifferentiatedModule -> ObjectCode: LLVM's O3 pipeline for this processor, then its code.

The pass works on unvectorised code, so loops and straight-line code are vectorised only here, with
the target's own costs. Everything but the entries is made internal first: whatever was inlined, or
served only to tell the pass something, vanishes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import llvmlite.binding as llvm

from enzyme_py.errors import DerivativeError, Where
from enzyme_py.frontend.llvm_modules import Modules, run_once
from enzyme_py.frontend.ruled import with_ruled_bodies
from enzyme_py.host.module import DifferentiatedModule
from enzyme_py.llvm import Module
from enzyme_py.native.code import ObjectCode
from enzyme_py.native.fast_math import with_fast_math
from enzyme_py.native.fortran import link_fortran
from enzyme_py.native.lanes import put_lanes_together
from enzyme_py.native.lifetimes import add_frees
from enzyme_py.native.machine import initialise_llvm, target_machine
from enzyme_py.native.sites import layout, with_marked_calls, with_renamed_calls
from enzyme_py.rules.inactive import TABLE_MEMORY
from enzyme_py.rules.recurrences import with_definitions
from enzyme_py.rules.slopes import with_slopes_defined

# Ruled functions are kept from being inlined until the pass has seen them; afterwards it only costs.
_NOINLINE = re.compile(
    r"^(attributes #\d+ = \{[^\n]*?) noinline\b(?![^\n]*\boptnone\b)", re.MULTILINE
)

# Calls that only told the pass the type of a pointer (assembly/call.py).
_HINTS = re.compile(r"^(?: *(?:tail )?call|declare) void @enzyme_py_hint\..*\n", re.MULTILINE)
# Functions that are there to be unknown to the pass (njit/stop.py, single_exit.py, own_bounds.py,
# left_values.py).
_BARRIERS = re.compile(
    r"^declare (?:[^\n]*? )?(double|float|i\d+) @(enzyme_py_inactive\.\w+)\(.*$", re.MULTILINE
)
_TABLES = re.compile(rf"^declare [^\n]*@{TABLE_MEMORY}\([^\n]*\n", re.MULTILINE)
# Where in the user's file the code comes from. The pass's messages needed it; LLVM fails an assertion
# on it now and then when it writes machine code ("Offset being queried before it's been computed").
_DEBUG_INFORMATION = re.compile(r",? !dbg !\d+|^ *#dbg_.*\n|^!llvm\.dbg\.cu = .*\n", re.MULTILINE)


def optimise(module: DifferentiatedModule) -> ObjectCode:
    """Machine code for the entries of a module, not yet loaded."""
    with Modules() as modules:
        text, places = with_marked_calls(module.ir)
        parsed = _optimised(replace(module, ir=text), modules)
        if places:
            parsed = modules.parsed(with_renamed_calls(str(parsed)))
        binary = target_machine().emit_object(parsed)
        lies = layout(binary, module.entries[0], places)
        return ObjectCode(binary, module.entries, tuple(outside_names(parsed)), module.lost, lies)


def optimised_ir(module: DifferentiatedModule) -> str:
    """The IR that code is generated from, for `enzyme_py.inspect`."""
    with Modules() as modules:
        return str(_optimised(module, modules))


def assembly(module: DifferentiatedModule) -> str:
    """The machine code as text, for `enzyme_py.inspect`."""
    with Modules() as modules:
        return str(target_machine().emit_assembly(_optimised(module, modules)))


def _optimised(module: DifferentiatedModule, modules: Modules) -> llvm.ModuleRef:
    """Parse, internalise and run the pipeline."""
    initialise_llvm()
    machine = target_machine()
    parsed = _parsed(module, modules)
    parsed.triple = machine.triple
    parsed.data_layout = str(machine.target_data)
    _internalise(parsed, module.entries, module.where)
    _run_pipeline(parsed, machine, module.style)
    return parsed


def outside_names(parsed: llvm.ModuleRef) -> Iterator[str]:
    """What the module only declares; intrinsics are the code generator's business."""
    for symbol in (*parsed.functions, *parsed.global_variables):
        if symbol.is_declaration and not symbol.name.startswith("llvm."):
            yield symbol.name


def _parsed(module: DifferentiatedModule, modules: Modules) -> llvm.ModuleRef:
    text = _DEBUG_INFORMATION.sub("", module.ir)
    text = _HINTS.sub("", _NOINLINE.sub(r"\1", text))
    text = _BARRIERS.sub(r"define internal \1 @\2(\1 %value) { ret \1 %value }", text)
    text = _with_tables(text)
    text = with_slopes_defined(with_definitions(with_ruled_bodies(text)))
    code = Module(text)
    put_lanes_together(code)
    add_frees(code)
    text = str(code)
    if module.is_fast:
        text = with_fast_math(text)
    try:
        parsed = modules.parsed(text)
    except RuntimeError as error:
        what = "LLVM cannot read the differentiated module"
        remedy = "the Enzyme host and llvmlite must be of one LLVM version: see enzyme_py doctor"
        detail = f"{error}\n{module.ir}"
        raise DerivativeError(what, where=module.where, remedy=remedy, detail=detail) from error
    link_fortran(parsed, modules)
    return parsed


def _with_tables(text: str) -> str:
    """Return the text with tables made by malloc, now that the pass has seen it."""
    if f"@{TABLE_MEMORY}(" not in text:
        return text
    text = _TABLES.sub("", text).replace(f"@{TABLE_MEMORY}(", "@malloc(")
    is_declared = re.search(r"^declare [^\n]*@malloc\(", text, re.MULTILINE)
    return text if is_declared else f"{text}\ndeclare noalias ptr @malloc(i64)\n"


def _internalise(parsed: llvm.ModuleRef, entries: tuple[str, ...], where: Where) -> None:
    defined = {symbol.name for symbol in parsed.functions if not symbol.is_declaration}
    lost = sorted(set(entries) - defined)
    if lost:
        what = f"the pass lost the entry `{lost[0]}`"
        raise DerivativeError(what, where=where, remedy="please report this kernel")
    for symbol in (*parsed.functions, *parsed.global_variables):
        if symbol.is_declaration or symbol.name.startswith("llvm."):
            continue
        symbol.linkage = "external" if symbol.name in entries else "internal"


def _run_pipeline(parsed: llvm.ModuleRef, machine: llvm.TargetMachine, style: str) -> None:
    """Run O3; "scalar" code has no vectors, "rolled" code repeats no turn of a loop. Both pay for short loops."""
    tuning = llvm.create_pipeline_tuning_options(speed_level=3)
    tuning.loop_vectorization = tuning.slp_vectorization = style != "scalar"
    tuning.loop_interleaving = tuning.loop_unrolling = style != "rolled"
    builder = llvm.create_pass_builder(machine, tuning)
    passes = builder.getModulePassManager()
    passes.add_strip_dead_prototype_pass()
    run_once(passes, parsed, builder)
