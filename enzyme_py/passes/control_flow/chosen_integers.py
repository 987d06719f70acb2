"""Where a branch is there only to choose an integer, the integer is selected, in reverse mode.

    for c in range(chunks):
        first, end = c * n // chunks, (c + 1) * n // chunks    # each `//` was a branch

Symptom: "function failed verification", or the pass at work for minutes and code ten times as long, of kernels whose loops in
loops have bounds with `//` or `%` (wotan's running_segment_thin; measured).

Cause: Python rounds a quotient down, so Numba divides, and takes one off where the signs differ: a branch. LLVM would select,
but is told to leave branches what they are (assembly/entry.py), which matters for floats. Whatever the reverse sweep computes again of such a bound, Enzyme builds
with blocks of its own, "phirc" and "phimerge", once more for each use; among many it leaves a block without an end.

Cure: the integers behind the branch are computed in front of it, which costs less than the branch, and a select takes the
place of the phi:

    %less = add i64 %quotient, -1
    %rounded = select i1 %signs_differ, i64 %less, i64 %quotient

Not in innermost loops: nothing there is a bound, and the branch of an index like `(i + 1) % n` is as good as free; without it
such a gradient takes a twentieth longer (measured).

Only where the branch has nothing but a few additions and the like of integers; of floats a select is another thing: a slope
of what was not taken would be computed, and may be NaN.
"""

from __future__ import annotations

from enzyme_py.llvm import Block, Branch, Builder, Function, Instruction, Phi
from enzyme_py.llvm.analyses.loops import Loops
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.control_flow.exits import is_plain
from enzyme_py.passes.module.requests import has_reverse

_MOST = 3  # instructions behind a branch: as many as cost less than guessing it wrong
_CHEAP = frozenset(("add", "sub", "and", "or", "xor", "shl", "icmp", "zext", "sext", "trunc", "select"))


class ChosenIntegers(Pass):
    """Select integers in place of branching for them."""

    name = "chosen integers"

    def applies(self, draft: Draft) -> bool:
        """Tell whether the module asks for reverse mode."""
        return has_reverse(draft.code)

    def run(self, draft: Draft) -> None:
        """Select in every function."""
        for function in draft.code.functions:
            if len(function.blocks) > 2 and is_plain(function):
                _select_in(function)


def _select_in(function: Function) -> None:
    loops = function.analysis(Loops)
    for block in list(function.blocks) if loops.loops else ():
        loop = loops.around(block)
        parting = _parting(block) if loop is None or loop.children else None
        if parting is not None:
            (after,) = block.successors
            _select(parting, block, after)


def _parting(block: Block) -> Block | None:
    """Return the block that goes on by a block of integers or around it, None if there is more to it."""
    if block.is_entry or len(block.predecessors) != 1 or len(block.successors) != 1:
        return None
    (before,), (after,) = block.predecessors, block.successors
    if after is block or not isinstance(before.terminator, Branch):
        return None
    if set(before.successors) != {block, after} or len(after.predecessors) != 2:
        return None
    if len(block.body) > _MOST or not all(_is_cheap(one) for one in block.body):
        return None
    return before if all(_is_integer(one, block, before) for one in after.phis) else None


def _is_cheap(one: Instruction) -> bool:
    return (
        one.opcode in _CHEAP
        and _is_integer_type(one.type)
        and all(_is_integer_type(operand.type) for operand in one.operands)
    )


def _is_integer(phi: Phi, one: Block, other: Block) -> bool:
    """Tell whether a phi has an integer, or the same by both ways."""
    return _is_integer_type(phi.type) or phi.value_from(one) == phi.value_from(other)


def _is_integer_type(type_: str) -> bool:
    return type_[0] == "i" and type_[1:].isdigit()


def _select(before: Block, block: Block, after: Block) -> None:
    end = before.terminator
    assert isinstance(end, Branch)
    condition = end.condition
    assert condition is not None
    for one in block.body:
        one.move_before(end)
    is_first = before.successors[0] is block
    for phi in after.phis:
        ways = [phi.value_from(block), phi.value_from(before)]
        chosen = ways[0]
        if ways[0] != ways[1]:
            true, false = ways if is_first else reversed(ways)
            chosen = Builder(end).select(condition, true, false, f"{phi.name}.chosen")
        phi.replace_with(chosen)
    end.erase()
    Builder.at_end(before).branch(after)
    block.erase()
