"""Giving loops with several exits one exit, where Enzyme needs it.

Reverse mode of reverse mode is wrong for a loop that is left from several of its blocks (nesting.py).
Such a loop is rewritten as one would by hand, with a flag in its condition: whoever wants to go on, or
to leave for some place outside, says so in two local variables and goes to one block at the end,

    join:   go = the flag; if go: the loop's head, else: leave
    leave:  the place outside, by its number

Before the surgery all values that live across blocks are moved into memory (LLVM's reg2mem), so that
no value needs to be followed; O2, which comes next, takes them back into registers. The flag passes
through a function that O2 cannot look into, or O2 would restore the exits.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import replace

import llvmlite.binding as llvm

from enzyme_py.assembly.graphs import Graph, entries, graphs, loops
from enzyme_py.assembly.module import DiffModule
from enzyme_py.frontend.llvm_modules import Modules, run_once
from enzyme_py.frontend.type_hints import BARRIER, BARRIER_ATTRIBUTES

OPAQUE = f"{BARRIER}.i1"
_PREFIX = "enzyme_py_join"
_UNIQUE = "noduplicate"  # what is peeled off a loop, or rotated, is an exit again
_LABEL = re.compile(r'^("[^"]+"|[-a-zA-Z$._0-9]+):')


def join_exits(module: DiffModule, names: Collection[str]) -> DiffModule:
    """Return the module with one exit for each loop of the named functions.

    A loop that is entered at several places stays as it is.
    """
    text = _in_memory(module.ir, names)
    lines = text.split("\n")
    for name in names:
        lines = _rewritten(lines, name)
    text = "\n".join(lines)
    if f"@{OPAQUE}(" in text and f"declare i1 @{OPAQUE}(" not in text:  # by an earlier joining
        text += f"\ndeclare i1 @{OPAQUE}(i1) {_UNIQUE} {BARRIER_ATTRIBUTES}\n"
    return replace(module, ir=text)


def _in_memory(ir: str, names: Collection[str]) -> str:
    """Return the text with the named functions free of phis and switches."""
    llvm.initialize_native_target()
    machine = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine()
    with Modules() as modules:
        module = modules.parsed(ir)
        for function in module.functions:
            if function.name in names:
                builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options())
                passes = llvm.create_new_function_pass_manager()
                passes.add_lower_switch_pass()
                passes.add_register_to_memory_pass()
                run_once(passes, function, builder)
        return str(module)


def _rewritten(lines: list[str], name: str) -> list[str]:
    start, end = _extent(lines, name)
    body = _Body(lines[start + 1 : end], dict(graphs("\n".join(lines)))[name])
    return [*lines[: start + 1], *body.joined(), *lines[end:]]


def _extent(lines: list[str], name: str) -> tuple[int, int]:
    """Return the lines of a function's head and end."""
    for start, line in enumerate(lines):
        if line.startswith("define ") and (f"@{name}(" in line or f'@"{name}"(' in line):
            return start, lines.index("}", start)
    raise KeyError(name)


class _Body:
    """The blocks of one function, whose loops are rewritten one by one."""

    def __init__(self, lines: list[str], graph: Graph) -> None:
        self._graph = graph
        self._blocks: dict[str, list[str]] = {"": []}
        self._slots: list[str] = []
        self._count = 0
        label = ""
        for line in lines:
            if match := _LABEL.match(line):
                label = match.group(1)
                self._blocks[label] = []
            self._blocks[label].append(line)

    def joined(self) -> list[str]:
        """Return the lines with one exit for every loop."""
        while (found := self._next(set(self._graph))) is not None:
            self._join(*found)
        first, *rest = [lines for lines in self._blocks.values() if lines]
        is_named = _LABEL.match(first[0]) is not None
        first[int(is_named) : int(is_named)] = self._slots
        return [line for lines in (first, *rest) for line in lines]

    def _next(self, blocks: set[str]) -> tuple[set[str], str] | None:
        """Return an innermost loop with several exits, and its head."""
        for loop in loops(blocks, self._graph):
            heads = entries(loop, self._graph)
            found = self._next(loop - heads)
            if found is not None:
                return found
            is_open = sum(bool(self._graph[block] - loop) for block in loop) > 1
            if is_open and len(heads) == 1:
                return loop, min(heads)
        return None

    def _join(self, loop: set[str], head: str) -> None:
        outside = sorted(set().union(*(self._graph[block] for block in loop)) - loop)
        name = f"{_PREFIX}.{self._count}"
        self._count += 1
        ways = {head: f"{name}.again"}
        ways.update({target: f"{name}.exit.{number}" for number, target in enumerate(outside)})
        for block in loop:
            self._redirect(block, ways)
        self._slots += [f"  %{name}.go = alloca i1", f"  %{name}.way = alloca i32"]
        self._add(ways[head], [f"  store i1 true, ptr %{name}.go"], [name])
        for number, target in enumerate(outside):
            stores = [f"  store i1 false, ptr %{name}.go", f"  store i32 {number}, ptr %{name}.way"]
            self._add(ways[target], stores, [name])
        ask = [
            f"  %{name}.asked = load i1, ptr %{name}.go",
            f"  %{name}.told = call i1 @{OPAQUE}(i1 %{name}.asked)",
        ]
        self._add(name, ask, [head, f"{name}.leave.0"], f"%{name}.told")
        for block, lines, targets, condition in _leaving(name, outside):
            self._add(block, lines, targets, condition)

    def _redirect(self, block: str, ways: dict[str, str]) -> None:
        """Send a block's ways out of the loop, and back to its head, through the new blocks."""
        lines = self._blocks[block]
        for target in self._graph[block] & set(ways):
            old = re.compile(rf"label %{re.escape(target)}(?![-a-zA-Z$._0-9])")
            lines[:] = [old.sub(f"label %{ways[target]}", line) for line in lines]
        self._graph[block] = {ways.get(target, target) for target in self._graph[block]}

    def _add(
        self, block: str, lines: list[str], targets: list[str], condition: str | None = None
    ) -> None:
        ways = ", ".join(f"label %{target}" for target in targets)
        branch = f"  br i1 {condition}, {ways}" if condition else f"  br {ways}"
        self._blocks[block] = [f"{block}:", *lines, branch]
        self._graph[block] = set(targets)


def _leaving(
    name: str, outside: list[str]
) -> Iterator[tuple[str, list[str], list[str], str | None]]:
    """Yield the blocks behind a loop, each of which goes to one place outside or to the next."""
    for number, target in enumerate(outside):
        block = f"{name}.leave.{number}"
        if number == len(outside) - 1:
            yield block, [], [target], None
            return
        lines = [
            f"  %{block}.way = load i32, ptr %{name}.way",
            f"  %{block}.here = icmp eq i32 %{block}.way, {number}",
        ]
        yield block, lines, [target, f"{name}.leave.{number + 1}"], f"%{block}.here"
