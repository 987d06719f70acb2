"""What only Enzyme needed goes from a differentiated module, and what it had to leave alone gets its body."""

from __future__ import annotations

from enzyme_py.llvm import Call, Constant, Function, GetElementPtr, Module
from enzyme_py.llvm.types import is_integer
from enzyme_py.rules.inactive import TABLE_MEMORY
from enzyme_py.symbols import BARRIER, CANONICAL, HINT


def allow_inlining(code: Module) -> None:
    """Let functions be inlined: ruled ones were kept from it until Enzyme had seen them, and now it only costs."""
    for group in code.groups.values():
        if " noinline" in group.text and "optnone" not in group.attributes:
            group.set_attributes([one for one in group.attributes if one != "noinline"])


def drop_hints(code: Module) -> None:
    """Drop the calls that only told Enzyme something, and those of their derivatives, which do nothing then.

    LLVM would drop them too, but behind what looks at loops here.
    """
    empty = [f"{HINT}."]
    left = [one for one in code.functions if HINT in one.name]
    while empty:
        for function in code.functions:
            for name in empty:
                function.drop_calls(name)
        empty = [one.name for one in left if _does_nothing(one)]
        left = [one for one in left if one.name not in empty]


def _does_nothing(function: Function) -> bool:
    first = function.entry.first
    return first is function.entry.terminator and first.opcode == "ret" and not first.operands


def drop_barriers(code: Module) -> None:
    """Let values pass that were there to be unknown to Enzyme; what looks at loops below would not know them either."""
    for one in list(code.declarations):
        kind = one.return_type
        if one.name.startswith(f"{BARRIER}.") and (kind in ("double", "float", "ptr") or is_integer(kind)):
            for call in list(code.calls_of(one.name)):
                for user in list(call.users):
                    if isinstance(user, GetElementPtr) and _moves_nothing(user, call):
                        user.replace_all_uses_with(user.pointer)
                        user.erase()
                call.replace_with(call.arguments[0])
            one.define_as(f"define internal {kind} {one.ref}({kind} %value) {{ ret {kind} %value }}\n")


def _moves_nothing(step: GetElementPtr, by: Call) -> bool:
    """Tell whether a pointer is moved by a zero that Enzyme did not see (passes/memory/overwriting/later_iterations.py)."""
    zero = by.arguments[0]
    return list(step.indices) == [by] and isinstance(zero, Constant) and zero.integer == 0


def drop_canonical(code: Module) -> None:
    """Take numbers as they are that were hidden in comparisons (passes/values/equal_numbers.py)."""
    for one in list(code.declarations):
        if one.name.startswith(CANONICAL):
            for call in list(code.calls_of(one.name)):
                call.replace_with(call.arguments[0])


def allocate_tables(code: Module) -> None:
    """Make tables by malloc (frontend/codegen/tables.py), now that Enzyme has seen that they hold no floats."""
    table = code.get(TABLE_MEMORY)
    if table is None:
        return
    malloc = code.declare("malloc", "noalias ptr", ["i64"])
    for call in code.calls_of(TABLE_MEMORY):
        call.set_callee(malloc)
    table.erase()
