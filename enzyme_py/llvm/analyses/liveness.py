"""Where values are needed: at whose block's beginning, at whose end, and where the last time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from enzyme_py.llvm.analyses import Analysis
from enzyme_py.llvm.analyses.control_flow import ControlFlow
from enzyme_py.llvm.blocks import Block
from enzyme_py.llvm.instructions import Instruction, Phi
from enzyme_py.llvm.values import Value

if TYPE_CHECKING:
    from enzyme_py.llvm.functions import Function


class Liveness(Analysis):
    """The blocks at whose beginning each value is needed. A phi needs its values at the end of the blocks they come from."""

    def __init__(self, function: Function) -> None:
        super().__init__(function)
        self._flow = function.analysis(ControlFlow)
        self._live_in: dict[Value, set[Block]] = {}

    def _home(self, value: Value) -> Block:
        return value.home if isinstance(value, Instruction) else self.function.entry

    def live_in(self, value: Value) -> set[Block]:
        """Return the blocks at whose beginning a value is needed that was made before."""
        if value not in self._live_in:
            home = self._home(value)
            used = [block for block in self.used_in(value) if block is not home]
            self._live_in[value] = self._flow.leading_to(used, [home])
        return self._live_in[value]

    def is_live_at_end(self, value: Value, block: Block) -> bool:
        """Tell whether a value is needed behind a block: by one that follows, or a phi there."""
        needed = self.live_in(value)
        for following in block.successors:
            if following in needed and following is not self._home(value):
                return True
            if any(
                one is value and way is block for phi in following.phis for one, way in phi.incoming
            ):
                return True
        return False

    def needed_at(self, block: Block) -> set[Value]:
        """Return the values that are needed at the beginning of a block, its own phis not counted."""
        values = (*self.function.arguments, *self.function.instructions)
        return {one for one in values if one.is_used and block in self.live_in(one)}

    def used_in(self, value: Value) -> Iterator[Block]:
        """Yield the blocks that use a value, or whose end hands it to a phi."""
        for user in value.users:
            if isinstance(user, Phi):
                yield from (block for given, block in user.incoming if given is value)
            elif user.block is not None:
                yield user.block

    def last_use(self, value: Value, block: Block) -> Instruction | None:
        """Return the last instruction of a block that uses a value, phis not counted."""
        here = (one for one in value.users if one.block is block and one.opcode != "phi")
        return max(here, key=block.place_of, default=None)
