"""Sums of a reverse sweep that LLVM may take in any order.

    %sum = phi double [ 0.0, %before ], [ %next, %loop ]         %sum = phi double [ 0.0, %before ], [ %next, %loop ]
    %moved = fadd double %d, 0.0                          -->    %product = fmul double %b, %d
    %product = fmul double %b, %moved                            %term = select i1 %is_zero, double -0.0, double %product
    %more = fadd double %sum, %product                           %next = fadd reassoc nsz double %sum, %term
    %next = select i1 %is_zero, double %sum, double %more

Symptom: reverse loops whose primal LLVM makes vectors of took 5 to 15 times as long, one number at a time.

Cause: three habits of Enzyme. What it adds to a zero that it has just stored stays an addition, since -0.0 + 0.0 is 0.0: in a
loop-carried value that is a chain of additions, one an iteration, which does nothing. A product with an adjoint of zero is
chosen away behind the sum, not in front of it (strong zero: 0 times infinity adds nothing). And its sums have one order.

Cure: nothing is added to what +0.0 is added to, and what does not change then is not carried; the choice is made of the term; the sum may be taken in any order. In blocks of
reverse sweeps only, and not for numbers of the primal that are computed once more there.

What it changes: signs of adjoints that are zero, and the last digits of sums in loops. `config(ordered_sums=True)` leaves all
as Enzyme made it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from enzyme_py.llvm import (
    Arithmetic,
    Block,
    Builder,
    Function,
    Instruction,
    Module,
    Phi,
    Select,
    Value,
)
from enzyme_py.llvm.analyses.loops import Loop, Loops

_KINDS = ("double", "float")
AGAIN = "_unwrap"  # how Enzyme names what it computes once more
FLAGS = "reassoc nsz"


def is_reverse(block: Block) -> bool:
    """Tell whether a block belongs to a reverse sweep, by the name that Enzyme gave it."""
    return block.name.startswith(("invert", "incinvert"))


def allow_any_order(code: Module) -> None:
    """Take needless zeros away, and let loops sum in any order."""
    for function in code.functions:
        blocks = [one for one in function.blocks if is_reverse(one)]
        for block in blocks:
            _drop_zeros(block)
        for block in blocks:
            _drop_constants(block)
        if blocks:
            _free_sums(function)


def _drop_zeros(block: Block) -> None:
    for one in list(block.instructions):
        if isinstance(one, Arithmetic) and one.opcode == "fadd" and AGAIN not in one.ref:
            left, right = one.operands
            if is_zero(right):
                one.replace_with(left)
            elif is_zero(left):
                one.replace_with(right)


def _drop_constants(block: Block) -> None:
    """Take loop-carried values away that never change: zeros were all that was added to them."""
    for phi in block.phis:
        others = [value for value in phi.values if value is not phi]
        if len(others) < len(phi.values) and len(set(others)) == 1:
            phi.replace_with(others[0])


def is_zero(value: Value) -> bool:
    """Tell whether a value is +0.0."""
    return value.ref in ("0.000000e+00", "zeroinitializer")


def _free_sums(function: Function) -> None:
    for loop in function.analysis(Loops).loops:
        if len(loop.blocks) == 1 and is_reverse(loop.header):
            for phi in loop.phis:
                if phi.type in _KINDS:
                    _free_sum(phi, loop)


_MOST_IN_A_CHOICE = 8  # additions


@dataclass(frozen=True)
class Term:
    """What is added to a sum, or taken from it; if `condition` is given, only where that is `holds`."""

    value: Value
    is_less: bool
    condition: Value | None = None
    holds: bool = True


def terms_from(value: Value, start: Value, most: int | None = None) -> tuple[list[Term], list[Instruction]] | None:
    """Return what is added to `start` to make `value`, and the instructions that do so, the last first.

    None where something else is done, or what is on the way is used otherwise. With `most` only so many additions, and no
    choices, are followed: within a choice. Choices of choices would be followed in all ways, whose number doubles with each.
    """
    terms, chain = list[Term](), list[Instruction]()
    end = value
    while value is not start:
        if not isinstance(value, (Arithmetic, Select)):
            return None
        if most is not None and (len(chain) == most or isinstance(value, Select)):
            return None
        step = _step(value, start)
        if step is None:
            return None
        found, passed, value = step
        terms += found
        chain += passed
    inside = {id(one) for one in chain}
    between = [one for one in chain if one is not end]
    if any(id(user) not in inside for one in between for user in one.users):
        return None
    return terms, chain


def _step(value: Arithmetic | Select, start: Value) -> tuple[list[Term], list[Instruction], Value] | None:
    """Return what one addition, or one choice of sums, adds; and to what."""
    if isinstance(value, Arithmetic):
        if value.opcode not in ("fadd", "fsub"):
            return None
        one, other = value.operands
        if value.opcode == "fadd" and not _comes_from(one, start):
            one, other = other, one
        return [Term(other, value.opcode == "fsub")], [value], one
    condition, *arms = value.operands
    for holds, (more, less) in ((True, arms), (False, arms[::-1])):
        if more is not less and (inner := terms_from(more, less, _MOST_IN_A_CHOICE)) is not None:
            found = [Term(term.value, term.is_less, condition, holds) for term in inner[0]]
            return found, [value, *inner[1]], less
    return None


def _comes_from(value: Value, start: Value) -> bool:
    """Tell whether a value is `start` with something added to it, or chosen."""
    pending, seen = [value], set[int]()
    while pending:
        one = pending.pop()
        if one is start:
            return True
        if id(one) not in seen and isinstance(one, Arithmetic) and one.opcode in ("fadd", "fsub"):
            pending += one.operands
        elif id(one) not in seen and isinstance(one, Select):
            pending += one.arms
        seen.add(id(one))
    return False


def _free_sum(phi: Phi, loop: Loop) -> None:
    """Write a loop-carried sum as one that LLVM may take in any order."""
    carried = loop.carried(phi)
    if len(carried) != 1 or not isinstance(carried[0], Instruction):
        return
    last = carried[0]
    found = terms_from(last, phi)
    if found is None or not found[0]:
        return
    terms, chain = found
    if any(one not in chain for one in phi.users) or any(one.block is not loop.header for one in chain):
        return
    if not _is_closed(chain, terms, last):
        return
    at = Builder(last)
    total: Value = phi
    for term in reversed(terms):
        total = at.arithmetic("fadd", total, added(at, term), flags=FLAGS)
    last.replace_all_uses_with(total)
    for one in _users_first(chain):
        one.erase()


def _is_closed(chain: list[Instruction], terms: list[Term], last: Instruction) -> bool:
    """Tell whether nothing needs an addition but the additions: neither a term of them, nor anybody else but the last one's."""
    inside = {id(one) for one in chain}
    asked = {id(part) for term in terms for part in (term.value, term.condition)}
    outside = (user for one in chain if one is not last for user in one.users)
    return inside.isdisjoint(asked) and all(id(user) in inside for user in outside)


def added(at: Builder, term: Term) -> Value:
    """Return what a term adds: -0.0, which changes nothing, where its condition says so."""
    value = at.fneg(term.value) if term.is_less else term.value
    if term.condition is None:
        return value
    none = nothing(at, value.type)
    arms = (value, none) if term.holds else (none, value)
    return at.select(term.condition, *arms)


def forget_signs_of_zeros(one: Instruction) -> None:
    """Let LLVM take either zero for the other in what is added or multiplied, if nothing else was said of it."""
    if isinstance(one, Arithmetic) and one.opcode in ("fadd", "fsub", "fmul") and not one.flags:
        one.set_flags(["nsz"])


def nothing(at: Builder, kind: str) -> Value:
    """Return -0.0, which changes no number that it is added to."""
    return at.constant(kind, "-0.000000e+00")


def _users_first(chain: Sequence[Instruction]) -> list[Instruction]:
    assert chain[0].block is not None
    return sorted(chain, key=chain[0].block.place_of, reverse=True)
