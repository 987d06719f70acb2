"""Loops in loops whose bounds may say that they have less than no iterations have at least none.

    for t in range(steps):
        for i in range(2, n - 2):
            u[i] = u[i] * u[i]

Symptom: a MemoryError, or minus `steps` numbers of memory asked for, of every kernel like this at its smallest sizes
(measured; found by the fuzzer).

Cause: with n = 3 the inner loop has no iteration, as the compiled code looks before it enters. Its trip count, if it is entered,
is n - 4. Enzyme makes room for all iterations of both loops in front of both, without looking.

Cure: where such a bound is the same in all iterations of the loop around, it becomes what stands for no iteration if the
loop is not entered, in front of both:

    %bound.least = select i1 %is_entered, i64 %bound, i64 1
    %bound.trips = call i64 @enzyme_py_inactive.left_i64(i64 %bound.least)

It goes through a function that LLVM does not know (opaque.py), or LLVM would undo that where it knows that the loop is
entered. Where nothing that is the same in all iterations decides on that, it is taken to be at least what
stands for no iteration (`llvm.smax`). Lengths and arguments are taken for zero or more. So is what a smax or a
subtraction that stops at zero gives, as Numba counts most loops down; but not where derivatives are nested: in the inner derivative LLVM knows
that the loop is entered, makes a plain difference of it, and of that Enzyme asks for memory in front of both loops.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from enzyme_py.llvm import (
    Argument,
    Builder,
    Call,
    Compare,
    Constant,
    Function,
    Instruction,
    Phi,
    Value,
)
from enzyme_py.llvm.analyses.loops import Loop, Loops
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.control_flow.exits import branch_condition, is_plain
from enzyme_py.passes.control_flow.places import Places
from enzyme_py.passes.module.opaque import cached_copy, is_cached_copy
from enzyme_py.passes.module.requests import has_reverse

_AT_LEAST_NONE = frozenset(("load", "phi", "call", "extractvalue"))


class EmptyLoops(Pass):
    """Let no loop inside another one have a negative trip count."""

    name = "empty loops"

    def applies(self, draft: Draft) -> bool:
        """Tell whether the module asks for reverse mode."""
        return has_reverse(draft.code)

    def run(self, draft: Draft) -> None:
        """Limit the bounds in every function."""
        nested = draft.nests_reverse
        for function in draft.code.functions:
            if function.is_edited or " phi i64 " in function.body_text:
                _limit_bounds(function, nested)


def _limit_bounds(function: Function, nested: bool) -> None:
    if not is_plain(function):
        return
    places = Places(function)
    for limit in [one for one in _limits(function) if not _is_enough(one, nested)]:
        if limit.value in limit.user.operands:
            at = places.behind(limit.value, limit.base, limit.entered)
            least = limit.build(at)
            limit.user.replace_operand(
                limit.value, cached_copy(at, least, f"{limit.value.name}.trips")
            )


@dataclass(frozen=True)
class _Limit:
    """A value that an instruction uses, which must be at least, or at most, another value, or none, and a number.

    If `entered` is known, it is so where that is true, or if `is_else`, false.
    """

    user: Instruction
    value: Value
    base: Value | None
    number: int
    is_most: bool
    entered: Value | None = None
    is_else: bool = False

    def build(self, at: Builder) -> Value:
        """Compute what may stand for the value everywhere."""
        none: Value = at.constant("i64", self.number)
        if self.base is not None:
            none = at.add(self.base, self.number, f"{self.value.name}.none")
        name = f"{self.value.name}.least"
        if self.entered is not None:
            one, other = (none, self.value) if self.is_else else (self.value, none)
            return at.select(self.entered, one, other, name)
        function = f"llvm.s{'min' if self.is_most else 'max'}.i64"
        larger = at.function.module.declare(function, "i64", ["i64", "i64"])
        return at.call(larger, [self.value, none], name)


def _limits(function: Function) -> Iterator[_Limit]:
    """Yield what must be limited, for each exit of a loop in another one that compares its counter."""
    order = {block: place for place, block in enumerate(function.blocks)}
    found = (one for one in function.analysis(Loops).loops if one.latch and one.predecessor)
    loops = sorted(found, key=lambda one: (len(one.blocks), order[one.header]))
    for loop in loops:
        around = next((one for one in loops if loop.blocks < one.blocks), None)
        for block in loop.exiting if around is not None else ():
            compared = branch_condition(block)
            if around is None or not isinstance(compared, Compare):
                continue
            for counter, bound in (compared.operands, compared.operands[::-1]):
                limit = _limit(loop, compared, counter, bound)
                if limit is not None and all(
                    one is None or around.is_invariant(one) for one in (limit.value, limit.base)
                ):
                    yield _of_bound(_if_entered(limit, loop, around), compared, bound)


def _if_entered(limit: _Limit, loop: Loop, around: Loop) -> _Limit:
    """Return a limit with what decides whether a loop is entered, if that is known in front of the loop around."""
    block, target = loop.entering[0], loop.header
    while len(block.successors) == 1 and len(block.predecessors) == 1:
        block, target = block.predecessors[0], block
    condition, ways = branch_condition(block), block.successors
    if condition is None or isinstance(condition, Constant) or ways[0] is ways[1]:
        return limit
    if target not in ways or not around.is_invariant(condition):
        return limit
    return replace(limit, entered=condition, is_else=ways[1] is target)


def _of_bound(limit: _Limit, compared: Compare, bound: Value) -> _Limit:
    """Return a limit of a loop's start as one of its end, where nothing is known to decide whether the loop is entered.

    It may run once, from behind its end: `while True: ...; i += 1; if i >= 3: break`. Then it starts where it starts.
    """
    if limit.entered is not None or limit.user is compared:
        return limit
    end = _number(bound)
    assert end is not None
    return _Limit(compared, bound, limit.value, end - limit.number, not limit.is_most)


def _limit(loop: Loop, compared: Compare, counter: Value, bound: Value) -> _Limit | None:
    """Return what must be limited if one value is the counter of a loop, or its next value, and ends it at another."""
    step = _step(counter)
    phi = step[0] if step is not None else counter
    if not isinstance(phi, Phi) or phi.block is not loop.header or phi.type != "i64":
        return None
    start, after = phi.value_from(loop.entering[0]), _step(phi.value_from(loop.latches[0]))
    if after is None or after[0] is not phi:
        return None
    moved = after[1]
    last = 0 if step is not None else moved  # the iteration that compares before it steps
    first, end = _number(start), _number(bound)
    if _is_known(bound) and (first is not None or _is_known(start)):
        base = start if first is None else None
        limit = _Limit(compared, bound, base, (first or 0) - last, moved < 0)
    elif _is_known(start) and end is not None:
        limit = _Limit(phi, start, None, end + last, moved > 0)
    else:
        return None
    return limit


def _step(value: Value) -> tuple[Value, int] | None:
    """Return what a value adds a number to, and the number."""
    if not isinstance(value, Instruction) or value.opcode != "add" or value.type != "i64":
        return None
    number = _number(value.operands[1])
    return None if number is None else (value.operands[0], number)


def _number(value: Value) -> int | None:
    return value.integer if isinstance(value, Constant) else None


def _is_known(value: Value) -> bool:
    return isinstance(value, (Argument, Instruction))


def _is_enough(limit: _Limit, nested: bool) -> bool:
    """Tell whether a value keeps its limit anyway: a length that must not be negative."""
    if is_cached_copy(limit.value):
        return True
    if nested and isinstance(limit.value, Call) and limit.value.callee.startswith("llvm."):
        return False
    is_length = isinstance(limit.value, Argument) or (
        isinstance(limit.value, Instruction) and limit.value.opcode in _AT_LEAST_NONE
    )
    return is_length and not limit.is_most and limit.base is None and limit.number <= 0
