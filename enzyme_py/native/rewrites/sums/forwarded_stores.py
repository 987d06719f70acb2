"""Loads what an iteration has stored for the next one, where LLVM has put it into a phi.

    %store_forwarded = phi double [ %load_initial, %before ], [ %below.new, %loop ]      (LoopLoadElimination)

A sum that goes from iteration to iteration through a register is one that no vectors can be made of. That pass knows that
memory holds what it hands on: it makes a phi of a load, and nothing between the store and the load writes there. So a load
at the start of the iteration finds the same.
"""

from __future__ import annotations

from enzyme_py.llvm import (
    Arithmetic,
    Block,
    Builder,
    Function,
    GetElementPtr,
    Instruction,
    Phi,
    Store,
    Value,
)
from enzyme_py.llvm.analyses.loops import Loop
from enzyme_py.native.rewrites.sums.places import BYTES, place_of


def load_again(function: Function, loop: Loop) -> bool:
    """Put loads in the place of such phis; tell whether there was one."""
    found = False
    for phi in list(loop.header.phis):
        if phi.name.startswith("store_forwarded") and phi.type in BYTES:
            pointer = _where_it_is(function, loop, phi)
            if pointer is not None:
                copy = _computed_first(pointer, loop)
                behind = isinstance(copy, Instruction) and copy.block is loop.header and not isinstance(copy, Phi)
                at = Builder.after(copy) if behind else Builder(loop.header.first)  # type: ignore[arg-type]
                phi.replace_with(at.load(phi.type, copy, align=BYTES[phi.type]))
                found = True
    return found


def _where_it_is(function: Function, loop: Loop, phi: Phi) -> Value | None:
    """Return an address in the loop that is where the iteration before has stored what a phi holds."""
    stores = [one for one in loop.header.instructions if isinstance(one, Store)]
    for store in stores:
        place = place_of(function, loop, store) if [store.value] == loop.carried(phi) else None
        if place is None:
            continue
        for other in stores:
            there = place_of(function, loop, other)
            if there is not None and there.same_as(place, place.step) and _reads_nothing(other.pointer, loop):
                return other.pointer
    return None


def _reads_nothing(pointer: Value, loop: Loop) -> bool:
    """Tell whether an address is made of phis and what is outside of the loop alone."""
    if loop.is_invariant(pointer) or isinstance(pointer, Phi):
        return True
    if not isinstance(pointer, (GetElementPtr, Arithmetic)):
        return False
    return all(_reads_nothing(one, loop) for one in pointer.operands)


def _computed_first(pointer: Value, loop: Loop) -> Value:
    """Compute an address once more, at the start of the loop's block."""
    if loop.is_invariant(pointer) or isinstance(pointer, Phi):
        return pointer
    assert isinstance(pointer, Instruction)
    operands = [_computed_first(one, loop) for one in pointer.operands]
    copy = pointer.clone_with(operands)
    block: Block = loop.header
    made = [one for one in operands if isinstance(one, Instruction) and one.block is block]
    behind = [one for one in made if not isinstance(one, Phi)]
    at = Builder.after(max(behind, key=block.place_of)) if behind else Builder(block.first)
    return at.insert(copy, "again")
