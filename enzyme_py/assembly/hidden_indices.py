"""Indices that LLVM is not shown, for a module on which the pass fails an assertion.

To see whether a loop writes what another one has read, the pass compares the two addresses as LLVM writes them down: so
much for each turn. Where an index may wrap around (`i + size` for a negative one) and neither loop lies before the other on
all ways, that comparison ends in an assertion of LLVM's, "No dominance between recurrences used by one SCEV". With such
indices passed through a function that LLVM cannot look into, there is nothing to compare: the pass keeps what was
read. That costs memory, so it is done only for a module that failed; and where that is not enough, for all indices
that are not numbers. Then pointers that walk by such indices are nothing the pass can count either, and of memory that it
makes again it would want the pointers before there are any (allocations.py; MEASURED: it freed what nobody had made). So it
makes no memory again then.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from enzyme_py.assembly.control_flow import NAME, Body, rewritten, with_inserted
from enzyme_py.assembly.ir_text import name_behind
from enzyme_py.assembly.kept import without_recomputing
from enzyme_py.assembly.left_values import declared, left
from enzyme_py.assembly.module import DiffModule

ASSERTION = "No dominance between recurrences"
_OFFSET = re.compile(rf"^  ({NAME}) = getelementptr .*?, ptr ({NAME}), i64 ({NAME})(?=,|$)")
_FIXED = re.compile(rf"^  {NAME} = getelementptr .*?, ptr ({NAME}), i64 -?\d+(?=,|$)")


def with_hidden_indices(module: DiffModule) -> Iterator[DiffModule]:
    """Yield modules in which addresses do not say where they move from turn to turn: those that may wrap around, then all."""
    for change, given in ((_wrapping_hidden, module), (_all_hidden, without_recomputing(module))):
        text = rewritten(module.ir, change)
        if text != module.ir:
            yield replace(given, ir=declared(text))


def _all_hidden(_head: str, text: str) -> str:
    lines = text.split("\n")
    made = dict[int, list[str]]()
    for place, line in enumerate(lines):
        if offset := _OFFSET.match(line):
            lines[place], made[place] = _hidden(place, line, offset)
    return with_inserted(lines, made)


def _hidden(place: int, line: str, offset: re.Match[str]) -> tuple[str, list[str]]:
    """Return an address with its index hidden, and what goes before it."""
    name = name_behind(offset[3], f"hidden.{place}")
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
        if offset is None or chosen is None or body.opcodes[chosen] != "select":
            continue
        place = _moving(body, offset[2])
        base = _OFFSET.match(body.lines[place]) if place is not None else None
        if place is not None and base is not None and place not in made:
            lines[place], made[place] = _hidden(place, body.lines[place], base)
    return with_inserted(lines, made)


def _moving(body: Body, pointer: str) -> int | None:
    """Return where a pointer was made, or the one that it lies a number of bytes behind."""
    place = body.definitions.get(pointer)
    while place is not None and (fixed := _FIXED.match(body.lines[place])):
        place = body.definitions.get(fixed[1])
    return place
