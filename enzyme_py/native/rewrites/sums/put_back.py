"""Adjoints that a reverse sweep takes, sets to zero, and adds to what it has just set to zero.

    d = load p; store 0.0, p; old = load p; new = old + x; store new, p        -->    d = load p; store x, p
                                                                                      nothing is stored where x is d
Symptom: gradients of bodies that pull at each other, `speed[j, k] -= pull`, took 6 times the primal.

Cause: the adjoint of `f = f + g` takes that of f, and puts it back. 0.0 + x is x but for the sign of a zero, so LLVM keeps the
addition, and with it a store to memory in each iteration, which may be where the next one reads.

Cure: the addition goes. Done in blocks of reverse sweeps, where nothing between writes, and nothing reads but the primal's memory, which
is never a shadow's, and what Enzyme says is another array. It changes the sign of adjoints that are zero.
"""

from __future__ import annotations

from collections.abc import Sequence

from enzyme_py.llvm import Arithmetic, Call, Instruction, Load, Module, Store
from enzyme_py.native.rewrites.sums.plans import NO_MEMORY
from enzyme_py.native.rewrites.sums.reverse_sums import AGAIN, is_reverse, is_zero

_SHADOW = "'"  # in the names that Enzyme gives to shadows, and to what it reads there


def put_back(code: Module) -> None:
    """Add nothing to zeros that a block of a reverse sweep has just stored."""
    for function in code.functions:
        for block in function.blocks:
            if is_reverse(block):
                for one in list(block.instructions):
                    if isinstance(one, Store) and one.block is block and is_zero(one.value):
                        _forward(one, list(block.instructions), code)


def _forward(cleared: Store, instructions: Sequence[Instruction], code: Module) -> None:
    """Store a sum where it is what was cleared and something more."""
    behind = instructions[instructions.index(cleared) + 1 :]
    again = _next(behind, cleared, code)
    if not isinstance(again, Load) or again.pointer is not cleared.pointer or again.type != cleared.value.type:
        return
    more = again.users[0] if len(again.uses) == 1 else None
    if not isinstance(more, Arithmetic) or more.opcode != "fadd" or more.block is not cleared.block:
        return
    stored = _next(behind[behind.index(again) + 1 :], cleared, code)
    if not isinstance(stored, Store) or stored.value is not more or stored.pointer is not cleared.pointer:
        return
    (term,) = (one for one in more.operands if one is not again)
    more.replace_with(term)
    again.erase()
    if isinstance(term, Load) and term.pointer is cleared.pointer and _is_read_last(term, cleared, instructions):
        stored.erase()
    cleared.erase()


def _is_read_last(taken: Load, cleared: Store, instructions: Sequence[Instruction]) -> bool:
    """Tell whether nothing writes between a load and a store behind it, in a block."""
    if taken.block is not cleared.block or not taken.comes_before(cleared):
        return False
    between = instructions[instructions.index(taken) + 1 : instructions.index(cleared)]
    return not any(_may_write(one) for one in between)


def _next(instructions: Sequence[Instruction], cleared: Store, code: Module) -> Instruction | None:
    """Return the next one that writes, or that may read what was cleared."""
    for one in instructions:
        if _may_write(one) or (one.may_read and not _reads_elsewhere(one, cleared, code)):
            return one
    return None


def _may_write(one: Instruction) -> bool:
    return one.may_write and not (isinstance(one, Call) and one.callee.startswith(NO_MEMORY))


def _reads_elsewhere(one: Instruction, cleared: Store, code: Module) -> bool:
    if isinstance(one, Call):
        return one.callee.startswith(NO_MEMORY)
    if not isinstance(one, Load) or one.pointer is cleared.pointer or one.is_volatile or one.is_atomic:
        return False
    if AGAIN in one.ref and _SHADOW not in one.ref and _SHADOW in cleared.pointer.ref:
        return True
    return _is_told_apart(one, cleared, code) or _is_told_apart(cleared, one, code)


def _is_told_apart(one: Instruction, other: Instruction, code: Module) -> bool:
    """Tell whether metadata say that an access is none of the arrays that another one goes to."""
    scopes, others = _nodes(one.metadata.get("alias.scope"), code), _nodes(other.metadata.get("noalias"), code)
    return bool(scopes) and scopes <= others


def _nodes(name: str | None, code: Module) -> set[str]:
    node = None if name is None else code.metadata.get(name)
    return set() if node is None else {part.strip() for part in node.content.strip("!{}").split(",")}
