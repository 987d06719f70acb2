"""The variables of a file of linked IR: what a function needs of the file, and which variables are constant to it.

A variable that the code only reads has no derivative; it is marked so, since another library may have it and Enzyme knows
nothing of what lies there. Of variables that the code writes numbers to, nothing is said here: passes/checks/linked_code/variables.py.
What a program fills before it begins (static constructors) is not filled here: such a variable is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from enzyme_py.errors import RuleError
from enzyme_py.llvm import (
    Call,
    Cast,
    Compare,
    Constant,
    Function,
    GetElementPtr,
    GlobalValue,
    GlobalVariable,
    Instruction,
    Load,
    Module,
    Phi,
    Select,
    Store,
    Value,
    types,
)
from enzyme_py.llvm.naming import global_names
from enzyme_py.symbols import INACTIVE

_COUNTS = frozenset("add sub mul sdiv udiv srem urem sext zext".split())
_COPIES = ("llvm.memcpy.", "llvm.memmove.", "llvm.memset.")
_BEFORE = ("llvm.global_ctors", "llvm.global_dtors")


def keep_needed(file: Path, code: Module, function: str) -> None:
    """Take out what a function does not need; raises `RuleError` if it needs a variable that is filled before a program begins."""
    needed = _reached(code, [function])
    before = _reached(code, [name for name in _BEFORE if code.get(name)])
    filled = [
        one.name
        for one in code.variables
        if one in needed and one in before and one.kind == "global" and one.initializer is not None
    ]
    if filled:
        shown = ", ".join(f"`{one}`" for one in filled[:5])
        message = f"{file} fills {shown} before a program begins (static constructors), which is not done here"
        remedy = "give the variable a value that the compiler knows, or hand it to the function as an argument"
        raise RuleError(message, remedy=remedy)
    for one in [one for one in code.items if isinstance(one, GlobalValue) and one not in needed]:
        code.remove(one)


def _reached(code: Module, names: Iterable[str]) -> set[GlobalValue]:
    """Return what some functions and variables name, and what that names, and so on, with themselves."""
    found = set[GlobalValue]()
    pending = [code.get(name) for name in names]
    while pending:
        one = pending.pop()
        if one is not None and one not in found:
            found.add(one)
            pending += [code.get(name) for name in global_names(one.text)]
    return found


def mark_constant(code: Module) -> None:
    """Mark the variables that are only read, and those that only counts are written to."""
    for one in code.variables:
        if one.kind == "global" and INACTIVE not in one.metadata and _is_constant(code, one):
            one.set_metadata(INACTIVE, code.node("!{}"))


def _is_constant(code: Module, variable: GlobalVariable) -> bool:
    named = [one for one in code.variables if one is not variable and variable.name in global_names(one.text)]
    if named:  # whoever reads that one has the address
        return False
    known, pending = set[Value](), list[Value]()
    uses = [use for function in code.functions for use in _uses(function, variable)]
    while True:
        for user, index in uses:
            further = _further(user, index)
            if further is None:
                return False
            pending += [one for one in further if one not in known]
            known.update(further)
        if not pending:
            return True
        uses = [(use.user, use.slot) for use in pending.pop().uses]


def _uses(function: Function, variable: GlobalVariable) -> Iterator[tuple[Instruction, int]]:
    """Yield every operand that is a variable, or a constant made of its address."""
    if variable.name not in function.global_names():
        return
    for one in function.instructions:
        for index, operand in enumerate(one.operands):
            if operand is variable or variable.name in global_names(operand.ref):
                yield one, index


def _further(user: Instruction, index: int) -> list[Value] | None:
    """Return what else leads to the memory where an address is used; None where it may be written to, or gets lost."""
    operand = user.operands[index]
    if isinstance(user, Load):
        return [user] if types.is_pointer(user.type) else []
    if isinstance(user, Store):
        return [] if user.value is not operand and _is_count(user.value) else None
    if isinstance(user, (GetElementPtr, Cast, Phi, Select)) or user.opcode == "freeze":
        return [user] if types.is_pointer(user.type) else None
    if isinstance(user, Compare):
        return []
    return _handed(user, index) if isinstance(user, Call) else None


def _is_count(value: Value) -> bool:
    """Tell whether a value is an integer, and not the bits of a float that was read as one."""
    is_computed = isinstance(value, Constant) or (isinstance(value, Instruction) and value.opcode in _COUNTS)
    return types.is_integer(value.type) and is_computed


def _handed(call: Call, index: int) -> list[Value] | None:
    if call.callee.startswith(_COPIES):
        return None if index == 0 else []
    if index >= len(call.arguments):  # called itself
        return [call] if types.is_pointer(call.type) else []
    target = call.target
    if isinstance(target, Function) and not target.is_declaration:
        if index >= len(target.arguments):
            return None
        return [target.arguments[index], *([call] if types.is_pointer(call.type) else [])]
    # Without a body: of an active argument it would need a rule.
    return [call] if types.is_pointer(call.type) else []
