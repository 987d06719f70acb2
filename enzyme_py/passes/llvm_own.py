"""Passes of LLVM itself that ours build on, run on a module's text.

The one place of this folder that speaks to llvmlite.
"""

from __future__ import annotations

import llvmlite.binding as llvm

from enzyme_py.foundations.llvm_modules import Modules, run_once


def to_memory(text: str, names: frozenset[str]) -> str:
    """Return a module's text with the named functions free of phis and switches (reg2mem, lower-switch)."""
    machine = _machine()
    with Modules() as modules:
        module = modules.parsed(text)
        for function in module.functions:
            if function.name in names:
                builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options())
                passes = llvm.create_new_function_pass_manager()
                passes.add_lower_switch_pass()
                passes.add_register_to_memory_pass()
                run_once(passes, function, builder)
        return str(module)


def in_registers(text: str) -> str:
    """Return a module's text with what is marked inlined, and local variables as values (SROA, instruction combining)."""
    passes = llvm.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    passes.add_global_dead_code_eliminate_pass()
    passes.add_sroa_pass()
    passes.add_instruction_combine_pass()
    passes.add_simplify_cfg_pass()
    builder = llvm.create_pass_builder(_machine(), llvm.create_pipeline_tuning_options())
    with Modules() as modules:
        module = modules.parsed(text)
        run_once(passes, module, builder)
        return str(module)


def optimised(text: str) -> str:
    """Return a module's text as LLVM's own O2 leaves it: to be asked, not to be differentiated."""
    builder = llvm.create_pass_builder(
        _machine(), llvm.create_pipeline_tuning_options(speed_level=2)
    )
    with Modules() as modules:
        module = modules.parsed(text)
        run_once(builder.getModulePassManager(), module, builder)
        return str(module)


def _machine() -> llvm.TargetMachine:
    llvm.initialize_native_target()
    return llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine()
