"""Fields of results that a function stores through a pointer of its caller's, and who reads them.

    store i64 %l, ptr %result.24        in @step(ptr %result, ...), which calls itself
    %again = load i64, ptr %mine.24     in @step and in its callers, behind a call with %mine

All that touches such memory is seen, in all functions that get a pointer to it. Whoever does with it what is not understood
here, or may be called from elsewhere, makes the answer "unknown".
"""

from __future__ import annotations

from typing import NamedTuple

from enzyme_py.llvm import (
    Alloca,
    Argument,
    Call,
    Function,
    Instruction,
    Load,
    Phi,
    Select,
    Store,
    Value,
)
from enzyme_py.llvm import types as kinds
from enzyme_py.llvm.analyses.addresses import Addresses
from enzyme_py.llvm.analyses.callers import all_calls_of
from enzyme_py.llvm.analyses.points_to import derived, sources
from enzyme_py.symbols import HINT

_MOST = 200  # a pointer that moves in a loop would have a field for each iteration
_READS_NOTHING = ("llvm.lifetime.", "llvm.memset.", HINT)


class _Field(NamedTuple):
    """So many bytes behind a pointer that a function has as a variable, or got."""

    base: Value
    offset: int


def reads_of_field(store: Store) -> list[Load] | None:
    """Return all that reads what is stored to a variable, or to a field of a result; None if others may read it."""
    size = kinds.size_of(store.value.type)
    first = _field_at(store, store.pointer)
    if first is None or size is None:
        return None
    found: list[Load] = []
    seen, pending = {first}, [first]
    while pending:
        field = pending.pop()
        others = _begun_as(field)
        here = _accesses(field, size, found)
        if others is None or here is None or len(seen) > _MOST:
            return None
        new = {*others, *here} - seen
        seen |= new
        pending += new
    return found


def _field_at(user: Instruction, pointer: Value) -> _Field | None:
    """Return the field that an instruction's pointer points at, if how far it lies behind its base is known."""
    address = user.function.analysis(Addresses).of(pointer)
    if address.offset is None or address.offset.parts:
        return None
    return _Field(address.base, address.offset.number)


def _begun_as(field: _Field) -> list[_Field] | None:
    """Return the same field of what a base was made from: merged, or handed over by callers; None if that is not known."""
    base = field.base
    if isinstance(base, Alloca):
        return []
    given: list[tuple[Instruction, Value]] = []
    if isinstance(base, (Phi, Select)):
        given += [(base, one) for one in sources(base) or ()]
    else:
        if not isinstance(base, Argument) or not isinstance(base.function, Function):
            return None
        calls = all_calls_of(base.function)
        if calls is None:
            return None
        given += [(call, call.arguments[base.index]) for call in calls]
    found = [one for user, pointer in given if (one := _field_at(user, pointer)) is not None]
    return [_Field(one.base, one.offset + field.offset) for one in found] if len(found) == len(given) else None


def _accesses(field: _Field, size: int, reads: list[Load]) -> list[_Field] | None:
    """List the loads of a field, and return the same field of what the pointer becomes elsewhere; None if it is used otherwise."""
    merged: list[_Field] = []
    pointers = derived(field.base)
    for pointer in pointers:
        for user in pointer.users:
            if user in pointers or user.opcode == "icmp":
                continue
            place = _field_at(user, pointer)
            if place is None or place.base is not field.base or not _is_understood(user, pointer):
                return None
            behind = field.offset - place.offset
            if isinstance(user, Load):
                width = kinds.size_of(user.type)
                if behind == 0 and width == size and kinds.is_integer(user.type):
                    reads.append(user)
                elif width is None or -size < behind < width:
                    return None
            elif isinstance(user, (Phi, Select)):
                merged.append(_Field(user, behind))
            elif isinstance(user, Call) and isinstance(user.target, Function) and not user.callee.startswith(_READS_NOTHING):
                given = zip(user.target.arguments, user.arguments, strict=True)
                merged += [_Field(parameter, behind) for parameter, one in given if one is pointer]
    return merged


def _is_understood(user: Instruction, pointer: Value) -> bool:
    """Tell whether a use of a pointer is a merge, a load, a store to it, or a call that keeps to what is seen here."""
    if isinstance(user, Store):
        return user.value is not pointer
    if isinstance(user, Call):
        return user.callee.startswith(_READS_NOTHING) or (isinstance(user.target, Function) and user.target.linkage == "internal")
    return isinstance(user, (Load, Phi, Select))
