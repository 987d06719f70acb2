"""The tangents of a batch side by side: arrays of lanes in place of an array for each lane.

Enzyme makes one shadow for each lane of a batch, in memory of its own. What is computed is the same for all
lanes, but a vector of them would have to be gathered. Where all that is done with such shadows is seen, they
become one block: lane k of element n lies at (n * lanes + k), so LLVM finds vectors in plain code. Addresses
keep their form: an index counts arrays of as many elements.

Only allocations that stand one behind another, alike, behind that of the primal, are looked at; and only if
nothing is done with them but to load and to store numbers of one size, at addresses made by an index. All
else (a call, a phi, a comparison, a block copy) leaves them apart. So does an inner loop that goes along
them: its iterations become vectors, which need each lane by itself (measured: else an elimination took a fifth more time).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeGuard

from enzyme_py.llvm import (
    Block,
    Builder,
    Call,
    Function,
    GetElementPtr,
    Instruction,
    Load,
    Module,
    Store,
    Value,
)
from enzyme_py.llvm.analyses.addresses import Addresses
from enzyme_py.llvm.analyses.allocations import ALLOCATORS, allocated_bytes
from enzyme_py.llvm.analyses.loops import Loops
from enzyme_py.llvm.types import is_vector

_MOST = 64  # lanes
_BYTES = {"double": 8, "i64": 8, "float": 4, "i32": 4}


def put_lanes_together(code: Module) -> bool:
    """Let shadows of lanes lie side by side where that is possible; tell whether any do."""
    found = list[_Group]()
    for function in code.functions:
        if _may_have_lanes(function):
            groups = [_Group(run) for block in function.blocks for run in _runs(block)]
            found += [group for group in groups if group.is_readable()]
    for group in found:
        group.join()
    return bool(found)


def _may_have_lanes(function: Function) -> bool:
    """Tell whether there are as many allocations as two lanes and their primal take."""
    return sum(function.count(f"@{name}(") for name in ALLOCATORS) > 2


def _runs(block: Block) -> Iterator[list[Call]]:
    """Yield the allocations without a name that stand in a row behind one with the same callee and arguments."""
    run = list[Call]()
    for one in block.instructions:  # the last one allocates nothing
        if run and one.is_numbered and _is_like(one, run[0]):
            run.append(one)
            continue
        if 2 < len(run) <= _MOST + 1:
            yield run[1:]
        run = [one] if _is_allocation(one) else []


def _is_allocation(one: Instruction) -> TypeGuard[Call]:
    """Tell whether an instruction allocates bytes of which it says the number: `malloc(n)`, `calloc(1, n)`."""
    size = allocated_bytes(one) if isinstance(one, Call) else None
    return size is not None and size.type == "i64"


def _is_like(one: Instruction, other: Call) -> TypeGuard[Call]:
    """Tell whether an instruction allocates as much as another one, in the same way."""
    return isinstance(one, Call) and one.operands == other.operands


@dataclass(eq=False)
class _Group:
    """The shadows of all lanes of one array, and what is done with them."""

    allocations: list[Call]
    elements: list[GetElementPtr] = field(default_factory=list)
    accesses: list[Load | Store] = field(default_factory=list)
    grain: int = 0  # bytes of an element

    def is_readable(self) -> bool:
        """Find all uses; tell whether every one is understood."""
        pending: list[Instruction] = [*self.allocations]
        while pending:
            value = pending.pop()
            for user in value.users:
                if isinstance(user, GetElementPtr) and not is_vector(user.type):
                    if len(user.indices) != 1:
                        return False
                    self.elements.append(user)
                    pending.append(user)
                elif not self._is_access(user, value):
                    return False
        return self.grain > 0 and not any(_goes_along(one, self.grain) for one in self.accesses)

    def _is_access(self, user: Instruction, address: Value) -> bool:
        if not isinstance(user, (Load, Store)) or user.is_volatile or user.is_atomic:
            return False
        if isinstance(user, Store) and user.value is address:
            return False
        size = _BYTES.get(user.value.type if isinstance(user, Store) else user.type, 0)
        self.grain = self.grain or size
        self.accesses.append(user)
        # A number that stands where one may stand belongs to one element, whatever its index.
        return 0 < size == self.grain and (user.alignment or 0) >= size

    def join(self) -> None:
        """Make one block of all; addresses count in it."""
        lanes = len(self.allocations)
        for element in self.elements:
            element.set_source_type(f"[{lanes} x {element.source_type}]")
        for access in self.accesses:
            access.set_alignment(self.grain)
        first, *others = self.allocations
        self._enlarge(first, lanes)
        for lane, other in enumerate(others, 1):
            place = Builder(other).gep("i8", first, [lane * self.grain], "lane", flags="inbounds")
            other.replace_with(place)

    def _enlarge(self, allocation: Call, lanes: int) -> None:
        """Allocate for all lanes, and an element more each, so that addresses behind the last one are inside."""
        build = Builder(allocation)
        *count, one = allocation.arguments
        size = build.add(one, self.grain, "enzyme_py_lanes")
        if count:
            allocation.set_operand(1, build.constant("i64", lanes))
        else:
            size = build.mul(size, lanes, "enzyme_py_lanes")
        allocation.set_operand(1 + len(count), size)


def _goes_along(access: Load | Store, grain: int) -> bool:
    """Tell whether an access in a loop of one block goes to the next element, or the one before, in each iteration."""
    function, block = access.function, access.home
    loop = function.analysis(Loops).headed_by(block) if block in block.successors else None
    offset = function.analysis(Addresses).of(access.pointer).offset if loop is not None else None
    if loop is None or offset is None:
        return False
    moved = sum(offset.parts.get(one.phi, 0) * one.step for one in loop.counters)
    return abs(moved) == grain
