"""The line with which a function begins: linkage, result, parameters, attributes."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from enzyme_py.llvm import naming, types
from enzyme_py.llvm.reading import patterns
from enzyme_py.llvm.toplevel import GlobalValue, Rewriting
from enzyme_py.llvm.values import Argument, Value, attribute_name

if TYPE_CHECKING:
    from enzyme_py.llvm.module import Module


class Head(GlobalValue):
    """A function without its body."""

    __slots__ = ("_arguments", "_head", "_is_head_new", "_parts", "locals")

    def __init__(self, ref: str, text: str, head: str, module: Module) -> None:
        super().__init__(ref, text, module)
        self._head = head
        self._parts: tuple[str, str, str] | None = None
        self._arguments: list[Argument] | None = None
        self._is_head_new = False
        self.locals: dict[str, Value] = {}  # what has a name in the function, by its reference

    @property
    def is_declaration(self) -> bool:
        """Whether the function is only declared."""
        return self._head.startswith("declare")

    def read(self) -> None:
        """Read the body, if there is one that nobody has read."""

    def _split_head(self) -> tuple[str, str, str]:
        """Return the head in three: up to the name, the parameters, what stands behind."""
        if self._parts is None:
            start = self._head.index(self.ref + "(") + len(self.ref)
            end = types.closing(self._head, start)
            self._parts = self._head[:start], self._head[start + 1 : end], self._head[end + 1 :]
        return self._parts

    @property
    def head(self) -> str:
        """The line that begins with `define` or `declare`."""
        if not self._is_head_new:
            return self._head
        before, _, behind = self._split_head()
        given = [
            " ".join([one.type, *one.attributes, *([one.ref] if one.ref else [])])
            for one in self.arguments
        ]
        given += ["..."] if self.is_variadic else []
        return f"{before}({', '.join(given)}){behind}"

    @property
    def arguments(self) -> list[Argument]:
        """The parameters."""
        if self._arguments is None:
            self._arguments = []
            for text in types.split(self._split_head()[1]):
                if text == "...":
                    continue
                found = patterns.ARGUMENT.match(text)
                assert found is not None, text
                said = patterns.ATTRIBUTES.findall(found[2])
                ref = found[3] or ""
                one = Argument(found[1], ref, self, said)
                self._arguments.append(one)
                if ref:
                    self.locals[ref] = one
        return self._arguments

    @property
    def is_variadic(self) -> bool:
        """Whether the function takes more than its parameters."""
        return self._split_head()[1].endswith("...")

    @property
    def return_type(self) -> str:
        """The type of the result."""
        return self._signature()[1]

    def set_return_type(self, type_: str) -> None:
        """Return something of another type; what stands in front of the type stays. Calls are left as they are."""
        before, given, behind = self._split_head()
        old = self.return_type
        place = before.rindex(f"{old} {self.ref}")
        self._parts = f"{before[:place]}{type_} {self.ref}", given, behind
        self.touch_head()

    @property
    def return_attributes(self) -> list[str]:
        """What stands in front of the result's type: linkage, convention, attributes."""
        return patterns.ATTRIBUTES.findall(self._signature()[0])

    def _signature(self) -> tuple[str, str]:
        before = self._split_head()[0]
        start = before.index(" ") + 1
        while before.startswith("!", start):  # of a declaration, metadata stands in front
            start = before.index(" ", before.index(" !", start) + 1) + 1
        found = patterns.SIGNATURE.match(before, start)
        assert found is not None, self._head
        return found[1], found[2]

    @property
    def linkage(self) -> str:
        """`internal`, `linkonce_odr`, ...: `external` if nothing is said."""
        return next((one for one in self.return_attributes if one in _LINKAGES), "external")

    def set_linkage(self, linkage: str) -> None:
        """Write another linkage; `external` is the one that is not written."""
        before, given, behind = self._split_head()
        words = before.split(" ")
        words = [word for place, word in enumerate(words) if place == 0 or word not in _LINKAGES]
        if linkage != "external":
            words.insert(1, linkage)
        self._parts = " ".join(words), given, behind
        self.touch_head()

    def remove_word(self, word: str) -> None:
        """Take a word away that stands in front of the result's type: `dso_local`, `hidden`, ..."""
        before, given, behind = self._split_head()
        if f" {word} " in before:
            self._parts = before.replace(f" {word} ", " ", 1), given, behind
            self.touch_head()

    def declare_as(self, text: str) -> None:
        """Be declared in other words, written as `declare ...`; the name stays."""
        found = patterns.TOP.match(text)
        assert self.is_declaration
        assert found is not None
        assert naming.bare(found[2]) == self.name
        self._head = f"{text[: found.start(2)]}{self.ref}{text[found.end(2) :]}".rstrip("\n")
        self._parts = self._arguments = None
        self._is_head_new = False
        self.touch()

    @property
    def attributes(self) -> list[str]:
        """What stands behind the parameters: attributes and groups (`#5`), `section`, `personality`, ..."""
        behind = self._split_head()[2].removesuffix("{")
        place = behind.find(" !")
        return patterns.ATTRIBUTES.findall(behind if place < 0 else behind[:place])

    def has_attribute(self, name: str) -> bool:
        """Tell whether the function has an attribute, by itself or by a group."""
        return any(attribute_name(one) == name for one in self.module.expanded(self.attributes))

    def attribute(self, name: str) -> str | None:
        """Return an attribute in full, by the name in front of its value."""
        found = (
            one for one in self.module.expanded(self.attributes) if attribute_name(one) == name
        )
        return next(found, None)

    def add_attribute(self, attribute: str) -> None:
        """Give the function an attribute, in place of one of that name; groups are shared and stay."""
        self.remove_attribute(attribute_name(attribute))
        before, given, behind = self._split_head()
        start = patterns.BEFORE_ATTRIBUTES.match(behind).end()  # type: ignore[union-attr]
        self._parts = before, given, f"{behind[:start]} {attribute}{behind[start:]}"
        self.touch_head()

    def remove_attribute(self, name: str) -> None:
        """Take an attribute away; groups that have it are replaced by ones without."""
        before, given, behind = self._split_head()
        end = behind.find(" !") if " !" in behind else len(behind)
        words = patterns.ATTRIBUTES.findall(behind[:end])
        kept = self.module.without(words, name)
        if kept != words:
            text = behind[:end]
            for old, new in itertools.zip_longest(words, kept) if len(kept) == len(words) else ():
                text = text.replace(f" {old}", f" {new}", 1) if old != new else text
            if len(kept) != len(words):
                for old in words:
                    if old not in kept:
                        text = text.replace(f" {old}", "", 1)
            self._parts = before, given, text + behind[end:]
            self.touch_head()

    def parameter_attributes(self, index: int) -> list[str]:
        """Return what is said of a parameter."""
        return self.arguments[index].attributes if index < len(self.arguments) else []

    @property
    def metadata(self) -> dict[str, str]:
        """What is attached to the function, by kind."""
        before, _, behind = self._split_head()
        return dict(patterns.ATTACHED_TO_HEAD.findall(before + behind))

    def set_metadata(self, kind: str, node: object) -> None:
        """Attach a node (`!5` or a MetadataNode) to a function that is defined, in place of another one of that kind."""
        self.remove_metadata(kind)
        before, given, behind = self._split_head()
        assert behind.endswith("{"), "of a declaration, metadata stands in front"
        self._parts = before, given, f"{behind.removesuffix('{').rstrip()} !{kind} {node} {{"
        self.touch_head()

    def remove_metadata(self, kind: str) -> None:
        """Take a node away that is attached to the function, if there is one of that kind."""
        if kind not in self.metadata:
            return
        before, given, behind = self._split_head()
        pattern = patterns.attached_to_head(kind)
        before, behind = pattern.sub("", before), pattern.sub("", behind)
        self._parts = before, given, behind
        if not self._is_head_new:
            self._head = f"{before}({given}){behind}"
        self.touch()

    def touch_head(self) -> None:
        """Say that the head has changed."""
        _ = self.arguments
        self._is_head_new = True
        self.touch()

    def touch(self, *, is_shape: bool = False) -> None:
        """Say that the function has changed."""
        raise NotImplementedError

    def rename(self, value: Value, name: str) -> None:
        """Name a value of the function."""
        raise NotImplementedError

    def rewrite(self, old: str, change: Rewriting) -> None:
        """Change what the text says where it has a name: see `Module.rename`."""
        super().rewrite(old, change)
        self._head = change(self._head)
        if self._parts is not None:
            before, given, behind = map(change, self._parts)
            self._parts = before, given, behind


_LINKAGES = frozenset(
    "private internal available_externally linkonce weak common appending extern_weak linkonce_odr "
    "weak_odr external".split()
)
