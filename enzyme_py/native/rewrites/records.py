"""The records of functions that call themselves are allocated as their calls end, not as they begin.

Symptom: the gradient of a function that calls itself twice waits for memory: it took 11 times its primal.

Cause: the forward half of each call allocates a record and returns it; the reverse half reads and frees it. Enzyme
allocates as a call begins, in front of the calls within. But the reverse half goes through the calls from the last to the first, and
has to begin with the outermost: the records lie in another order than they are read in, and each first reading misses the
cache.

Cure: what is put into the record is kept on the stack, where LLVM makes registers of it, and the record is allocated
and filled in front of the return. So records lie in the order in which their calls end, and the reverse half goes
through memory backwards. A call that raises leaves no record at all.

It is done where everything that is done with the record is seen: it is loaded from and stored to at known
places, and returned. Whatever else there is (its address is stored, handed on, merged with another one before
something is stored) leaves it as it is. So does a function that calls itself once: its records lie in order already, and
what it keeps on the stack would only make deep recursions overflow sooner.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from enzyme_py.llvm import (
    Alloca,
    Block,
    Builder,
    Call,
    Constant,
    Function,
    GetElementPtr,
    Instruction,
    Load,
    Module,
    Phi,
    Store,
    Use,
    Value,
)
from enzyme_py.llvm.analyses.addresses import Addresses
from enzyme_py.llvm.analyses.allocations import allocated_bytes
from enzyme_py.llvm.analyses.control_flow import ControlFlow
from enzyme_py.llvm.types import size_of

_ALLOCATOR = "malloc"
_MOST_BYTES = 256  # of a record: it lies on the stack of each call that has not ended
_ALIGNMENT = 16  # of what the allocator gives
_RETURNED = frozenset(("insertvalue", "ret", "phi"))


def allocate_records_late(code: Module) -> int:
    """Allocate the records of functions that call themselves where they return; tell how many there are."""
    cycles, moved = _Cycles(code), 0
    for function in code.functions:
        if function.mentions(f"@{_ALLOCATOR}(") and cycles.has_branches(function):
            for call in _first_allocations(function):
                record = _Record.of(call)
                if record is not None:
                    record.move()
                    moved += 1
    return moved


def _first_allocations(function: Function) -> list[Call]:
    """Return the allocations that every call of a function makes, once, if it can be read."""
    if not function.analysis(ControlFlow).is_plain or function.mentions("musttail call "):
        return []
    own = (one for one in function.entry.instructions if isinstance(one, Call))
    return [one for one in own if one.callee == _ALLOCATOR]


class _Cycles:
    """The functions of a module that call themselves, also by way of others."""

    def __init__(self, code: Module) -> None:
        self._code = code
        self._callees: dict[str, set[str]] = {}
        self._reached: dict[str, set[str]] = {}
        self._branches: dict[str, bool] = {}

    def has_branches(self, function: Function) -> bool:
        """Tell whether one call of a function may lead to several calls of it, at the same depth."""
        cycle = [one for one in self._behind(function.name) if function.name in self._behind(one)]
        return any(self._calls_twice(one, cycle) for one in cycle)

    def _behind(self, name: str) -> set[str]:
        """Return the functions that are called by one, or by those that it calls."""
        if name not in self._reached:
            found, pending = set[str](), [name]
            while pending:
                new = self._called_by(pending.pop()) - found
                found |= new
                pending += new
            self._reached[name] = found
        return self._reached[name]

    def _called_by(self, name: str) -> set[str]:
        if name not in self._callees:
            found = self._code.get(name)
            self._callees[name] = set()
            if isinstance(found, Function) and not found.is_declaration:
                self._callees[name] = found.callees()
        return self._callees[name]

    def _calls_twice(self, name: str, cycle: list[str]) -> bool:
        """Tell whether a function may call functions of its cycle one behind the other."""
        if name not in self._branches:
            function = self._code.function(name)
            calls, flow = function.calls_of(*cycle), function.analysis(ControlFlow)
            homes = [one.home for one in calls]
            self._branches[name] = any(
                homes.count(home) > 1 or not flow.reached_again(home).isdisjoint(homes)
                for home in homes
                if home in flow.place
            )
        return self._branches[name]


@dataclass
class _Record:
    """One allocation, and all that is done with it."""

    call: Call
    bytes: int
    pointers: dict[Value, int]  # into the record, by their offsets
    accesses: list[Load | Store] = field(default_factory=list)
    returns: list[Use] = field(default_factory=list)

    @classmethod
    def of(cls, call: Call) -> _Record | None:
        """Return the record that a call allocates, if it can be allocated later."""
        size = allocated_bytes(call)
        known = size.integer if isinstance(size, Constant) else None
        if known is None or not 0 < known <= _MOST_BYTES:
            return None
        record = cls(call, known, {call: 0})
        is_movable = record._is_followed() and record._is_whole() and record._is_left_behind()
        return record if is_movable else None

    # -- what is done with it ------------------------------------------------------------------------

    def _is_followed(self) -> bool:
        """Find all that is done with the record; tell whether it is understood."""
        pending: list[Value] = [self.call]
        addresses = self.call.function.analysis(Addresses)
        while pending:
            pointer = pending.pop()
            for use in pointer.uses:
                if isinstance(use.user, GetElementPtr) and use.slot == 0:
                    offset = addresses.of(use.user).offset
                    if addresses.of(use.user).base is not self.call or offset is None or offset.parts:
                        return False
                    self.pointers[use.user] = offset.number
                    pending.append(use.user)
                elif pointer is self.call and use.user.opcode in _RETURNED:
                    self.returns.append(use)
                elif not self._is_access(use):
                    return False
        return bool(self.returns)

    def _is_access(self, use: Use) -> bool:
        """Note what loads from the record, or stores to it; tell whether something does only that."""
        user = use.user
        if not isinstance(user, (Load, Store)) or user.is_atomic or user.is_volatile:
            return False
        if isinstance(user, Store) and use.slot == 0:
            return False  # its address is stored
        size = size_of(_type_of(user))
        if size is None or not 0 <= self._place_of(user) <= self.bytes - size:
            return False
        self.accesses.append(user)
        return True

    def _place_of(self, access: Load | Store) -> int:
        return self.pointers[access.pointer]

    def _is_whole(self) -> bool:
        """Tell whether each place is always stored in one type, and no two of them overlap."""
        end = 0
        for place, type_ in sorted(self._stores()):
            if place < end:
                return False
            end = place + (size_of(type_) or 0)
        return True

    def _stores(self) -> dict[tuple[int, str], set[Block]]:
        """Return in which blocks what is stored: places and types."""
        found = dict[tuple[int, str], set[Block]]()
        for one in self.accesses:
            if isinstance(one, Store):
                key = self._place_of(one), _type_of(one)
                found.setdefault(key, set()).add(one.home)
        return found

    # -- where it is returned ------------------------------------------------------------------------

    def _ends(self) -> dict[Block, Instruction]:
        """Return in front of what the record is allocated, in each block that needs it."""
        ends = dict[Block, Instruction]()
        for use in self.returns:
            place = _place_of(use)
            first = ends.setdefault(place.home, place)
            if place.comes_before(first):
                ends[place.home] = place
        return ends

    def _is_left_behind(self) -> bool:
        """Tell whether nothing is done with the record behind the places where it would be allocated, once on every path."""
        ends, flow = self._ends(), self.call.function.analysis(ControlFlow)
        touched = {*ends, *(one.home for one in self.accesses)}
        if any(block not in flow.place for block in ends):
            return False
        is_last = all(flow.reached_again(block).isdisjoint(touched) for block in ends)
        return is_last and not any(
            one.home in ends and not one.comes_before(ends[one.home]) for one in self.accesses
        )

    # -- the change ----------------------------------------------------------------------------------

    def move(self) -> None:
        """Keep what is put into the record on the stack until it is allocated."""
        slot = Builder(self.call).alloca(f"[{self.bytes} x i8]", "kept", align=_ALIGNMENT)
        new = {block: self._allocated(slot, block, place) for block, place in self._ends().items()}
        for use in self.returns:
            use.user.set_operand(use.slot, new[_place_of(use).home])
        self.call.replace_all_uses_with(slot)
        self.call.erase()

    def _allocated(self, slot: Alloca, block: Block, place: Instruction) -> Instruction:
        """Allocate the record in front of an instruction, with what may have been put into it so far."""
        build = Builder(place)
        made = build.insert(self.call.clone(), "record.end")
        before = self.call.function.analysis(ControlFlow).leading_to([block])
        for (offset, type_), homes in self._stores().items():
            if not homes.isdisjoint(before):
                align = _alignment_at(offset)
                part = build.load(type_, _moved(build, slot, offset), "part", align=align)
                build.store(part, _moved(build, made, offset), align=align)
        return made


def _moved(build: Builder, pointer: Value, offset: int) -> Value:
    return build.gep("i8", pointer, [offset], "place", flags="inbounds nuw") if offset else pointer


def _place_of(use: Use) -> Instruction:
    """Return in front of what a value must be there for a use."""
    if isinstance(use.user, Phi):
        return use.user.incoming[use.slot // 2][1].terminator
    return use.user


def _type_of(access: Load | Store) -> str:
    return access.value.type if isinstance(access, Store) else access.type


def _alignment_at(offset: int) -> int:
    return min(_ALIGNMENT, offset & -offset) if offset else _ALIGNMENT
