"""One exit for each loop, in place of several.

A loop is rewritten as one would by hand, with a flag in its condition: whoever wants to go on, or to leave for some place
outside, says so in two local variables and goes to one block at the end,

    join:   go = the flag; if go: the loop's header, else: leave
    leave:  the place outside, by its number

Before the surgery all values that live across blocks are moved into memory (LLVM's reg2mem), so that no value
need be followed. O2, which comes next, takes them back into registers. The flag passes through a function that O2
cannot look into, or O2 would restore the exits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from enzyme_py.llvm import Block, Builder, Function, Module, Value
from enzyme_py.llvm.analyses.cycles import Cycle, outermost, within
from enzyme_py.passes.base import Draft
from enzyme_py.passes.control_flow.exits import without_raises
from enzyme_py.passes.module.opaque import hidden

ToMemory = Callable[[str, frozenset[str]], str]

_PREFIX = "enzyme_py_join"
_UNIQUE = "noduplicate"  # what is peeled off a loop, or rotated, is an exit again


def join_exits(draft: Draft, functions: Sequence[Function], to_memory: ToMemory) -> None:
    """Give each loop of some functions one exit. A loop that is entered at several blocks stays as it is.

    `to_memory` returns a module's text with the named functions free of phis and switches.
    """
    if not functions:
        return
    names = [one.name for one in functions]
    before = draft.code.version
    draft.code = Module(to_memory(str(draft.code), frozenset(names)))
    for name in names:
        _Joiner(draft.code.function(name)).join_all()
    draft.code.version += before + 1  # other objects: whoever compares sees that it changed


class _Joiner:
    """One function, whose loops are rewritten one by one."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._graph = {block: set(after) for block, after in without_raises(function).items()}
        self._slots = Builder(function.entry.instructions[0])
        self._count = 0

    def join_all(self) -> None:
        """Give every loop one exit."""
        while (found := self._next(outermost(set(self._graph), self._graph))) is not None:
            self._join(found)

    def _next(self, cycles: Sequence[Cycle]) -> Cycle | None:
        """Return an innermost loop with several exits that is entered at one block."""
        for cycle in sorted(cycles, key=lambda one: min(map(_label, one.blocks))):
            found = self._next(within(cycle, self._graph))
            if found is not None:
                return found
            if len(cycle.leaving(self._graph)) > 1 and len(cycle.entries) == 1:
                return cycle
        return None

    def _join(self, loop: Cycle) -> None:
        (header,) = loop.entries
        outside = sorted(
            set().union(*(self._graph[block] for block in loop.blocks)) - loop.blocks, key=_label
        )
        name = f"{_PREFIX}.{self._count}"
        self._count += 1
        going = self._slots.alloca("i1", f"{name}.go")
        place = self._slots.alloca("i32", f"{name}.way")
        again = self._function.add_block(f"{name}.again")
        leaving = [self._function.add_block(f"{name}.exit.{n}") for n in range(len(outside))]
        join = self._function.add_block(name)
        self._redirect(loop, dict(zip((header, *outside), (again, *leaving), strict=True)))
        for number, block in enumerate((again, *leaving)):
            at = Builder.at_end(block)
            at.store(at.constant("i1", int(block is again)), going)
            if block is not again:
                at.store(at.constant("i32", number - 1), place)
            self._end(at, join)
        at = Builder.at_end(join)
        asked = at.load("i1", going, f"{name}.asked")
        told = hidden(at, asked, f"{name}.told", [_UNIQUE])
        self._end(at, header, self._way_out(name, place, outside), told)

    def _redirect(self, loop: Cycle, targets: dict[Block, Block]) -> None:
        """Lead a loop's edges to its header, and to the outside, to other blocks."""
        for block in loop.blocks:
            for old in self._graph[block] & targets.keys():
                assert not old.phis, "all values are in memory"
                block.terminator.replace_successor(old, targets[old])
            self._graph[block] = {targets.get(one, one) for one in self._graph[block]}

    def _way_out(self, name: str, place: Value, outside: Sequence[Block]) -> Block:
        """Make blocks behind a loop, each of which goes to one place outside or to the next; return the first."""
        blocks = [self._function.add_block(f"{name}.leave.{n}") for n in range(len(outside))]
        for number, (block, target) in enumerate(zip(blocks, outside, strict=True)):
            at = Builder.at_end(block)
            if block is blocks[-1]:
                self._end(at, target)
            else:
                way = at.load("i32", place, f"{block.name}.way")
                here = at.compare("eq", way, number, f"{block.name}.here")
                self._end(at, target, blocks[number + 1], here)
        return blocks[0]

    def _end(
        self, at: Builder, target: Block, other: Block | None = None, condition: Value | None = None
    ) -> None:
        if other is None or condition is None:
            at.branch(target)
            self._graph[at.block] = {target}
        else:
            at.branch_if(condition, target, other)
            self._graph[at.block] = {target, other}


def _label(block: Block) -> str:
    return "" if block.is_entry else block.label
