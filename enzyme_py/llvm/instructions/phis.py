"""Phis: what a value is, by the edge on which its block was come to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from enzyme_py.llvm.instructions.base import Instruction, link, unlink
from enzyme_py.llvm.values import Value

if TYPE_CHECKING:
    from enzyme_py.llvm.blocks import Block


class Phi(Instruction):
    """`phi`: a value for each edge into its block. Its operands are value, block, value, block, ..."""

    __slots__ = ()

    @property
    def incoming(self) -> list[tuple[Value, Block]]:
        """Value and block for each edge."""
        operands = self.operands
        return list(zip(operands[::2], operands[1::2], strict=True))  # type: ignore[arg-type]

    @property
    def values(self) -> tuple[Value, ...]:
        """The values of all edges."""
        return self.operands[::2]

    def value_from(self, block: Block) -> Value:
        """Return the value on the edge from a block."""
        return next(value for value, one in self.incoming if one is block)

    def set_incoming(self, incoming: Iterable[tuple[Value, Block]]) -> None:
        """Write all edges anew."""
        pairs = list(incoming)
        for operand in self.operands:
            unlink(operand, self)
        head = self.pieces[0].removesuffix("[ ") or "phi "
        tail = self.pieces[-1].removeprefix(" ]") if len(self.pieces) > 1 else ""
        self.operands = tuple(one for pair in pairs for one in pair)
        middle = [", ", " ], [ "] * len(pairs)
        self.pieces = [f"{head}[ ", *middle[:-1], f" ]{tail}"] if pairs else [head, tail]
        for operand in self.operands:
            link(operand, self)
        self.touch()

    def add_incoming(self, value: Value, block: Block) -> None:
        """Add an edge."""
        self.set_incoming([*self.incoming, (value, block)])

    def remove_incoming(self, block: Block, count: int = 0) -> None:
        """Take the edges from a block away, at most `count` of them if given."""
        kept, done = list[tuple[Value, "Block"]](), 0
        for value, one in self.incoming:
            if one is block and (not count or done < count):
                done += 1
            else:
                kept.append((value, one))
        self.set_incoming(kept)

    def replace_incoming_block(self, old: Block, new: Block) -> None:
        """Say that the edges from one block come from another one."""
        self.replace_operand(old, new)

    def set_value_from(self, block: Block, value: Value) -> None:
        """Write another value for the edges from a block."""
        for index in range(0, len(self.operands), 2):
            if self.operands[index + 1] is block:
                self.set_operand(index, value)
