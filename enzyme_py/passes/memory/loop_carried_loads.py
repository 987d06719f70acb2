"""Numbers that an iteration of a loop reads from its own memory for the next one, in reverse mode.

    v = np.sin(v) + s * v[0]        LLVM reads v[0] of the new array at the end of the iteration, for the next one

Symptom: a slightly wrong gradient without a word (the fuzzer found it).

Cause: where the reverse sweep needs such a number again, Enzyme makes the memory again and reads it there. That is the
memory of the iteration at hand, not of the one before.

Cure: these numbers are cached, one for each iteration; allocations.py marks the loads.
"""

from __future__ import annotations

from collections.abc import Collection

from enzyme_py.llvm import (
    Block,
    Call,
    Function,
    Instruction,
    Load,
    Phi,
    Value,
    types,
)
from enzyme_py.llvm.analyses.dominators import Dominators
from enzyme_py.llvm.analyses.loops import Loops
from enzyme_py.llvm.analyses.points_to import base_of

_NUMBERS = ("double", "float")


def loop_carried_loads(function: Function, allocations: Collection[Call]) -> set[Load]:
    """Return the loads of numbers, from memory that a loop allocates, which go into the next iteration."""
    found = set[Load]()
    if not allocations:
        return found
    dominators = function.analysis(Dominators)
    loops = function.analysis(Loops).loops
    headers = {loop.header for loop in loops}
    for loop in loops:
        own = {one for one in allocations if dominators.dominates(loop.header, one.home)}
        for phi in loop.phis if own else ():
            for value in loop.carried(phi):
                found |= {
                    one for one in _read_for(value, phi, headers) if base_of(one.pointer) in own
                }
    return found


def _read_for(value: Value, phi: Phi, headers: Collection[Block]) -> list[Load]:
    """Return the loads that a value is computed from; none if the phi goes into it.

    What goes into itself, such as a sum, Enzyme caches.
    """
    loads, seen, pending = list[Load](), set[Value](), [value]
    while pending:
        one = pending.pop()
        if not isinstance(one, Instruction) or one in seen:
            continue
        if one is phi:
            return []
        seen.add(one)
        if isinstance(one, Load) and (one.type in _NUMBERS or types.is_integer(one.type)):
            loads.append(one)
        elif not isinstance(one, Phi):
            pending += one.operands
        elif one.block not in headers:
            pending += one.values
    return loads
