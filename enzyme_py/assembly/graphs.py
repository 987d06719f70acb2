"""Control flow read from textual LLVM IR: blocks, where they lead, and the loops among them."""

from __future__ import annotations

import re
from collections.abc import Iterator

_LABEL = re.compile(r'^("[^"]+"|[-a-zA-Z$._0-9]+):')
_TARGET = re.compile(r'label %("[^"]+"|[-a-zA-Z$._0-9]+)')
_DEFINE = re.compile(r'^define\b[^@]*@("[^"]+"|[-a-zA-Z$._0-9]+)\(')

Graph = dict[str, set[str]]


def graphs(ir: str) -> Iterator[tuple[str, Graph]]:
    """Yield each function with its control flow, without blocks that only raise."""
    name, graph, block = "", Graph(), ""
    dead: set[str] = set()
    for line in ir.split("\n"):
        if match := _DEFINE.match(line):
            name, graph, block, dead = match.group(1).strip('"'), {"": set()}, "", set()
        elif line == "}" and name:
            yield name, _alive(graph, dead)
            name = ""
        elif match := _LABEL.match(line):
            block = match.group(1)
            graph.setdefault(block, set())
        elif name:
            graph[block] |= set(_TARGET.findall(line))
            if line.split(",")[0].strip() == "unreachable":  # what follows is a location
                dead.add(block)


def _alive(graph: Graph, dead: set[str]) -> Graph:
    """Drop the blocks from which every way ends in a raise."""
    grown = True
    while grown:
        more = {b for b, nexts in graph.items() if b not in dead and nexts and nexts <= dead}
        dead = dead | more
        grown = bool(more)
    return {block: nexts - dead for block, nexts in graph.items() if block not in dead}


def has_several_exits(blocks: set[str], graph: Graph) -> bool:
    """Tell whether any loop among the blocks is left from more than one of its blocks."""
    for loop in loops(blocks, graph):
        leaving = {block for block in loop if graph[block] - loop}
        if len(leaving) > 1:
            return True
        if has_several_exits(loop - entries(loop, graph), graph):
            return True
    return False


def entries(loop: set[str], graph: Graph) -> set[str]:
    """Return the blocks at which a loop is entered: one, if it is natural."""
    return {n for b in graph if b not in loop for n in graph[b] & loop} or {min(loop)}


def loops(blocks: set[str], graph: Graph) -> Iterator[set[str]]:
    """Yield the outermost loops among the blocks: sets that can all reach each other."""
    left = set(blocks)
    back: Graph = {block: set() for block in blocks}
    for block in blocks:
        for following in graph[block] & blocks:
            back[following].add(block)
    forth = {block: graph[block] & blocks for block in blocks}
    while left:
        start = min(left)
        component = _closure(start, forth) & _closure(start, back)
        left -= component
        if len(component) > 1 or start in forth[start]:
            yield component


def _closure(start: str, graph: Graph) -> set[str]:
    seen: set[str] = set()
    pending: list[str] = [start]
    while pending:
        block = pending.pop()
        if block not in seen:
            seen.add(block)
            pending.extend(graph[block])
    return seen
