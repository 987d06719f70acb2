"""Instructions that say where a block goes on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from enzyme_py.llvm.instructions.base import Instruction, link, unlink
from enzyme_py.llvm.values import Constant, Value

if TYPE_CHECKING:
    from enzyme_py.llvm.blocks import Block


class Return(Instruction):
    """`ret`, of a value or of none."""

    __slots__ = ()

    @property
    def value(self) -> Value | None:
        """What is returned."""
        return self.operands[0] if self.operands else None


class Branch(Instruction):
    """`br`, to one block or by a condition to one of two."""

    __slots__ = ()

    @property
    def is_conditional(self) -> bool:
        """Whether a condition decides."""
        return len(self.operands) == 3

    @property
    def condition(self) -> Value | None:
        """What decides."""
        return self.operands[0] if self.is_conditional else None


class Switch(Instruction):
    """`switch`. Its operands are the value, the default's block, and constant and block of each case."""

    __slots__ = ()

    @property
    def value(self) -> Value:
        """What decides."""
        return self.operands[0]

    @property
    def default(self) -> Block:
        """Where it goes if no case is the value's."""
        return self.operands[1]  # type: ignore[return-value]

    @property
    def cases(self) -> list[tuple[Constant, Block]]:
        """Constant and block of each case."""
        return list(zip(self.operands[2::2], self.operands[3::2], strict=True))  # type: ignore[arg-type]

    def set_cases(self, cases: Iterable[tuple[Constant, Block]]) -> None:
        """Write all cases anew."""
        given, kind = list(cases), self.value.type
        for operand in self.operands[2:]:
            unlink(operand, self)
        tail = self.pieces[-1]
        tail = tail[tail.rindex("]") + 1 :]
        self.operands = (*self.operands[:2], *(one for case in given for one in case))
        middle = [", label ", f"\n    {kind} "] * len(given)
        first = [*self.pieces[:2], f" [\n    {kind} "]
        self.pieces = (
            [*first, *middle[:-1], f"\n  ]{tail}"] if given else [*first[:2], f" [\n  ]{tail}"]
        )
        for operand in self.operands[2:]:
            link(operand, self)
        self.touch()
