"""Indices that LLVM is not shown, for a module on which the pass fails an assertion.

To see whether a loop writes what another one has read, the pass compares the two addresses as LLVM writes them down: so
much for each turn. Where an index may wrap around (`i + size` for a negative one) and neither loop lies before the other on
all ways, that comparison ends in an assertion of LLVM's, "No dominance between recurrences used by one SCEV". With such
indices passed through a function that LLVM cannot look into, there is nothing to compare: the pass keeps what was
read. That costs memory, so it is done only for a module that failed; and where that is not enough, for all indices
that are not numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from enzyme_py.assembly.control_flow import NAME, Body, rewritten, with_inserted
from enzyme_py.assembly.left_values import declared, left

ASSERTION = "No dominance between recurrences"
_OFFSET = re.compile(rf"^  ({NAME}) = getelementptr .*?, ptr ({NAME}), i64 ({NAME})(?=,|$)")


def with_hidden_indices(ir: str) -> Iterator[str]:
    """Yield texts in which addresses do not say where they move from turn to turn: those that may wrap around, then all."""
    for change in (_wrapping_hidden, _all_hidden):
        text = rewritten(ir, change)
        if text != ir:
            yield declared(text)


def _all_hidden(_head: str, text: str) -> str:
    lines = text.split("\n")
    made = dict[int, list[str]]()
    for place, line in enumerate(lines):
        if offset := _OFFSET.match(line):
            lines[place], made[place] = _hidden(place, line, offset)
    return with_inserted(lines, made)


def _hidden(place: int, line: str, offset: re.Match[str]) -> tuple[str, list[str]]:
    """Return an address with its index hidden, and what goes before it."""
    name = f'%"{offset[3][1:].strip(chr(34))}.hidden.{place}"'
    hides = [f"  {name} = {left('i64', offset[3])}"]
    return f"{line[: offset.start(3)]}{name}{line[offset.end() :]}", hides


def _wrapping_hidden(head: str, text: str) -> str:
    lines = text.split("\n")
    body = Body.of(head, list(lines))
    if body is None:
        return text
    made = dict[int, list[str]]()
    for line in body.lines:
        offset = _OFFSET.match(line)
        chosen = body.definitions.get(offset[3]) if offset else None
        place = body.definitions.get(offset[2]) if offset else None
        if chosen is None or place is None or body.opcodes[chosen] != "select":
            continue
        base = _OFFSET.match(body.lines[place])
        if base is not None and place not in made:
            lines[place], made[place] = _hidden(place, body.lines[place], base)
    return with_inserted(lines, made)
