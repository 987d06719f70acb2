"""Ruled functions in a module that was linked: whether there are any, and which of their rules nobody asks for."""

from __future__ import annotations

import functools
import itertools

import llvmlite.binding as llvm

from enzyme_py.foundations.llvm_modules import run_once
from enzyme_py.symbols import REQUEST
from enzyme_py.symbols import RULED as PREFIX

_ASKED_BY = {"derivative": {"fwddiff"}, "gradient": {"autodiff", "augmentfwd", "reverse"}}


def holds_rules(module: llvm.ModuleRef) -> bool:
    """Tell whether a linked module calls a ruled function."""
    return any(function.name.startswith(PREFIX) for function in module.functions)


def drop_unused_rules(module: llvm.ModuleRef) -> None:
    """Drop the rules of a direction that nothing in a linked module asks for, and what they call.

    They would be optimised and translated all the same: about half of such a module (measured).
    """
    asked = {_request(function.name) for function in module.functions}
    unused = [kind for kind in ("derivative", "gradient") if not asked & _ASKED_BY[kind]]
    starts = tuple(f"__enzyme_register_{kind}_{PREFIX}" for kind in unused)
    tables = [one for one in module.global_variables if one.name.startswith(starts)]
    for table in tables:
        table.linkage = "internal"
    if tables:
        manager = llvm.create_new_module_pass_manager()
        manager.add_global_dead_code_eliminate_pass()
        builder = llvm.create_pass_builder(_machine(), llvm.create_pipeline_tuning_options(0))
        run_once(manager, module, builder)


def _request(name: str) -> str:
    """Return what a function asks for by its name: `autodiff` of `__enzyme_autodiff.3`; nothing of most."""
    if not name.startswith(REQUEST):
        return ""
    letters = itertools.takewhile(str.islower, name.removeprefix(REQUEST))
    return "".join(letters)


@functools.cache
def _machine() -> llvm.TargetMachine:
    return llvm.Target.from_default_triple().create_target_machine()
