"""Nested loops get bounds of their own, in reverse mode of another derivative.

Symptom: reverse mode of another derivative gives wrong numbers without a word (measured) for
`for i in range(n): for j in range(n)`.

Cause: where a loop and one inside it end at one and the same value, Enzyme's second sweep takes the one's values for the
other's. So it does with two loops behind each other in a third one, where nothing but a call of such a function is known of their bound.

Cure: each inner loop has the bound through a function that LLVM cannot look into, called once more than for the one
before it: equal calls are merged.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from enzyme_py.llvm import Compare, Constant, Function, Instruction, Value
from enzyme_py.llvm.analyses.cycles import Cycles
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.control_flow.exits import is_plain
from enzyme_py.passes.control_flow.places import Places
from enzyme_py.passes.module.opaque import hidden
from enzyme_py.passes.module.requests import has_reverse


class OwnBounds(Pass):
    """Let no bound be shared by a loop and one inside it."""

    name = "own bounds"

    def applies(self, draft: Draft) -> bool:
        """Tell whether the module asks for reverse mode."""
        return has_reverse(draft.code)

    def run(self, draft: Draft) -> None:
        """Separate the bounds in every function."""
        for function in draft.code.functions:
            if len(function.blocks) > 2 and is_plain(function):
                _separate(function)


def _separate(function: Function) -> None:
    cycles, places = function.analysis(Cycles), Places(function)
    compared = [
        (one, depth)
        for one in function.instructions
        if _compares_values(one) and (depth := cycles.depth(one))
    ]
    shared, last = _shared(compared), dict[Value, Value]()
    for one, depth in compared if shared else ():
        for bound in dict.fromkeys(one.operands) if depth > 1 else ():
            if bound in shared and _is_made_in_front(bound, cycles):
                at = places.behind(last.get(bound, bound))
                last[bound] = hidden(at, last.get(bound, bound), f"{bound.name}.own")
                one.replace_operand(bound, last[bound])


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
