"""Counters that are compared with a number that the loop changes are hidden from the comparison.

    while i < m:                     %goes.on = icmp ult i64 %i.next, %m.next
        s += x[i] * x[i]       -->   %i.seen = call i64 @enzyme_py_inactive.i64(i64 %i.next)
        m //= 2                      %goes.on = icmp ult i64 %i.seen, %m.next
        i += 1

Symptom: a loop ran on behind its end: a wrong derivative without a word, an IndexError that the kernel does not raise, the end of the
process. Walks from both ends of a list, `while i < j: i += 1; j -= 1`, numbers that are halved, limits that are read from an array.

Cause: Enzyme writes "is not equal" for "is less" where a counter that begins at 0 and goes up by 1 ends a loop ("CanonicalizeLatches").
That is right for a bound that stays as it is. It does not ask whether it does; only, that neither is negative. For a bound that
comes down, the counter goes past it. Trap: tests/traps/moving_bound.ll.

Cure: the comparison sees the counter through a function that Enzyme cannot look into (opaque.py). How often such a loop runs Enzyme did not
know before either. Code that O2 has not seen, that of forward mode, has its counters in variables: there both sides are hidden, and
also where it is not yet seen that the comparison ends the loop.
"""

from __future__ import annotations

from collections.abc import Iterator

from enzyme_py.llvm import Alloca, Builder, Compare, Function, Instruction, Load, Value
from enzyme_py.llvm.analyses.loops import Loop, Loops
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.control_flow.exits import branch_condition, is_plain
from enzyme_py.passes.module.opaque import hidden

_EQUAL = ("eq", "ne")  # the pass leaves these as they are


class MovingBounds(Pass):
    """Hide what counts from comparisons with what changes."""

    name = "moving bounds"

    def run(self, draft: Draft) -> None:
        """Hide the counters in all functions."""
        for function in draft.code.functions:
            if len(function.blocks) > 1 and is_plain(function):
                found = _ends(function) if draft.is_simplified else _comparisons(function)
                for compare, one in list(found):
                    compare.replace_operand(one, hidden(Builder(compare), one, f"{one.name}.seen"))


def _ends(function: Function) -> Iterator[tuple[Compare, Value]]:
    """Yield what ends a loop, and the counter in it, if the other side changes."""
    for loop in function.analysis(Loops).loops:
        counters = {one for each in loop.counters for one in (each.phi, each.moved)}
        for block in loop.exiting:
            compare = branch_condition(block)
            if isinstance(compare, Compare) and _is_ordering(compare) and not any(map(loop.is_invariant, compare.operands)):
                yield from ((compare, one) for one in compare.operands if one in counters)


def _comparisons(function: Function) -> Iterator[tuple[Compare, Value]]:
    """Yield what a loop compares that may change on both sides, and both, in code with variables."""
    loops = function.analysis(Loops)
    for block in function.blocks:
        loop = loops.around(block)
        if loop is None:
            continue
        for compare in block.instructions:
            if isinstance(compare, Compare) and _is_ordering(compare) and not any(_stays(loop, one) for one in compare.operands):
                yield from ((compare, one) for one in dict.fromkeys(compare.operands))


def _is_ordering(compare: Compare) -> bool:
    return compare.opcode == "icmp" and compare.predicate not in _EQUAL and compare.operands[0].type.startswith("i")


def _stays(loop: Loop, value: Value) -> bool:
    """Tell whether a value is made outside of a loop, or read from a variable that a loop only reads."""
    if not isinstance(value, Instruction) or loop.is_invariant(value):
        return True
    variable = value.pointer if isinstance(value, Load) else None
    return isinstance(variable, Alloca) and all(isinstance(user, Load) for user in variable.users if user in loop)
