"""Adjoints that a reverse sweep takes, sets to zero, and adds to what it has just set to zero.

    d = load p; store 0.0, p; old = load p; new = old + x; store new, p        -->    d = load p; store x, p
                                                                                      nothing is stored where x is d
Symptom: gradients of bodies that pull at each other, `speed[j, k] -= pull`, took 6 times the primal.

Cause: the adjoint of `f = f + g` takes that of f, and puts it back. 0.0 + x is x but for the sign of a zero, so LLVM keeps the
addition, and with it a store to memory in each iteration, which may be where the next one reads.

Cure: the addition goes. Done in blocks of reverse sweeps, where nothing between touches it: what is read is the primal's memory, which
is never a shadow's, or Enzyme says that it is another array, as the tangents beside the adjoints in second orders. It changes the sign
of adjoints that are zero.
"""

from __future__ import annotations

from collections.abc import Sequence

from enzyme_py.llvm import Arithmetic, Call, Instruction, Load, Module, Store, Value
from enzyme_py.llvm.analyses.alias_scopes import AliasScopes
from enzyme_py.native.rewrites.sums.plans import NO_MEMORY
from enzyme_py.native.rewrites.sums.reverse_sums import AGAIN, is_reverse, is_zero

_SHADOW = "'"  # in the names that Enzyme gives to shadows, and to what it reads there


def put_back(code: Module) -> None:
    """Add nothing to zeros that a block of a reverse sweep has just stored."""
    scopes = AliasScopes(code)
    for function in code.functions:
        for block in function.blocks:
            if is_reverse(block):
                for one in list(block.instructions):
                    if isinstance(one, Store) and one.block is block and is_zero(one.value):
                        _forward(one, list(block.instructions), scopes)


def _forward(cleared: Store, instructions: Sequence[Instruction], scopes: AliasScopes) -> None:
    """Store a sum where it is what was cleared and something more."""
    behind = instructions[instructions.index(cleared) + 1 :]
    again = _next(behind, cleared, scopes)
    if not isinstance(again, Load) or again.pointer is not cleared.pointer or again.type != cleared.value.type:
        return
    more = again.users[0] if len(again.uses) == 1 else None
    if not isinstance(more, Arithmetic) or more.opcode != "fadd" or more.block is not cleared.block:
        return
    stored = _next(behind[behind.index(again) + 1 :], cleared, scopes)
    if not isinstance(stored, Store) or stored.value is not more or stored.pointer is not cleared.pointer:
        return
    (term,) = (one for one in more.operands if one is not again)
    more.replace_with(term)
    again.erase()
    if isinstance(term, Load) and term.pointer is cleared.pointer and _is_read_last(term, cleared, instructions, scopes):
        stored.erase()
    cleared.erase()


def _is_read_last(taken: Load, cleared: Store, instructions: Sequence[Instruction], scopes: AliasScopes) -> bool:
    """Tell whether nothing writes there between a load and a store behind it, in a block."""
    if taken.block is not cleared.block or not taken.comes_before(cleared):
        return False
    between = instructions[instructions.index(taken) + 1 : instructions.index(cleared)]
    return not any(one.may_write and not _is_elsewhere(one, cleared, scopes) for one in between)


def _next(instructions: Sequence[Instruction], cleared: Store, scopes: AliasScopes) -> Instruction | None:
    """Return the next one that may read or write what was cleared."""
    for one in instructions:
        if (one.may_write or one.may_read) and not _is_elsewhere(one, cleared, scopes):
            return one
    return None


def _is_elsewhere(one: Instruction, cleared: Store, scopes: AliasScopes) -> bool:
    """Tell whether an instruction cannot touch what was cleared."""
    if isinstance(one, Call):
        return one.callee.startswith(NO_MEMORY)
    if not isinstance(one, (Load, Store)) or one.pointer is cleared.pointer or one.is_volatile or one.is_atomic:
        return False
    if isinstance(one, Load) and AGAIN in one.ref and not _is_of_shadow(one) and _is_of_shadow(cleared.pointer):
        return True
    return scopes.tell_apart(one, cleared)


def _is_of_shadow(one: Value) -> bool:
    """Tell whether a name says that a reverse sweep has it of a shadow: `x'ipl_unwrap`, and its tangent, `x'ipl_unwrap'ipl`.

    The tangent of what is read of the primal's memory is `x_unwrap'ipl`: of memory that is the tangent of no shadow.
    """
    before, again, name = one.ref.rpartition(AGAIN)
    return _SHADOW in (before if again else name)
