"""Indices that LLVM is not shown, for a module on which the pass fails an assertion.

To see whether a loop writes what another one has read, the pass compares the two addresses as LLVM writes them down: so
much for each turn. Where an index may wrap around (`i + size` for a negative one) and neither loop lies before the other on
all ways, that comparison ends in an assertion of LLVM's, "No dominance between recurrences used by one SCEV". With such
indices passed through a function that LLVM cannot look into, there is nothing to compare: the pass keeps what was
read. That costs memory, so it is done only for a module that failed.
"""

from __future__ import annotations

import re

from enzyme_py.assembly.control_flow import NAME, Body, rewritten, with_inserted
from enzyme_py.assembly.left_values import declared, left

ASSERTION = "No dominance between recurrences"
_OFFSET = re.compile(rf"^  ({NAME}) = getelementptr [^,]*, ptr ({NAME}), i64 ({NAME})(?=,|$)")


def with_hidden_indices(ir: str) -> str:
    """Return the text in which no address that may wrap around says where it moves from turn to turn."""
    text = rewritten(ir, _hidden)
    return declared(text) if text != ir else ir


def _hidden(head: str, text: str) -> str:
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
            name = f'%"{base[3][1:].strip(chr(34))}.hidden.{place}"'
            made[place] = [f"  {name} = {left('i64', base[3])}"]
            lines[place] = (
                f"{body.lines[place][: base.start(3)]}{name}{body.lines[place][base.end() :]}"
            )
    return with_inserted(lines, made)
