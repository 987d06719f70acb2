"""Names of their own for integers that leave a loop, in reverse mode.

Where an integer that a loop computes is used behind that loop, within a loop around it (`m` counted by an
inner loop, then `np.sin(x[:m] * s)`), the reverse sweep took the value of the inner loop's first turn for that
of its last: a wrong gradient without a word. In split modes it looked for it in memory that nobody wrote: zeros, or
code that never ends (MEASURED, found by the fuzzer). A phi behind the loop would be kept by itself, but O2
takes it away. So the value passes there through a function that the pass cannot run twice:

    %m.left = call i64 @enzyme_py_inactive.left_i64(i64 %m)

What is kept is one number for each run of the loop then. The native stage gives the function its body.
"""

from __future__ import annotations

import re

from enzyme_py.assembly.control_flow import Body, rewritten
from enzyme_py.assembly.ir_text import name_behind, values_in
from enzyme_py.assembly.natural_loops import Flow
from enzyme_py.assembly.requests import has_reverse
from enzyme_py.frontend.type_hints import BARRIER

LEFT = f"{BARRIER}.left_"
_ATTRIBUTES = (
    "nounwind willreturn nofree nosync memory(inaccessiblemem: readwrite) "
    '"enzyme_inactive" "enzyme_nofree" "enzyme_no_escaping_allocation"'
)
# What is done with the bits of a float too, which LLVM moves as integers.
_ALSO_OF_FLOATS = ("store", "select", "freeze", "bitcast", "insertvalue", "inttoptr", "ret", "icmp")
_CALLED = re.compile(rf"@{re.escape(LEFT)}(i\d+|double|float)\(")
_MADE = (
    re.compile(
        r"^  \S+ = (?:phi|add|sub|mul|[su]div|[su]rem|shl|[al]shr|and|or|xor|freeze)\b[a-z ]* (i\d+) "
    ),
    re.compile(r"^  \S+ = (?:[sz]ext|trunc|ptrtoint|fpto[su]i)\b.* to (i\d+)(?:,|$)"),
    re.compile(r"^  \S+ = load (i\d+),"),
    re.compile(r"^  \S+ = select i1 [^,]+, (i\d+) "),
    re.compile(r"^  \S+ = (?:tail )?call (?:[a-z]+(?:\([^()]*\))? )*(i\d+) @"),
    re.compile(r"^  \S+ = [if]cmp\b"),
)


def with_left_values(ir: str) -> str:
    """Return the text in which what leaves a loop does so by a call."""
    if not has_reverse(ir):
        return ir
    text = rewritten(ir, _renamed)
    return ir if text == ir else declared(text)


def left(kind: str, value: str) -> str:
    """Return the call that passes a number on as one that the pass cannot compute twice."""
    return f"call {kind} @{LEFT}{kind}({kind} {value})"


def declared(text: str) -> str:
    """Return the text with the functions declared that such calls need."""
    return "\n".join((text, *map(_declaration, _missing(text)), ""))


def _declaration(kind: str) -> str:
    content = "Integer" if kind[0] == "i" else f"Float@{kind}"
    typed = f'"enzyme_type"="{{[-1]:{content}}}"'
    return f"declare {typed} {kind} @{LEFT}{kind}({kind} {typed}) {_ATTRIBUTES}"


def _missing(text: str) -> list[str]:
    """Return the types of the functions that are called and not declared."""
    there = {
        found.group(1)
        for line in text.split("\n")
        if line[:7] == "declare" and (found := _CALLED.search(line))
    }
    return sorted(set(_CALLED.findall(text)) - there)


def _renamed(head: str, text: str) -> str:
    """Return the lines of a function, loops from the inside to the outside."""
    lines = text.split("\n")
    while (changed := _with_calls(head, lines)) is not None:
        lines = changed
    return "\n".join(lines)


def _with_calls(head: str, lines: list[str]) -> list[str] | None:
    """Return the lines with calls behind every loop for what is made in it; None if none is missing."""
    body, flow = Body.of(head, lines), Flow([head, *lines])
    if body is None:
        return None
    lines, made = list(lines), dict[int, list[str]]()
    turns = flow.turns()
    for value, place in body.definitions.items():
        kind, turn = _type(lines[place]), turns.get(body.block_at[place].label)
        if kind is None or not turn:
            continue
        is_integer = _is_integer(body, value, set())
        for number in body.uses.get(value, ()):
            if not _is_asked(body, number, is_integer) or f"@{LEFT}" in lines[number]:
                continue
            own = body.block_at[number].label
            if own in turn:
                continue
            behind = exits_between(body, turn, place, own)
            if behind:
                name = name_behind(value, f"left.{body.blocks[behind[0]].body}")
                lines[number] = re.sub(rf"{re.escape(value)}(?![-\w$.])", name, lines[number])
                call = f"  {name} = {left(kind, value)}"
                calls = made.setdefault(body.blocks[behind[0]].body, [])
                if call not in calls:
                    calls.append(call)
    for start in sorted(made, reverse=True):
        lines[start:start] = made[start]
    return lines if made else None


def exits_between(body: Body, turn: frozenset[str], place: int, own: str) -> list[str]:
    """Return the blocks behind a loop through which all ways lead from a line in it to another block."""
    return [
        one
        for one, block in body.blocks.items()
        if one not in turn
        and not turn.isdisjoint(block.predecessors)
        and body.dominates(body.block_at[place].label, one)
        and body.dominates(one, own)
    ]


def _is_asked(body: Body, number: int, is_integer: bool) -> bool:
    """Tell whether a line is a use that must see a call's result in place of the value."""
    opcode = body.opcodes.get(number)
    return opcode not in (None, "phi") and (is_integer or opcode not in _ALSO_OF_FLOATS)


def _is_integer(body: Body, value: str, seen: set[str]) -> bool:
    """Tell whether a value is a number that was computed, not eight bytes of whatever."""
    place = body.definitions.get(value)
    if place is None or value in seen:
        return False
    seen.add(value)
    if body.opcodes[place] in ("phi", "select", "freeze"):
        text = body.lines[place].split(" = ", 1)[1]
        return any(_is_integer(body, one, seen) for one in values_in(text))
    return body.opcodes[place] not in ("load", "bitcast", "and", "or", "xor")


def _type(line: str) -> str | None:
    found = next((found for one in _MADE if (found := one.match(line))), None)
    return None if found is None else found.group(1) if found.re.groups else "i1"
