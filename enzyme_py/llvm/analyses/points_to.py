"""Where each pointer of one function can lead, what is written there, and which memory escapes.

Memory is an allocation, a stack slot or what a parameter points to: all iterations and all bytes of one are
taken together. A pointer that is loaded leads to all that was ever stored in the memory it is loaded from. Memory
escapes where somebody else may come to know it: whoever is given its pointer and may capture it, and whatever
holds that pointer and escapes. Of such memory nothing is said.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from enzyme_py.llvm import types
from enzyme_py.llvm.analyses import Analysis
from enzyme_py.llvm.analyses.call_effects import KNOWN, Access, CallEffects, Known
from enzyme_py.llvm.instructions import (
    Alloca,
    Call,
    Cast,
    Compare,
    GetElementPtr,
    Instruction,
    Load,
    Phi,
    Select,
    Store,
)
from enzyme_py.llvm.values import Constant, Value

if TYPE_CHECKING:
    from enzyme_py.llvm.functions import Function

UNKNOWN = Value("ptr", "?")
_UNREADABLE = frozenset("atomicrmw cmpxchg fence invoke callbr va_arg inttoptr".split())
_NOBODY = frozenset(("null", "undef", "poison", "zeroinitializer"))
_WIDEST = 64  # bits that can hold a pointer and are no vector's
# What makes an integer of integers: it may hold what they held. Not a float, of which no pointer is made.
_COUNTS = frozenset(
    "add sub mul udiv sdiv urem srem and or xor shl lshr ashr trunc zext sext freeze extractvalue".split()
)
_FORGETS = frozenset(  # what no pointer can be made of afterwards
    "sitofp uitofp fptosi fptoui fadd fsub fmul fdiv frem fneg fpext fptrunc br switch".split()
)
_MOVES = ("llvm.memcpy.", "llvm.memmove.")


class PointsTo(Analysis):
    """The memory of a function. With `known`, more is known of callees than their attributes say."""

    def __init__(self, function: Function, known: Mapping[str, Known] = KNOWN) -> None:
        super().__init__(function)
        self._known = known
        self._code = list(function.instructions)
        self._targets: dict[Value, set[Value]] = {one: set() for one in self._code}
        self._targets |= {one: {one} for one in function.arguments}
        self._bits: dict[Value, set[Value]] = {}  # what integers may hold that were loaded
        self._contents = defaultdict[Value, set[Value]](set)
        self._escaped: set[Value] = {UNKNOWN, *function.arguments}
        self._is_readable = all(one.opcode not in _UNREADABLE for one in self._code)
        self._effects = {
            one: CallEffects(one, known) for one in self._code if isinstance(one, Call)
        }
        size = -1
        while size != (size := self._size()):
            for one in self._code:
                self._read(one)
            self._spread()
        self._writes = [(one, pointer) for one in self._code for pointer in self._written(one)]

    def targets(self, pointer: Value) -> set[Value]:
        """Return the memory that a pointer can lead to, by what made it; `UNKNOWN` for memory of others."""
        if isinstance(pointer, Constant) and pointer.ref in _NOBODY:
            return set()
        return self._targets.get(pointer, {UNKNOWN})

    def held_by(self, memory: Value) -> set[Value]:
        """Return the memory that addresses stored in other memory can lead to, by what made it."""
        return self._contents.get(memory, set())

    def may_alias(self, one: Value, other: Value) -> bool:
        """Tell whether two pointers may lead to the same memory."""
        first, second = self.targets(one), self.targets(other)
        if first & second:
            return True
        return not first.isdisjoint(self._escaped) and not second.isdisjoint(self._escaped)

    def is_private(self, memory: Value) -> bool:
        """Tell whether only instructions of the function can read and write an allocation."""
        return self._is_readable and memory not in self._escaped

    def writes(self, memory: Value) -> Iterator[tuple[Instruction, Value]]:
        """Yield what may write to private memory, or free it, and by which pointer."""
        for one, pointer in self._writes:
            if memory in self.targets(pointer):
                yield one, pointer

    def _size(self) -> int:
        parts = (self._targets, self._bits, self._contents)
        held = sum(len(one) + sum(map(len, one.values())) for one in parts)
        return held + len(self._escaped)

    def _read(self, one: Instruction) -> None:
        if isinstance(one, Alloca) or (one in self._effects and self._effects[one].is_allocation):
            self._targets[one].add(one)
        elif isinstance(one, GetElementPtr):
            self._targets[one] |= self.targets(one.pointer)
        elif isinstance(one, (Phi, Select)):
            self._merge(one, one.values if isinstance(one, Phi) else one.arms)
        elif isinstance(one, Load):
            self._load(one)
        elif isinstance(one, Store):
            self._store(one)
        elif isinstance(one, Call):
            self._call(one)
            self._targets[one].add(UNKNOWN)
        elif one.opcode in ("freeze", "addrspacecast", "bitcast") and types.is_pointer(one.type):
            self._targets[one] |= self.targets(one.operands[0])
        elif one.opcode in _COUNTS:
            held = (self._bits.get(each, set()) for each in one.operands)
            self._bits.setdefault(one, set()).update(*held)
        elif one.opcode not in _FORGETS and not isinstance(one, Compare):
            self._lose(one.operands)
            self._targets[one].add(UNKNOWN)

    def _merge(self, one: Instruction, given: Iterable[Value]) -> None:
        if types.is_pointer(one.type):
            self._targets[one] |= set[Value]().union(*map(self.targets, given))
        elif types.is_integer(one.type):
            held = (self._bits.get(each, set()) for each in given)
            self._bits.setdefault(one, set()).update(*held)
        elif one.type not in types.FLOATS:
            self._lose(given)
            self._targets[one].add(UNKNOWN)

    def _load(self, one: Load) -> None:
        held = set[Value]().union(*(self._contents[each] for each in self.targets(one.pointer)))
        if types.is_pointer(one.type):
            self._targets[one] |= held
        elif _may_hold_pointer(one.type):
            self._bits.setdefault(one, set()).update(held)
        elif one.type not in types.FLOATS:
            self._escaped |= held

    def _store(self, one: Store) -> None:
        kind = one.value.type
        if types.is_pointer(kind):
            self._keep(one.pointer, self.targets(one.value))
        elif _may_hold_pointer(kind):
            self._keep(one.pointer, self._bits.get(one.value, set()))
        elif kind not in types.FLOATS:
            self._lose([one.value])
            self._keep(one.pointer, {UNKNOWN})

    def _keep(self, place: Value, pointers: set[Value]) -> None:
        for one in self.targets(place):
            self._contents[one] |= pointers

    def _call(self, one: Call) -> None:
        if one.callee.startswith(_MOVES):
            to, source = one.arguments[:2]
            held = (self._contents[each] for each in self.targets(source))
            self._keep(to, set[Value]().union(*held))
            return
        effects = self._effects[one]
        for index, value in enumerate(one.arguments):
            if types.is_pointer(value.type) and not effects.may_capture(index):
                if Access.READ in effects.through(index) | effects.other:  # what it holds, the callee may write, keep, or give back
                    self._escaped.update(*(self._contents[each] for each in self.targets(value)))
                if Access.WRITE in effects.through(index) and one.callee not in self._known:
                    self._keep(value, {UNKNOWN})
            elif effects.keeps_nothing and not types.is_pointer(value.type):
                self._bits.setdefault(one, set()).update(self._bits.get(value, set()))
            else:
                self._lose([value])
        self._lose(one.operands[len(one.arguments) + 1 :])

    def _lose(self, values: Iterable[Value]) -> None:
        """Take it that whatever some values lead to escapes."""
        for value in values:
            self._escaped |= self._targets.get(value, set()) | self._bits.get(value, set())

    def _spread(self) -> None:
        pending = list(self._escaped)
        while pending:
            held = self._contents[pending.pop()]
            held.add(UNKNOWN)
            pending.extend(held - self._escaped)
            self._escaped |= held

    def _written(self, one: Instruction) -> Iterator[Value]:
        """Yield the pointers through which an instruction writes, or whose memory it frees."""
        if isinstance(one, Store):
            yield one.pointer
        elif isinstance(one, Call):
            effects = self._effects[one]
            for index, value in enumerate(one.arguments):
                if Access.WRITE in effects.through(index) or (
                    types.is_pointer(value.type) and effects.may_free(index)
                ):
                    yield value


def _may_hold_pointer(type_: str) -> bool:
    return types.is_integer(type_) and types.bits(type_) <= _WIDEST


def sources(pointer: Value) -> list[Value] | None:
    """Return what a pointer is made from, None where it begins."""
    if isinstance(pointer, GetElementPtr):
        return [pointer.pointer]
    if isinstance(pointer, Phi):
        return list(pointer.values)
    if isinstance(pointer, Select):
        return list(pointer.arms)
    if isinstance(pointer, Instruction) and pointer.opcode in _THROUGH:
        return [pointer.operands[0]]
    return None


def base_of(pointer: Value) -> Value:
    """Return the pointer from which one is an offset, by steps alone."""
    while isinstance(pointer, GetElementPtr):
        pointer = pointer.pointer
    return pointer


def origins(pointer: Value) -> set[Value]:
    """Return everything that a pointer may be an offset from."""
    return {one for one, steps in all_sources(pointer) if steps is None}


def all_sources(pointer: Value) -> Iterator[tuple[Value, list[Value] | None]]:
    """Yield a pointer and all pointers that it is made from in the end, each once, with their `sources`."""
    seen, pending = set[Value](), [pointer]
    while pending:
        current = pending.pop()
        if current not in seen:
            seen.add(current)
            steps = sources(current)
            yield current, steps
            pending += steps or ()


def derived(*pointers: Value) -> set[Value]:
    """Return pointers with all that are offsets from them (`getelementptr` and casts, no phis and selects)."""
    known, pending = set(pointers), list(pointers)
    while pending:
        for user in pending.pop().users:
            is_moved = isinstance(user, (GetElementPtr, Cast)) or user.opcode == "freeze"
            is_moved = is_moved and types.is_pointer(user.type) and user.operands[0] in known
            if is_moved and user not in known:
                known.add(user)
                pending.append(user)
    return known


_THROUGH = frozenset(("bitcast", "addrspacecast", "freeze"))
