"""Bounds of loops that are kept, for a module on which the pass crashes.

Where an array changes its length from turn to turn (`for e in y: y = ...`, an array made in a loop before), the bound of
an inner loop is a phi of lengths. To find its turns again in the reverse sweep, the pass computes the bound from the
phi, by the way the primal went, and crashes on some of these: a branch in the middle of a block ("function failed
verification"), or a null pointer in `unwrapM` (MEASURED, found by the fuzzer). A phi that has gone through a function
that the pass cannot run twice is kept instead: one number for each time it is passed, so this is done only for a
module that failed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from enzyme_py.assembly.control_flow import Body, rewritten, with_inserted
from enzyme_py.assembly.far_exits import nested
from enzyme_py.assembly.ir_text import values_in
from enzyme_py.assembly.left_values import declared, left
from enzyme_py.assembly.requests import has_reverse

_COMPUTED = ("add", "sub", "mul", "shl", "select", "freeze", "sext", "zext", "call", "phi")
_PHI = re.compile(r" = phi i64 ")


def with_kept_bounds(ir: str) -> str:
    """Return the text in which lengths that loops end at, and that ways bring together, are kept."""
    text = rewritten(ir, _kept) if has_reverse(ir) else ir
    return declared(text) if text != ir else ir


def _kept(head: str, text: str) -> str:
    lines = text.split("\n")
    body = Body.of(head, list(lines))
    if body is None:
        return text
    made = dict[int, list[str]]()
    for phi in sorted(_phis_behind_bounds(body)):
        place = body.definitions[phi]
        name = f'%"{phi[1:].strip(chr(34))}.kept"'
        made.setdefault(body.block_at[place].body, []).append(f"  {name} = {left('i64', phi)}")
        for use in body.uses.get(phi, ()):
            if body.opcodes.get(use) != "phi":
                lines[use] = re.sub(rf"{re.escape(phi)}(?![-\w$.])", name, lines[use])
    return with_inserted(lines, made)


def _phis_behind_bounds(body: Body) -> set[str]:
    """Return the phis of integers that loops' bounds are computed from, but for counters."""
    graph = {label: set(block.successors) for label, block in body.blocks.items()}
    found = set[str]()
    for loop in nested(set(graph), graph):
        for bound in _bounds(body, loop):
            _search(body, bound, found, set())
    return found


def _bounds(body: Body, loop: set[str]) -> Iterator[str]:
    """Yield what a loop's exits compare with and what is the same in all its turns."""
    for label in loop:
        block = body.blocks[label]
        condition = next(iter(values_in(body.lines[block.exit])), None)
        place = body.definitions.get(condition or "")
        if loop.issuperset(block.successors) or place is None or body.opcodes[place] != "icmp":
            continue
        for value in values_in(body.lines[place].split(" = ", 1)[1]):
            made = body.definitions.get(value)
            if made is not None and body.block_at[made].label not in loop:
                yield value


def _search(body: Body, value: str, found: set[str], seen: set[str]) -> None:
    place = body.definitions.get(value)
    if value in seen or place is None or body.opcodes[place] not in _COMPUTED:
        return
    seen.add(value)
    if _PHI.search(body.lines[place]) and not _counts(body, value, place):
        found.add(value)
    else:
        for one in values_in(body.lines[place].split(" = ", 1)[1]):
            _search(body, one, found, seen)


def _counts(body: Body, phi: str, place: int) -> bool:
    """Tell whether a phi is a loop's own counter."""
    return any(
        (step := body.definitions.get(value)) is not None
        and body.opcodes[step] in ("add", "sub")
        and phi in values_in(body.lines[step].split(" = ", 1)[1])
        for value in body.carried(place)
    )
