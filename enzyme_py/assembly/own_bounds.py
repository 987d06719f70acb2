"""Giving nested loops bounds of their own, for reverse mode of another derivative.

Where a loop and one inside it end at one and the same value (`for i in range(n): for j in range(n)`),
the pass's second sweep takes the one's values for the other's, and gives wrong numbers without a word
(MEASURED). The inner loop gets the bound through a function that O2 cannot look into.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from enzyme_py.assembly.control_flow import Body, rewritten, with_inserted
from enzyme_py.assembly.far_exits import nested
from enzyme_py.frontend.type_hints import BARRIER, BARRIER_ATTRIBUTES

_OPAQUE = f"{BARRIER}.i64"
_COMPARED = re.compile(r" = icmp \w+ i64 (%[-\w$.]+), (%[-\w$.]+)")


def with_own_bounds(ir: str) -> str:
    """Return the text with no bound shared by a loop and one inside it."""
    text = rewritten(ir, _separated)
    if text != ir and f"declare i64 @{_OPAQUE}(" not in text:
        text += f"\ndeclare i64 @{_OPAQUE}(i64) {BARRIER_ATTRIBUTES}\n"
    return text


def _separated(head: str, text: str) -> str:
    lines = text.split("\n")
    body = Body.of(head, lines)
    if body is None:
        return text
    graph = {label: set(block.successors) for label, block in body.blocks.items()}
    every = list(nested(set(graph), graph))
    first = next(iter(body.blocks.values())).body
    shared = _shared(body, every)
    made: dict[int, list[str]] = {}
    for number, line in enumerate(list(lines)):
        found = _COMPARED.search(line)
        depth = sum(body.block_at[number].label in loop for loop in every) if found else 0
        if found is None or depth < 2:
            continue
        for bound in shared.intersection(found.groups()):
            place = body.definitions.get(bound)
            is_phi = place is not None and body.opcodes[place] == "phi"
            if is_phi or (place and any(body.block_at[place].label in loop for loop in every)):
                continue
            own = f"%enzyme_py_bound.{number}.{found.groups().index(bound)}"
            lines[number] = re.sub(rf"{re.escape(bound)}(?![-\w$.])", own, lines[number])
            calls = _calls(own, bound, depth - 1)
            made.setdefault(first if place is None else place + 1, []).extend(calls)
    return with_inserted(lines, made)


def _shared(body: Body, every: Sequence[set[str]]) -> set[str]:
    """Return the values that loops of different depths are compared with."""
    depths: dict[str, set[int]] = {}
    for number, line in enumerate(body.lines):
        if found := _COMPARED.search(line):
            depth = sum(body.block_at[number].label in loop for loop in every)
            for value in found.groups():
                depths.setdefault(value, set()).add(depth)
    return {value for value, found_at in depths.items() if len(found_at - {0}) > 1}


def _calls(own: str, bound: str, depth: int) -> list[str]:
    """Return a bound's way through as many calls as the loop is deep: equal ones are merged."""
    names = [bound, *(f"{own}.{number}" for number in range(depth - 1)), own]
    return [f"  {new} = call i64 @{_OPAQUE}(i64 {old})" for old, new in itertools.pairwise(names)]
