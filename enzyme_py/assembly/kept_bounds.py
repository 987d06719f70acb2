"""Bounds of loops that are kept, for a module on which the pass crashes.

Where an array changes its length from turn to turn (`for e in y: y = ...`, an array made in a loop before), the bound of
an inner loop is a phi of lengths. To find its turns again in the reverse sweep, the pass computes the bound from the
phi, by the way the primal went, and crashes on some of these: a branch in the middle of a block ("function failed
verification"), or a null pointer in `unwrapM` (MEASURED, found by the fuzzer). A phi that has gone through a function
that the pass cannot run twice is kept instead: one number for each time it is passed, so this is done only for a
module that failed.

Where that is not enough, lengths that are read from memory are kept too: the pass made room in front of all loops for what
is as many as a list that the loop fills (`np.extract` of a column in a loop), and took the length from where it is not yet read.

Such a module makes no memory again either: the marks of allocations.py were set on the text before (hidden_indices.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from enzyme_py.assembly.control_flow import Body, rewritten, with_inserted
from enzyme_py.assembly.far_exits import nested
from enzyme_py.assembly.ir_text import name_behind, values_in
from enzyme_py.assembly.kept import without_recomputing
from enzyme_py.assembly.left_values import declared, left
from enzyme_py.assembly.module import DiffModule
from enzyme_py.assembly.requests import has_reverse

_COMPUTED = ("add", "sub", "mul", "shl", "select", "freeze", "sext", "zext", "call", "phi")
_PHI = re.compile(r" = phi i64 ")
_LOAD = re.compile(r" = load i64, ")
Kinds = tuple[re.Pattern[str], ...]


def with_kept_bounds(module: DiffModule) -> Iterator[DiffModule]:
    """Yield modules in which lengths that loops end at are kept: those that ways bring together, then those that are read too."""
    last = module.ir
    for kinds in ((_PHI,), (_PHI, _LOAD)):
        text = rewritten(module.ir, partial(_kept, kinds)) if has_reverse(module.ir) else last
        if text != last:
            yield replace(without_recomputing(module), ir=declared(text))
            last = text


def _kept(kinds: Kinds, head: str, text: str) -> str:
    lines = text.split("\n")
    body = Body.of(head, list(lines))
    if body is None:
        return text
    made = dict[int, list[str]]()
    for value in sorted(_behind_bounds(body, kinds)):
        place = body.definitions[value]
        name = name_behind(value, "kept")
        start = max(place + 1, body.block_at[place].body)
        made.setdefault(start, []).append(f"  {name} = {left('i64', value)}")
        for use in body.uses.get(value, ()):
            if body.opcodes.get(use) != "phi":
                lines[use] = re.sub(rf"{re.escape(value)}(?![-\w$.])", name, lines[use])
    return with_inserted(lines, made)


def _behind_bounds(body: Body, kinds: Kinds) -> set[str]:
    """Return the integers of some kinds that loops' bounds are computed from, but for counters."""
    graph = {label: set(block.successors) for label, block in body.blocks.items()}
    found = set[str]()
    for loop in nested(set(graph), graph):
        for bound in _bounds(body, loop):
            _search(body, bound, kinds, found, set())
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


def _search(body: Body, value: str, kinds: Kinds, found: set[str], seen: set[str]) -> None:
    place = body.definitions.get(value)
    if value in seen or place is None:
        return
    seen.add(value)
    if any(one.search(body.lines[place]) for one in kinds) and not _counts(body, value, place):
        found.add(value)
    elif body.opcodes[place] in _COMPUTED:
        for one in values_in(body.lines[place].split(" = ", 1)[1]):
            _search(body, one, kinds, found, seen)


def _counts(body: Body, phi: str, place: int) -> bool:
    """Tell whether a phi is a loop's own counter."""
    return any(
        (step := body.definitions.get(value)) is not None
        and body.opcodes[step] in ("add", "sub")
        and phi in values_in(body.lines[step].split(" = ", 1)[1])
        for value in body.carried(place)
    )
