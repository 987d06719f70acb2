"""Where the values of a loop leave it, and the passes that name them there."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from enzyme_py.llvm import Analysis, Block, Builder, Function, Instruction
from enzyme_py.llvm.analyses.control_flow import ControlFlow
from enzyme_py.llvm.analyses.dominators import Dominators
from enzyme_py.llvm.analyses.loops import Loop, Loops
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.module.requests import has_reverse


class LiveOuts(Analysis):
    """The loops of a function, and the block behind each by which a value comes to its users."""

    OF_SHAPE: ClassVar[bool] = True

    def __init__(self, function: Function) -> None:
        super().__init__(function)
        flow = function.analysis(ControlFlow) if len(function.blocks) > 1 else None
        is_readable = flow is not None and flow.is_plain and flow.is_all_reachable
        self.loops = function.analysis(Loops) if is_readable else None
        self._dominators = function.analysis(Dominators)
        self._exits: dict[Block, list[Block]] = {}

    @property
    def has_loops(self) -> bool:
        """Whether values can leave a loop at all. Functions with exceptions, or dead blocks, are left alone."""
        return self.loops is not None and bool(self.loops.loops)

    def loop_of(self, where: Block | Instruction) -> Loop | None:
        """Return the innermost loop around something."""
        return None if self.loops is None else self.loops.around(where)

    def exit_between(self, value: Instruction, loop: Loop, where: Block) -> Block | None:
        """Return the block behind a loop through which all paths lead from a value in it to another block."""
        if where in loop:
            return None
        if loop.header not in self._exits:
            self._exits[loop.header] = loop.exits
        dominates, home = self._dominators.dominates, value.home
        exits = self._exits[loop.header]
        return next((one for one in exits if dominates(home, one) and dominates(one, where)), None)


class Starts:
    """Builders behind the phis of blocks: what is built in one block stands in the order in which it is made."""

    def __init__(self) -> None:
        self._builders: dict[Block, Builder] = {}

    def __getitem__(self, block: Block) -> Builder:
        if block not in self._builders:
            self._builders[block] = Builder.at_start(block)
        return self._builders[block]


class NamedLiveOuts(Pass):
    """Values of some kind that leave their loops under names of their own, in reverse mode."""

    def applies(self, draft: Draft) -> bool:
        """Tell whether the module asks for reverse mode."""
        return has_reverse(draft.code)

    def run(self, draft: Draft) -> None:
        """Name what leaves the loops of every function."""
        for function in draft.code.functions:
            live_outs = function.analysis(LiveOuts)
            if live_outs.has_loops:
                self.name_all(function, live_outs)

    @abstractmethod
    def name_all(self, function: Function, live_outs: LiveOuts) -> None:
        """Name what leaves the loops of a function."""
