"""Calls: `call`, `invoke` and `callbr`, with what is said of the call, of its result and of each argument."""

from __future__ import annotations

from enzyme_py.llvm.instructions.base import Instruction, link, unlink
from enzyme_py.llvm.reading import patterns
from enzyme_py.llvm.values import Constant, Value, attribute_name

_TAILS = ("tail", "musttail", "notail")


class Call(Instruction):
    """A call. Its operands are the callee, the arguments, and whatever else is named (bundles, blocks).

    `callee` is the name of the function that is called directly, "" if none is.
    """

    __slots__ = ()

    @property
    def target(self) -> Value:
        """What is called: a function, a pointer, or assembly as a constant."""
        return self.operands[0]

    @property
    def callee(self) -> str:
        """The name of the function that is called directly, nothing for any other call."""
        ref = self.operands[0].ref
        return self.operands[0].name if ref.startswith("@") else ""

    @property
    def arguments(self) -> tuple[Value, ...]:
        """The operands that are handed over."""
        return self.operands[1 : self._count + 1]

    def set_count(self, count: int) -> None:
        """Say how many of the operands behind the callee are arguments: for whoever makes a call."""
        self._count = count

    @property
    def is_assembly(self) -> bool:
        """Whether assembly is called."""
        return self.operands[0].ref.startswith("asm ")

    @property
    def tail(self) -> str:
        """What stands in front of `call`: `tail`, `musttail`, `notail` or nothing."""
        first = self.pieces[0].split(" ", 1)[0]
        return first if first in _TAILS else ""

    def set_tail(self, tail: str) -> None:
        """Write another word, or nothing, in front of `call`."""
        bare = self.pieces[0].removeprefix(f"{self.tail} ")
        self.pieces[0] = f"{tail} {bare}" if tail else bare
        self.touch()

    # -- what is said of the call --------------------------------------------------------------------

    def _head(self) -> tuple[int, int]:
        """Return where the words behind the opcode begin and end."""
        start = self.pieces[0].index(self.opcode) + len(self.opcode) + 1
        found = patterns.CALL.match(f"{self.pieces[0]}@f(")
        return start, found.end(1) if found else start

    @property
    def flags(self) -> list[str]:
        """The words between `call` and the type: fast-math flags, convention, the result's attributes."""
        start, end = self._head()
        return patterns.ATTRIBUTES.findall(self.pieces[0], start, end)

    def set_flags(self, flags: object) -> None:
        """Write other words between `call` and the type."""
        assert isinstance(flags, (list, tuple))
        start, end = self._head()
        head = self.pieces[0]
        self.pieces[0] = "".join([head[:start], *(f"{one} " for one in flags), head[end:]])
        self.touch()

    @property
    def function_type(self) -> str:
        """The type in front of the callee: the result's, or the whole one (`i32 (ptr, ...)`)."""
        return self.pieces[0][self._head()[1] : -1]

    def _end(self) -> tuple[int, str, int, int]:
        """Return the piece behind the arguments, its text, and where the attributes begin and end."""
        number = self._count + 1
        text = self.pieces[number]
        start = text.index(")") + 1
        at = start
        while text.startswith(" ", at) and (found := patterns.ATTRIBUTES.match(text, at + 1)):
            at = found.end()
        return number, text, start, at

    @property
    def attributes(self) -> list[str]:
        """What stands behind the arguments: attributes, and groups (`#5`)."""
        _, text, start, end = self._end()
        return patterns.ATTRIBUTES.findall(text, start, end)

    def set_attributes(self, attributes: list[str]) -> None:
        """Write other attributes behind the arguments."""
        number, text, start, end = self._end()
        words = "".join(f" {one}" for one in attributes)
        self.pieces[number] = f"{text[:start]}{words}{text[end:]}"
        self.touch()

    def own_attributes(self) -> list[str]:
        """Return what is said of this call, by itself or by its groups, but not by the callee."""
        return self.module.expanded(self.attributes)

    def has_attribute(self, name: str) -> bool:
        """Tell whether an attribute is said of this call, or of the function that it calls."""
        if any(attribute_name(one) == name for one in self.own_attributes()):
            return True
        has = getattr(self.operands[0], "has_attribute", None)
        return bool(has and has(name))

    def add_attribute(self, attribute: str) -> None:
        """Say something of this call, in place of what has that name."""
        self.set_attributes(
            [*self.module.without(self.attributes, attribute_name(attribute)), attribute]
        )

    def remove_attribute(self, name: str) -> None:
        """Take away what is said of this call; its groups are shared and stay as they are."""
        self.set_attributes(self.module.without(self.attributes, name))

    # -- what is said of an argument -----------------------------------------------------------------

    def _before(self, index: int) -> tuple[str, str]:
        """Return separator and type in front of an argument, and its attributes."""
        piece, kind = self.pieces[index + 1], self.arguments[index].type
        end = (1 if index == 0 else 2) + len(kind) + 1
        return piece[:end], piece[end:]

    def argument_attributes(self, index: int) -> list[str]:
        """Return what is said of an argument by this call."""
        return patterns.ATTRIBUTES.findall(self._before(index)[1])

    def set_argument_attributes(self, index: int, attributes: list[str]) -> None:
        """Say other things of an argument."""
        self.pieces[index + 1] = self._before(index)[0] + "".join(f"{one} " for one in attributes)
        self.touch()

    def add_argument_attribute(self, index: int, attribute: str) -> None:
        """Say something of an argument, in place of what has that name."""
        self.remove_argument_attribute(index, attribute_name(attribute))
        self.set_argument_attributes(index, [*self.argument_attributes(index), attribute])

    def remove_argument_attribute(self, index: int, name: str) -> None:
        """Take away what is said of an argument, if that is said."""
        kept = [one for one in self.argument_attributes(index) if attribute_name(one) != name]
        self.set_argument_attributes(index, kept)

    def argument_has(self, index: int, name: str) -> bool:
        """Tell whether something is said of an argument, here or where the callee is declared."""
        own = self.argument_attributes(index)
        said = getattr(self.operands[0], "parameter_attributes", None)
        more = said(index) if said else []
        return any(attribute_name(one) == name for one in (*own, *more))

    # -- other callees and arguments -----------------------------------------------------------------

    def set_callee(self, target: Value) -> None:
        """Call another function with the same arguments."""
        self.set_operand(0, target)

    def set_arguments(
        self, arguments: list[Value], attributes: list[list[str]] | None = None
    ) -> None:
        """Hand over other arguments, about which only what is given is said."""
        said = attributes or [[] for _ in arguments]
        behind = self.pieces[self._count + 1]
        behind = behind[behind.index(")") :]
        for operand in self.operands[1 : self._count + 1]:
            unlink(operand, self)
        texts = [
            " ".join([one.type, *words, ""]) for one, words in zip(arguments, said, strict=True)
        ]
        middle = [f"{', ' if place else '('}{text}" for place, text in enumerate(texts)]
        rest = self.pieces[self._count + 2 :]
        self.pieces = [self.pieces[0], *middle, behind if arguments else f"({behind}", *rest]
        self.operands = (self.operands[0], *arguments, *self.operands[self._count + 1 :])
        self._count = len(arguments)
        for operand in arguments:
            link(operand, self)
        self.touch()


class Invoke(Call):
    """A call that goes to one block when it returns, and to another when it throws: the last two operands."""

    __slots__ = ()

    @property
    def normal(self) -> Value:
        """The block where it goes when the callee returns."""
        return self.operands[-2]

    @property
    def unwind(self) -> Value:
        """The block where it goes when the callee throws."""
        return self.operands[-1]


def assembly(text: str) -> Constant:
    """Return assembly to be called: `asm sideeffect "...", "..."`."""
    return Constant("ptr", text)
