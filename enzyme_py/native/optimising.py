"""DifferentiatedModule -> ObjectCode: LLVM's O3 pipeline for this processor, then its code.

Enzyme works on unvectorised code, so loops and straight-line code are vectorised only here, with
the target's own costs. Everything but the entries is made internal first: whatever was inlined, or
served only to tell Enzyme something, vanishes.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

import llvmlite.binding as llvm

from enzyme_py.errors import DerivativeError, Where
from enzyme_py.foundations.llvm_modules import Modules, run_once
from enzyme_py.frontend.external.ruled import call_bodies
from enzyme_py.frontend.parallel import log
from enzyme_py.host.module import DifferentiatedModule
from enzyme_py.llvm import LLVMSyntaxError, Module
from enzyme_py.native.code import ObjectCode
from enzyme_py.native.faults.sites import layout, mark_calls, rename_calls
from enzyme_py.native.machine import emit_assembly, emit_object, initialise_llvm, target_machine
from enzyme_py.native.rewrites.carried_lanes import may_carry_lanes, read_carried_lanes
from enzyme_py.native.rewrites.fast_math import allow_fast_math
from enzyme_py.native.rewrites.flat_loops import flatten_loops
from enzyme_py.native.rewrites.fortran import link_fortran
from enzyme_py.native.rewrites.lanes import put_lanes_together
from enzyme_py.native.rewrites.leftovers import (
    allocate_tables,
    allow_inlining,
    drop_barriers,
    drop_canonical,
    drop_hints,
)
from enzyme_py.native.rewrites.lifetimes import add_frees
from enzyme_py.native.rewrites.records import allocate_records_late
from enzyme_py.native.rewrites.sums.put_back import put_back
from enzyme_py.native.rewrites.sums.reverse_sums import allow_any_order
from enzyme_py.native.rewrites.sums.scattered_adds import separate_adds
from enzyme_py.native.rewrites.usual_loops import add_usual_loops
from enzyme_py.native.threads.forks import fork_loops
from enzyme_py.native.threads.unread_rows import drop_unread_rows
from enzyme_py.rules.recurrences import define_records
from enzyme_py.rules.slopes import define_slopes
from enzyme_py.symbols import ANY_ORDER


def optimise(module: DifferentiatedModule) -> ObjectCode:
    """Machine code for the entries of a module, not yet loaded."""
    with Modules() as modules:
        with understood(module):
            code = Module(module.ir)
            lines = mark_calls(code)
        parsed = optimised_module(code, module, modules)
        if lines:
            code = Module(str(parsed))
            rename_calls(code)
            parsed = modules.parsed(str(code))
        binary = emit_object(parsed)
        lies = layout(binary, module.entries[0], lines)
        names = tuple(outside_names(parsed))
        return ObjectCode(binary, module.entries, names, module.lost, lies, module.doubts)


def optimised_ir(module: DifferentiatedModule) -> str:
    """The IR that code is generated from, for `enzyme_py.inspect`."""
    with Modules() as modules:
        return str(optimised_module(Module(module.ir), module, modules))


def assembly(module: DifferentiatedModule) -> str:
    """The machine code as text, for `enzyme_py.inspect`."""
    with Modules() as modules:
        parsed = optimised_module(Module(module.ir), module, modules)
        return emit_assembly(parsed)


def finish(code: Module, *, fast_math: tuple[str, ...]) -> None:
    """Make of what came back from Enzyme what LLVM may optimise."""
    # Enzyme's messages needed it. LLVM fails an assertion on it now and then when it writes machine code ("Offset being
    # queried before it's been computed").
    code.drop_debug_information()
    allow_inlining(code)
    drop_hints(code)
    drop_barriers(code)
    drop_canonical(code)
    allocate_tables(code)
    call_bodies(code)
    define_records(code)
    define_slopes(code)  # of tanh and the like
    drop_unread_rows(code)
    for one in fork_loops(code):
        if one.why_serial:
            log.note(one.function, one.line, one.why_serial)
    put_lanes_together(code)
    add_frees(code)
    allocate_records_late(code)
    flatten_loops(code)
    if ANY_ORDER in fast_math:
        allow_any_order(code)
        put_back(code)
        separate_adds(code)
    add_usual_loops(code)
    words = [one for one in fast_math if one != ANY_ORDER]
    if words:
        allow_fast_math(code, words)


def optimised_module(
    code: Module,
    module: DifferentiatedModule,
    modules: Modules,
    prepare: Callable[[Module], None] | None = None,
) -> llvm.ModuleRef:
    """Finish the code, and what else is to be done to it, parse and internalise it, and run the pipeline."""
    initialise_llvm()
    machine = target_machine()
    with understood(module):
        finish(code, fast_math=module.fast_math)
        if prepare is not None:
            prepare(code)
        parsed = modules.parsed(str(code))
    link_fortran(parsed, modules)
    parsed.triple = machine.triple
    parsed.data_layout = str(machine.target_data)
    _internalise(parsed, module.entries, module.where)
    _run_pipeline(parsed, machine, module.style)
    return _with_lanes_read(parsed, modules)


@contextlib.contextmanager
def understood(module: DifferentiatedModule) -> Iterator[None]:
    """Say it in the package's words if a module cannot be read."""
    try:
        yield
    except (LLVMSyntaxError, RuntimeError) as error:
        what = "LLVM cannot read the differentiated module"
        remedy = "the Enzyme host and llvmlite must be of one LLVM version: see enzyme_py doctor"
        detail = f"{error}\n{module.ir}"
        raise DerivativeError(what, where=module.where, remedy=remedy, detail=detail) from error


def outside_names(parsed: llvm.ModuleRef) -> Iterator[str]:
    """What the module only declares; intrinsics are the code generator's business."""
    for symbol in (*parsed.functions, *parsed.global_variables):
        if symbol.is_declaration and not symbol.name.startswith("llvm."):
            yield symbol.name


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


def _with_lanes_read(parsed: llvm.ModuleRef, modules: Modules) -> llvm.ModuleRef:
    """Mend what the code generator would make wrong code of (native/rewrites/carried_lanes.py)."""
    text = str(parsed)
    if may_carry_lanes(text):
        code = Module(text)
        if read_carried_lanes(code):
            return modules.parsed(str(code))
    return parsed


def _run_pipeline(parsed: llvm.ModuleRef, machine: llvm.TargetMachine, style: str) -> None:
    """Run O3; "scalar" code has no vectors, "rolled" code repeats no iteration of a loop. Both pay for short loops."""
    tuning = llvm.create_pipeline_tuning_options(speed_level=3)
    tuning.loop_vectorization = tuning.slp_vectorization = style != "scalar"
    tuning.loop_interleaving = tuning.loop_unrolling = style != "rolled"
    builder = llvm.create_pass_builder(machine, tuning)
    passes = builder.getModulePassManager()
    passes.add_strip_dead_prototype_pass()
    run_once(passes, parsed, builder)
