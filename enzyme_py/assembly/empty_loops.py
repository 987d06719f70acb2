"""Loops in loops whose bounds may say that they have less than no turns.

    for t in range(steps):
        for i in range(2, n - 2):
            u[i] = u[i] * u[i]

With n = 3 the inner loop has no turn: the compiled code looks before it enters. What it counts, if it is entered, is n - 4. The pass
makes room for all turns of both loops in front of both, without looking: for minus `steps` numbers, a MemoryError of every
kernel like that at its smallest sizes (MEASURED, found by the fuzzer). So where such a bound is the same for all turns of the loop around, it
becomes what stands for no turn if the loop is not entered, in front of both,

    %least = select i1 %is_entered, i64 %bound, i64 1
    %turns = call i64 @enzyme_py_inactive.left_i64(i64 %least)

and goes through a function that LLVM does not know, or it would undo that where it knows that the loop is entered. Where
nothing that is the same in all turns decides on that, it is taken to be at least what stands for no turn (`llvm.smax`).
Lengths and arguments are taken for zero or more; what a smax gives is so, as Numba counts most loops down.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from enzyme_py.assembly.control_flow import NAME, Body, rewritten, with_inserted
from enzyme_py.assembly.ir_text import name_behind
from enzyme_py.assembly.left_values import LEFT, declared, left
from enzyme_py.assembly.natural_loops import Flow, Loop
from enzyme_py.assembly.requests import has_reverse

_STEP = re.compile(rf"= add (?:nuw |nsw )*i64 ({NAME}), (-?\d+)(?:,|$)")
_COMPARED = re.compile(rf"= icmp (?:samesign )?\w+ i64 ({NAME}|-?\d+), ({NAME}|-?\d+)(?:,|$)")
_CONDITION = re.compile(rf"^  br i1 ({NAME}), label ({NAME}), label ({NAME})")
_AT_LEAST_NONE = ("load", "phi", "call", "extractvalue")
_LARGER = ("llvm.smax.i64", "llvm.smin.i64")


def with_turns(ir: str) -> str:
    """Return the text in which such loops have at least no turn."""
    if not has_reverse(ir):
        return ir
    text = rewritten(ir, _changed)
    if text == ir:
        return ir
    for name in _LARGER:
        if f"@{name}(" in text and not re.search(rf"(?m)^declare [^\n]*@{re.escape(name)}\(", text):
            text += f"\ndeclare i64 @{name}(i64, i64)\n"
    return declared(text)


def _changed(head: str, text: str) -> str:
    if " phi i64 " not in text:
        return text
    lines = text.split("\n")
    body = Body.of(head, list(lines))
    if body is None:
        return text
    made = dict[int, list[str]]()
    for limit in _limits(body, Flow([head, *lines]).loops(are_simple=False)):
        least, turns = (
            name_behind(limit.value, f"{one}.{limit.line}") for one in ("least", "turns")
        )
        new = made.setdefault(_behind(body, limit.value, limit.base, limit.entered), [])
        new += [*limit.lines(least), f"  {turns} = {left('i64', least)}"]
        old = re.escape(limit.value)
        lines[limit.line] = re.sub(rf"{old}(?![-\w$.])", turns, lines[limit.line])
    return with_inserted(lines, made) if made else text


@dataclass(frozen=True)
class _Limit:
    """A value in a line, which must be at least, or at most, another value, or none, and a number.

    If `entered` is known, it is so where that is true, or if `is_else`, false.
    """

    line: int
    value: str
    base: str
    number: int
    is_most: bool
    entered: str = ""
    is_else: bool = False

    def lines(self, name: str) -> list[str]:
        """Return the lines that compute what may stand for the value everywhere."""
        function, none = "llvm.smin.i64" if self.is_most else "llvm.smax.i64", str(self.number)
        made = []
        if self.base:
            none = name_behind(name, "none")
            made = [f"  {none} = add i64 {self.base}, {self.number}"]
        if self.entered:
            one, other = (none, self.value) if self.is_else else (self.value, none)
            return [*made, f"  {name} = select i1 {self.entered}, i64 {one}, i64 {other}"]
        return [*made, f"  {name} = call i64 @{function}(i64 {self.value}, i64 {none})"]


def _limits(body: Body, loops: list[Loop]) -> Iterator[_Limit]:
    """Yield what must be limited, for each way out of a loop in another one that compares its counter."""
    for loop in loops:
        around = next((one for one in loops if loop.blocks < one.blocks), None)
        if around is None:
            continue
        for label in loop.blocks:
            block = body.blocks[label]
            decided = _CONDITION.match(body.lines[block.exit])
            place = body.definitions.get(decided[1]) if decided else None
            compared = _COMPARED.search(body.lines[place]) if place is not None else None
            if place is None or compared is None or loop.blocks.issuperset(block.successors):
                continue
            for counter, bound in (compared.groups(), compared.groups()[::-1]):
                limit = _limit(body, loop, place, counter, bound)
                if limit is not None and all(
                    _is_before(body, one, around) for one in (limit.value, limit.base)
                ):
                    condition, is_else = _entered(body, loop)
                    is_known = bool(condition) and _is_before(body, condition, around)
                    yield replace(limit, entered=condition, is_else=is_else) if is_known else limit


def _entered(body: Body, loop: Loop) -> tuple[str, bool]:
    """Return what decides whether a loop is entered, and whether it must be false; nothing, if that is not known."""
    label, target = loop.preheader, loop.header
    while len(body.blocks[label].successors) == 1 and len(body.blocks[label].predecessors) == 1:
        label, target = body.blocks[label].predecessors[0], label
    found = _CONDITION.match(body.lines[body.blocks[label].exit])
    if found is None or found[2] == found[3] or target not in found.groups()[1:]:
        return "", False
    return found[1], found[3] == target


def _limit(body: Body, loop: Loop, line: int, counter: str, bound: str) -> _Limit | None:
    """Return what must be limited if one value is the counter of a loop, or its next value, and ends it at another."""
    step = _STEP.search(_line(body, counter))
    phi = step[1] if step is not None else counter
    number = body.definitions.get(phi)
    if number is None or body.opcodes[number] != "phi":
        return None
    if body.block_at[number].label != loop.header:
        return None
    given = {way: value for value, way in body.incoming(number)}
    start = given.get(loop.preheader, "")
    after = _STEP.search(_line(body, given.get(loop.latch, "")))
    if not start or after is None or after[1] != phi:
        return None
    moved = int(after[2])
    last = 0 if step is not None else moved  # the turn that compares before it steps
    if not _is_number(bound):
        base, number_of_base = ("", int(start)) if _is_number(start) else (start, 0)
        limit = _Limit(line, bound, base, number_of_base - last, moved < 0)
    elif not _is_number(start):
        limit = _Limit(number, start, "", int(bound) + last, moved > 0)
    else:
        return None
    return None if _is_enough(body, limit) else limit


def _is_enough(body: Body, limit: _Limit) -> bool:
    """Tell whether a value keeps its limit anyway: a length that must not be negative."""
    place = body.definitions.get(limit.value)
    if place is not None and f"@{LEFT}" in body.lines[place]:
        return True
    is_length = place is None or body.opcodes[place] in _AT_LEAST_NONE
    return is_length and not limit.is_most and not limit.base and limit.number <= 0


def _is_number(value: str) -> bool:
    return value.lstrip("-").isdigit()


def _line(body: Body, value: str) -> str:
    place = body.definitions.get(value)
    return "" if place is None else body.lines[place]


def _is_before(body: Body, value: str, loop: Loop) -> bool:
    """Tell whether a value is the same in all turns of a loop."""
    place = body.definitions.get(value)
    return place is None or body.block_at[place].label not in loop.blocks


def _behind(body: Body, *values: str) -> int:
    """Return the line from which on all of some values exist: both are there where the loop is entered."""
    places = [body.definitions[value] for value in values if value in body.definitions]
    if not places:
        return next(iter(body.blocks.values())).body
    last = max(places, key=lambda place: (body.depth(body.block_at[place].label), place))
    return max(last + 1, body.block_at[last].body)
