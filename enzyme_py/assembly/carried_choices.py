"""Numbers that a loop carries by a choice or a quotient, in reverse mode.

    q = max(q, x[i])        %q = phi [ first ], [ %next ];  %next = select %c, %item, %q
    s = s / x[i]            %s = phi [ first ], [ %next ];  %next = fdiv %s, %item

Where such a phi has no other use, the pass gives the derivative of what the loop ends with to the item that was
chosen last, and to the first number, or divides it by the product of all items. That is right only if no turn uses
what it made: with `t += q` or `t += s` in the loop gradients were wrong without a word (MEASURED). So there the number
goes into the next turn times one, and the one is hidden from LLVM until the pass is through:

    %one = call double @enzyme_py_inactive.double(double 1.0)
    %next.carried = fmul double %next, %one

A choice that no turn uses (the maximum of an array) keeps the pass's way, which needs no memory. Quotients never do: a
second derivative uses what the first one did not.
"""

from __future__ import annotations

import re

from enzyme_py.assembly.control_flow import Body, rewritten, with_inserted
from enzyme_py.assembly.graphs import graphs, loops
from enzyme_py.assembly.ir_text import name_behind
from enzyme_py.assembly.natural_loops import Flow
from enzyme_py.assembly.requests import has_reverse
from enzyme_py.frontend.type_hints import BARRIER, BARRIER_ATTRIBUTES

_PHI = re.compile(r"^  (\S+) = phi (?:[a-z]+ )*(double|float) ")
_VALUE = r'%(?:"[^"]*"|[-\w$.]+)'
_SELECT = re.compile(
    rf" = select [a-z ]*i1 [^,]+, (?:double|float) ([^,]+), (?:double|float) ({_VALUE}|[^,\s]+)"
)
_QUOTIENT = re.compile(rf" = fdiv (?:[a-z]+ )*(?:double|float) ({_VALUE}),")
_USED = re.compile(
    rf"\b(double|float) @{re.escape(BARRIER)}\.(?:double|float)\((?:double|float) 1\.0"
)


def may_carry(ir: str) -> bool:
    """Tell, before O2, whether code under reverse mode has a loop."""
    return has_reverse(ir) and any(
        True for _, graph in graphs(ir) for _ in loops(set(graph), graph)
    )


def with_own_carries(ir: str) -> str:
    """Return the text in which the pass meets no choice or quotient between two turns that it would get wrong."""
    if not has_reverse(ir):
        return ir
    text = rewritten(ir, _carried)
    if text == ir:
        return ir
    for kind in sorted(set(_USED.findall(text))):
        if not re.search(rf"^declare [^\n]*@{re.escape(BARRIER)}\.{kind}\(", text, re.MULTILINE):
            typed = f'"enzyme_type"="{{[-1]:Float@{kind}}}"'
            text += (
                f"\ndeclare {typed} {kind} @{BARRIER}.{kind}({kind} {typed}) {BARRIER_ATTRIBUTES}\n"
            )
    return text


def _carried(head: str, text: str) -> str:
    lines = text.split("\n")
    body = Body.of(head, list(lines))
    if body is None:
        return text
    turns, made, kinds = Flow([head, *lines]).turns(), dict[int, list[str]](), set[str]()
    for number, opcode in body.opcodes.items():
        found = _PHI.match(lines[number]) if opcode == "phi" else None
        if found is None:
            continue
        phi, kind = found.groups()
        value, *others = set(body.carried(number)) or {""}
        place = body.definitions.get(value)
        if others or place is None:
            continue
        turn = turns.get(body.block_at[number].label, frozenset())
        if not _is_wrong(body, phi, value, turn, number):
            continue
        kinds.add(kind)
        carried = name_behind(value, f"carried.{number}")
        lines[number] = re.sub(rf"{re.escape(value)}(?![-\w$.])", carried, lines[number])
        made[place + 1] = [
            *made.get(place + 1, ()),
            f"  {carried} = fmul {kind} {value}, {_one(kind)}",
        ]
    first = next(iter(body.blocks.values())).body
    ones = [f"  {_one(kind)} = call {kind} @{BARRIER}.{kind}({kind} 1.0)" for kind in sorted(kinds)]
    made[first] = [*ones, *made.get(first, ())]
    return with_inserted(lines, made)


def _one(kind: str) -> str:
    return f"%enzyme_py_one.{kind}"


def _is_wrong(body: Body, phi: str, value: str, turn: frozenset[str], number: int) -> bool:
    """Tell whether what goes into the next turn by the phi in a line is what the pass takes the short way for."""
    line = body.lines[body.definitions[value]]
    if (quotient := _QUOTIENT.search(line)) is not None:
        return quotient[1] == phi
    choice = _SELECT.search(line)
    if choice is None or phi not in (one.strip() for one in choice.groups()):
        return False
    return any(
        body.block_at[use].label in turn for use in body.uses.get(value, ()) if use != number
    )
