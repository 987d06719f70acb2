"""Reads of what another iteration of a loop writes are cached, in reverse mode.

    for i in range(n - 1):
        u[i] = u[i] * u[i + 1]

Symptom: wrong gradients without a word, of this loop and of every one that updates an array in place, or two rows in turn,
`a[1 - k] = a[k] * a[k]` (measured; cached slopes of sin and its like hid it from most tests, and from the fuzzer).

Cause: the reverse sweep needs u[i + 1] as it was, and the next iteration has written over it. Whether memory that was read is
written before the reverse sweep, Enzyme asks LLVM's alias analysis. That compares two addresses as they are at one moment:
u[i] is never u[i + 1]. So Enzyme read the new numbers.

    for i in range(2, n):
        u[i] = u[i] * u[i - 2]
    u *= u

Here an earlier iteration has written what is read. Nothing is lost by that, until u is written over behind the loop. Then
Enzyme caches what was read, and asks in the same way whether the loop writes it: if not, it copied all of it in front of
the loop (which is switched off by an option), or takes what an earlier loop has read (measured: wrong gradients without a
word, found by the fuzzer in a nest of two loops).

Cure: such reads are found, and get an offset of zero of which LLVM does not know that it is zero, one for each function:

    %far = call i64 @enzyme_py_inactive.left_i64(i64 0)
    %q = getelementptr i8, ptr %p, i64 %far

Then alias analysis can say nothing, and Enzyme caches what was read. To cache everything would cost the memory of each iteration
also where iterations write only what no earlier one has read (`u[t + 1] = f(u[t])`). What is not shown is cached: beside alias
analysis Enzyme asks LLVM's scalar evolution, which knows where a counter begins: of `u[i]` and `u[j]`, j from i + 1 on, it says that
they differ, which does not last to the next step of a loop around both (measured: wrong gradients without a word, of
one in a hundred random nests of loops). Nor do two addresses say anything of other iterations if they count from a place that moves, `v = v[1:]`, or that each
iteration reads from a list. And where one question chooses what is read and what is written, `src, dst = (a, b) if c else (b, a)`, LLVM knows that
they are two arrays, which the next iteration may change about. There the read gets a pointer that may be the other array, for all that
LLVM knows. Copies of blocks read as loads do: `z = m[t + 1].copy(); m[t] = z * z`; without this z was made again of what the next
iterations had written (measured: wrong gradients without a word). A read stays as it is if

* no write of a loop around it goes to the same memory, or it is shown that none does later (lasting_reads.py), or
* the addresses step with the iterations so that no later write meets the read, whatever inner loops do, and
  nothing else may write it behind (written_behind.py), or no earlier write meets it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from math import gcd

from enzyme_py.llvm import (
    Block,
    Builder,
    Call,
    Function,
    GetElementPtr,
    Instruction,
    Load,
    Phi,
    Select,
    Store,
    Value,
)
from enzyme_py.llvm.analyses.addresses import Address, Addresses, Sum
from enzyme_py.llvm.analyses.allocations import ALLOCATORS
from enzyme_py.llvm.analyses.cycles import Cycles
from enzyme_py.llvm.analyses.dominators import Dominators
from enzyme_py.llvm.analyses.points_to import origins, sources
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.memory.blocks.fills import SOURCE, copied, filled, is_local
from enzyme_py.passes.memory.overwriting.lasting_reads import LASTS, reads_in_loops
from enzyme_py.passes.memory.overwriting.written_behind import WrittenBehind, alone
from enzyme_py.passes.module.opaque import cached_copy
from enzyme_py.passes.module.requests import has_reverse

_OFFSET = "enzyme_py.far"
_HERE = "enzyme_py.here"
_BYTES = {"double": 8, "i64": 8, "ptr": 8, "float": 4, "i32": 4, "i16": 2, "i8": 1, "i1": 1}
_UNKNOWN = 1 << 60  # bytes

Read = Load | Call
Alone = Callable[[], "set[str] | None"]


class LaterIterations(Pass):
    """Let alias analysis know nothing of reads that another iteration writes over."""

    name = "later iterations"

    def applies(self, draft: Draft) -> bool:
        """Tell whether the module asks for reverse mode."""
        return has_reverse(draft.code)

    def run(self, draft: Draft) -> None:
        """Move the pointers of such reads by an unknown zero, in all functions."""
        single = cache(lambda: alone(draft.code))
        for function in draft.code.functions:
            if reads_in_loops(function):
                known = _Iterations(function, single)
                found, chosen = list(known.overwritten()), list(known.chosen())
                if found:
                    hide(function, found)
                for read, base, arrays in chosen:
                    _mix(function, read, base, arrays)


def _known_to_nobody(function: Function, kind: str, number: int, name: str) -> Value:
    """Return a number of which LLVM does not know which one it is; there is one in each function."""
    found = function.find(f"%{name}")
    if found is None:
        at = Builder.at_start(function.entry)
        found = cached_copy(at, at.constant(kind, number), name)
    return found


def _mix(function: Function, read: Read, base: Value, arrays: Sequence[Value]) -> None:
    """Let a read from a chosen array seem to be one of another array, perhaps."""
    here = _known_to_nobody(function, "i1", 1, _HERE)
    steps, pointer = list[GetElementPtr](), _place(read)
    while isinstance(pointer, GetElementPtr):
        steps.append(pointer)
        pointer = pointer.pointer
    if pointer is not base:  # it goes through the array from step to step
        steps, pointer = [], _place(read)
    place = pointer if isinstance(pointer, Instruction) else read
    after = Builder.after(place) if place is pointer else Builder(read)
    dominators = function.analysis(Dominators)
    array = next(one for one in arrays if dominators.is_available(one, place))
    moved: Value = after.select(here, pointer, array, f"{_HERE}.{pointer.name}")
    for step in reversed(steps):
        moved = Builder(read).gep(step.source_type, moved, step.indices)
    _read_at(read, moved)


def hide(function: Function, reads: Sequence[Read], name: str = _OFFSET) -> None:
    """Move the pointers of reads by an unknown zero: one of each name."""
    zero = _known_to_nobody(function, "i64", 0, name)
    for read in reads:
        _read_at(read, Builder(read).gep("i8", _place(read), [zero], f"{name}.{read.name}"))


def _place(read: Read) -> Value:
    """Return where something is read."""
    return read.pointer if isinstance(read, Load) else read.arguments[SOURCE]


def _read_at(read: Read, pointer: Value) -> None:
    """Let it be read elsewhere."""
    read.set_operand(0 if isinstance(read, Load) else SOURCE + 1, pointer)


@dataclass(frozen=True)
class _Access:
    """One read or write, its address, and how many bytes it has, at least and at most."""

    one: Instruction
    pointer: Value
    least: int
    most: int


class _Iterations:
    """The reads and writes of one function that has loops."""

    def __init__(self, function: Function, single: Alone) -> None:
        self._function, self._single = function, single
        self._cycles = function.analysis(Cycles)
        self._addresses = function.analysis(Addresses)
        self._behind: WrittenBehind | None = None
        self._chosen: dict[Value, list[Sum]] = {}
        self._reads, self._writes = self._accesses()

    def overwritten(self) -> Iterator[Read]:
        """Yield the reads of which a write in another iteration may be missed."""
        reads, writes = self._reads, self._writes
        far = self._function.find(f"%{_OFFSET}")
        for load, read in reads if writes else ():
            address = self._addresses.of(read.pointer)
            base, others = address.base, writes.get(address.base, ())
            if address.offset is not None and far in address.offset.parts:
                continue  # hidden already
            if any(self._is_missed(read, write, later=True) for write in others):
                yield load
            elif any(self._is_missed(read, write, later=False) for write in others):
                apart = {write.one for write in others if self._is_kept_apart(read, write)}
                if self._may_be_written_behind(load, base, apart):
                    yield load

    def _accesses(self) -> tuple[list[tuple[Read, _Access]], dict[Value, list[_Access]]]:
        """Return what is read, and what is written by where its memory begins."""
        reads = list[tuple[Read, _Access]]()
        writes = defaultdict[Value, list[_Access]](list)
        for one in self._function.instructions:
            if isinstance(one, Load):
                if is_local(one.pointer) and not one.has_metadata(LASTS):
                    reads.append((one, _access(one, one.pointer, one.type)))
            elif isinstance(one, Store):
                if is_local(one.pointer):
                    write = _access(one, one.pointer, one.value.type)
                    writes[self._addresses.of(one.pointer).base].append(write)
            elif (block := filled(one)) is not None:
                writes[self._addresses.of(block).base].append(_access(one, block, ""))
            if isinstance(one, Call) and (source := copied(one)) is not None:
                reads.append((one, _access(one, source, "")))
        return reads, writes

    def _may_be_written_behind(self, read: Read, base: Value, apart: set[Instruction]) -> bool:
        if self._behind is None:
            self._behind = WrittenBehind(self._function, self._single())
        return self._behind.may(read, base, apart)

    def _around(self, *accesses: _Access) -> list[AbstractSet[Block]]:
        """Return the loops around all of some accesses, inner ones first."""
        return self._cycles.all_around(*(access.one.home for access in accesses))

    def _is_kept_apart(self, read: _Access, write: _Access) -> bool:
        """Tell whether two addresses in a loop are always so many bytes apart that they do not meet in one iteration."""
        one, other = (self._addresses.of(access.pointer) for access in (read, write))
        if one.offset is None or other.offset is None or not self._around(read, write):
            return False
        apart = other.offset.plus(one.offset, -1)
        return not apart.parts and abs(apart.number) >= max(read.most, write.most)

    def _is_missed(self, read: _Access, write: _Access, *, later: bool) -> bool:
        """Tell whether LLVM may know the addresses for different ones that are not in all later, or earlier, iterations."""
        around = self._around(read, write)
        one, other = (self._addresses.of(access.pointer) for access in (read, write))
        if not around or one.base is not other.base:
            return False
        if _is_in(one.base, around[-1]) and not _is_made(one.base):
            return self._is_told_apart(one.offset, other.offset, min(read.least, write.least))
        if one.offset is None or other.offset is None:
            return self._varies(one, around[-1]) or self._varies(other, around[-1])
        size = min(read.least, write.least), max(read.most, write.most)
        # What is chosen here may be known where LLVM, or Enzyme, has taken the loop apart.
        return any(
            self._is_known_apart(where, whereto, size, around, later=later)
            for where in self._alternatives(read.pointer, one.offset)
            for whereto in self._alternatives(write.pointer, other.offset)
        )

    def chosen(self) -> Iterator[tuple[Read, Value, list[Value]]]:
        """Yield the reads from an array that was chosen, where a write in the loop goes to the other one; with that, and arrays that both may be."""
        reads, writes = self._reads, self._writes
        others = [(base, one) for base, found in writes.items() if self._is_chosen(base) for one in found]
        for one, read in reads if others else ():
            base = self._addresses.of(read.pointer).base
            # Numbers that are read through what a loop carries are cached (allocations.py), copies are not.
            if self._is_chosen(base) and not (isinstance(one, Load) and self._is_carried(base)):
                known = ((other, write) for other, write in others if isinstance(one, Call) or not self._is_carried(other))
                both = [array for other, write in known for array in self._arrays_of_both(read, write, base, other)]
                if both:
                    yield one, base, both

    def _is_chosen(self, base: Value) -> bool:
        """Tell whether a pointer leads to one of several arrays."""
        is_mixed = isinstance(base, Select) and base.condition is self._function.find(f"%{_HERE}")
        return isinstance(base, (Phi, Select)) and not is_mixed

    def _is_carried(self, base: Value) -> bool:
        return isinstance(base, Phi) and bool(self._addresses.carried(base))

    def _arrays_of_both(self, read: _Access, write: _Access, base: Value, other: Value) -> list[Value]:
        """Return the arrays, known in front of the loops around both, that what is read and what is written may be."""
        around = self._around(read, write)
        if other is base or not around or not all(_is_in(one, around[-1]) for one in (base, other)):
            return []
        mine, others = (_from_outside(one, around[-1]) for one in (base, other))
        known = {one for one in mine if one in others or origins(one) & origins(other)}
        # In an order that is the same in each process, and what is both itself first.
        found = [one for one in (*self._function.arguments, *self._function.instructions) if one in known]
        return sorted(found, key=lambda one: one not in others)

    def _is_told_apart(self, one: Sum | None, other: Sum | None, least: int) -> bool:
        """Tell whether LLVM may know two addresses for different ones, from a place that is another one in another iteration."""
        if one is None or other is None:
            return True
        apart = other.plus(one, -1)
        return bool(apart.parts) or abs(apart.number) >= least

    def _alternatives(self, pointer: Value, offset: Sum) -> list[Sum]:
        if pointer not in self._chosen:
            self._chosen[pointer] = self._addresses.alternatives(offset)
        return self._chosen[pointer]

    def _is_known_apart(
        self,
        one: Sum,
        other: Sum,
        size: tuple[int, int],
        around: Sequence[AbstractSet[Block]],
        *,
        later: bool,
    ) -> bool:
        moving = {part for part in (*one.parts, *other.parts) if _is_in(part, around[-1])}
        if not moving:
            return False
        apart = other.plus(one, -1)
        least, most = size
        if most == _UNKNOWN:
            return True
        if not apart.parts:
            is_told = abs(apart.number) >= least
            # Backwards is forwards, all signs changed.
            away = apart.number if later else -apart.number
            return is_told and self._meets(one.parts, away, most, around, moving)
        step = gcd(*apart.parts.values())
        rest = apart.number % step
        if min(rest, step - rest) >= least:  # apart whatever the values are, but for those in both
            both = (part for part in moving if part not in apart.parts)
            return any(one.parts[part] % step for part in both)
        return True

    def _varies(self, address: Address, loop: AbstractSet[Block]) -> bool:
        parts = () if address.offset is None else address.offset.parts
        return address.offset is None or any(_is_in(one, loop) for one in parts)

    def _meets(
        self,
        parts: Mapping[Value, int],
        apart: int,
        size: int,
        around: Sequence[AbstractSet[Block]],
        moving: set[Value],
    ) -> bool:
        """Tell whether a later iteration may write where was read, if in one iteration they are so many bytes apart."""
        steps = self._addresses.steps
        if any(one not in steps or self._begins_within(one, around[-1]) for one in moving):
            return True
        inner = 0
        for loop in around:
            moved = sum(
                parts[one] * steps[one][1] for one in moving if self._is_of(steps[one][0], loop)
            )
            if inner == 0:
                ahead = {1, -apart // moved, -(apart // moved)} if moved else {1}
                if any(abs(moved * one + apart) < size for one in ahead if one >= 1):
                    return True
            else:
                step = gcd(inner, moved)
                rest = apart % step
                if min(rest, step - rest) < size:
                    return True
            inner = gcd(inner, moved)
        # What steps with no loop around both is the same for both only by chance.
        known = {one for one in moving if any(self._is_of(steps[one][0], loop) for loop in around)}
        return known != moving

    def _begins_within(self, counter: Value, loop: AbstractSet[Block]) -> bool:
        """Tell whether another iteration of a loop may begin to count elsewhere."""
        carried = self._addresses.carried(counter) if isinstance(counter, Phi) else []
        return isinstance(counter, Phi) and any(_is_in(one, loop) for one in counter.values if one not in carried)

    def _is_of(self, header: Block, loop: AbstractSet[Block]) -> bool:
        """Tell whether a block is the header of a loop."""
        return self._cycles.around(header) is loop


def _access(one: Instruction, pointer: Value, kind: str) -> _Access:
    least, most = (_BYTES[kind],) * 2 if kind in _BYTES else (1, _UNKNOWN)
    return _Access(one, pointer, least, most)


def _from_outside(pointer: Value, loop: AbstractSet[Block]) -> set[Value]:
    """Return what a pointer may be an offset from, as far as a loop is handed it."""
    found, seen, pending = set[Value](), set[Value](), [pointer]
    while pending:
        one = pending.pop()
        steps = sources(one) if _is_in(one, loop) else None
        if steps is None and not _is_in(one, loop):
            found.add(one)
        elif one not in seen:
            seen.add(one)
            pending += steps or ()
    return found


def _is_made(base: Value) -> bool:
    """Tell whether memory is new in each iteration."""
    return isinstance(base, Call) and base.callee in ALLOCATORS


def _is_in(value: Value, loop: AbstractSet[Block]) -> bool:
    return isinstance(value, Instruction) and value.block in loop
