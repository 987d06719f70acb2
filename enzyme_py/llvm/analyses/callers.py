"""Who calls a function, where a module shows all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from enzyme_py.llvm.instructions import Call, Instruction

if TYPE_CHECKING:
    from enzyme_py.llvm.functions import Function


def all_calls_of(function: Function) -> list[Call] | None:
    """Return all calls of a function; None if others may call it, or if it is used in any other way than by plain calls."""
    if function.linkage != "internal" or any(function.ref in one.text for one in function.module.variables):
        return None
    uses = function.uses
    found = [use.user for use in uses if not use.slot and _is_plain_call(use.user)]
    return found if len(found) == len(uses) else None


def _is_plain_call(user: Instruction) -> TypeGuard[Call]:
    return isinstance(user, Call) and user.opcode == "call" and user.tail != "musttail"
