"""Loops that leave one iteration out are split in two, in reverse mode.

    for j in range(n):                    for j in range(i):
        if j != i:             -->            total += pull(x[i], x[j])
            total += pull(...)            for j in range(i + 1, n):
                                              total += pull(x[i], x[j])

Symptom: gradients of bodies that pull at each other took 6 times the primal, where an adjoint written by hand takes 2.5 times.

Cause: the reverse loop has a branch as well, around what it adds to memory, so LLVM makes no vectors of it.

Cure: no branch. The iterations that are left run in the same order, so that all numbers are the same. Done for innermost loops with a
counter, which do nothing in the one iteration but go on: their loop-carried values stay as they are.
"""

from __future__ import annotations

from dataclasses import dataclass

from enzyme_py.llvm import (
    Block,
    Branch,
    Builder,
    Compare,
    Constant,
    Function,
    Instruction,
    Phi,
    Value,
    clone_blocks,
)
from enzyme_py.llvm.analyses.loops import Counter, Loop, Loops, TripCount
from enzyme_py.llvm.types import bits
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.module.requests import has_reverse

_LARGEST = 200  # instructions of a loop
_MOST = 8  # loops of a function
_COUNT = "i64"  # of the counter that ends a loop; others may be smaller


class SkippedIterations(Pass):
    """Split loops at the iteration that they leave out."""

    name = "skipped iterations"

    def applies(self, draft: Draft) -> bool:
        """Tell whether the module asks for reverse mode."""
        return has_reverse(draft.code)

    def run(self, draft: Draft) -> None:
        """Split such loops of all functions."""
        for function in draft.code.functions:
            if function.is_edited or " icmp eq i64 " in function.body_text or " icmp ne i64 " in function.body_text:
                for _ in range(_MOST):
                    found = next(filter(None, map(_skip, function.analysis(Loops).loops)), None)
                    if found is None:
                        break
                    _Split(function, found).make()


@dataclass(frozen=True)
class _Skip:
    """A loop whose header goes to its latch at once where the counter is a number; else to `body`."""

    loop: Loop
    count: TripCount
    number: Value
    latch: Block
    body: Block

    @property
    def carried(self) -> list[tuple[Phi, Phi]]:
        """The loop-carried values but for counters: phis of header and latch."""
        phis = [one for one in self.loop.phis if self.loop.counter(one) is None]
        return [(one, self.loop.carried(one)[0]) for one in phis]  # type: ignore[misc]


def _skip(loop: Loop) -> _Skip | None:
    header, latch = loop.header, loop.latch
    end, count = header.terminator, None if latch is None else loop.trip_count(latch)
    if loop.children or loop.predecessor is None or latch is None or latch is header or count is None:
        return None
    if count.predicate != "ne" or count.counter.step != 1 or count.counter.phi.type != _COUNT:
        return None
    if not isinstance(end, Branch) or not isinstance(end.condition, Compare) or latch not in end.successors:
        return None
    compared = end.condition
    others = [one for one in compared.operands if one is not count.counter.phi]
    is_equal = compared.predicate == ("eq" if end.successors[0] is latch else "ne")
    if compared.opcode != "icmp" or not is_equal or len(others) != 1 or not loop.is_invariant(others[0]):
        return None
    (body,) = (one for one in end.successors if one is not latch)
    skip = _Skip(loop, count, others[0], latch, body)
    return skip if _does_nothing(skip) and _is_plain(skip) else None


def _does_nothing(skip: _Skip) -> bool:
    """Tell whether the iteration that is left out changes nothing but counters."""
    loop, latch = skip.loop, skip.latch
    for phi in loop.phis:
        if loop.counter(phi) is None:
            carried = loop.carried(phi)
            (own,) = carried if len(carried) == 1 else (None,)
            if not isinstance(own, Phi) or own.block is not latch or own.value_from(loop.header) is not phi:
                return False
    kept = {latched for _, latched in skip.carried}
    if any(phi not in kept for phi in latch.phis):
        return False
    return not any(_acts(one) for block in (loop.header, latch) for one in block.instructions)


def _acts(one: Instruction) -> bool:
    return one.may_write or one.opcode in ("call", "invoke")


def _is_plain(skip: _Skip) -> bool:
    """Tell whether a loop is small, is left at its latch but for exceptions, and what is used behind is carried."""
    loop = skip.loop
    if any(bits(one.phi.type) > bits(_COUNT) for one in loop.counters):
        return False
    if any(_raises(target) == (block is skip.latch) for block, target in loop.exiting_edges):
        return False
    kept = {latched for _, latched in skip.carried}
    instructions = [one for block in loop.blocks for one in block.instructions]
    if len(instructions) > _LARGEST:
        return False
    return all(one in kept or all(user in loop for user in one.users) for one in instructions)


def _raises(block: Block) -> bool:
    return block.terminator.opcode == "unreachable" and not block.phis


class _Split:
    """Makes two loops of one: `ahead`, the iterations before, `between`, those behind, `leaves`."""

    def __init__(self, function: Function, skip: _Skip) -> None:
        self._function, self._skip = function, skip
        self._loop = skip.loop

    def make(self) -> None:
        """Do it."""
        skip, loop = self._skip, self._loop
        header, latch = loop.header, skip.latch
        assert loop.predecessor is not None
        carried, counters = skip.carried, loop.counters
        blocks = [header, *(one for one in self._function.blocks if one in loop.blocks and one is not header)]
        leaves = self._way_out()
        ahead = loop.predecessor.split_edge(header, f"{header.name}.ahead")
        copies = clone_blocks(blocks, "before")
        between = self._function.add_block(f"{header.name}.between", before=header)

        at = Builder(ahead.terminator)
        trips, before = self._counts(at)
        first, last = copies[header], copies[latch]
        assert isinstance(first, Block)
        assert isinstance(last, Block)
        at.branch_if(at.compare("ne", before, 0), first, between)
        ahead.terminator.erase()

        joined = Builder.at_end(between)
        starts = {
            phi: joined.phi(phi.type, [(phi.value_from(ahead), ahead), (copies[own], last)], f"{phi.name}.between")
            for phi, own in carried
        }
        # No more than there are: Enzyme asks for memory for them in front of all this.
        behind = joined.add(before, joined.cast("zext", joined.compare("ult", before, trips), _COUNT))
        moved = {one.phi: self._moved(joined, one, ahead, behind) for one in counters}
        joined.branch_if(joined.compare("ult", behind, trips), header, leaves)

        self._end_before(last, first, between, leaves, at=before, copies=copies)
        for phi in leaves.phis:
            (own,) = {value for value, block in phi.incoming if block is latch}
            (start,) = (starts[one] for one, latched in carried if latched is own)
            phi.add_incoming(start, between)
        for phi in header.phis:
            phi.remove_incoming(ahead)
            phi.add_incoming(starts[phi] if phi in starts else moved[phi], between)
        for one, to, end in ((header, skip.body, latch), (first, copies[skip.body], last)):
            for phi in end.phis:
                phi.remove_incoming(one)
            Builder(one.terminator).branch(to)  # type: ignore[arg-type]
            one.terminator.erase()

    def _way_out(self) -> Block:
        """Make a block that only the latch leads to, with a phi for each value that is used behind."""
        loop, latch = self._loop, self._skip.latch
        leaves = latch.split_edge(self._skip.count.exit, f"{latch.name}.leaves")
        for _, own in self._skip.carried:
            outside = [use for use in own.uses if use.user not in loop and use.user.block is not leaves]
            if outside:
                out = Builder.at_start(leaves).phi(own.type, [(own, latch)], f"{own.name}.out")
                for use in outside:
                    use.user.set_operand(use.slot, out)
        return leaves

    def _counts(self, at: Builder) -> tuple[Value, Value]:
        """Compute how many iterations there are, and how many of them come before the one that is left out."""
        count = self._skip.count
        trips: Value = at.sub(count.bound, count.counter.start)
        if count.value is count.counter.phi:
            trips = at.add(trips, 1)
        number = at.sub(self._skip.number, count.counter.start)
        return trips, at.select(at.compare("ult", number, trips), number, trips)

    def _moved(self, at: Builder, counter: Counter, ahead: Block, iterations: Value) -> Value:
        """Compute what a counter is after some iterations."""
        start, kind = counter.phi.value_from(ahead), counter.phi.type
        moved: Value = at.mul(iterations if kind == _COUNT else at.cast("trunc", iterations, kind), counter.step)
        return moved if isinstance(start, Constant) and start.integer == 0 else at.add(moved, start)

    def _end_before(self, last: Block, first: Block, between: Block, leaves: Block, *, at: Value, copies: dict[Value, Value]) -> None:
        """Let the loop of the iterations before end in time."""
        count = self._skip.count
        end = Builder(last.terminator)
        counter = copies[count.counter.moved]
        (start,) = self._loop.started(count.counter.phi)
        done = end.compare("eq", end.sub(counter, start), at)
        for phi in leaves.phis:
            phi.remove_incoming(last)
        end.branch_if(done, between, first)
        last.terminator.erase()
