"""DifferentiatedModule -> LinedCode: machine code as `optimise` makes it, with the line of each instruction."""

from __future__ import annotations

from dataclasses import dataclass, field

from enzyme_py.foundations.llvm_modules import Modules
from enzyme_py.host.module import DifferentiatedModule
from enzyme_py.llvm import Instruction, Module
from enzyme_py.native.code import ObjectCode
from enzyme_py.native.faults.sites import layout, mark_calls, rename_calls
from enzyme_py.native.lined.emitting import emitted
from enzyme_py.native.lined.places import PlaceBook, as_lines, flatten, mark
from enzyme_py.native.lined.table import LineTable, line_table
from enzyme_py.native.optimising import optimised_module, outside_names, understood


@dataclass(frozen=True)
class LinedCode:
    """Machine code that is not loaded yet, its text, and what it was generated from."""

    code: ObjectCode
    table: LineTable
    assembly: str
    optimised: Module  # behind O3, with the places' numbers as lines
    numbered: tuple[tuple[Instruction, int], ...] = field(repr=False)


def lined(module: DifferentiatedModule, book: PlaceBook) -> LinedCode:
    """Return the code of a module with the numbers of a book as its lines; raises NotEmitted."""
    with Modules() as modules:
        with understood(module):
            code = Module(module.ir)
            mark(code, book)
            lines = mark_calls(code)
        parsed = optimised_module(code, module, modules, as_lines)
        code = Module(str(parsed))
        numbered = tuple(flatten(code))
        rename_calls(code)
        parsed = modules.parsed(str(code))
        binary, assembly = emitted(str(code))
        entry = module.entries[0]
        lies, names = layout(binary, entry, lines), tuple(outside_names(parsed))
        made = ObjectCode(binary, module.entries, names, module.lost, lies, module.doubts)
        return LinedCode(made, line_table(binary, entry), assembly, code, numbered)
