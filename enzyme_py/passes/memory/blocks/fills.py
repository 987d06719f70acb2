"""Calls that write or read whole blocks of memory: LLVM's own, and the block copies of rules/copies.py.

Block copies have bodies, which O2 may put in their place.
"""

from __future__ import annotations

from enzyme_py.llvm import Argument, Call, Instruction, Value

FILLS = (
    "llvm.memset", "llvm.memcpy", "llvm.memmove", "enzyme_py_copy", "enzyme_py_clear", "enzyme_py_walk",
    "enzyme_py_move_back", "enzyme_py_into_buffer",
)  # fmt: skip

SOURCE = 1  # which argument that is


def filled(one: Instruction) -> Value | None:
    """Return where a call writes a block, None for whatever does not; memory of globals is nobody's here."""
    if not isinstance(one, Call) or one.opcode != "call" or not one.callee.startswith(FILLS):
        return None
    arguments = one.arguments
    return arguments[0] if arguments and is_local(arguments[0]) else None


def copied(one: Instruction) -> Value | None:
    """Return from where a call reads the block that it writes elsewhere, None for whatever does not."""
    if filled(one) is None or not isinstance(one, Call) or len(one.arguments) < SOURCE + 1:
        return None
    source = one.arguments[SOURCE]
    return source if source.type == "ptr" and is_local(source) else None


def is_local(value: Value) -> bool:
    """Tell whether a value belongs to its function: no constant, no global."""
    return isinstance(value, (Instruction, Argument))
