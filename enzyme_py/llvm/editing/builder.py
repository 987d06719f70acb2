"""Making instructions at a place: each method puts one there and returns it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from enzyme_py.llvm import types
from enzyme_py.llvm.blocks import Block
from enzyme_py.llvm.functions import Function
from enzyme_py.llvm.instructions import (
    Alloca,
    Arithmetic,
    Branch,
    Call,
    Cast,
    Compare,
    GetElementPtr,
    Instruction,
    Load,
    Phi,
    Return,
    Select,
    Store,
    Switch,
)
from enzyme_py.llvm.instructions.base import link, set_result
from enzyme_py.llvm.values import Constant, Value

Given = Value | int
_I = TypeVar("_I", bound=Instruction)


class Builder:
    """A place in a block, and the methods that make instructions there, each behind the one made before."""

    __slots__ = ("_before", "block", "location")

    def __init__(self, before: Instruction, *, keeps_location: bool = False) -> None:
        self.block = before.home
        self._before: Instruction | None = before
        self.location = before.location if keeps_location else None  # for all that is made

    @classmethod
    def at_end(cls, block: Block) -> Builder:
        """Return a builder behind the last instruction of a block."""
        self = cls.__new__(cls)
        self.block, self._before, self.location = block, None, None
        return self

    @classmethod
    def at_start(cls, block: Block) -> Builder:
        """Return a builder behind the phis of a block."""
        return cls(block.first)

    @classmethod
    def after(cls, instruction: Instruction) -> Builder:
        """Return a builder behind an instruction: behind all phis, if it is one."""
        if instruction.opcode == "phi":
            return cls.at_start(instruction.home)
        behind = instruction.next
        return cls.at_end(instruction.home) if behind is None else cls(behind)

    @property
    def function(self) -> Function:
        """The function in which is built."""
        assert self.block.function is not None
        return self.block.function

    def insert(self, one: Instruction, name: str = "") -> Instruction:
        """Put an instruction that stands nowhere at the place."""
        if name and one.type != "void":
            set_result(one, name)
        block = self.block
        place = len(block) if self._before is None else block.place_of(self._before)
        block.insert(place, one)
        if self.location is not None and one.opcode != "phi":
            one.set_metadata("dbg", self.location)
        return one

    def _put(self, one: _I, name: str = "") -> _I:
        for operand in one.operands:
            link(operand, one)
        self.insert(one, name)
        return one

    def parse(self, text: str) -> Instruction:
        """Make an instruction that is written as text; it may name values of the function."""
        from enzyme_py.llvm.reading.body import read_instruction

        return self.insert(read_instruction(text, self.function))

    def constant(self, type_: str, value: int | str) -> Constant:
        """Return a constant."""
        if type_ == "i1" and isinstance(value, int):
            value = "true" if value else "false"
        return self.function.constant(type_, value)

    def _of(self, type_: str, value: Given) -> Value:
        return value if isinstance(value, Value) else self.constant(type_, value)

    # -- memory --------------------------------------------------------------------------------------

    def load(self, type_: str, pointer: Value, name: str = "", *, align: int | None = None) -> Load:
        """Make a `load`."""
        pieces = [f"load {type_}, {pointer.type} ", _aligned(align)]
        return self._put(Load("load", type_, pieces, [pointer]), name or "v")

    def store(self, value: Value, pointer: Value, *, align: int | None = None) -> Store:
        """Make a `store`."""
        pieces = [f"store {value.type} ", f", {pointer.type} ", _aligned(align)]
        return self._put(Store("store", "void", pieces, [value, pointer]))

    def gep(
        self,
        type_: str,
        pointer: Value,
        indices: Sequence[Given],
        name: str = "",
        *,
        flags: str = "",
    ) -> GetElementPtr:
        """Make a `getelementptr`; plain integers are i64."""
        operands = [pointer, *(self._of("i64", one) for one in indices)]
        words = f"{flags} " if flags else ""
        pieces = [f"getelementptr {words}{type_}, {pointer.type} "]
        pieces += [*(f", {one.type} " for one in operands[1:]), ""]
        return self._put(
            GetElementPtr("getelementptr", pointer.type, pieces, operands), name or "p"
        )

    def alloca(self, type_: str, name: str = "", *, align: int | None = None) -> Alloca:
        """Make an `alloca` of one element."""
        return self._put(
            Alloca("alloca", "ptr", [f"alloca {type_}{_aligned(align)}"], []), name or "slot"
        )

    # -- numbers -------------------------------------------------------------------------------------

    def arithmetic(
        self, opcode: str, left: Value, right: Given, name: str = "", *, flags: str = ""
    ) -> Arithmetic:
        """Make an `add`, `fmul`, `shl`, ...; `flags` as written."""
        words = f"{flags} " if flags else ""
        pieces = [f"{opcode} {words}{left.type} ", ", ", ""]
        operands = [left, self._of(left.type, right)]
        return self._put(Arithmetic(opcode, left.type, pieces, operands), name or "v")

    def add(self, left: Value, right: Given, name: str = "", *, flags: str = "") -> Arithmetic:
        """Make an `add`."""
        return self.arithmetic("add", left, right, name, flags=flags)

    def sub(self, left: Value, right: Given, name: str = "", *, flags: str = "") -> Arithmetic:
        """Make a `sub`."""
        return self.arithmetic("sub", left, right, name, flags=flags)

    def mul(self, left: Value, right: Given, name: str = "", *, flags: str = "") -> Arithmetic:
        """Make a `mul`."""
        return self.arithmetic("mul", left, right, name, flags=flags)

    def fneg(self, value: Value, name: str = "") -> Arithmetic:
        """Make an `fneg`."""
        return self._put(
            Arithmetic("fneg", value.type, [f"fneg {value.type} ", ""], [value]), name or "v"
        )

    def compare(self, predicate: str, left: Value, right: Given, name: str = "") -> Compare:
        """Make an `icmp`, or an `fcmp` of floating point numbers."""
        element = types.counted(left.type)[1] if types.is_vector(left.type) else left.type
        opcode = "fcmp" if element in types.FLOATS else "icmp"
        pieces = [f"{opcode} {predicate} {left.type} ", ", ", ""]
        operands = [left, self._of(left.type, right)]
        return self._put(
            Compare(opcode, types.lanes_like(left.type, "i1"), pieces, operands), name or "is"
        )

    def cast(self, opcode: str, value: Value, type_: str, name: str = "") -> Cast:
        """Make a `zext`, `fpext`, `ptrtoint`, ..."""
        pieces = [f"{opcode} {value.type} ", f" to {type_}"]
        return self._put(Cast(opcode, type_, pieces, [value]), name or "v")

    def select(self, condition: Value, true: Value, false: Given, name: str = "") -> Select:
        """Make a `select`."""
        operands = [condition, true, self._of(true.type, false)]
        pieces = [f"select {condition.type} ", f", {true.type} ", f", {true.type} ", ""]
        return self._put(Select("select", true.type, pieces, operands), name or "v")

    def phi(self, type_: str, incoming: Iterable[tuple[Given, Block]], name: str = "") -> Phi:
        """Make a `phi`, in front of whatever else stands in the block if the place is behind that."""
        operands = list[Value]()
        for value, block in incoming:
            operands += [self._of(type_, value), block]
        middle = [", ", " ], [ "] * (len(operands) // 2)
        pieces = [f"phi {type_} [ ", *middle[:-1], " ]"] if operands else [f"phi {type_} "]
        one = Phi("phi", type_, pieces, operands)
        for operand in operands:
            link(operand, one)
        place = len(self.block) if self._before is None else self.block.place_of(self._before)
        set_result(one, name or "v")
        self.block.insert(min(place, len(self.block.phis)), one)
        return one

    # -- calls ---------------------------------------------------------------------------------------

    def call(
        self, target: Value, arguments: Sequence[Value], name: str = "", *, type_: str = "",
        attributes: Sequence[str] = (),
    ) -> Call:  # fmt: skip
        """Make a call; `type_` of the result if the target is no function of the module."""
        result, written = type_, type_
        if isinstance(target, Function) and not type_:
            result = written = target.return_type
            if target.is_variadic:
                given = ", ".join([*(one.type for one in target.arguments), "..."])
                written = f"{result} ({given})"
        assert result, "what does it return?"
        pieces = [f"call {written} "]
        pieces += [f"{', ' if place else '('}{one.type} " for place, one in enumerate(arguments)]
        words = "".join(f" {one}" for one in attributes)
        pieces.append(f"){words}" if arguments else f"(){words}")
        one = Call("call", result, pieces, [target, *arguments])
        one.set_count(len(arguments))
        return self._put(one, name or ("v" if result != "void" else ""))

    # -- ends of blocks ------------------------------------------------------------------------------

    def branch(self, target: Block) -> Branch:
        """Make a `br` to one block."""
        return self._put(Branch("br", "void", ["br label ", ""], [target]))

    def branch_if(self, condition: Value, true: Block, false: Block) -> Branch:
        """Make a `br` to one of two blocks."""
        pieces = ["br i1 ", ", label ", ", label ", ""]
        return self._put(Branch("br", "void", pieces, [condition, true, false]))

    def switch(self, value: Value, default: Block, cases: Iterable[tuple[Given, Block]]) -> Switch:
        """Make a `switch`."""
        pieces = [f"switch {value.type} ", ", label ", " [\n  ]"]
        one = self._put(Switch("switch", "void", pieces, [value, default]))
        one.set_cases((self.constant(value.type, _number(case)), block) for case, block in cases)
        return one

    def ret(self, value: Value | None = None) -> Return:
        """Make a `ret`."""
        if value is None:
            return self._put(Return("ret", "void", ["ret void"], []))
        return self._put(Return("ret", "void", [f"ret {value.type} ", ""], [value]))

    def unreachable(self) -> Instruction:
        """Make an `unreachable`."""
        return self._put(Instruction("unreachable", "void", ["unreachable"], []))


def _aligned(align: int | None) -> str:
    return "" if align is None else f", align {align}"


def _number(case: Given) -> int | str:
    return case if isinstance(case, int) else case.ref
