"""Temporaries that one loop fills and the next one reads, element by element: not made at all.

    np.mean(y * y)          for i: t[i] = y[i] * y[i]          for i: s += y[i] * y[i]
                            for i: s += t[i]

In reverse mode such a temporary costs its shadow, as long as what it is made of, and that at the moment when most is
cached: measured 4.07 arrays before, 3.07 after. Numba does not fuse an expression with the reduction behind it, and
LLVM's loop fusion leaves the memory. What the first loop does for an element is done where the second one reads it, if

* that is all that happens to the temporary, and all that the first loop does;
* both loops count from zero to the same end, and the second runs once for each time that the first does;
* in between, and in the second loop, nobody writes where the first loop reads.

It is the same arithmetic in the same order, so no number changes, in whatever mode. np.sum adds pairwise, by other loops,
and is left alone. It is done on code after O2, whose
loops have one block where they do what is meant here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from enzyme_py.llvm import (
    Argument,
    Block,
    Branch,
    Builder,
    Call,
    Compare,
    Constant,
    DebugRecord,
    Function,
    GetElementPtr,
    Instruction,
    Load,
    Phi,
    Select,
    Store,
    Value,
)
from enzyme_py.llvm.analyses.allocations import ALLOCATORS, may_allocate
from enzyme_py.llvm.analyses.control_flow import ControlFlow
from enzyme_py.llvm.analyses.dominators import Dominators
from enzyme_py.llvm.analyses.loops import Loop, Loops
from enzyme_py.llvm.analyses.points_to import derived
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.memory.merged_pointers import MergedPointers, allocations
from enzyme_py.rules.slopes import FUNCTIONS
from enzyme_py.symbols import BARRIER, HINT

_FLOATS = ("double", "float")
_LOADED = ("double", "float", "i64", "i32", "i8", "ptr")
_MOVABLE = frozenset(
    "getelementptr fadd fsub fmul fdiv fneg frem select icmp fcmp add sub mul shl and or xor "
    "sext zext trunc sitofp uitofp fpext fptrunc".split()
)
_MATHEMATICS = ("llvm.fabs.", "llvm.sqrt.", "llvm.fma.")
_MOST = 64  # temporaries of one function


class ReadOnce(Pass):
    """No temporaries that are read once, in order."""

    name = "temporaries that are read once"

    def applies(self, draft: Draft) -> bool:
        """Tell whether the module can allocate."""
        return may_allocate(draft.code)

    def run(self, draft: Draft) -> None:
        """Do without such temporaries in all functions."""
        for function in draft.code.functions:
            for _ in range(_MOST):
                found = next(_needless(function), None)
                if found is None:
                    break
                found.remove()


@dataclass(frozen=True)
class _Counted:
    """A loop of one block that counts from zero: 0, 1, ..., up to `bound`, which is one at least."""

    block: Block
    before: Block  # that it is entered from
    behind: Block
    index: Phi
    moved: Instruction
    bound: Value

    @property
    def body(self) -> list[Instruction]:
        """The loop's instructions but for its branch."""
        return self.block.instructions[:-1]


@dataclass(frozen=True)
class _Needless:
    """A temporary that goes, and what goes with it."""

    call: Call
    idle: Sequence[Instruction]
    filled: _Counted
    read: _Counted
    value: Instruction  # that is stored
    load: Load
    slice: Sequence[Instruction]  # what computes the value

    def remove(self) -> None:
        """Compute each element where it is read."""
        result, name = self._copy_slice(), self.load.name
        for one in self.idle:
            one.erase()
        self._empty_loop()
        source = self.load.pointer
        self.load.erase()
        result.rename(name)
        assert isinstance(source, Instruction)
        source.erase()
        self.call.erase()

    def _copy_slice(self) -> Instruction:
        """Compute the value in front of the load, and let it take its place."""
        copies: dict[Value, Instruction] = {self.filled.index: self.read.index}
        builder = Builder(self.load)
        for one in self.slice:
            copy = one.clone()
            builder.insert(copy, f"{self.call.name}.{one.name}")
            for index, operand in enumerate(copy.operands):
                if operand in copies:
                    copy.set_operand(index, copies[operand])
            copies[one] = copy
        self.load.replace_all_uses_with(copies[self.value])
        return copies[self.value]

    def _empty_loop(self) -> None:
        """Leave nothing of the first loop but the way through it."""
        block = self.filled.block
        end = block.terminator
        Builder(end).branch(self.filled.behind)
        end.erase()
        self.filled.index.set_incoming([])
        for one in reversed(self.filled.body):
            one.erase()
        for note in list(block.terminator.notes or ()):
            if isinstance(note, DebugRecord):
                note.drop()


def _needless(function: Function) -> Iterator[_Needless]:
    made = [one for one in allocations(function) if one.callee in ALLOCATORS]
    if not made:
        return
    loops = function.analysis(Loops).loops
    counted = {loop.header: one for loop in loops if (one := _counted(loop))}
    for call in made if len(counted) > 1 else ():
        found = _Temporary(function, counted, call).needless()
        if found is not None:
            yield found


def _counted(loop: Loop) -> _Counted | None:
    end = loop.trip_count(loop.header) if len(loop.blocks) == 1 else None
    if end is None or loop.predecessor is None or end.predicate != "ne":
        return None
    counter = end.counter
    if counter.phi.type != "i64" or counter.step != 1 or not _is_number(counter.start, 0):
        return None
    if end.value is not counter.moved:
        return None
    return _Counted(loop.header, loop.predecessor, end.exit, counter.phi, counter.moved, end.bound)


def _is(one: Compare, test: str, type_: str) -> bool:
    """Tell whether a comparison is some test of numbers of a type."""
    return f"{one.opcode} {one.predicate}" == test and one.operands[0].type == type_


def _is_number(value: Value, number: int) -> bool:
    return isinstance(value, Constant) and value.integer == number


class _Temporary:
    """One allocation, and the two loops that know it."""

    def __init__(self, function: Function, counted: dict[Block, _Counted], call: Call) -> None:
        self._function, self._counted, self._call = function, counted, call
        self._flow = function.analysis(ControlFlow)
        self._dominators = function.analysis(Dominators)

    def needless(self) -> _Needless | None:
        """Return how to do without it, None if it is needed."""
        uses = self._uses()
        if uses is None:
            return None
        store, load, idle = uses
        filled, read = self._counted.get(store.home), self._counted.get(load.home)
        if filled is None or read is None or filled is read or store.value.type != load.type:
            return None
        if not self._is_element(store.pointer, load.type, filled):
            return None
        if not self._is_element(load.pointer, load.type, read):
            return None
        if not _has_same_end(filled, read) or not self._follows(filled, read):
            return None
        slice_ = self._slice(store.value, filled, read)
        if slice_ is None or not _does_nothing_else(filled, store):
            return None
        if not self._is_unchanged(filled, read, slice_):
            return None
        assert isinstance(store.value, Instruction)
        return _Needless(self._call, idle, filled, read, store.value, load, slice_)

    def _uses(self) -> tuple[Store, Load, list[Instruction]] | None:
        """Return the one that stores, the one that loads, and those that do neither."""
        known = derived(self._call)
        stored, loaded, idle = list[Store](), list[Load](), list[Instruction]()
        for pointer in known if len(known) == 3 else ():
            for user in pointer.users:
                if _stores_number(user) and user.pointer is pointer:
                    stored.append(user)
                elif _is_plain_load(user):
                    loaded.append(user)
                elif isinstance(user, Call) and user.callee.startswith(HINT):
                    idle.append(user)
                elif not _is_element_of(user, self._call):
                    return None
        return (stored[0], loaded[0], idle) if len(stored) == len(loaded) == 1 else None

    def _is_element(self, pointer: Value, real: str, loop: _Counted) -> bool:
        """Tell whether a pointer is to the element that a loop has come to."""
        if not _is_element_of(pointer, self._call) or pointer.source_type != real:
            return False
        (index,) = pointer.indices
        return index is loop.index or _is_broadcast(index, loop)

    # -- when the loops run --------------------------------------------------------------------------

    def _follows(self, filled: _Counted, read: _Counted) -> bool:
        """Tell whether the second loop runs behind the first, and once for each time.

        The first may be left out where it would have nothing to do: then there is nothing to be read.
        """
        gate = self._gate(filled, read)
        if gate is read.block or not self._dominators.dominates(gate, read.block):
            return False
        return read.block not in self._flow.reached(read.behind, {gate})

    def _gate(self, filled: _Counted, read: _Counted) -> Block:
        """Return the block that leads through the first loop, if that has any iterations."""
        if self._dominators.dominates(filled.block, read.block):
            return filled.block
        before = filled.before
        if set(before.successors) != {filled.block}:
            return before if _asks(before, filled.block, filled) else filled.block
        first, *others = before.predecessors
        return first if not others and _asks(first, before, filled) else filled.block

    # -- what the first one does ---------------------------------------------------------------------

    def _slice(self, value: Value, filled: _Counted, read: _Counted) -> list[Instruction] | None:
        """Return what makes a value and cannot be used where it is; None if some of that may not move."""
        found, pending = set[Value](), [value]
        while pending:
            one = pending.pop()
            if not isinstance(one, Instruction) or one is filled.index or one in found:
                continue
            block = one.home
            if block is filled.block or not self._dominators.dominates(block, read.block):
                if block not in (filled.block, filled.before) or not _may_move(one):
                    return None
                found.add(one)
                pending.extend(one.operands)
        if value not in found:
            return None
        return [one for block in (filled.before, filled.block) for one in block if one in found]

    def _is_unchanged(
        self, filled: _Counted, read: _Counted, slice_: Sequence[Instruction]
    ) -> bool:
        """Tell whether nothing that the first loop reads is written until the second has read it."""
        pointers = self._function.analysis(MergedPointers)
        sources = [one.pointer for one in slice_ if isinstance(one, Load)]
        gate = self._gate(filled, read)
        behind = self._flow.reached(filled.behind, {gate, read.block})
        between = {one for one in behind if read.block in self._flow.reached(one, {gate})}
        passed = [one for block in {*between, read.block} for one in block]
        # What stands in front of the first loop and is read there is read later then, too.
        moved = [one for one in slice_ if one.block is filled.before]
        if moved and filled.before not in (*between, read.block):
            passed += filled.before.instructions[filled.before.place_of(moved[0]) :]
        for one in passed:
            if _stores_number(one):
                if not all(pointers.are_apart(one.pointer, source) for source in sources):
                    return False
            elif not _writes_nothing(one):
                return False
        return True


def _stores_number(one: Instruction) -> TypeGuard[Store]:
    """Tell whether an instruction is a plain store of a number that was computed."""
    if not isinstance(one, Store) or one.value.type not in _FLOATS:
        return False
    return isinstance(one.value, (Instruction, Argument)) and not (one.is_volatile or one.is_atomic)


def _is_plain_load(one: Instruction) -> TypeGuard[Load]:
    return isinstance(one, Load) and one.type in _LOADED and not (one.is_volatile or one.is_atomic)


def _is_element_of(pointer: Value, call: Call) -> TypeGuard[GetElementPtr]:
    """Tell whether a pointer is to a number of an array, by an index."""
    if not isinstance(pointer, GetElementPtr) or pointer.pointer is not call:
        return False
    if pointer.source_type not in _FLOATS or len(pointer.indices) != 1:
        return False
    return pointer.indices[0].type == "i64" and not isinstance(pointer.indices[0], Constant)


def _is_broadcast(index: Value, loop: _Counted) -> bool:
    """Tell whether an index is 0 if the loop has one iteration, else the loop's: so it is the loop's."""
    if not isinstance(index, Select) or not _is_number(index.arms[0], 0):
        return False
    asked = index.condition
    if index.arms[1] is not loop.index or not isinstance(asked, Compare):
        return False
    return (
        _is(asked, "icmp eq", "i64")
        and asked.operands[0] is loop.bound
        and _is_number(asked.operands[1], 1)
    )


def _has_same_end(filled: _Counted, read: _Counted) -> bool:
    """Tell whether both loops end at the same number, the second perhaps at 1 where the first has nothing to do."""
    end = read.bound
    if end == filled.bound:
        return True
    if not isinstance(end, Call) or end.callee != "llvm.smax.i64":
        return False
    return end.arguments[0] is filled.bound and _is_number(end.arguments[1], 1)


def _asks(block: Block, inside: Block, loop: _Counted) -> bool:
    """Tell whether a block goes inside just if the loop has any iterations."""
    end = block.terminator
    if not isinstance(end, Branch) or not isinstance(end.condition, Compare):
        return False
    test = end.condition
    some, none = end.successors
    if _is(test, "icmp slt", "i64") and _is_number(test.operands[1], 1):
        some, none = none, some
    elif not (_is(test, "icmp sgt", "i64") and _is_number(test.operands[1], 0)):
        return False
    return test.operands[0] is loop.bound and inside is some and inside is not none


def _may_move(one: Instruction) -> bool:
    """Tell whether an instruction may run elsewhere, as far as its operands are the same there."""
    if one.opcode in _MOVABLE or _is_plain_load(one):
        return True
    if not isinstance(one, Call) or not one.callee:
        return False
    is_number = not any(value.type == "ptr" for value in one.arguments)
    return is_number and (one.callee in FUNCTIONS or one.callee.startswith(_MATHEMATICS))


def _does_nothing_else(filled: _Counted, store: Store) -> bool:
    """Tell whether a loop has no other effect, and nobody uses what it computed."""
    for one in filled.body:
        is_known = one in (store, filled.index, filled.moved) or _may_move(one)
        if not is_known or any(user.block is not filled.block for user in one.users):
            return False
    return True


def _writes_nothing(one: Instruction) -> bool:
    if not isinstance(one, Call):
        return not one.may_write
    if one.callee in ALLOCATORS or one.callee.startswith(HINT):
        return True
    is_silent = one.callee.startswith(("llvm.", f"{BARRIER}.")) or one.callee in FUNCTIONS
    return is_silent and not any(value.type == "ptr" for value in one.arguments)
