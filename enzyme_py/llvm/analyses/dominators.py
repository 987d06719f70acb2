"""Which blocks every path leads through: to a block, and from a block to the end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from enzyme_py.llvm.analyses import Analysis
from enzyme_py.llvm.analyses.control_flow import ControlFlow
from enzyme_py.llvm.blocks import Block
from enzyme_py.llvm.instructions import Instruction
from enzyme_py.llvm.values import Value

if TYPE_CHECKING:
    from enzyme_py.llvm.functions import Function


class Dominators(Analysis):
    """A block dominates another one if every path from the entry to that leads through it. Each dominates itself.

    Blocks that cannot be reached dominate nothing and are dominated by nothing but themselves.
    """

    OF_SHAPE: ClassVar[bool] = True

    def __init__(self, function: Function) -> None:
        super().__init__(function)
        flow = function.analysis(ControlFlow)
        self._order, self._place = flow.order, flow.place
        self._above = _immediate(flow.order, flow.place, flow.predecessors)

    def immediate(self, block: Block) -> Block | None:
        """Return the nearest other block that dominates one; None for the entry."""
        place = self._place.get(block)
        return self._order[self._above[place]] if place else None

    def dominates(self, above: Block, below: Block) -> bool:
        """Tell whether every path to `below` leads through `above`."""
        wanted, at = self._place.get(above), self._place.get(below)
        if wanted is None or at is None:
            return above is below
        while at > wanted:
            at = self._above[at]
        return at == wanted

    def common(self, *blocks: Block) -> Block:
        """Return the nearest block through which every path to all of some leads."""
        return self._order[_common(self._above, [self._place[one] for one in blocks])]

    def depth(self, block: Block) -> int:
        """Return how many other blocks dominate one."""
        at, count = self._place[block], 0
        while at:
            at, count = self._above[at], count + 1
        return count

    def is_available(self, value: Value, where: Block | Instruction) -> bool:
        """Tell whether a value is known at the end of a block, or in front of an instruction."""
        if not isinstance(value, Instruction):
            return True
        if isinstance(where, Block):
            return self.dominates(value.home, where)
        if value.home is where.home:
            return value.comes_before(where)
        return self.dominates(value.home, where.home)


class PostDominators(Analysis):
    """A block post-dominates another one if every path from that to an end of the function leads through it.

    Ends are returns and `unreachable`; blocks from which no end is reached are post-dominated by themselves only.
    """

    OF_SHAPE: ClassVar[bool] = True

    def __init__(self, function: Function) -> None:
        super().__init__(function)
        flow = function.analysis(ControlFlow)
        end = Block("%the end")
        ends = [block for block in flow.order if not flow.successors[block]]
        back = {**flow.predecessors, end: ends}
        ahead = {block: flow.successors[block] or [end] for block in flow.order}
        self._order = _postorder_from(end, back)[::-1]
        self._place = {block: place for place, block in enumerate(self._order)}
        self._above = _immediate(self._order, self._place, ahead)

    def dominates(self, below: Block, above: Block) -> bool:
        """Tell whether every path from `above` to an end leads through `below`."""
        wanted, at = self._place.get(below), self._place.get(above)
        if wanted is None or at is None:
            return above is below
        while at > wanted:
            at = self._above[at]
        return at == wanted

    def immediate(self, block: Block) -> Block | None:
        """Return the next block through which every path from one leads; None if there is none."""
        place = self._place.get(block)
        above = 0 if place is None else self._above[place]
        return self._order[above] if above else None


def _immediate(
    order: Sequence[Block], place: Mapping[Block, int], before: Mapping[Block, Iterable[Block]]
) -> list[int]:
    """Return the immediate dominator of each block, by places in an order that has it in front."""
    above = [-1] * len(order)
    if above:
        above[0] = 0
    changed = True
    while changed:
        changed = False
        for own, block in enumerate(order[1:], 1):
            known = (place[one] for one in before.get(block, ()) if one in place)
            new = _common(above, [one for one in known if above[one] >= 0])
            changed = changed or above[own] != new
            above[own] = new
    return above


def _common(above: Sequence[int], blocks: Sequence[int]) -> int:
    """Return the nearest block that dominates all the given ones."""
    common, *others = blocks
    for one in others:
        other = one
        while common != other:
            if common > other:
                common = above[common]
            else:
                other = above[other]
    return common


def _postorder_from(start: Block, edges: Mapping[Block, Iterable[Block]]) -> list[Block]:
    seen, done = {start}, list[Block]()
    stack = [(start, iter(edges.get(start, ())))]
    while stack:
        block, rest = stack[-1]
        following = next((one for one in rest if one not in seen), None)
        if following is None:
            done.append(block)
            stack.pop()
        else:
            seen.add(following)
            stack.append((following, iter(edges.get(following, ()))))
    return done
