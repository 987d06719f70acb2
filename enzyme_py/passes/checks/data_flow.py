"""What a derivative flows through, from value to value and through memory."""

from __future__ import annotations

from enzyme_py.llvm import (
    Alloca,
    Block,
    Call,
    Cast,
    Compare,
    Constant,
    Function,
    Instruction,
    Load,
    Phi,
    Select,
    Value,
)
from enzyme_py.llvm.types import is_pointer

_ALLOCATIONS = ("malloc", "calloc", "realloc", "NRT_")
_INTEGRAL = ("sitofp", "uitofp", "fptosi", "fptoui", "ptrtoint")  # what carries no derivative


def is_undefined(value: Value) -> bool:
    return isinstance(value, Constant) and value.is_undefined


def defined_callee(call: Call) -> Function | None:
    """Return the function that is called, if the module defines it."""
    target = call.target
    return target if isinstance(target, Function) and not target.is_declaration else None


def pointers_of(call: Call) -> list[Value]:
    return [one for one in call.arguments if is_pointer(one.type)]


def memory_read(one: Instruction) -> list[Value]:
    """Return the pointers through which an instruction may read."""
    if isinstance(one, Load):
        return [one.pointer]
    return pointers_of(one) if isinstance(one, Call) and one.callee else []


def made_from(one: Instruction) -> list[Value]:
    """Return the values that the result of an instruction depends on."""
    if isinstance(one, (Load, Alloca, Compare)) or (
        isinstance(one, Cast) and one.opcode in _INTEGRAL
    ):
        return []
    if isinstance(one, Phi):
        return list(one.values)
    if isinstance(one, Select):
        return list(one.arms)
    if isinstance(one, Call) and one.callee:
        return [each for each in one.arguments if not each.type.startswith(("i", "ptr"))]
    return [each for each in one.operands if not isinstance(each, Block)]


def is_own_memory(origin: Value) -> bool:
    if isinstance(origin, Call):
        return origin.callee.startswith(_ALLOCATIONS)
    return isinstance(origin, Alloca)
