"""A module: what its text consists of, in order. Functions are looked into when asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from enzyme_py.llvm import naming
from enzyme_py.llvm.functions import Function
from enzyme_py.llvm.reading import patterns
from enzyme_py.llvm.toplevel import (
    AttributeGroup,
    GlobalValue,
    GlobalVariable,
    MetadataNode,
    NamedMetadata,
    Other,
    UnknownGlobal,
)
from enzyme_py.llvm.values import Constant, attribute_name

if TYPE_CHECKING:
    from enzyme_py.llvm.instructions import Call

Item = Other | GlobalValue


class Module:
    """The code of one module: `Module(text)` reads it, `str(module)` is its text."""

    __slots__ = (
        "_constants",
        "_has_addresses",
        "_unknown",
        "groups",
        "items",
        "metadata",
        "named",
        "symbols",
        "version",
    )

    def __init__(self, text: str = "") -> None:
        self.items: list[Item] = []
        self.symbols: dict[str, GlobalValue] = {}  # by name with sign, as written
        self.groups: dict[str, AttributeGroup] = {}  # by reference: "#5"
        self.metadata: dict[str, MetadataNode] = {}  # by reference: "!5"
        self.named: dict[str, NamedMetadata] = {}  # by name without sign: "llvm.module.flags"
        self.version = 0  # grows with every edit
        self._constants: dict[tuple[str, str], Constant] = {}
        self._unknown: dict[str, GlobalValue] = {}
        self._has_addresses = "blockaddress(" in text
        self._read(text)

    def __str__(self) -> str:
        return "".join([item.text for item in self.items])

    def _read(self, text: str) -> None:
        at, kept, size = 0, 0, len(text)
        match = patterns.TOP.match
        while at < size:
            end = text.find("\n", at) + 1 or size
            found = match(text, at) if text[at] in "da@!" else None
            if found is not None:
                if kept < at:
                    self.items.append(Other(text[kept:at]))
                if found[1] == "define" and text[end - 2 : end] != "}\n":
                    close = text.find("\n}", end - 1)
                    end = close + 3 if text.startswith("\n}\n", close) else size
                self._add(found.groups(), text[at:end])
                kept = end
            at = end
        if kept < size:
            self.items.append(Other(text[kept:]))

    def _add(self, found: Sequence[str | None], text: str) -> None:
        _, function, variable, _, group, content, number, named = found
        if function is not None:
            self._name(Function(function, text, self))
        elif variable is not None:
            self._name(GlobalVariable(variable, text, self))
        elif group is not None and content is not None:
            self.groups[group] = AttributeGroup(group, text)
            self.items.append(self.groups[group])
        elif number is not None:
            node = self.metadata[f"!{number}"] = MetadataNode(int(number), text)
            self.items.append(node)
        elif named is not None:
            self.named[named] = NamedMetadata(named, text)
            self.items.append(self.named[named])

    def _name(self, value: GlobalValue) -> None:
        self.items.append(value)
        self.symbols[value.ref] = value

    # -- what is there -------------------------------------------------------------------------------

    @property
    def functions(self) -> list[Function]:
        """The functions that the module defines."""
        return [one for one in self.items if isinstance(one, Function) and not one.is_declaration]

    @property
    def declarations(self) -> list[Function]:
        """The functions that the module only declares."""
        return [one for one in self.items if isinstance(one, Function) and one.is_declaration]

    @property
    def variables(self) -> list[GlobalVariable]:
        """The global variables and aliases."""
        return [one for one in self.items if isinstance(one, GlobalVariable)]

    def find(self, ref: str) -> GlobalValue | None:
        """Return what has a name, written with its sign, None if nothing has."""
        return self.symbols.get(ref) or self.symbols.get(naming.otherwise_written(ref))

    def get(self, name: str) -> GlobalValue | None:
        """Return the function or variable of a name, None if there is none."""
        return self.find(f"@{naming.quoted(name)}")

    def function(self, name: str) -> Function:
        """Return the function of a name, defined or declared."""
        found = self.get(name)
        if not isinstance(found, Function):
            raise KeyError(name)
        return found

    def symbol(self, ref: str) -> GlobalValue:
        """Return what has a name, written with its sign; something that nobody defined, if need be."""
        found = self.find(ref)
        if found is None:
            ref = naming.canonical(ref)
            found = self._unknown.setdefault(ref, UnknownGlobal(ref, "", self))
        return found

    def constant(self, type_: str, text: str) -> Constant:
        """Return a constant as written."""
        found = self._constants.get((type_, text))
        if found is None:
            found = self._constants[type_, text] = Constant(type_, text)
        return found

    def read_all(self, ref: str) -> None:
        """Look into every function whose text has a name."""
        for one in self.functions:
            if not one.is_read and naming.bare(ref) in one.body_text:
                one.read()

    def mentions(self, value: GlobalValue) -> bool:
        """Tell whether anything in the module names a value, but for its own definition's line."""
        refs = value.ref, naming.otherwise_written(value.ref)
        for item in self.items:
            text = item.text
            if item is value:
                text = text.partition("\n")[2] if isinstance(item, Function) else ""
            if any(ref in text and _stands_in(ref, text) for ref in refs):
                return True
        return False

    # -- attributes ----------------------------------------------------------------------------------

    def expanded(self, attributes: Sequence[str]) -> list[str]:
        """Return attributes with those of groups in their place."""
        result = list[str]()
        for one in attributes:
            group = self.groups.get(one) if one.startswith("#") else None
            result += [one] if group is None else group.attributes
        return result

    def without(self, attributes: Sequence[str], name: str) -> list[str]:
        """Return attributes without one, by name; a group that has it is replaced by one without."""
        result = list[str]()
        for one in attributes:
            group = self.groups.get(one) if one.startswith("#") else None
            if group is not None:
                kept = [each for each in group.attributes if attribute_name(each) != name]
                if kept != group.attributes:
                    result += [self.group(kept)] if kept else []
                    continue
            if attribute_name(one) != name:
                result.append(one)
        return result

    def group(self, attributes: Sequence[str]) -> str:
        """Return the reference of a group of just these attributes: one that is there, or a new one."""
        for ref, group in self.groups.items():
            if group.attributes == list(attributes):
                return ref
        number = 1 + max((int(ref[1:]) for ref in self.groups), default=-1)
        new = AttributeGroup(f"#{number}", "")
        new.set_attributes(list(attributes))
        self._insert_behind(new, AttributeGroup)
        self.groups[new.ref] = new
        return new.ref

    # -- changes -------------------------------------------------------------------------------------

    def _insert_behind(self, item: Item, kind: type[Item] | tuple[type[Item], ...]) -> None:
        """Put something behind the last thing of its kind, else at the end."""
        self.version += 1
        places = range(len(self.items) - 1, -1, -1)
        last = next((place for place in places if isinstance(self.items[place], kind)), None)
        place = len(self.items) if last is None else last + 1
        if place and not self.items[place - 1].text.endswith("\n"):
            self.items.insert(place, Other("\n"))
            place += 1
        self.items.insert(place, item)

    def declare(
        self,
        name: str,
        return_type: str,
        parameters: Sequence[str] = (),
        attributes: Sequence[str] = (),
    ) -> Function:
        """Return a function by name: the one that is there, else one that is declared now.

        Parameters are types, with attributes behind them (`"ptr noundef"`), and `...` at the end if there may be more.
        """
        found = self.get(name)
        if isinstance(found, Function):
            return found
        assert found is None, f"{name} is no function"
        ref = f"@{naming.quoted(name)}"
        words = "".join(f" {one}" for one in attributes)
        text = f"declare {return_type} {ref}({', '.join(parameters)}){words}\n"
        return self.add_function(ref, text)

    def add_function(self, ref: str, text: str) -> Function:
        """Add a function that is written as text, under a name that nothing in the module has."""
        assert self.find(ref) is None, ref
        new = Function(ref, text, self)
        self._insert_behind(new, Function)
        self._take(new)
        return new

    def _take(self, value: GlobalValue) -> None:
        """Give a new value its name; who used that name before it was there, uses it now."""
        self.symbols[value.ref] = value
        known = self._unknown.pop(naming.canonical(value.ref), None)
        if known is not None:
            known.replace_all_uses_with(value)

    def add_variable(self, name: str, definition: str) -> GlobalVariable:
        """Add a global variable, written as behind `=`: `internal global i64 0`."""
        ref = f"@{naming.quoted(self.unique_name(name))}"
        new = GlobalVariable(ref, f"{ref} = {definition}\n", self)
        place = next((p for p, one in enumerate(self.items) if isinstance(one, GlobalValue)), None)
        if place is None:
            self._insert_behind(new, GlobalVariable)
        else:
            self.items.insert(place, new)
        self._take(new)
        self.version += 1
        return new

    def add_node(self, content: str) -> MetadataNode:
        """Add a node of metadata, written as behind `=`: `!{}`, `distinct !{}`."""
        number = 1 + max((node.number for node in self.metadata.values()), default=-1)
        new = MetadataNode(number, f"!{number} = {content}\n")
        self._insert_behind(new, (MetadataNode, NamedMetadata))
        self.metadata[new.ref] = new
        return new

    def name_node(self, name: str, node: object) -> None:
        """Put a node into a named list, which may be new: `llvm.module.flags`."""
        if name not in self.named:
            self.named[name] = NamedMetadata(name, f"!{name} = !{{}}\n")
            self._insert_behind(self.named[name], NamedMetadata)
        self.named[name].set_operands([*self.named[name].operands, str(node)])

    def node(self, content: str) -> MetadataNode:
        """Return a node with some content: one that is there, or a new one; `distinct` ones are always new."""
        if not content.startswith("distinct "):
            for one in self.metadata.values():
                if one.content == content:
                    return one
        return self.add_node(content)

    def add_text(self, text: str) -> list[GlobalValue]:
        """Add functions, declarations and variables that are written as text; returns those that are new.

        What the module has by name already, is left out if both or the new one are only declared.
        """
        added, other = list[GlobalValue](), Module(text)
        for item in other.items:
            if isinstance(item, GlobalValue):
                known = self.find(item.ref)
                is_declared = isinstance(item, Function) and item.is_declaration
                if known is not None and is_declared:
                    continue
                new = known if known is not None else type(item)(item.ref, item.text, self)
                if known is not None:
                    assert isinstance(known, Function), item.ref
                    assert isinstance(item, Function), item.ref
                    assert known.is_declaration, f"{item.ref} is defined twice"
                    known.define_as(item.text)
                    self.items.remove(known)
                # In the order of the text, though it mixes functions and variables.
                self._insert_behind(new, (Function, type(added[-1])) if added else Function)
                if known is None:
                    self._take(new)
                added.append(new)
            else:
                assert not item.text.strip(" \n") or item.text.lstrip().startswith(";"), item.text
        return added

    def remove(self, value: Item) -> None:
        """Take something out of the module; uses are not looked for."""
        place = next(place for place, one in enumerate(self.items) if one is value)
        del self.items[place]
        before = self.items[place - 1] if place else None
        if isinstance(before, Other) and type(before) is Other:  # the comment on its attributes
            lines = before.text.splitlines(keepends=True)
            if lines and lines[-1].startswith("; Function Attrs:"):
                before.text = "".join(lines[:-1])
        if isinstance(value, GlobalValue):
            self.symbols.pop(value.ref, None)
        elif isinstance(value, MetadataNode):
            self.metadata.pop(value.ref, None)
        elif isinstance(value, AttributeGroup):
            self.groups.pop(value.ref, None)
        elif isinstance(value, NamedMetadata):
            self.named.pop(value.name, None)
        self.version += 1

    def unique_name(self, hint: str) -> str:
        """Return a name that nothing in the module has, which begins as is wished."""
        if self.get(hint) is None:
            return hint
        number = 1
        while self.get(f"{hint}.{number}") is not None:
            number += 1
        return f"{hint}.{number}"

    def rename(self, value: GlobalValue, name: str) -> None:
        """Name a function or variable otherwise, also in constants and metadata that name it."""
        from enzyme_py.llvm.editing.renaming import rename_global

        rename_global(self, value, name)

    def rename_all(self, names: Mapping[GlobalValue, str]) -> None:
        """Name many functions and variables otherwise, in one go over the text; nothing else may have these names."""
        from enzyme_py.llvm.editing.renaming import rename_globals

        rename_globals(self, names)

    def move_before(self, one: Item, other: Item) -> None:
        """Let something stand in front of another thing."""
        if one is not other:
            del self.items[_place(self.items, one)]
            self.items.insert(_place(self.items, other), one)
            self.version += 1

    def drop_lines(self, *starts: str) -> None:
        """Take lines away that are nothing that is read here, by how they begin: `source_filename = `."""
        for item in self.items:
            if type(item) is Other and any(start in item.text for start in starts):
                lines = item.text.splitlines(keepends=True)
                item.text = "".join(line for line in lines if not line.startswith(starts))
                self.version += 1

    def drop_debug_information(self) -> None:
        """Take away all that tells a debugger where code comes from; nodes that nothing names any more stay."""
        for item in self.items:
            if isinstance(item, Function):
                item.drop_debug_information()
            elif isinstance(item, GlobalVariable) and " !dbg " in item.text:
                item.remove_metadata("dbg")
        units = self.named.get("llvm.dbg.cu")
        if units is not None:
            self.remove(units)

    def rename_address(self, old: str, new: str) -> None:
        """Write the address of a block otherwise, which constants hold."""
        from enzyme_py.llvm.editing.renaming import rewrite

        if self._has_addresses:
            rewrite(self, old, lambda text: text.replace(old, new))

    def calls_of(self, *names: str) -> Iterator[Call]:
        """Yield the direct calls of functions by name, in the whole module."""
        for function in self.functions:
            if function.is_read or any(name in function.body_text for name in names):
                yield from function.calls_of(*names)


def _place(items: Sequence[Item], item: Item) -> int:
    return next(place for place, one in enumerate(items) if one is item)


def _stands_in(ref: str, text: str) -> bool:
    """Tell whether a reference stands in a text, and not just at the beginning of a longer one."""
    at = text.find(ref)
    while at >= 0:
        behind = text[at + len(ref) : at + len(ref) + 1]
        if ref.endswith('"') or not (behind.isalnum() or behind in tuple("-$._")):
            return True
        at = text.find(ref, at + 1)
    return False
