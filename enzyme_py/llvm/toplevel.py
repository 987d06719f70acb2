"""What a module consists of beside functions: global variables, attribute groups, metadata, anything else."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from enzyme_py.llvm.naming import bare
from enzyme_py.llvm.reading import patterns
from enzyme_py.llvm.values import Use, Value

if TYPE_CHECKING:
    from enzyme_py.llvm.instructions import Instruction
    from enzyme_py.llvm.module import Module

Rewriting = Callable[[str], str]


class Other:
    """Text that is kept: comments, types, comdats, assembly of the module, blank lines."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.text.strip()}>"

    def rewrite(self, old: str, change: Rewriting) -> None:
        """Change what the text says where it has a name: see `Module.rename`."""
        self.text = change(self.text)


class GlobalValue(Value):
    """What a module names with `@`."""

    __slots__ = ("_text", "module")

    def __init__(self, ref: str, text: str, module: Module) -> None:
        super().__init__("ptr", ref)
        self._text = text
        self.module = module

    @property
    def text(self) -> str:
        """The lines of the definition, a line's end at the end."""
        return self._text

    @property
    def users(self) -> list[Instruction]:
        """The instructions of the whole module that have it as an operand."""
        self.module.read_all(self.ref)
        return super().users

    @property
    def uses(self) -> list[Use]:
        """Every operand of the whole module that is it; not constants that are made of it."""
        self.module.read_all(self.ref)
        return super().uses

    @property
    def is_used(self) -> bool:
        """Whether it is named anywhere in the module but where it is defined: by instructions or constants."""
        return self.module.mentions(self)

    def rewrite(self, old: str, change: Rewriting) -> None:
        """Change what the text says where it has a name: see `Module.rename`."""
        self._text = change(self._text)

    def erase(self) -> None:
        """Take it out of the module."""
        self.module.remove(self)


_INITIALISER = re.compile(
    rf"@(?:{patterns.NAME}) = (?P<words>(?:[a-z_]+(?:\([^()]*\))? )*?)"
    rf"(?P<kind>global|constant|(?P<name>alias|ifunc)) (?P<type>{patterns.TYPE})"
    rf"(?:(?(name), | )(?P<value>{patterns.VALUE}|{patterns.TYPE} {patterns.VALUE}))?(?=,|$)"
)


class GlobalVariable(GlobalValue):
    """A global variable, or another name of something (`alias`)."""

    __slots__ = ("_known",)

    def _found(self) -> re.Match[str]:
        known: re.Match[str] | None = getattr(self, "_known", None)  # arrays are long to read
        if known is not None and known.string is self._text:
            return known
        found = _INITIALISER.match(self._text)
        assert found is not None, self._text
        self._known = found
        return found

    @property
    def kind(self) -> str:
        """`global`, `constant`, `alias` or `ifunc`."""
        return self._found()["kind"]

    @property
    def value_type(self) -> str:
        """The type of what lies there."""
        return self._found()["type"]

    @property
    def initializer(self) -> str | None:
        """What lies there at first, as text; None if another module says."""
        return self._found()["value"]

    @property
    def words(self) -> list[str]:
        """Linkage, visibility, and whatever else stands in front."""
        return self._found()["words"].split()

    def set_initializer(self, value: str | None) -> None:
        """Write something else there; None leaves it to another module, the linkage must say so as well."""
        found, text = self._found(), "" if value is None else f" {value}"
        start = found.end("type")
        end = start if found["value"] is None else found.end("value")
        self._text = f"{self._text[:start]}{text}{self._text[end:]}"
        self.module.version += 1

    def remove_comdat(self) -> None:
        """Let the linker take it by itself, not in a group."""
        end = self._found().end()
        found = patterns.COMDAT.search(self._text, end)
        if found is not None:
            self._text = self._text[: found.start()] + self._text[found.end() :]
            self.module.version += 1

    @property
    def metadata(self) -> dict[str, str]:
        """What is attached, by kind: `{"enzyme_inactive": "!{}"}`."""
        return dict(patterns.ATTACHED.findall(self._text, self._found().end()))

    def set_metadata(self, kind: str, node: object) -> None:
        """Attach a node (`!5` or a MetadataNode) of a kind of which there is none yet."""
        assert kind not in self.metadata
        text = self._text.removesuffix("\n")
        self._text = f"{text}, !{kind} {node}{self._text[len(text) :]}"
        self.module.version += 1

    def remove_metadata(self, kind: str) -> None:
        """Take a node away, if one of that kind is attached."""
        node = self.metadata.get(kind)
        if node is not None:
            self._text = self._text.replace(f", !{kind} {node}", "", 1)
            self.module.version += 1

    def define_as(self, text: str) -> None:
        """Be defined otherwise, written as `@name = ...`; the name stays."""
        ref, equals, definition = text.partition(" = ")
        assert equals
        assert bare(ref) == self.name
        self._text = f"{self.ref} = {definition.rstrip()}\n"
        self.module.version += 1

    def set_words(self, words: list[str]) -> None:
        """Write other words in front: linkage, visibility, ..."""
        found = self._found()
        text = "".join(f"{word} " for word in words)
        self._text = f"{self._text[: found.start('words')]}{text}{self._text[found.end('words') :]}"
        self.module.version += 1


class UnknownGlobal(GlobalValue):
    """A name that the module uses and nowhere defines."""

    __slots__ = ()


_NOTHING = '"none"'


class AttributeGroup(Other):
    """Attributes that several functions and calls share: `#5`."""

    __slots__ = ("_attributes", "ref")

    def __init__(self, ref: str, text: str) -> None:
        super().__init__(text)
        self.ref = ref
        self._attributes: list[str] | None = None

    def __str__(self) -> str:
        return self.ref

    @property
    def attributes(self) -> list[str]:
        """The attributes."""
        if self._attributes is None:
            inner = self.text[self.text.index("{") + 1 : self.text.rindex("}")]
            self._attributes = patterns.ATTRIBUTES.findall(inner)
        return self._attributes

    def set_attributes(self, attributes: list[str]) -> None:
        """Write other attributes, for all that share the group. LLVM reads no empty one: without any there is a word."""
        self._attributes = list(attributes)
        self.text = f"attributes {self.ref} = {{ {' '.join(attributes) or _NOTHING} }}\n"


class MetadataNode(Other):
    """A numbered node: `!5 = ...`."""

    __slots__ = ("number",)

    def __init__(self, number: int, text: str) -> None:
        super().__init__(text)
        self.number = number

    def __str__(self) -> str:
        return self.ref

    @property
    def ref(self) -> str:
        """The node as it is named: `!5`."""
        return f"!{self.number}"

    @property
    def content(self) -> str:
        """What stands behind the sign of equality."""
        return self.text.partition(" = ")[2].rstrip("\n")

    def set_content(self, content: str) -> None:
        """Write something else."""
        self.text = f"{self.ref} = {content}\n"

    @property
    def is_distinct(self) -> bool:
        """Whether the node is one of its own, though others may be like it."""
        return self.content.startswith("distinct ")

    @property
    def kind(self) -> str:
        """`DILocation` of `!DILocation(...)`, nothing of a tuple."""
        content = self.content.removeprefix("distinct ")[1:]
        return content[: content.index("(")] if "(" in content and content[0] not in '{"' else ""

    @property
    def operands(self) -> list[str]:
        """The elements of a tuple as text."""
        from enzyme_py.llvm.types import split

        content = self.content
        return split(content[content.index("{") + 1 : content.rindex("}")]) if not self.kind else []

    @property
    def fields(self) -> dict[str, str]:
        """The fields of a node with a kind: `{"line": "5", "scope": "!3"}`."""
        from enzyme_py.llvm.types import split

        content = self.content
        if not self.kind:
            return {}
        inner = split(content[content.index("(") + 1 : content.rindex(")")])
        pairs = (one.partition(": ") for one in inner)
        return {name: value for name, colon, value in pairs if colon}


class NamedMetadata(Other):
    """A named list of nodes: `!llvm.module.flags = !{...}`."""

    __slots__ = ("name",)

    def __init__(self, name: str, text: str) -> None:
        super().__init__(text)
        self.name = name

    @property
    def operands(self) -> list[str]:
        """The nodes of the list."""
        from enzyme_py.llvm.types import split

        return split(self.text[self.text.index("{") + 1 : self.text.rindex("}")])

    def set_operands(self, nodes: list[str]) -> None:
        """Write another list."""
        self.text = f"!{self.name} = !{{{', '.join(nodes)}}}\n"
