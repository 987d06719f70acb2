"""Numbers that an iteration of a loop reads from its own memory for the next one, in reverse mode.

    v = np.sin(v) + s * v[0]        LLVM reads v[0] of the new array at the end of the iteration, for the next one

Symptom: a slightly wrong gradient without a word (the fuzzer found it).

Cause: where the reverse sweep needs such a number again, Enzyme makes the memory again and reads it there. That is the
memory of the iteration at hand, not of the one before.

Cure: these numbers are cached, one for each iteration; allocations.py marks the loads.

    v[1:] = v[:-1] * v[1:]; t += v[2]       a block copy fills v from an array of the iteration, and v[2] goes into the next one

Here the read is of other memory. But Enzyme's run inlines the copy, and LLVM then reads the array of the iteration in the place
of v. Nobody marks that: wrong without a word (tests/metamorphic found it, where v has few elements, and LLVM knows how many).
So LLVM may not know where such reads go, either.
"""

from __future__ import annotations

from collections.abc import Collection

from enzyme_py.llvm import (
    Block,
    Call,
    Function,
    GetElementPtr,
    Instruction,
    Load,
    Phi,
    Value,
    types,
)
from enzyme_py.llvm.analyses.dominators import Dominators
from enzyme_py.llvm.analyses.loops import Loops
from enzyme_py.passes.memory.merged_pointers import MergedPointers
from enzyme_py.rules.copies import is_body

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
                    one for one in _read_for(value, phi, headers) if _base(one.pointer) in own
                }
    return found


def loop_carried_copies(function: Function, allocations: Collection[Call]) -> set[Load]:
    """Return the loads for the next iteration, of memory that a copy may fill from what a loop allocates."""
    found = set[Load]()
    copied = [call for call in function.calls if is_body(call.callee) and len(call.arguments) > 1]
    copied = [call for call in copied if _base(call.arguments[1]) in allocations]
    if not copied:
        return found
    apart = function.analysis(MergedPointers).are_apart
    loops = function.analysis(Loops).loops
    headers = {loop.header for loop in loops}
    for loop in loops:
        targets = [call.arguments[0] for call in copied if call in loop]
        for phi in loop.phis if targets else ():
            for value in loop.carried(phi):
                found |= {
                    one
                    for one in _read_for(value, phi, headers)
                    if not all(apart(one.pointer, target) for target in targets)
                }
    return found


def _base(pointer: Value) -> Value:
    """Return the pointer from which one is an offset."""
    while isinstance(pointer, GetElementPtr):
        pointer = pointer.pointer
    return pointer


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
