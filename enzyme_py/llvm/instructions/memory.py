"""Instructions that read, write and make memory, and that move pointers."""

from __future__ import annotations

import re

from enzyme_py.llvm.instructions.base import Instruction
from enzyme_py.llvm.reading import patterns
from enzyme_py.llvm.values import Value


class MemoryAccess(Instruction):
    """What reads or writes memory by itself: `load` and `store`."""

    __slots__ = ()

    @property
    def is_volatile(self) -> bool:
        """Whether every access counts."""
        return "volatile" in self.flags

    @property
    def is_atomic(self) -> bool:
        """Whether other threads are minded."""
        return "atomic" in self.flags


class Load(MemoryAccess):
    """`load`: its type, and the pointer through which it reads."""

    __slots__ = ()

    @property
    def pointer(self) -> Value:
        """Where it reads."""
        return self.operands[0]


class Store(MemoryAccess):
    """`store`: the value, and the pointer through which it is written."""

    __slots__ = ()

    @property
    def value(self) -> Value:
        """What it writes."""
        return self.operands[0]

    @property
    def pointer(self) -> Value:
        """Where it writes."""
        return self.operands[1]


class GetElementPtr(Instruction):
    """`getelementptr`: a pointer moved by indices."""

    __slots__ = ()

    @property
    def pointer(self) -> Value:
        """The pointer that is moved."""
        return self.operands[0]

    @property
    def indices(self) -> tuple[Value, ...]:
        """By what it is moved."""
        return self.operands[1:]

    @property
    def source_type(self) -> str:
        """The type of which the first index counts elements."""
        end = self.pieces[0].rindex(f", {self.pointer.type} ")
        return self.pieces[0][self._type_at() : end]

    def set_source_type(self, type_: str) -> None:
        """Count in elements of another type."""
        end = self.pieces[0].rindex(f", {self.pointer.type} ")
        self.pieces[0] = f"{self.pieces[0][: self._type_at()]}{type_}{self.pieces[0][end:]}"
        self.touch()

    @property
    def is_inbounds(self) -> bool:
        """Whether the pointer stays in one allocation."""
        return "inbounds" in self.flags


class Alloca(Instruction):
    """`alloca`: memory on the stack. Its type is `ptr`."""

    __slots__ = ()

    @property
    def allocated_type(self) -> str:
        """The type of one element."""
        start = self._type_at()
        if self.operands:
            return self.pieces[0][start : self.pieces[0].rindex(", ")]
        found = re.match(patterns.TYPE, self.pieces[0][start:])
        return found[0] if found else ""
