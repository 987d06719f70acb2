"""Blocks of memory that a function allocates, and that hold nothing but integers.

    places[count] = offset * steps[axis];  return x * 2.0, places          an integer that is computed, and kept in an array

What is read from such a block is an integer, whatever becomes of it, and what is written to it is no float's bits. All
accesses are seen, in functions as well that are called with it: whoever takes the pointer otherwise, but for the array of integers
in a result, makes it another block.
"""

from __future__ import annotations

from enzyme_py.llvm import (
    Argument,
    Call,
    Constant,
    Function,
    GetElementPtr,
    Instruction,
    Load,
    Store,
    Value,
)
from enzyme_py.llvm import types as kinds
from enzyme_py.llvm.analyses.allocations import ALLOCATORS
from enzyme_py.llvm.analyses.callers import all_calls_of
from enzyme_py.llvm.analyses.points_to import derived, origins

_HINTS = ("enzyme_py_hint.Integer", "enzyme_py_hint.kept", "enzyme_py_hint.written")
_TOUCHES_NO_BITS = ("free", "llvm.lifetime.", "llvm.memset.", *_HINTS)
_ARITHMETIC = frozenset("add sub mul shl and or select phi".split())
_COPIES = ("llvm.memcpy.", "llvm.memmove.")


def reads_of_block(store: Store) -> list[Load] | None:
    """Return all that reads from the block that an integer is written to; None if it may hold other things than integers.

    Where several blocks merge, it may be any of them: all have to hold integers.
    """
    found: list[Load] = []
    return found if _are_of_integers(store.pointer, found, set()) else None


def is_of_integers(made: Call) -> bool:
    """Tell whether a block that a call allocates holds integers, as it is written to or read, and nothing else."""
    accesses = (user for pointer in derived(made) for user in pointer.users if isinstance(user, (Load, Store)))
    return any(accesses) and _is_of_integers(made, [], {made})


def _are_of_integers(pointer: Value, reads: list[Load], seen: set[Value]) -> bool:
    """Tell whether all blocks that a pointer may point to hold integers alone, and list what reads from them, and from copies."""
    starts = [one for one in _everywhere(pointer) if not _is_nowhere(one)]
    blocks = [one for one in starts if isinstance(one, Call) and one.callee in ALLOCATORS]
    new = [one for one in blocks if one not in seen]
    seen.update(new)
    return bool(starts) and len(blocks) == len(starts) and all(_is_of_integers(one, reads, seen) for one in new)


def _everywhere(pointer: Value) -> set[Value]:
    """Return what a pointer may be an offset from, where it is a parameter in all that the function is called with."""
    found, seen, pending = set[Value](), set[Value](), [pointer]
    while pending:
        for one in origins(pending.pop()):
            given = _given(one)
            if given is None:
                found.add(one)
            elif one not in seen:
                seen.add(one)
                pending += given
    return found


def _given(value: Value) -> list[Value] | None:
    """Return what a parameter is in all calls of its function; None if it is none, or not all calls are known."""
    if not isinstance(value, Argument) or not isinstance(value.function, Function):
        return None
    calls = all_calls_of(value.function)
    return None if calls is None else [call.arguments[value.index] for call in calls]


def _is_nowhere(pointer: Value) -> bool:
    return isinstance(pointer, Constant) and (pointer.is_undefined or pointer.ref == "null")


def _is_of_integers(start: Instruction, reads: list[Load], seen: set[Value]) -> bool:
    """Tell whether a block holds integers alone, and list what reads from it, and from copies of it."""
    pending: list[Value] = [start]
    while pending:
        pointer = pending.pop()
        for user in pointer.users:
            if user.opcode in ("getelementptr", "phi", "select"):
                pending += {user} - seen
                seen.add(user)
            elif isinstance(user, Load):
                if not kinds.is_integer(user.type):
                    return False
                reads.append(user)
            elif _is_harmless(user, pointer):
                if not _is_copied_to_integers(user, pointer, reads, seen):
                    return False
            elif parameters := _parameters(user, pointer):
                pending += parameters - seen
                seen.update(parameters)
            else:
                return False
    return True


def _is_copied_to_integers(user: Instruction, pointer: Value, reads: list[Load], seen: set[Value]) -> bool:
    """Tell whether a block that is copied from a pointer holds integers as well; what copies nothing is no matter."""
    if not isinstance(user, Call) or not user.callee.startswith(_COPIES) or user.arguments[1] is not pointer:
        return True
    return _are_of_integers(user.arguments[0], reads, seen)


def _parameters(user: Instruction, pointer: Value) -> set[Argument]:
    """Return the parameters that a pointer is handed over for, if all that is done with them is seen."""
    if not isinstance(user, Call) or not isinstance(user.target, Function) or all_calls_of(user.target) is None:
        return set()
    return {parameter for parameter, one in zip(user.target.arguments, user.arguments, strict=True) if one is pointer}


def _is_harmless(user: Instruction, pointer: Value) -> bool:
    if isinstance(user, Store):
        if user.value is pointer:
            return _is_integers_of_result(user.pointer)
        return kinds.is_integer(user.value.type)
    if isinstance(user, Call):
        return user.callee.startswith((*_TOUCHES_NO_BITS, *_COPIES)) or _takes_integers(user, pointer)
    return user.opcode == "icmp" or (user.opcode == "ptrtoint" and _is_compared(user))


def _is_compared(address: Instruction) -> bool:
    """Tell whether an address is but compared: whether two arrays overlap."""
    seen, pending = {address}, [address]
    while pending:
        for user in pending.pop().users:
            if user.opcode in _ARITHMETIC:
                if user not in seen:
                    seen.add(user)
                    pending.append(user)
            elif user.opcode != "icmp":
                return False
    return True


def _takes_integers(call: Call, pointer: Value) -> bool:
    """Tell whether a call says that it takes a pointer to integers: one that sorts."""
    places = [index for index, one in enumerate(call.arguments) if one is pointer]
    declared = getattr(call.target, "parameter_attributes", call.argument_attributes)
    return all(any("[-1,-1]:Integer" in one for one in (*call.argument_attributes(index), *declared(index))) for index in places)


def _is_integers_of_result(place: Value) -> bool:
    """Tell whether a place in a function's result is that of an array of integers, as its type tree says."""
    offset = 0
    if isinstance(place, GetElementPtr):
        step = place.indices[0]
        if place.source_type != "i8" or not isinstance(step, Constant) or step.integer is None:
            return False
        offset, place = step.integer, place.pointer
    if not isinstance(place, Argument):
        return False
    tree = next((one for one in place.attributes if one.startswith('"enzyme_type"')), "")
    return f"[-1,{offset},-1]:Integer" in tree
