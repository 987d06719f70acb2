"""Accesses of elements say that they stay in their memory, so that what counts elements is an integer.

    void push(heap, pos)            called at two places, so not inlined: its numbers come back out of a tape
      i = pos < 0 ? pos + size : pos;  heap[i] = ...

Symptom: Enzyme refuses a derivative of a derivative, since it will not differentiate arithmetic on what could be a float's
bits: `size + pos`, of which the size comes from a tape (pyflwdir's depressions that are filled, by a heap).

Cause: an index is an integer to Enzyme only where the pointer cannot leave its memory, `inbounds`; Numba does not say so.

Cure: it is said where an element is read or written: what is accessed is in its memory. Enzyme's copies of the instruction say it,
too. Not of steps on the way to an element: `x[i]` of a negative i lies in front of the memory before the size is added.
"""

from __future__ import annotations

from enzyme_py.llvm import Call, Constant, Function, GetElementPtr, Load, Store, Value
from enzyme_py.symbols import HINT


def mark_element_accesses(function: Function) -> None:
    """Say of the pointers to elements that they are `inbounds`."""
    found = [one for one in function.instructions if isinstance(one, GetElementPtr) and _is_of_element(one)]
    for one in found:
        one.set_flags(("inbounds", *one.flags))


def _is_of_element(one: GetElementPtr) -> bool:
    """Tell whether a pointer is one step from the start of memory to what is accessed, and says nothing of that."""
    if one.is_inbounds or not _is_step(one) or not _starts(one.pointer):
        return False
    return bool(one.users) and all(_accesses(user, one) for user in one.users)


def _starts(pointer: Value) -> bool:
    while isinstance(pointer, GetElementPtr) and not _is_step(pointer):
        pointer = pointer.pointer
    return not isinstance(pointer, (GetElementPtr, Constant))


def _is_step(one: GetElementPtr) -> bool:
    return not all(isinstance(index, Constant) for index in one.indices)


def _accesses(user: Value, pointer: Value) -> bool:
    if isinstance(user, Call):
        return user.callee.startswith(HINT)
    return isinstance(user, Load) or (isinstance(user, Store) and user.pointer is pointer)
