"""Adds whose terms are a few operations: gathered, in place of scattered.

    for i: d = dnew[i]; dnew[i] = 0                        for j: du[j] += c * dnew[j + 1] - 2 * c * dnew[j] + c * dnew[j - 1]
        du[i - 1] += c * d; du[i] -= 2 * c * d    -->      for i: dnew[i] = 0
        du[i + 1] += c * d

Symptom: gradients of stencils took twice the time of an adjoint that gathers by hand, though made of vectors.

Cause: what was to be added went to memory, and was read from there once for each neighbour.

Cure: what is added is computed once more for each place that it goes to, from what the loop reads. Done for a few operations, and where
nothing that the loop writes is what it reads for that in another iteration: by its places, or asked while running (conditions.py). At
both ends of a block of iterations, where not all neighbours are in the block, each add is made by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from enzyme_py.llvm import Arithmetic, Builder, Load, Phi, Select, Store, Value
from enzyme_py.native.rewrites.sums.counted_loops import counted_loop, lowest_pointer
from enzyme_py.native.rewrites.sums.loop_hints import tell_parallel
from enzyme_py.native.rewrites.sums.places import BYTES
from enzyme_py.native.rewrites.sums.plans import Add, Group, Plan, is_kept_apart
from enzyme_py.native.rewrites.sums.reverse_sums import forget_signs_of_zeros

_MOST_OPERATIONS = 8  # of what one add adds
_MOST_AT_ENDS = 24  # adds that are made by themselves
_OPERATIONS = ("fadd", "fsub", "fmul", "fneg")


def choose_gathers(plan: Plan) -> Plan:
    """Return the plan with the groups of adds that are gathered, and what has to be apart for that."""
    groups = [group for group in plan.groups if group.lowest.place.step and _is_cheap(plan, group)]
    if not groups:
        return plan
    adds = {add.store for group in plan.groups for add in group.adds}
    written = [place for one, place in plan.places.items() if isinstance(one, Store) and one not in adds]
    return replace(plan, gathered=groups, written=written)


def _is_cheap(plan: Plan, group: Group) -> bool:
    """Tell whether what a group adds may be computed once more, from memory that is then as it is in the loop."""
    if len(group.adds) * max(group.shifts) > _MOST_AT_ENDS:
        return False
    needed = [_needed(plan, add) for add in group.adds]
    if any(one is None or len(one) > _MOST_OPERATIONS for one in needed):
        return False
    return all(
        is_kept_apart(store, load, plan.places)
        for store in plan.places
        for load in _reads(plan, group)
        if isinstance(store, Store) and plan.places[store].key == plan.places[load].key
    )


def _needed(plan: Plan, add: Add) -> list[Value] | None:
    """Return what of the loop an add's terms are made of; None if that may not be made once more."""
    needed = dict[Value, None]()
    if any(term.condition is not None or not _needs(plan, term.value, needed) for term in add.terms):
        return None
    return list(needed)


def _reads(plan: Plan, group: Group) -> list[Load]:
    """Return what a group's terms read."""
    needed = (one for add in group.adds for one in _needed(plan, add) or ())
    return list(dict.fromkeys(one for one in needed if isinstance(one, Load)))


def _needs(plan: Plan, value: Value, needed: dict[Value, None]) -> bool:
    """Collect what of the loop a value is made of; tell whether all of it may be made once more."""
    if value in needed or plan.loop.is_invariant(value):
        return True
    needed[value] = None
    if isinstance(value, Load):
        return value in plan.places
    if isinstance(value, Select) and value in plan.products:
        return _needs(plan, value.operands[2], needed)
    if not isinstance(value, Arithmetic) or value.opcode not in _OPERATIONS or value.type not in BYTES:
        return False
    return all(_needs(plan, one, needed) for one in value.operands)


class Gathering:
    """Code that gathers for a block of iterations, `here` of them; `carried` is where the loop's phis stand in front of it."""

    def __init__(self, plan: Plan, here: Value, carried: Mapping[Phi, Value]) -> None:
        self._plan = plan
        self._here = here
        self._carried = dict(carried)
        self._reads = dict[Load, Value]()  # where they read in the first iteration

    def add_all(self, at: Builder) -> Builder:
        """Make all adds that are gathered; returns the end of the block behind."""
        for group in self._plan.gathered:
            at = self._add(at, group)
        return at

    def _add(self, at: Builder, group: Group) -> Builder:
        plan, spread, here = self._plan, max(group.shifts), self._here
        first = lowest_pointer(at, group, here, self._carried)
        pairs = list(zip(group.adds, group.shifts, strict=True))
        for one in _reads(plan, group):
            if one not in self._reads:
                self._reads[one] = plan.places[one].pointer(at, self._carried)
        for add, shift in pairs:
            for number in range(spread - shift):
                self._sum(at, first, at.constant("i64", number + shift), [(add, shift)])

        def add_to(at: Builder, place: Value) -> None:
            self._sum(at, first, place, pairs)

        loop, at = counted_loop(at, "invert.adds.gather", plan.loop.header, spread, here, add_to)
        tell_parallel(loop, is_short=True)
        for add, shift in pairs:
            for number in range(shift):
                self._sum(at, first, at.add(here, number), [(add, shift)])
        return at

    def _sum(self, at: Builder, first: Value, place: Value, pairs: list[tuple[Add, int]]) -> None:
        """Add to one place what some adds add to it: each in the iteration that is its shift before."""
        kind, bytes_ = pairs[0][0].kind, abs(pairs[0][0].place.step)
        alignment = min(add.alignment for add, _ in pairs)
        where = at.gep("i8", first, [at.mul(place, bytes_, flags="nsw")])
        total: Value = at.load(kind, where, align=alignment)
        for add, shift in pairs:
            iteration: Value = at.sub(place, shift)
            if add.place.step < 0:
                iteration = at.sub(at.sub(self._here, 1), iteration)
            made = dict[Value, Value]()
            for term in add.terms:
                value = self._make(at, term.value, iteration, made)
                total = at.arithmetic("fsub" if term.is_less else "fadd", total, value)
        at.store(total, where, align=alignment)

    def _make(self, at: Builder, value: Value, iteration: Value, made: dict[Value, Value]) -> Value:
        """Compute a value of the loop as it is in an iteration of the block."""
        if self._plan.loop.is_invariant(value):
            return value
        if value not in made:
            made[value] = self._made(at, value, iteration, made)
        return made[value]

    def _made(self, at: Builder, value: Value, iteration: Value, made: dict[Value, Value]) -> Value:
        if isinstance(value, Load):
            moved = at.mul(iteration, self._plan.places[value].step)
            return at.load(value.type, at.gep("i8", self._reads[value], [moved]), align=value.alignment)
        if isinstance(value, Select):
            return self._make(at, value.operands[2], iteration, made)
        assert isinstance(value, Arithmetic)
        copy = value.clone_with([self._make(at, one, iteration, made) for one in value.operands])
        forget_signs_of_zeros(copy)
        return at.insert(copy, "adds.term")
