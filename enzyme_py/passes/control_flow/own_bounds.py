"""Loops that Enzyme takes for each other get bounds of their own, in reverse mode.

    for i in range(x.size):
        a = x[i] * c[i]
        for j in range(x.size):
            s += a * x[j] * x[j]
    x[:] = 0.0

Symptom: a wrong gradient without a word; or an index without a value, which is refused (host/made.py).

Cause: what is read from memory that is overwritten later is cached. Where two loops read the same elements, from the same
start by the same steps and up to the same bound, Enzyme caches what the first one reads, and takes it in the second one's reverse
sweep as well. But it looks it up by the first loop's index, which has no value there, or that of another time. It makes no
difference whether one loop stands in the other or behind it.

Cure: the bound of the second loop goes through a function that neither LLVM nor Enzyme can look into, and that no other loop's
bound goes through: equal calls are merged. So no two loops have the same end to them. Both passes here do it, and each had merged what the
other had parted while they used one function.

In reverse mode of another derivative each loop in another one with that bound gets its own, whatever both read: the second
sweep takes the one's values for the other's (measured, `for i in range(n): for j in range(n)`). So it does with two loops behind each
other in a third one, where nothing but a call of such a function is known of their bound.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from enzyme_py.llvm import Compare, Constant, Function, Instruction, Load, Value
from enzyme_py.llvm.analyses.addresses import Addresses
from enzyme_py.llvm.analyses.cycles import Cycles
from enzyme_py.llvm.analyses.loops import Loop, Loops
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.control_flow.exits import is_plain
from enzyme_py.passes.control_flow.places import Places
from enzyme_py.passes.module.opaque import own_copy
from enzyme_py.passes.module.requests import has_reverse


class OwnBounds(Pass):
    """Let no bound be shared by a loop and one inside it, in nested reverse mode."""

    name = "own bounds"

    def applies(self, draft: Draft) -> bool:
        """Tell whether the module asks for reverse mode."""
        return has_reverse(draft.code)

    def run(self, draft: Draft) -> None:
        """Separate the bounds in every function."""
        for function in draft.code.functions:
            if len(function.blocks) > 2 and is_plain(function):
                self._separate(_Bounds(function))

    def _separate(self, bounds: _Bounds) -> None:
        bounds.part_nested()


class OwnBoundsOfReaders(OwnBounds):
    """Let no bound be shared by two loops that read the same memory."""

    name = "own bounds of readers"

    def _separate(self, bounds: _Bounds) -> None:
        bounds.part_readers()


class _Bounds:
    """The bounds of one function's loops."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._places = Places(function)

    def _give_own(self, compare: Instruction, bound: Value) -> None:
        """Let a comparison of a loop's end have a bound of its own."""
        name = "bound" if isinstance(bound, Constant) else bound.name
        compare.replace_operand(bound, own_copy(self._places.behind(bound), bound, f"{name}.own"))

    def part_readers(self) -> None:
        """Part the loops that end at one number and read the same memory."""
        ends = defaultdict[object, list[tuple[Loop, Instruction, Value]]](list)
        for loop in self._function.analysis(Loops).loops:
            for key, compare, bound in _ends(loop, self._function.analysis(Addresses)):
                ends[key].append((loop, compare, bound))
        for found in ends.values():
            known: list[tuple[Loop, set[Value]]] = []
            for loop, compare, bound in found if len(found) > 1 else ():
                read = self._read_in(loop)
                if any(one is not loop and not read.isdisjoint(other) for one, other in known):
                    self._give_own(compare, bound)
                known.append((loop, read))

    def _read_in(self, loop: Loop) -> set[Value]:
        addresses = self._function.analysis(Addresses)
        return {addresses.of(one.pointer).base for block in loop.blocks for one in block if isinstance(one, Load)}

    def part_nested(self) -> None:
        """Part the loops that end at one number in different depths."""
        cycles = self._function.analysis(Cycles)
        compared = [
            (one, depth)
            for one in self._function.instructions
            if _compares_values(one) and (depth := cycles.depth(one))
        ]
        shared = _shared(compared)
        for one, depth in compared if shared else ():
            for bound in dict.fromkeys(one.operands) if depth > 1 else ():
                if bound in shared and _is_made_in_front(bound, cycles):
                    self._give_own(one, bound)


def _ends(loop: Loop, addresses: Addresses) -> Iterator[tuple[object, Instruction, Value]]:
    """Yield the comparisons that end a loop by a count, with their bounds, and a key that equal ends share."""
    for block in loop.exiting:
        count = loop.trip_count(block)
        compare = getattr(block.terminator, "condition", None)
        if count is not None and isinstance(compare, Compare) and count.bound in compare.operands:
            end = addresses.sum_of(count.bound)
            number = end.number - (count.counter.step if count.value is count.counter.moved else 0)
            yield (frozenset(end.parts.items()), number), compare, count.bound


def _compares_values(one: Instruction) -> bool:
    return (
        isinstance(one, Compare)
        and one.operands[0].type == "i64"
        and not any(isinstance(operand, Constant) for operand in one.operands)
    )


def _shared(compared: Sequence[tuple[Instruction, int]]) -> set[Value]:
    """Return the values with which loops of different depths are compared."""
    depths = defaultdict[Value, set[int]](set)
    for one, depth in compared:
        for value in one.operands:
            depths[value].add(depth)
    return {value for value, found in depths.items() if len(found) > 1}


def _is_made_in_front(value: Value, cycles: Cycles) -> bool:
    """Tell whether a value is made in front of all loops, and not where paths merge."""
    return not isinstance(value, Instruction) or (value.opcode != "phi" and not cycles.depth(value))
