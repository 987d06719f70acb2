"""Refusing what Enzyme differentiates wrongly at second order: reverse mode of reverse mode of loops
with several exits.

The inner reverse sweep of such a loop has two entries, and the outer sweep then gives wrong numbers
without a word, crashes, or hangs (COVERAGE.md; MEASURED again). Forward over reverse and reverse over
forward are right on the same kernels. A raise is no exit: it does not return.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from enzyme_py.assembly.ir_text import functions_in
from enzyme_py.assembly.module import DiffModule
from enzyme_py.assembly.names import readable
from enzyme_py.errors import DerivativeError

_REVERSE = re.compile(r"@__enzyme_(?:autodiff|reverse|augmentfwd)[\w.]*\(ptr[^@,]*@([^,\s)]+)")
_LABEL = re.compile(r'^("[^"]+"|[-a-zA-Z$._0-9]+):')
_TARGET = re.compile(r'label %("[^"]+"|[-a-zA-Z$._0-9]+)')
_DEFINE = re.compile(r'^define\b[^@]*@("[^"]+"|[-a-zA-Z$._0-9]+)\(')

Graph = dict[str, set[str]]


def nests_reverse(ir: str) -> bool:
    """Tell whether a module can hold reverse mode of reverse mode at all."""
    return len(_REVERSE.findall(ir)) > 1


def check_nesting(module: DiffModule) -> None:
    """Raise if the module, as the pass reads it, holds what comes out wrong."""
    calls = {f.name: {call.callee for _, call in f.calls} for f in functions_in(module.ir)}
    requests = {f.name: _requested("\n".join(f.lines)) for f in functions_in(module.ir)}
    inner: set[str] = set()
    for outer in set().union(*requests.values()) if requests else set():
        for name in _reached(outer, calls):
            for target in requests.get(name, set()):
                inner |= _reached(target, calls)
    for name, graph in _graphs(module.ir):
        if name in inner and _has_several_exits(set(graph), graph):
            raise _refusal(module, name)


def _requested(text: str) -> set[str]:
    return {name.strip('"') for name in _REVERSE.findall(text)}


def _reached(start: str, calls: dict[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    pending = [start]
    while pending:
        name = pending.pop()
        if name not in seen and name in calls:
            seen.add(name)
            pending.extend(calls[name])
    return seen


def _refusal(module: DiffModule, name: str) -> DerivativeError:
    message = (
        f"reverse over reverse of `{readable(name.split('.', 1)[-1])}`, which holds a loop with "
        "several exits (break, or return inside it)"
    )
    remedy = (
        "Enzyme would get this wrong. Take forward over reverse, jvp of grad, or leave the loop "
        "by a flag in its condition"
    )
    return DerivativeError(message, where=module.where, remedy=remedy)


def _graphs(ir: str) -> Iterator[tuple[str, Graph]]:
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
            if line.strip() == "unreachable":
                dead.add(block)


def _alive(graph: Graph, dead: set[str]) -> Graph:
    """Drop the blocks from which every way ends in a raise."""
    grown = True
    while grown:
        more = {b for b, nexts in graph.items() if b not in dead and nexts and nexts <= dead}
        dead = dead | more
        grown = bool(more)
    return {block: nexts - dead for block, nexts in graph.items() if block not in dead}


def _has_several_exits(blocks: set[str], graph: Graph) -> bool:
    for loop in _loops(blocks, graph):
        leaving = {block for block in loop if graph[block] - loop}
        if len(leaving) > 1:
            return True
        entered = {n for b in blocks - loop for n in graph[b] & loop} or {min(loop)}
        if _has_several_exits(loop - entered, graph):
            return True
    return False


def _loops(blocks: set[str], graph: Graph) -> Iterator[set[str]]:
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
