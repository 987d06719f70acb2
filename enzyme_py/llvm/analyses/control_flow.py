"""Which blocks can be reached, in which order, and from which the function can still return."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, ClassVar

from enzyme_py.llvm.analyses import Analysis
from enzyme_py.llvm.blocks import Block

if TYPE_CHECKING:
    from enzyme_py.llvm.functions import Function

_UNREADABLE = frozenset("invoke callbr indirectbr resume catchswitch catchret cleanupret".split())


class ControlFlow(Analysis):
    """The blocks of a function as a graph. Predecessors are those that can be reached, each once."""

    OF_SHAPE: ClassVar[bool] = True

    def __init__(self, function: Function) -> None:
        super().__init__(function)
        self.order = _reverse_postorder(function)  # each block before its successors, but for loops
        self.place = {block: place for place, block in enumerate(self.order)}
        self.successors = {block: list(dict.fromkeys(block.successors)) for block in self.order}
        self.predecessors = defaultdict[Block, list[Block]](list)
        for block in function.blocks:
            for target in self.successors.get(block, ()):
                self.predecessors[target].append(block)
        self._returning: set[Block] | None = None

    @property
    def is_plain(self) -> bool:
        """Whether all edges are those of `br` and `switch`: no exceptions, no computed jumps."""
        return all(block.terminator.opcode not in _UNREADABLE for block in self.function.blocks)

    @property
    def is_all_reachable(self) -> bool:
        """Whether every block can be reached."""
        return len(self.order) == len(self.function.blocks)

    @property
    def returning(self) -> set[Block]:
        """The blocks from which the function can return; from others it only raises, or never ends."""
        if self._returning is None:
            ends = [block for block in self.order if block.terminator.opcode == "ret"]
            self._returning = self.leading_to(ends)
        return self._returning

    def reached(self, start: Block, without: Collection[Block] = ()) -> set[Block]:
        """Return the blocks that can be come to from one, itself among them, not through some."""
        return _closure([start], self.successors, without)

    def reached_again(self, start: Block) -> set[Block]:
        """Return the blocks that can be come to behind one: itself only if it can run again."""
        return _closure(self.successors[start], self.successors, ())

    def leading_to(self, ends: Iterable[Block], without: Collection[Block] = ()) -> set[Block]:
        """Return the blocks from which some can be come to, these among them, not through others."""
        return _closure(ends, self.predecessors, without)

    def is_repeated(self, block: Block) -> bool:
        """Tell whether a block can run more than once in a call."""
        return block in self.reached_again(block)


def _closure(
    starts: Iterable[Block], edges: dict[Block, list[Block]], without: Collection[Block]
) -> set[Block]:
    seen, pending = set[Block](), list(starts)
    while pending:
        block = pending.pop()
        if block not in seen and block not in without:
            seen.add(block)
            pending.extend(edges.get(block, ()))
    return seen


def _reverse_postorder(function: Function) -> list[Block]:
    if not function.blocks:
        return []
    entry = function.entry
    seen, done = {entry}, list[Block]()
    stack = [(entry, iter(entry.successors))]
    while stack:
        block, rest = stack[-1]
        following = next((one for one in rest if one not in seen), None)
        if following is None:
            done.append(block)
            stack.pop()
        else:
            seen.add(following)
            stack.append((following, iter(following.successors)))
    return done[::-1]
