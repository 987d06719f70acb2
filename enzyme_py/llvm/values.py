"""Values: what an instruction can have as an operand. Each knows the instructions that use it."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from enzyme_py.llvm import naming

if TYPE_CHECKING:
    from enzyme_py.llvm.heads import Head
    from enzyme_py.llvm.instructions import Instruction


class Use(NamedTuple):
    """One place where a value is used: `user.operands[slot]`."""

    user: Instruction
    slot: int


class Value:
    """Something with a type that instructions can use.

    `ref` is the value as written where it is used (`%x`, `@f`, `5`), `type` its type in LLVM's words.
    """

    __slots__ = ("_records", "_users", "ref", "type")

    def __init__(self, type_: str, ref: str) -> None:
        self.type = type_
        self.ref = ref
        self._users: list[Instruction] = []  # one entry for each operand
        self._records: list[Instruction] | None = None  # what tells the debugger of it

    def __str__(self) -> str:
        return self.ref

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.type} {self.ref}>"

    @property
    def name(self) -> str:
        """The name without sign and quotes: of a numbered value the number."""
        return naming.bare(self.ref)

    @property
    def is_numbered(self) -> bool:
        """Whether the value has a number in place of a name."""
        return naming.is_number(self.ref)

    @property
    def users(self) -> list[Instruction]:
        """The instructions that use the value, each once."""
        return list(dict.fromkeys(self._users))

    @property
    def uses(self) -> list[Use]:
        """Every operand that is this value; notes for the debugger do not count."""
        return list(self._uses())

    @property
    def is_used(self) -> bool:
        """Whether any instruction uses the value."""
        return bool(self._users)

    def _uses(self) -> Iterator[Use]:
        for user in self.users:
            for index, operand in enumerate(user.operands):
                if operand is self:
                    yield Use(user, index)

    def replace_all_uses_with(self, new: Value) -> None:
        """Put another value in place of this one everywhere, also in what the debugger is told."""
        for user, slot in self.uses:
            user.set_operand(slot, new)
        for record in list(self._records or ()):
            record.replace_operand(self, new)


class Constant(Value):
    """A constant as written: a number, `null`, an aggregate, an expression of constants.

    Two constants are equal if their type and their text are. Who uses a constant, is not recorded.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Constant) and self.ref == other.ref and self.type == other.type

    def __hash__(self) -> int:
        return hash((self.type, self.ref))

    @property
    def integer(self) -> int | None:
        """The value of an integer constant, None for any other."""
        if self.ref in _BOOLEANS:
            return _BOOLEANS[self.ref]
        if self.ref.lstrip("-").isdecimal() and self.type.startswith("i"):
            return int(self.ref)
        if self.ref == "zeroinitializer" and self.type.startswith("i"):
            return 0
        return None

    @property
    def number(self) -> float | None:
        """The value of a floating point constant, None for any other."""
        if self.type not in ("double", "float"):
            return None
        if self.ref.startswith("0x"):
            return float(struct.unpack(">d", bytes.fromhex(self.ref[2:].zfill(16)))[0])
        try:
            return float(self.ref)
        except ValueError:
            return None

    @property
    def is_undefined(self) -> bool:
        """Whether the constant is `undef` or `poison`."""
        return self.ref in ("undef", "poison")


_BOOLEANS = {"true": 1, "false": 0}


class Argument(Value):
    """A parameter of a function; `attributes` in LLVM's words."""

    __slots__ = ("attributes", "function")

    def __init__(self, type_: str, ref: str, function: Head, attributes: list[str]) -> None:
        super().__init__(type_, ref)
        self.function = function
        self.attributes = attributes

    @property
    def users(self) -> list[Instruction]:
        """The instructions that use the parameter, each once; the body is read for that."""
        self.function.read()
        return super().users

    @property
    def is_used(self) -> bool:
        """Whether any instruction uses the parameter, likewise."""
        self.function.read()
        return super().is_used

    @property
    def index(self) -> int:
        """Which parameter of its function it is."""
        return self.function.arguments.index(self)

    def rename(self, name: str) -> None:
        """Give the parameter a name, or one that begins so if that is taken."""
        self.function.rename(self, name)

    def has_attribute(self, name: str) -> bool:
        """Tell whether the parameter has an attribute, by the name in front of its value."""
        return any(attribute_name(one) == name for one in self.attributes)

    def add_attribute(self, attribute: str) -> None:
        """Give the parameter an attribute, in place of one of that name."""
        self.remove_attribute(attribute_name(attribute))
        self.attributes.append(attribute)
        self.function.touch_head()

    def remove_attribute(self, name: str) -> None:
        """Take an attribute away, if the parameter has it."""
        self.attributes[:] = [one for one in self.attributes if attribute_name(one) != name]
        self.function.touch_head()


def attribute_name(attribute: str) -> str:
    """Return the name of an attribute: `align` of `align 8`, `memory` of `memory(read)`, `x` of `"x"="1"`."""
    if attribute.startswith('"'):
        return attribute[1 : attribute.index('"', 1)]
    for place, letter in enumerate(attribute):
        if letter in " (=":
            return attribute[:place]
    return attribute


def attribute_value(attribute: str) -> str:
    """Return what an attribute says: `8` of `align 8`, `read` of `memory(read)`, `1` of `"x"="1"`."""
    if attribute.startswith('"'):
        return attribute[attribute.index('"', 1) + 1 :].removeprefix("=").strip('"')
    rest = attribute[len(attribute_name(attribute)) :]
    return rest[1:-1] if rest.startswith("(") else rest[1:]


def constant(type_: str, value: int | str) -> Constant:
    """Return a constant; of an integer its number, `i1` as LLVM prints it."""
    if type_ == "i1" and isinstance(value, int):
        return Constant(type_, "true" if value else "false")
    return Constant(type_, str(value))
