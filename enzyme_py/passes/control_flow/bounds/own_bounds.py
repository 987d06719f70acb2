"""Loops that Enzyme takes for each other get bounds of their own, in reverse mode.

    for i in range(x.size):
        a = x[i] * c[i]
        for j in range(x.size):
            s += a * x[j] * x[j]
    x[:] = 0.0

Symptom: a wrong gradient without a word; or an index without a value, which is refused (host/made.py).

Cause: what is read from memory that is overwritten later is cached. Where two loops read the same elements, from the same
start by the same steps and equally often, Enzyme caches what the first one reads, and takes it in the second one's reverse
sweep as well. But it looks it up by the first loop's index, which has no value there, or that of another time. It makes no
difference whether one loop stands in the other or behind it, nor whether it counts up or down. Nor are the numbers of iterations one value:
LLVM knows that a `j` that starts at 7 and goes down in each iteration is `7 - i`.

Cure: what ends the second loop is compared with a number that went through a function, into which neither LLVM nor Enzyme can look, and
through which nothing else goes: equal calls are merged. So no two loops run equally often to Enzyme.

Only loops that may run equally often are parted: what is hidden of how often a loop runs, Enzyme does not know either, and writes code that it cannot
differentiate again (`llvm.usub.sat`, in a function with a tape of its own). In reverse mode of another derivative it makes no difference
to a loop in another one what both read: it reads more there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator

from enzyme_py.llvm import (
    Arithmetic,
    Call,
    Cast,
    Compare,
    Constant,
    Function,
    GetElementPtr,
    Instruction,
    Load,
    Phi,
    Select,
    Value,
)
from enzyme_py.llvm.analyses.addresses import Addresses, Sum
from enzyme_py.llvm.analyses.loops import Loop, Loops, TripCount
from enzyme_py.llvm.types import is_pointer
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.control_flow.exits import branch_condition, is_plain
from enzyme_py.passes.control_flow.places import Places
from enzyme_py.passes.module.opaque import own_copy
from enzyme_py.passes.module.requests import has_reverse, nests_reverse

_MOVES = (GetElementPtr, Select, Phi, Arithmetic)  # what makes an address of others
_OF_NUMBERS = ("llvm.smax.", "llvm.smin.", "llvm.umax.", "llvm.umin.", "llvm.abs.")
Times = tuple[frozenset[tuple[Hashable, int]], int]  # the sum of so many times each value, and a number


class OwnBounds(Pass):
    """Let no two loops that read the same memory run equally often."""

    name = "own bounds"

    def applies(self, draft: Draft) -> bool:
        """Tell whether the module asks for reverse mode."""
        return has_reverse(draft.code)

    def run(self, draft: Draft) -> None:
        """Separate the bounds in every function."""
        nested = nests_reverse(draft.code)
        for function in draft.code.functions:
            if len(function.blocks) > 2 and is_plain(function):
                _Bounds(function).part(all_inner_ones=nested)


class _Bounds:
    """The bounds of one function's loops."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._loops = function.analysis(Loops)
        self._places = Places(function)
        self._forms: dict[Value, Hashable] = {}

    def part(self, all_inner_ones: bool) -> None:
        """Give a bound of its own to each loop that may run as often as one before it, if it reads the same, or is an inner one."""
        known, read = list[tuple[set[Times | None], set[Value]]](), self._read_by_loops()
        for loop in self._loops.loops:
            ends = dict(_ends(loop))
            times = {None if count is None else self._times(count) for count in ends.values()}
            is_asked = all_inner_ones and loop.parent is not None
            if any(
                (is_asked or not read[loop].isdisjoint(reads)) and (None in times | others or times & others)
                for others, reads in known
            ):
                for compare in ends:
                    self._give_own(loop, compare)
            known.append((times, read[loop]))

    def _times(self, count: TripCount) -> Times | None:
        """Return how often a test lets a loop go on, in a form in which equal numbers are equal; None where they might be in another one."""
        addresses, step = self._function.analysis(Addresses), abs(count.counter.step)
        begin = addresses.sum_of(count.counter.start)
        if count.value is count.counter.moved:
            begin = begin.plus(Sum(number=count.counter.step))
        end = addresses.sum_of(count.bound)
        way, number = self._in_iterations(end.plus(begin, -1) if count.counter.step > 0 else begin.plus(end, -1))
        if count.predicate == "eq" or not step or any(times % step for times in way.values()):
            return None
        more = step if count.predicate.endswith("e") and count.predicate != "ne" else step - 1
        parts = frozenset((value, times // step) for value, times in way.items())
        return parts, (number + more) // step

    def _in_iterations(self, total: Sum) -> tuple[dict[Hashable, int], int]:
        """Return a sum of what is equal where its values are: of how often each loop around has gone on (by its header), and of forms."""
        addresses, number = self._function.analysis(Addresses), total.number
        parts = defaultdict[Hashable, int](int)
        for value, count in total.parts.items():
            start = self._start(value)
            if start is None:
                parts[self._form(value)] += count
                continue
            header, step = addresses.steps[value]
            parts[header] += count * step
            others, other = self._in_iterations(addresses.sum_of(start))
            number += count * other
            for one, times in others.items():
                parts[one] += count * times
        return {one: times for one, times in parts.items() if times}, number

    def _start(self, value: Value) -> Value | None:
        """Return where a value starts that each iteration of a loop moves by the same number; None for all others."""
        addresses = self._function.analysis(Addresses)
        if not isinstance(value, Phi) or value not in addresses.steps:
            return None
        carried = addresses.carried(value)
        starts = {one for one in value.values if one not in carried}
        return starts.pop() if len(starts) == 1 else None

    def _form(self, value: Value) -> Hashable:
        """Return what two values share that are computed in the same way, of numbers: LLVM knows them for equal."""
        if value not in self._forms:
            self._forms[value] = self._made_of(value)
        return self._forms[value]

    def _made_of(self, value: Value) -> Hashable:
        if isinstance(value, Call) and value.callee.startswith(_OF_NUMBERS):
            return value.callee, *map(self._sum_form, value.arguments)
        if isinstance(value, (Arithmetic, Cast, Compare, Select)):
            kind = value.predicate if isinstance(value, Compare) else value.type
            return value.opcode, kind, *map(self._sum_form, value.operands)
        return value

    def _sum_form(self, value: Value) -> Hashable:
        parts, number = self._in_iterations(self._function.analysis(Addresses).sum_of(value))
        return value.type, frozenset(parts.items()), number

    def _read_by_loops(self) -> dict[Loop, set[Value]]:
        """Return the memory of which each loop reads one place after the other: what only an inner one moves on is read by that."""
        found = defaultdict[Loop, set[Value]](set)
        for one in self._function.instructions:
            if isinstance(one, Load):
                bases, moved = _begins(one.pointer)
                around = (self._loops.around(each) for each in moved)
                moving = [loop for loop in around if loop is not None and one in loop]
                if moving:
                    found[max(moving, key=lambda loop: loop.depth)] |= bases
        return found

    def _give_own(self, loop: Loop, compare: Compare) -> None:
        """Let a comparison that ends a loop have a bound of its own."""
        fixed = [one for one in compare.operands if loop.is_invariant(one)]
        for bound in fixed or compare.operands[1:]:
            name = "bound" if isinstance(bound, Constant) else bound.name
            compare.replace_operand(bound, own_copy(self._places.behind(bound), bound, f"{name}.own"))


def _begins(pointer: Value) -> tuple[set[Value], set[Instruction]]:
    """Return where a pointer may begin, and what may move it: phis, and what is read."""
    bases, moved, seen, pending = set[Value](), set[Instruction](), set[Value](), [pointer]
    while pending:
        one = pending.pop()
        if one in seen:
            continue
        seen.add(one)
        if is_pointer(one.type) and not isinstance(one, _MOVES):
            bases.add(one)
        if isinstance(one, Phi) or (isinstance(one, Instruction) and not isinstance(one, (*_MOVES, Cast))):
            moved.add(one)
        if isinstance(one, (*_MOVES, Cast)):
            pending.extend(one.operands)
    return bases, moved


def _ends(loop: Loop) -> Iterator[tuple[Compare, TripCount | None]]:
    """Yield the comparisons of integers and pointers that end a loop and of which a trip count may follow, with it where it is known."""
    moved = {value for one in loop.counters for value in (one.phi, one.moved)}
    for block in loop.exiting:
        count = loop.trip_count(block)
        pending = [branch_condition(block)]
        while pending:
            one = pending.pop()
            if isinstance(one, Compare) and one.opcode == "icmp":
                if any(map(loop.is_invariant, one.operands)) or moved.issuperset(one.operands):
                    yield one, count
            elif isinstance(one, (Arithmetic, Select)) and not loop.is_invariant(one):
                pending.extend(each for each in one.operands if each.type == "i1")
