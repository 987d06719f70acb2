"""The allocations from which each pointer of a function can come, and the pointers that choose between several.

Followed are offsets (`getelementptr`), phis and selects; a pointer that is made otherwise, by a load or a call, begins
where it is made. Whoever asks of memory that is reached through other memory takes `llvm.analyses.points_to`.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from enzyme_py.llvm import (
    Analysis,
    Argument,
    Call,
    Function,
    GetElementPtr,
    Instruction,
    Phi,
    Select,
    Value,
)

ALLOCATORS = frozenset(("malloc", "calloc", "realloc"))


def may_allocate(function: Function) -> bool:
    """Tell cheaply whether a function can hold an allocation."""
    return function.is_edited or "alloc(" in function.body_text


def allocations(function: Function) -> list[Call]:
    """Return the calls that allocate."""
    if not may_allocate(function):
        return []
    return [
        one
        for one in function.instructions
        if isinstance(one, Call) and one.opcode == "call" and one.callee in ALLOCATORS
    ]


class MergedPointers(Analysis):
    """Where the pointers of one function come from: asked for by `function.analysis(MergedPointers)`."""

    def __init__(self, function: Function) -> None:
        super().__init__(function)
        self.allocations = allocations(function)
        self.roots = set[Value](self.allocations)
        self._sources: dict[Instruction, Sequence[Value]] = {}
        self._phis: list[list[Phi]] = []
        if self.roots:
            for block in function.blocks:
                self._sources |= ((one, given) for one in block if (given := _sources(one)))
                self._phis.append([one for one in block.phis if one.type == "ptr"])
        self._origins = self._find_origins()

    def _find_origins(self) -> dict[Value, set[Value]]:
        origins: dict[Value, set[Value]] = {root: {root} for root in self.roots}
        begun: dict[Value, set[Value]] = {one: set() for one in self._sources}
        for name, given in self._sources.items():
            begun[name] = {one for one in given if one not in begun and one not in self.roots}
        origins |= begun
        changed = True
        while changed:
            changed = False
            for name, given in self._sources.items():
                own = origins[name]
                before = len(own)
                for one in given:
                    if one in origins:
                        own |= origins[one]
                changed = changed or len(own) != before
        return origins

    def origins(self, pointer: Value) -> set[Value]:
        """Return the allocations, parameters and other pointers from which one can come."""
        return self._origins.get(pointer, {pointer})

    def are_apart(self, first: Value, second: Value) -> bool:
        """Tell whether two pointers lead to different memory: one of them to an allocation's own."""
        own, other = self.origins(first), self.origins(second)
        both = own | other
        is_known = all(one in self.roots or isinstance(one, Argument) for one in both)
        return is_known and own.isdisjoint(other) and not both.isdisjoint(self.roots)

    def outliving(self) -> set[Value]:
        """Return the allocations whose pointers merge with others, or go into the next iteration or out of a loop.

        A pointer that only walks through its memory, by a count, is no merge.
        """
        found = set[Value]()
        for name, given in self._sources.items():
            own = self._origins[name]
            if isinstance(name, GetElementPtr) or own.isdisjoint(self.roots):
                continue
            if len(own) > 1 or len(given) == 1 or not self._is_counted(name, given):
                found |= own & self.roots
        return found

    def _is_counted(self, name: Value, given: Sequence[Value]) -> bool:
        """Tell whether a phi is a start that each iteration moves on by offsets only."""
        return len({one for one in given if not self._is_offset(one, name)}) == 1

    def _is_offset(self, pointer: Value, base: Value) -> bool:
        while pointer is not base:
            if not isinstance(pointer, GetElementPtr) or pointer not in self._sources:
                return False
            pointer = pointer.pointer
        return True

    def exchanged(self) -> set[Value]:
        """Return the pointers that can, in different iterations of a loop, be each other's."""
        merged = set[Value]()
        for phis in self._phis:
            for first, second in itertools.combinations(phis, 2):
                common = self._origins[first] & self._origins[second]
                if not common.isdisjoint(self.roots):
                    merged |= {first, second}
        pending = list(merged)
        while pending:
            for user in pending.pop().users:
                if user in self._sources and user not in merged:
                    merged.add(user)
                    pending.append(user)
        return merged


def _sources(one: Instruction) -> Sequence[Value]:
    """Return the pointers of which one is made: nothing for whatever is no offset and no choice."""
    if isinstance(one, GetElementPtr):
        base = one.pointer
        is_local = isinstance(base, (Instruction, Argument)) and base.type == "ptr"
        return (base,) if is_local else ()
    if isinstance(one, Phi) and one.type == "ptr":
        return one.values
    if isinstance(one, Select) and one.type == "ptr":
        return one.arms
    return ()
