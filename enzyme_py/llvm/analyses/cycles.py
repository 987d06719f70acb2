"""Cycles: blocks that can all reach each other, one in another, however they are entered.

Where every cycle is entered at one block they are the natural loops (loops.py). Those that are entered at several blocks are
here, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from enzyme_py.llvm.analyses import Analysis
from enzyme_py.llvm.blocks import Block

if TYPE_CHECKING:
    from enzyme_py.llvm.functions import Function
    from enzyme_py.llvm.instructions import Instruction

Graph = Mapping[Block, AbstractSet[Block]]


@dataclass(frozen=True, eq=False)
class Cycle:
    """One cycle: its blocks, and those of them that are come to from outside."""

    blocks: AbstractSet[Block]
    entries: AbstractSet[Block]

    def leaving(self, graph: Graph) -> list[Block]:
        """Return the blocks from which it is left."""
        return [block for block in self.blocks if graph[block] - self.blocks]


def outermost(blocks: AbstractSet[Block], graph: Graph) -> list[Cycle]:
    """Return the cycles among some of a graph's blocks that are in no other one there."""
    return [_cycle(one, graph) for one in _components(blocks, graph)]


def within(cycle: Cycle, graph: Graph) -> list[Cycle]:
    """Return the outermost of the cycles that are in one: those that pass by its entries."""
    return outermost(cycle.blocks - cycle.entries, graph)


def nested(graph: Graph) -> Iterator[Cycle]:
    """Yield all cycles of a graph, outer ones first."""
    pending = outermost(set(graph), graph)[::-1]
    while pending:
        cycle = pending.pop()
        yield cycle
        pending += within(cycle, graph)[::-1]


class Cycles(Analysis):
    """All cycles of a function, outer ones first."""

    OF_SHAPE: ClassVar[bool] = True

    def __init__(self, function: Function) -> None:
        super().__init__(function)
        self.graph: Graph = {block: set(block.successors) for block in function.blocks}
        self.cycles = list(nested(self.graph))
        self._inner_first = sorted((one.blocks for one in self.cycles), key=len)

    def all_around(self, *blocks: Block) -> list[AbstractSet[Block]]:
        """Return the blocks of each cycle in which all of some blocks are, inner ones first."""
        return [one for one in self._inner_first if all(block in one for block in blocks)]

    def around(self, block: Block) -> AbstractSet[Block] | None:
        """Return the blocks of the innermost cycle in which a block is."""
        return next((one for one in self._inner_first if block in one), None)

    def depth(self, where: Block | Instruction) -> int:
        """Return in how many cycles something stands."""
        block = where if isinstance(where, Block) else where.home
        return sum(block in one.blocks for one in self.cycles)


def _cycle(blocks: AbstractSet[Block], graph: Graph) -> Cycle:
    entries = {
        target
        for block, targets in graph.items()
        if block not in blocks
        for target in targets
        if target in blocks
    }
    # Where nothing leads, that cannot be reached at all, any block will do.
    return Cycle(blocks, entries or {min(blocks, key=lambda block: block.ref)})


def _components(  # noqa: C901 - one walk, as Tarjan tells it
    blocks: AbstractSet[Block], graph: Graph
) -> Iterator[set[Block]]:
    """Yield the sets of blocks that can reach each other, and come back (Tarjan's algorithm, without recursion)."""
    number: dict[Block, int] = {}
    lowest: dict[Block, int] = {}
    path, on_path = list[Block](), set[Block]()
    for start in graph:
        if start not in blocks or start in number:
            continue
        number[start] = lowest[start] = len(number)
        path.append(start)
        on_path.add(start)
        stack = [(start, iter(graph[start] & blocks))]
        while stack:
            block, rest = stack[-1]
            following = next(rest, None)
            if following is None:
                stack.pop()
                if stack:
                    above = stack[-1][0]
                    lowest[above] = min(lowest[above], lowest[block])
                if lowest[block] == number[block]:
                    component = set[Block]()
                    while block not in component:
                        component.add(path.pop())
                    on_path -= component
                    if len(component) > 1 or block in graph[block]:
                        yield component
            elif following not in number:
                number[following] = lowest[following] = len(number)
                path.append(following)
                on_path.add(following)
                stack.append((following, iter(graph[following] & blocks)))
            elif following in on_path:
                lowest[block] = min(lowest[block], number[following])
