"""The loop of blocks: computes what a block of iterations adds, and adds it.

    ahead:    trips, conditions                       -> outer, or the loop as it was
    outer:    how many iterations the block has; the adds that are gathered (gathers.py)   -> inner
    inner:    the loop; adds go to buffers            -> sums
    sums:     one loop for each array that is added to -> outer, or the way out

A block has 64 iterations, and 1024 where there are no buffers; what is left behind whole ones is halved if it is more, so that none has fewer than 16.
In a buffer numbers stand by growing address, as they go to memory; beside them stands -0.0, which changes nothing, so that
the adds of neighbours are one loop: array[j] += one[j] + two[j - 1] + three[j - 2].
"""

from __future__ import annotations

from collections.abc import Mapping

from enzyme_py.llvm import (
    Block,
    Builder,
    Function,
    Instruction,
    Phi,
    Select,
    Store,
    Value,
    clone_blocks,
    own_exit,
)
from enzyme_py.native.rewrites.sums.conditions import Conditions
from enzyme_py.native.rewrites.sums.counted_loops import counted_loop, lowest_pointer
from enzyme_py.native.rewrites.sums.gathers import Gathering
from enzyme_py.native.rewrites.sums.loop_hints import tell_seldom
from enzyme_py.native.rewrites.sums.places import BYTES
from enzyme_py.native.rewrites.sums.plans import MOST_SPREAD, Add, Group, Plan
from enzyme_py.native.rewrites.sums.reverse_sums import (
    FLAGS,
    Term,
    added,
    forget_signs_of_zeros,
    nothing,
)

_BLOCK = 64  # iterations, where there are buffers
_LONG = 1024  # iterations, where there are none: what a block reads twice stays in the cache
CHECK = "adds.check"  # the block in front of such a loop


class Buffers:
    """Arrays on a function's stack, which one loop uses after the other."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._made = dict[tuple[str, int], Value]()

    def take(self, kind: str, number: int) -> Value:
        """Return the buffer of a number."""
        if (kind, number) not in self._made:
            at = Builder.at_start(self._function.entry)
            size = _BLOCK + 2 * MOST_SPREAD
            self._made[kind, number] = at.alloca(f"[{size} x {kind}]", "adds", align=64)
        return self._made[kind, number]


def carry_out(plan: Plan, buffers: Buffers) -> None:
    """Put the loop of blocks beside the loop that there is, and choose between them while running."""
    function, loop, block = plan.function, plan.loop, plan.loop.header
    assert loop.predecessor is not None
    leaves = own_exit(block, plan.count.exit, "adds.exit")
    ahead = loop.predecessor.split_edge(block, CHECK)
    conditions = Conditions(plan, ahead)
    holds = conditions.all_hold()
    outer = function.add_block("invert.adds.block", before=block)
    sums = function.add_block("invert.adds.sums", before=block)
    at = Builder.at_end(outer)
    carried: dict[Phi, Value] = {
        phi: at.phi(phi.type, [(phi.value_from(ahead), ahead)], f"{phi.name}.block") for phi in block.phis
    }
    left = at.phi("i64", [(conditions.count, ahead)], "adds.left")
    here = _here(at, left, _BLOCK if any(one.lowest.place.step for one in plan.buffered) else _LONG)
    gathered = Gathering(plan, here, carried).add_all(at).block
    iteration = _Iterations(plan, buffers, here)
    iteration.compute(gathered, sums, carried)
    at = iteration.add_all(sums, carried)
    rest = at.sub(left, here, "adds.left.next")
    latch = at.block
    at.branch_if(at.compare("eq", rest, 0, "adds.end"), leaves, outer)
    left.add_incoming(rest, latch)
    for phi, one in carried.items():
        (value,) = loop.carried(phi)
        assert isinstance(one, Phi)
        one.add_incoming(iteration.copies.get(value, value), latch)
    for phi in leaves.phis:
        value = phi.value_from(block)
        phi.add_incoming(iteration.copies.get(value, value), latch)
    end = ahead.terminator
    Builder(end).branch_if(holds, outer, block)
    end.erase()
    tell_seldom(block)


def _here(at: Builder, left: Value, most: int) -> Value:
    """Compute how many iterations a block has, of those that are left."""
    whole = at.constant("i64", most)
    half = at.arithmetic("lshr", left, 1, "adds.half")
    are_few = at.compare("ule", left, most, "adds.few")
    last = at.select(are_few, left, half)
    are_many = at.compare("uge", left, 2 * most, "adds.more")
    return at.select(are_many, whole, last, "adds.here")


class _Iterations:
    """A block of iterations. `copies` is what stands for what of the loop; `kept` the buffer, or the sum, of each add."""

    def __init__(self, plan: Plan, buffers: Buffers, here: Value) -> None:
        self.plan = plan
        self.here = here
        self.copies = dict[Value, Value]()
        self._kept = dict[Store, Value]()
        self._named = dict[object, Value]()
        self._buffers = buffers

    # -- computing -----------------------------------------------------------------------------------

    def compute(self, outer: Block, sums: Block, carried: Mapping[Phi, Value]) -> None:
        """Copy the loop, its adds to buffers, so that it goes from `outer` to `sums`."""
        inner = self._copy(outer, carried)
        place = Builder.at_start(inner).phi("i64", [(0, outer)], "adds.place")
        for group in self.plan.groups:
            for add in group.adds:
                if group in self.plan.gathered:
                    self._drop(add)
                else:
                    self._keep(add, place, outer)
        for select in self.plan.products:
            choice = self.copies[select]
            assert isinstance(choice, Select)
            self.copies[select] = choice.operands[2]
            choice.replace_with(self.copies[select])
        for usual in self.plan.usual:
            usual.put_in(self.copies)
        for one in inner.instructions:
            forget_signs_of_zeros(one)
        end = inner.terminator
        at = Builder(end)
        following = at.add(place, 1, "adds.place.next", flags="nuw nsw")
        place.add_incoming(following, inner)
        at.branch_if(at.compare("eq", following, self.here, "adds.block.ends"), sums, inner)
        end.erase()

    def _copy(self, outer: Block, carried: Mapping[Phi, Value]) -> Block:
        block = self.plan.loop.header
        self.copies = clone_blocks([block], "block")
        inner = self.copies[block]
        assert isinstance(inner, Block)
        for target in dict.fromkeys(block.successors):
            if target is not block:
                for phi in target.phis:
                    phi.remove_incoming(inner)
        Builder.at_end(outer).branch(inner)
        for phi in block.phis:
            copy = self.copies[phi]
            assert isinstance(copy, Phi)
            (value,) = self.plan.loop.carried(phi)
            copy.set_incoming([(carried[phi], outer), (self.copies.get(value, value), inner)])
        return inner

    def _keep(self, add: Add, place: Value, outer: Block) -> None:
        """Keep what an add adds, in place of adding it."""
        store = self.copies[add.store]
        assert isinstance(store, Store)
        at, kind = Builder(store), add.kind
        total = self._total(at, add)
        if add.place.step:
            self._kept[add.store] = self._buffer(at, add, total, place)
        else:
            into = Builder.at_start(store.home).phi(kind, [(nothing(at, kind), outer)], "adds.sum")
            summed = at.arithmetic("fadd", into, total, "adds.sum.next", flags=FLAGS)
            into.add_incoming(summed, store.home)
            self._kept[add.store] = summed
        self._drop(add)

    def _drop(self, add: Add) -> None:
        """Take an add out of the copy of the loop."""
        store = self.copies[add.store]
        assert isinstance(store, Store)
        store.erase()
        users_first = sorted(add.chain, key=add.store.home.place_of, reverse=True)
        for one in (*users_first, add.load):
            copy = self.copies.pop(one)
            assert isinstance(copy, Instruction)
            copy.erase()

    def _total(self, at: Builder, add: Add) -> Value:
        total: Value | None = None
        for term in add.terms:
            value, condition = self.copies.get(term.value, term.value), term.condition
            condition = None if condition is None else self.copies.get(condition, condition)
            more = added(at, Term(value, term.is_less, condition, term.holds))
            total = more if total is None else at.arithmetic("fadd", total, more)
        assert total is not None
        return total

    def _buffer(self, at: Builder, add: Add, total: Value, place: Value) -> Value:
        """Store what is added to a buffer; adds of the same numbers share one."""
        is_up, kind = add.place.step > 0, add.kind
        name = tuple(add.terms), is_up, kind
        if name not in self._named:
            self._named[name] = self._buffers.take(kind, len(self._named))
            entry = place if is_up else at.sub(at.constant("i64", _BLOCK - 1), place)
            entry = at.add(entry, MOST_SPREAD)
            at.store(total, at.gep(kind, self._named[name], [entry], flags="inbounds"), align=BYTES[kind])
        return self._named[name]

    # -- adding --------------------------------------------------------------------------------------

    def add_all(self, sums: Block, carried: Mapping[Phi, Value]) -> Builder:
        """Add what is kept; returns the end of the block behind."""
        at = Builder.at_end(sums)
        for group in self.plan.buffered:
            add = group.lowest
            first = lowest_pointer(at, group, self.here, dict(carried))
            if add.place.step:
                at = self._add_group(at, group, first)
            else:
                old = at.load(add.kind, first, align=add.alignment)
                at.store(at.arithmetic("fadd", old, self._kept[add.store]), first, align=add.alignment)
        return at

    def _add_group(self, at: Builder, group: Group, first: Value) -> Builder:
        """Add to one array. `first` is the lowest address that is added to."""
        kind, step = group.lowest.kind, group.lowest.place.step
        alignment = min(one.alignment for one in group.adds)
        begin: Value = at.constant("i64", MOST_SPREAD)
        if step < 0:
            begin = at.sub(at.constant("i64", MOST_SPREAD + _BLOCK), self.here)
        spread = max(group.shifts)
        for buffer in dict.fromkeys(self._kept[add.store] for add in group.adds):
            self._put_nothing_beside(at, kind, buffer, begin, spread)
        trips = at.add(self.here, spread)

        def add_to(at: Builder, place: Value) -> None:
            where = at.gep("i8", first, [at.mul(place, abs(step), flags="nsw")])
            total: Value = at.load(kind, where, align=alignment)
            from_here = at.add(begin, place)
            for add, shift in zip(group.adds, group.shifts, strict=True):
                entry = at.gep(kind, self._kept[add.store], [at.sub(from_here, shift)], flags="inbounds")
                total = at.arithmetic("fadd", total, at.load(kind, entry, align=BYTES[kind]))
            at.store(total, where, align=alignment)

        return counted_loop(at, "invert.adds.one", self.plan.loop.header, 0, trips, add_to)[1]

    def _put_nothing_beside(self, at: Builder, kind: str, buffer: Value, begin: Value, spread: int) -> None:
        end = at.add(begin, self.here)
        for number in range(spread):
            for entry in (at.sub(begin, number + 1), at.add(end, number)):
                at.store(nothing(at, kind), at.gep(kind, buffer, [entry], flags="inbounds"), align=BYTES[kind])
