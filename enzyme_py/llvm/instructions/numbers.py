"""Instructions that make values of values."""

from __future__ import annotations

from enzyme_py.llvm.instructions.base import Instruction
from enzyme_py.llvm.values import Value

BINARY = frozenset(
    "add sub mul udiv sdiv urem srem and or xor shl lshr ashr fadd fsub fmul fdiv frem".split()
)
CASTS = frozenset(
    "trunc zext sext fptrunc fpext fptoui fptosi uitofp sitofp ptrtoint ptrtoaddr inttoptr bitcast "
    "addrspacecast".split()
)


class Select(Instruction):
    """`select`: one of two values, as a condition says."""

    __slots__ = ()

    @property
    def condition(self) -> Value:
        """What decides."""
        return self.operands[0]

    @property
    def arms(self) -> tuple[Value, Value]:
        """The value for true, and the one for false."""
        return self.operands[1], self.operands[2]


class Compare(Instruction):
    """`icmp` and `fcmp`."""

    __slots__ = ()

    @property
    def predicate(self) -> str:
        """How is compared: `eq`, `slt`, `oge`, ..."""
        return self.flags[-1]

    @property
    def ordering(self) -> str:
        """The same, as numbers with a sign where both are known to have one sign: `slt` of `samesign ult`."""
        return self.predicate.replace("u", "s", 1) if "samesign" in self.flags else self.predicate

    def set_predicate(self, predicate: str) -> None:
        """Compare otherwise."""
        self.set_flags([*self.flags[:-1], predicate])


class Arithmetic(Instruction):
    """What makes of two numbers a third, and `fneg`: of one another."""

    __slots__ = ()


class Cast(Instruction):
    """What makes a value of another type: `zext`, `bitcast`, `ptrtoint`, ..."""

    __slots__ = ()

    @property
    def value(self) -> Value:
        """What is converted."""
        return self.operands[0]
