"""Blocks where three or more ways meet, taken apart into blocks where two meet, in reverse mode.

The reverse sweep must find out by which way the primal came into a block. For two ways the pass repeats
the condition of the branch that parted them, where that stands above both; else it keeps which one it was. For three ways it
repeats both conditions at once, and so also the one that was never asked:

    if n > 2:                    # at n = 2 the sweep read z[0] to see
        z = np.sin(x)            # how it came to the end, without a z:
        if z[0] > 0: ...         # a segmentation fault, code that never ends, or
        else: ...                # the wrong branch and a wrong gradient without a word (MEASURED)

So the ways are brought together in pairs, those first that were parted last, each in a block of its own. That a
block is there only to join others is undone by LLVM wherever it sees it; a call keeps it,
which must not be merged with its like (LLVM sinks what two ways have in common into where they meet):

    %join.1.meet:
      %join.1.0 = phi double [ %one, %left ], [ %other, %right ]
      call void @enzyme_py_hint.joined() nomerge
      br label %meet

The native stage drops the call. Ways into a loop and those of its turns are kept apart.

A switch that leads to one block in several cases is wrong in another way: the pass adds the derivative of a phi there
once for each case, and the gradient is a multiple of what it should be (`if not (n == 1 or n == 3): t = x * x`,
MEASURED). Each such case gets a block of its own in front.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator

from enzyme_py.assembly.control_flow import NAME, Block, Body, rewritten, with_inserted
from enzyme_py.assembly.far_exits import nested
from enzyme_py.assembly.graphs import Graph, graphs
from enzyme_py.assembly.ir_text import plain_name
from enzyme_py.assembly.requests import has_reverse
from enzyme_py.frontend.type_hints import HINT, HINT_ATTRIBUTES

_JOINED = f"{HINT}.joined"
_OF_PYTHON = re.compile(r"B\d+$")  # a block of Numba's
_EDGE = re.compile(rf"\[ (?:[^\[\]]|\[[^\[\]]*\])+, ({NAME}) \]")  # a value may be an array


def may_meet(ir: str) -> bool:
    """Tell, before O2, whether three ways can meet in code under reverse mode.

    Counted are the branches of the Python code, but for one of each loop; what Numba adds by itself
    (`B12.if`) parts only what it joins again.
    """
    return has_reverse(ir) and sum(_branches(graph) for _, graph in graphs(ir)) > 1


def _branches(graph: Graph) -> int:
    loops = sum(1 for _ in nested(set(graph), graph))
    parting = (
        ways for ways in graph.values() if len(ways) > 1 and all(map(_OF_PYTHON.match, ways))
    )
    return max(0, sum(1 for _ in parting) - loops)


def with_two_way_joins(ir: str) -> str:
    """Return the text in which no more than two ways meet in a block."""
    if not has_reverse(ir):
        return ir
    text = rewritten(ir, lambda head, text: _joined(head, _with_single_edges(head, text)))
    if text == ir or f"\ndeclare void @{_JOINED}(" in ir:
        return text
    return f"{text}\ndeclare void @{_JOINED}() {HINT_ATTRIBUTES}\n"


def _joined(head: str, text: str) -> str:
    lines = text.split("\n")
    body = Body.of(head, list(lines))
    if body is None:
        return text
    made = dict[int, list[str]]()  # in front of labels
    for block in body.blocks.values():
        for ways in _ways(body, block):
            if len(ways) > 2 and _is_understood(body, block):
                made.setdefault(block.start - 1, []).extend(_pairs(body, block, ways, lines))
    return with_inserted(lines, made)


def _with_single_edges(head: str, text: str) -> str:
    """Lead each case of a switch that goes where another goes by a block of its own."""
    lines = text.split("\n")
    body = Body.of(head, list(lines))
    if body is None:
        return text
    made = dict[int, list[str]]()  # in front of labels
    for block in body.blocks.values():
        for way in block.predecessors:
            count = body.blocks[way].successors.count(block.label)
            if count < 2 or not _is_understood(body, block):
                continue
            names = [
                f'%"once.{case}.{plain_name(way)}.{plain_name(block.label)}"'
                for case in range(count)
            ]
            for number in _phis(body, block):
                edge = next(one for one in _EDGE.finditer(lines[number]) if one[1] == way)[0]
                value = edge.removesuffix(f"{way} ]")
                for name in names:
                    lines[number] = lines[number].replace(edge, f"{value}{name} ]", 1)
            for name in names:
                own = [
                    f"{name[1:]}:",
                    f"  call void @{_JOINED}() nomerge",
                    f"  br label {block.label}",
                    "",
                ]
                made.setdefault(block.start - 1, []).extend(own)
                _lead(body.blocks[way], block.label, name, lines, 1)
    return with_inserted(lines, made)


def _ways(body: Body, block: Block) -> Iterator[list[str]]:
    """Yield the blocks that lead to a block: for the head of a loop from outside, and from the loop's turns."""
    turns = [one for one in block.predecessors if body.dominates(block.label, one)]
    yield [one for one in block.predecessors if one not in turns]
    yield turns


def _phis(body: Body, block: Block) -> list[int]:
    return [number for number in range(block.start, block.body) if number in body.opcodes]


def _is_understood(body: Body, block: Block) -> bool:
    """Tell whether all ways can be read from the phis: not those with arrays of arrays."""
    edges = (_EDGE.findall(body.lines[number]) for number in _phis(body, block))
    return all(set(one) == set(block.predecessors) for one in edges)


def _pairs(body: Body, block: Block, ways: list[str], lines: list[str]) -> list[str]:
    """Return the text of new blocks in front of a block; lead the ways and the block's phis there."""
    phis = _phis(body, block)
    made, parted = dict[str, list[str]](), {one: one for one in ways}
    while len(parted) > 2:
        one, other, above = _parted_last(body, parted)
        name = f"join.{len(made)}.{plain_name(ways[0])}.{plain_name(block.label)}"
        text = [f'"{name}":']
        for place, number in enumerate(phis):
            value = f'%"{name}.{place}"'
            both, lines[number] = _split(lines[number], (one, other), value, f'%"{name}"')
            text.append(both)
        text += [f"  call void @{_JOINED}() nomerge", f"  br label {block.label}"]
        for way in (one, other):
            if way in made:
                made[way][-1] = f'  br label %"{name}"'
            else:
                _lead(body.blocks[way], block.label, f'%"{name}"', lines)
            del parted[way]
        made[f'%"{name}"'], parted[f'%"{name}"'] = text, above
    return [line for text in made.values() for line in (*text, "")]


def _parted_last(body: Body, parted: dict[str, str]) -> tuple[str, str, str]:
    """Return two of the ways, and the block that parted them, with none that was parted later."""
    pairs = itertools.combinations(parted, 2)
    found = ((one, other, body.above(parted[one], parted[other])) for one, other in pairs)
    return max(found, key=lambda pair: body.depth(pair[2]))


def _split(phi: str, ways: Collection[str], value: str, label: str) -> tuple[str, str]:
    """Return the phi of two ways, and what is left of one with that in place of both."""
    edges = list(_EDGE.finditer(phi))
    start, end = edges[0].start(), edges[-1].end()
    both = ", ".join(one[0] for one in edges if one[1] in ways)
    rest = [one[0] for one in edges if one[1] not in ways]
    kind = phi[phi.index("= phi") : start]
    return (
        f"  {value} {kind}{both}",
        f"{phi[:start]}{', '.join((*rest, f'[ {value}, {label} ]'))}{phi[end:]}",
    )


def _lead(block: Block, old: str, new: str, lines: list[str], count: int = 0) -> None:
    """Lead a block's ways to one place, or the first of them, to another."""
    target, number = re.compile(rf"label {re.escape(old)}(?![-\w$.])"), block.exit
    while number == block.exit or lines[number].startswith("    "):  # a switch has further lines
        lines[number], found = target.subn(f"label {new}", lines[number], count)
        if found and count:
            return
        number += 1
