"""Calls that write whole blocks of memory: LLVM's own, and the block copies of rules/copies.py.

Block copies have bodies, which O2 may put in their place.
"""

from __future__ import annotations

from enzyme_py.llvm import Argument, Call, Instruction, Value

_FILLS = (
    "llvm.memset", "llvm.memcpy", "llvm.memmove", "enzyme_py_copy", "enzyme_py_clear", "enzyme_py_walk",
    "enzyme_py_move_back", "enzyme_py_into_buffer",
)  # fmt: skip


def filled(one: Instruction) -> Value | None:
    """Return where a call writes a block, None for whatever does not; memory of globals is nobody's here."""
    if not isinstance(one, Call) or one.opcode != "call" or not one.callee.startswith(_FILLS):
        return None
    arguments = one.arguments
    return arguments[0] if arguments and is_local(arguments[0]) else None


def is_local(value: Value) -> bool:
    """Tell whether a value belongs to its function: no constant, no global."""
    return isinstance(value, (Instruction, Argument))
