"""The end of a loop, asked of its counter alone.

    until far + i == n        ->        until i == n - far

Symptom: loops in which two sweeps were counted, as in the products with a Hessian, were none that can be taken apart.

Cause: the reverse sweep counts i down, another counter counts it up, and LLVM keeps one of both; the end stays written with the other.

Cure: what does not change in the loop goes to the other side, in front of the loop. Integers wrap, so for `eq` and `ne` that is the same.
"""

from __future__ import annotations

from enzyme_py.llvm import Arithmetic, Branch, Builder, Compare, Value
from enzyme_py.llvm.analyses.loops import Loop


def compare_counter(loop: Loop) -> None:
    """Let a loop of one block compare its counter with what does not change, where it compares a sum with the counter."""
    end = loop.header.terminator
    test = end.condition if isinstance(end, Branch) else None
    if loop.predecessor is None or not isinstance(test, Compare) or test.opcode != "icmp" or test.predicate not in ("eq", "ne"):
        return
    for place in (0, 1):
        found, bound = _counter_and_rest(loop, test.operands[place]), test.operands[1 - place]
        if found is not None and loop.is_invariant(bound):
            counter, rest = found
            moved = Builder(loop.predecessor.terminator).sub(bound, rest, "adds.bound")
            new = Builder(test).compare(test.predicate, counter, moved, "adds.at.end")
            test.replace_with(new)
            test.erase()
            return


def _counter_and_rest(loop: Loop, one: Value) -> tuple[Value, Value] | None:
    """Return the counter, or what it has moved to, and what is added to it; None if that is not what a value is."""
    if not isinstance(one, Arithmetic) or one.opcode != "add":
        return None
    known = {each for counter in loop.counters for each in (counter.phi, counter.moved)}
    for counted, rest in (one.operands, one.operands[::-1]):
        if counted in known and loop.is_invariant(rest):
            return counted, rest
    return None
