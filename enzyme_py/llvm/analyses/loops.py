"""Natural loops: blocks that lead back to a header which dominates them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from enzyme_py.llvm.analyses import Analysis
from enzyme_py.llvm.analyses.control_flow import ControlFlow
from enzyme_py.llvm.analyses.dominators import Dominators
from enzyme_py.llvm.blocks import Block
from enzyme_py.llvm.instructions import Arithmetic, Branch, Compare, Instruction, Phi
from enzyme_py.llvm.values import Constant, Value

if TYPE_CHECKING:
    from enzyme_py.llvm.functions import Function


@dataclass(frozen=True)
class Counter:
    """An integer that a loop moves by the same number in each iteration.

    `start` is its value in the first one, `moved` the instruction that adds `step`.
    """

    phi: Phi
    start: Value
    step: int
    moved: Instruction


@dataclass(frozen=True)
class TripCount:
    """How often a loop of one latch runs: until `compare` is, or is no more, true.

    `value` is the counter or what it has moved to, `bound` what that is compared with; the loop goes on as long
    as `value predicate bound`. Then the test stands in `block`, and `exit` is where the loop is left.
    """

    counter: Counter
    value: Value
    predicate: str
    bound: Value
    block: Block
    exit: Block


@dataclass(eq=False)
class Loop:
    """A natural loop: all blocks that lead back to the header. Loops of one header are one."""

    header: Block
    latches: list[Block]
    blocks: set[Block]
    entering: list[Block]  # where it is entered from
    parent: Loop | None = None
    children: list[Loop] = field(default_factory=list)

    def __contains__(self, one: Block | Instruction) -> bool:
        return (one.block if isinstance(one, Instruction) else one) in self.blocks

    def __repr__(self) -> str:
        return f"<Loop {self.header.ref}, {len(self.blocks)} blocks>"

    @property
    def latch(self) -> Block | None:
        """The block that leads back to the header, if there is just one."""
        return self.latches[0] if len(self.latches) == 1 else None

    @property
    def preheader(self) -> Block | None:
        """The one block that the loop is entered from, if that leads nowhere else."""
        before = self.predecessor
        return before if before is not None and set(before.successors) == {self.header} else None

    @property
    def predecessor(self) -> Block | None:
        """The one block that the loop is entered from, wherever else that leads."""
        return self.entering[0] if len(self.entering) == 1 else None

    @property
    def depth(self) -> int:
        """In how many loops it is, itself counted."""
        return 1 if self.parent is None else self.parent.depth + 1

    @property
    def exiting_edges(self) -> list[tuple[Block, Block]]:
        """The edges that leave the loop, each once: the block inside, the block outside."""
        return [
            (block, target)
            for block in (self.header.function.blocks if self.header.function else ())
            if block in self.blocks
            for target in dict.fromkeys(block.successors)
            if target not in self.blocks
        ]

    @property
    def exiting(self) -> list[Block]:
        """The blocks from which the loop is left."""
        return list(dict.fromkeys(block for block, _ in self.exiting_edges))

    @property
    def exits(self) -> list[Block]:
        """The blocks outside to which it is left."""
        return list(dict.fromkeys(target for _, target in self.exiting_edges))

    @property
    def phis(self) -> list[Phi]:
        """The loop-carried values."""
        return self.header.phis

    def is_invariant(self, value: Value) -> bool:
        """Tell whether a value is made outside of the loop."""
        return not isinstance(value, Instruction) or value.block not in self.blocks

    def carried(self, phi: Phi) -> list[Value]:
        """Return what a phi of the header has from the iteration before."""
        return [value for value, block in phi.incoming if block in self.blocks]

    def started(self, phi: Phi) -> list[Value]:
        """Return what a phi of the header has in the first iteration."""
        return [value for value, block in phi.incoming if block not in self.blocks]

    def counter(self, phi: Phi) -> Counter | None:
        """Return a phi of the header as a counter, None if it is none."""
        started, carried = set(self.started(phi)), set(self.carried(phi))
        if len(started) != 1 or len(carried) != 1:
            return None
        moved, start = carried.pop(), started.pop()
        if not isinstance(moved, Arithmetic) or moved.opcode not in ("add", "sub"):
            return None
        one, other = moved.operands
        if moved.opcode == "add" and other is phi:
            one, other = other, one
        if one is not phi or not isinstance(other, Constant) or other.integer is None:
            return None
        return Counter(
            phi, start, -other.integer if moved.opcode == "sub" else other.integer, moved
        )

    @property
    def counters(self) -> list[Counter]:
        """The counters among the phis."""
        found = map(self.counter, self.phis)
        return [one for one in found if one is not None]

    @property
    def canonical(self) -> Counter | None:
        """The counter that goes 0, 1, 2, ..., if there is one."""
        plain = (one for one in self.counters if one.step == 1 and isinstance(one.start, Constant))
        return next((one for one in plain if one.start.integer == 0), None)  # type: ignore[attr-defined]

    def trip_count(self, exiting: Block | None = None) -> TripCount | None:
        """Return by which comparison a block ends the loop: the only one that does, unless one is named."""
        leaving = self.exiting
        block = exiting or (leaving[0] if len(leaving) == 1 else None)
        end = None if block is None else block.terminator
        if block is None or not isinstance(end, Branch) or not isinstance(end.condition, Compare):
            return None
        stays = [one in self.blocks for one in end.successors]
        if stays[0] == stays[1] or end.condition.opcode != "icmp":
            return None
        predicate = end.condition.ordering
        predicate = predicate if stays[0] else OPPOSITE[predicate]
        value, bound = end.condition.operands
        for one, other, order in ((value, bound, predicate), (bound, value, _MIRRORED[predicate])):
            counter = next((each for each in self.counters if one in (each.phi, each.moved)), None)
            if counter is not None and self.is_invariant(other):
                return TripCount(counter, one, order, other, block, end.successors[stays[0]])
        return None


OPPOSITE = {
    "eq": "ne", "ne": "eq", "slt": "sge", "sge": "slt", "sgt": "sle", "sle": "sgt",
    "ult": "uge", "uge": "ult", "ugt": "ule", "ule": "ugt",
}  # fmt: skip
_MIRRORED = {
    "eq": "eq", "ne": "ne", "slt": "sgt", "sgt": "slt", "sle": "sge", "sge": "sle",
    "ult": "ugt", "ugt": "ult", "ule": "uge", "uge": "ule",
}  # fmt: skip


class Loops(Analysis):
    """The natural loops of a function, inner ones first. Cycles that are entered at several blocks are none."""

    OF_SHAPE: ClassVar[bool] = True

    def __init__(self, function: Function) -> None:
        super().__init__(function)
        flow, dominators = function.analysis(ControlFlow), function.analysis(Dominators)
        found = list[Loop]()
        for header in flow.order:
            before = flow.predecessors[header]
            latches = [one for one in before if dominators.dominates(header, one)]
            if latches:
                blocks = flow.leading_to(latches, [header]) | {header}
                entering = [one for one in before if one not in latches]
                found.append(Loop(header, latches, blocks, entering))
        self.loops = sorted(found, key=lambda loop: len(loop.blocks))
        self._around: dict[Block, Loop] = {}
        for place, loop in enumerate(self.loops):
            for block in loop.blocks:
                self._around.setdefault(block, loop)
            outer = (one for one in self.loops[place + 1 :] if loop.header in one.blocks)
            loop.parent = next((one for one in outer if one.header is not loop.header), None)
            if loop.parent is not None:
                loop.parent.children.append(loop)

    @property
    def outermost(self) -> list[Loop]:
        """The loops that are in no other one."""
        return [loop for loop in self.loops if loop.parent is None]

    def around(self, where: Block | Instruction) -> Loop | None:
        """Return the innermost loop in which something stands."""
        return self._around.get(where.home if isinstance(where, Instruction) else where)

    def all_around(self, *where: Block | Instruction) -> list[Loop]:
        """Return the loops in which all of some stand, inner ones first."""
        return [loop for loop in self.loops if all(one in loop for one in where)]

    def headed_by(self, block: Block) -> Loop | None:
        """Return the loop of which a block is the header."""
        return next((loop for loop in self.loops if loop.header is block), None)

    def runs_in_each_iteration(self, where: Block | Instruction) -> bool:
        """Tell whether no iteration of the innermost loop around something does without it.

        What can never run twice is in no loop; in a cycle that is entered at several blocks nothing is known.
        """
        block, loop = where.home if isinstance(where, Instruction) else where, self.around(where)
        if loop is None:
            return not self.function.analysis(ControlFlow).is_repeated(block)
        dominators = self.function.analysis(Dominators)
        return all(dominators.dominates(block, latch) for latch in loop.latches)
