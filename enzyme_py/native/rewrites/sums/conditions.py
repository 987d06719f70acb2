"""What is asked in front of a loop, while running, before its adds are separated."""

from __future__ import annotations

from collections.abc import Sequence

from enzyme_py.llvm import Block, Builder, Phi, Value
from enzyme_py.native.rewrites.sums.places import Place
from enzyme_py.native.rewrites.sums.plans import Plan

FEWEST = 16  # iterations for which it pays


class Conditions:
    """Code at the end of a block that leads to a loop."""

    def __init__(self, plan: Plan, ahead: Block) -> None:
        self.plan = plan
        self.at = Builder(ahead.terminator)
        self.count = self._trips()
        self._moves = self.at.sub(self.count, 1, "adds.moves")
        self._starts: dict[Phi, Value] = {phi: phi.value_from(ahead) for phi in plan.loop.phis}
        self._known = dict[object, tuple[Value, Value]]()

    def all_hold(self) -> Value:
        """Whether there are enough iterations, guesses hold, the adds go nowhere that the loop reads or writes otherwise, and what
        adjoints are multiplied with in all iterations is finite.

        Two arrays that are added to may be one by other names: all is added, in whatever order.
        """
        at, plan = self.at, self.plan
        answer: Value = at.compare("uge", self.count, FEWEST, "adds.many")
        for value, number in plan.guessed.items():
            answer = at.arithmetic("and", answer, at.compare("eq", value, number, "adds.usual"))
        for one in _ranges([*(add.place for add in plan.adds), *plan.written]):
            low, high = self._ends(*one)
            for other in _ranges(plan.others):
                if one[0].key == other[0].key:
                    continue
                other_low, other_high = self._ends(*other)
                before, behind = at.compare("ule", high, other_low), at.compare("ule", other_high, low)
                answer = at.arithmetic("and", answer, at.arithmetic("or", before, behind))
        for factor in dict.fromkeys(one for factors in plan.products.values() for one in factors):
            zero = at.constant(factor.type, "0.000000e+00")
            is_finite = at.compare("oeq", at.arithmetic("fmul", factor, zero), zero, "adds.finite")
            answer = at.arithmetic("and", answer, is_finite)
        return answer

    def _trips(self) -> Value:
        """Compute how many iterations there are; 0 where that is one more than the counter can hold."""
        at, count = self.at, self.plan.count
        counter, bound = count.counter, count.bound
        ways = (counter.start, bound) if counter.step < 0 else (bound, counter.start)
        trips: Value = at.sub(*ways, "adds.trips")
        if count.value is counter.phi:
            trips = at.add(trips, 1, "adds.trips")
        return trips if counter.phi.type == "i64" else at.cast("zext", trips, "i64", "adds.trips")

    def _ends(self, first: Place, last: Place) -> tuple[Value, Value]:
        """Return the first byte that some accesses touch in all iterations, and that behind the last."""
        name = first.key, first.step, first.number, last.number + last.size
        if name not in self._known:
            at = self.at
            base = at.cast("ptrtoint", first.address.base, "i64")
            low: Value = at.add(base, first.offset(at, self._starts))
            high: Value = at.add(low, last.number + last.size - first.number)  # as guessed
            reach = at.mul(self._moves, first.step)
            if first.step < 0:
                low = at.add(low, reach)
            else:
                high = at.add(high, reach)
            self._known[name] = low, high
        return self._known[name]


def _ranges(places: Sequence[Place]) -> list[tuple[Place, Place]]:
    """Return for each array the accesses that lie first and last in it."""
    found = dict[object, list[Place]]()
    for one in places:
        found.setdefault((one.key, one.step), []).append(one)
    return [
        (min(group, key=lambda one: one.number), max(group, key=lambda one: one.number + one.size))
        for group in found.values()
    ]
