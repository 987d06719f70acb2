"""Whether a kernel writes to the memory of its arguments: who runs it more than once need not copy what it only reads.

LLVM finds it out: linked and inlined, a kernel that only reads an argument has a parameter that LLVM marks `readonly`.
What LLVM cannot see into (a rule, code of others, a derivative) counts as writing, and so does a kernel with a `try`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import llvmlite.binding as llvm

from enzyme_py.assembly.block_copies import link_copies
from enzyme_py.assembly.entry import link_helpers
from enzyme_py.errors import EnzymeError
from enzyme_py.foundations.llvm_modules import Modules, run_once
from enzyme_py.frontend.codegen.library import linked_module
from enzyme_py.frontend.external.linked_rules import holds_rules
from enzyme_py.frontend.target.lower import CompiledKernel, catches, compile_kernel
from enzyme_py.rules import blas, copies
from enzyme_py.rules.orders import SCAN
from enzyme_py.symbols import HINT

_READS = (b"readonly", b"readnone")
_UNKNOWN = "enzyme_py_unknown"
_BEFORE = 2  # where the result goes, and the exception


def writes_no_argument(function: Any, argument_types: Sequence[Any]) -> bool:
    """Tell whether a function surely leaves the memory of its arguments as it is."""
    try:
        kernel = compile_kernel(function, tuple(argument_types))
    except EnzymeError:
        return False  # the derivative will say it
    return not catches(kernel) and _only_reads(kernel)


def _only_reads(kernel: CompiledKernel) -> bool:
    with Modules() as modules:
        module = linked_module(kernel.library, modules)
        if holds_rules(module):
            return False
        module.link_in(modules.parsed(_stand_ins(module)))
        link_helpers(module, modules, order=1)
        link_copies(module, copies.LOOPS, modules)
        entry = module.get_function(kernel.symbol)
        for one in module.functions:
            if not one.is_declaration:
                one.linkage = "external" if one.name == entry.name else "internal"
        _optimise(module)
        given = list(entry.arguments)[_BEFORE:]
        return all(_is_read(one) for one in given if one.type.is_pointer)


def _is_read(argument: llvm.ValueRef) -> bool:
    return any(mark in argument.attributes for mark in _READS)


def _optimise(module: llvm.ModuleRef) -> None:
    machine = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine()
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    options.loop_vectorization = options.slp_vectorization = options.loop_unrolling = False
    builder = llvm.create_pass_builder(machine, options)
    run_once(builder.getModulePassManager(), module, builder)


def _stand_ins(module: llvm.ModuleRef) -> str:
    """Return bodies for what a module only declares and what is known to read: hints, scans, products of Numba's.

    What they find is unknown, or LLVM would leave out what depends on it.
    """
    text = f"declare void @{_UNKNOWN}(ptr)\ndeclare i64 @{_UNKNOWN}.place()\n"
    for one in module.functions:
        if not one.is_declaration:
            continue
        if one.name.startswith(HINT):
            text += f'define linkonce_odr void @"{one.name}"(ptr) {{\n  ret void\n}}\n'
        elif one.name.startswith(SCAN):
            found = f"  %place = call i64 @{_UNKNOWN}.place()\n  ret i64 %place\n"
            text += f'define linkonce_odr i64 @"{one.name}"(ptr, i64) {{\n{found}}}\n'
        elif one.name in blas.PRODUCTS:
            text += _product(blas.PRODUCTS[one.name])
    return text


def _product(row: blas.Product) -> str:
    """Return the body of a product, which reads its operands and writes through the last pointer."""
    pointers = [one.split()[1] for one in row.parameters.split(", ") if one.startswith("ptr ")]
    written = pointers[-1]
    body = f"  call void @{_UNKNOWN}(ptr {written})\n  ret i32 0\n"
    return f"define linkonce_odr i32 @{row.symbol}(i8 %kind, {row.parameters}) {{\n{body}}}\n"
