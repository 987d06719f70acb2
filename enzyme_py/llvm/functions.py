"""Functions: defined ones with blocks, which are read when first asked for, and declared ones."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from enzyme_py.llvm import naming
from enzyme_py.llvm.blocks import Block
from enzyme_py.llvm.heads import Head
from enzyme_py.llvm.instructions import Instruction
from enzyme_py.llvm.reading import patterns
from enzyme_py.llvm.reading.body import LLVMSyntaxError
from enzyme_py.llvm.toplevel import Rewriting
from enzyme_py.llvm.values import Argument, Constant, Value

if TYPE_CHECKING:
    from enzyme_py.llvm.analyses import Analysis
    from enzyme_py.llvm.instructions import Call
    from enzyme_py.llvm.module import Module

A = TypeVar("A", bound="Analysis")


class Function(Head):
    """A function that a module defines or declares. As a value its type is `ptr`."""

    __slots__ = (
        "_analyses", "_blocks", "_body", "_named", "_trail", "is_edited", "shape", "version",
    )  # fmt: skip

    def __init__(self, ref: str, text: str, module: Module) -> None:
        head, self._body = _cut(text)
        super().__init__(ref, text, head, module)
        self._blocks: list[Block] | None = None
        self._trail = ""
        self._named: dict[str, int] = {}  # the last number that a name got
        self._analyses: dict[type[Analysis], tuple[int, Analysis]] = {}
        self.is_edited = False
        self.version = 0  # grows with every edit
        self.shape = 0  # grows with every edit of blocks and edges

    # -- the body ------------------------------------------------------------------------------------

    @property
    def blocks(self) -> list[Block]:
        """The blocks, the entry first; none of a declaration."""
        if self._blocks is None:
            from enzyme_py.llvm.reading.body import read_body

            _ = self.arguments
            self._blocks = []
            if not self.is_declaration:
                self._blocks, self._trail = read_body(self, self._body)
        return self._blocks

    def read(self) -> None:
        """Read the body, if nobody has."""
        _ = self.blocks

    @property
    def is_read(self) -> bool:
        """Whether anybody has looked at the blocks yet."""
        return self._blocks is not None

    @property
    def body_text(self) -> str:
        """The text behind the head as read: for whoever only asks whether some word stands in it."""
        return self._body

    def mentions(self, text: str) -> bool:
        """Tell whether a text stands in the body as it now is, without reading what nobody has read."""
        return any(text in part for part in self._texts())

    def count(self, text: str) -> int:
        """Return how often a text stands in the body as it now is, likewise."""
        return sum(part.count(text) for part in self._texts())

    def words_of(self, opcode: str) -> Iterator[list[str]]:
        """Yield what stands behind an opcode, without commas and metadata: flags, types, operands; likewise."""
        mark = f" {opcode} "
        for part in self._texts():
            if mark in part:
                lines = (one.partition(mark)[2] for one in part.splitlines())
                yield from (one.partition(", !")[0].replace(",", "").split() for one in lines if one)

    def global_names(self) -> set[str]:
        """Return the global names that stand in the body, without sign, likewise."""
        return {name for part in self._texts() for name in naming.global_names(part)}

    def callees(self) -> set[str]:
        """Return the functions that the body calls by name, without sign, likewise."""
        return {*self.called()}

    def called(self) -> Iterator[str]:
        """Yield what each call by name calls, likewise."""
        found = (patterns.CALLED_NAME.findall(part) for part in self._texts())
        return (naming.bare(ref) for refs in found for ref in refs if ref)

    def _texts(self) -> Iterator[str]:
        if self._blocks is None or not self.is_edited:
            yield self._body
        else:
            yield from (one.line for one in self.instructions)

    @property
    def entry(self) -> Block:
        """The block where the function begins."""
        return self.blocks[0]

    @property
    def instructions(self) -> Iterator[Instruction]:
        """All instructions, block by block; those of a block may change meanwhile."""
        for block in list(self.blocks):
            yield from list(block.instructions)

    @property
    def calls(self) -> list[Call]:
        """All calls."""
        return [one for one in self.instructions if one.opcode in _CALLS]  # type: ignore[misc]

    def calls_of(self, *names: str) -> list[Call]:
        """Return the direct calls of functions by name."""
        return [one for one in self.calls if one.callee in names]

    def block(self, name: str) -> Block:
        """Return the block of a name."""
        found = self.find(f"%{name}")
        assert isinstance(found, Block), name
        return found

    def __getitem__(self, name: str) -> Value:
        """Return the parameter, block or instruction of a name."""
        found = self.find(f"%{name}")
        if found is None:
            raise KeyError(name)
        return found

    def find(self, ref: str) -> Value | None:
        """Return what has a name, written with its sign, None if nothing has."""
        self.read()
        return self.locals.get(ref) or self.locals.get(naming.otherwise_written(ref))

    def value(self, type_: str, text: str) -> Value:
        """Return the value that a text means where a type is expected."""
        first = text[0]
        if first == "%":
            found = self.locals.get(text) or self.locals.get(naming.otherwise_written(text))
            if found is None:
                from enzyme_py.llvm.reading.body import LLVMSyntaxError

                raise LLVMSyntaxError(f"{self.ref} uses {text} and does not define it")
            return found
        if first == "@":
            return self.module.symbol(text)
        return self.module.constant(type_, text)

    def entry_ref(self) -> str:
        """Return the number that an entry has without a label: that behind the unnamed parameters'."""
        return f"%{sum(one.is_numbered for one in self.arguments)}"

    # -- changes -------------------------------------------------------------------------------------

    def touch(self, *, is_shape: bool = False) -> None:
        """Say that the function has changed: what was found out about it, counts no more."""
        self.is_edited = True
        self.version += 1
        self.shape += is_shape
        self.module.version += 1

    def analysis(self, kind: type[A]) -> A:
        """Return an analysis of the function as it now is."""
        now = self.shape if kind.OF_SHAPE else self.version
        known = self._analyses.get(kind)
        if known is None or known[0] != now:
            known = self._analyses[kind] = now, kind(self)
        return known[1]  # type: ignore[return-value]

    def unique_name(self, hint: str) -> str:
        """Return a name that no value of the function has, which begins as is wished."""
        self.read()
        if self.find(f"%{naming.quoted(hint)}") is None and not hint.isdecimal() and hint:
            return hint
        hint = hint or "v"
        hint = f"v{hint}" if hint.isdecimal() else hint
        numbers = itertools.count(self._named.get(hint, 0) + 1)
        number = next(one for one in numbers if self.find(f"%{naming.quoted(f'{hint}.{one}')}") is None)
        self._named[hint] = number
        return f"{hint}.{number}"

    def rename(self, value: Value, name: str) -> None:
        """Name a value of the function."""
        old = value.ref
        self.locals.pop(old, None)
        value.ref = f"%{naming.quoted(self.unique_name(name))}"
        self.locals[value.ref] = value
        for user in (*value.users, *(value._records or ())):
            user.touch()
        if isinstance(value, Instruction):
            value.touch()
        if isinstance(value, Argument):
            self.touch_head()
        if isinstance(value, Block):
            self.module.rename_address(
                f"blockaddress({self.ref}, {old})", f"blockaddress({self.ref}, {value.ref})"
            )
        self.touch(is_shape=isinstance(value, Block))

    def admit(self, instruction: Instruction) -> None:
        """Note an instruction that comes into the function: its name must be one of its own."""
        if instruction.ref:
            known = self.find(instruction.ref)
            if known is not None and known is not instruction:
                instruction.ref = f"%{naming.quoted(self.unique_name(instruction.name))}"
                for user in instruction.users:
                    user.touch()
            self.locals[instruction.ref] = instruction
        elif instruction.type not in ("void", ""):
            instruction.ref = f"%{naming.quoted(self.unique_name('v'))}"
            self.locals[instruction.ref] = instruction

    def dismiss(self, instruction: Instruction) -> None:
        """Forget the name of an instruction that leaves the function."""
        if instruction.ref and self.locals.get(instruction.ref) is instruction:
            del self.locals[instruction.ref]

    def add_block(
        self, name: str, *, before: Block | None = None, after: Block | None = None
    ) -> Block:
        """Add an empty block: at the end, or beside another one."""
        block = Block(f"%{naming.quoted(self.unique_name(name))}", self)
        place = len(self.blocks)
        if before is not None:
            place = self.blocks.index(before)
        elif after is not None:
            place = self.blocks.index(after) + 1
        self.blocks.insert(place, block)
        self.locals[block.ref] = block
        self.touch(is_shape=True)
        return block

    def remove_block(self, block: Block) -> None:
        """Forget a block that is empty in effect: see `Block.erase`."""
        self.blocks.remove(block)
        self.locals.pop(block.ref, None)
        self.touch(is_shape=True)
        block.function = None

    def set_arguments(self, arguments: Sequence[Argument | tuple[str, str]]) -> list[Argument]:
        """Take other parameters: some of those of now, and new ones by type and wished name.

        Calls are left as they are. What uses a parameter that is left out must be given something else.
        """
        self.read()  # what is read later would not find those that go
        for one in self.arguments:
            if one not in arguments:
                self.locals.pop(one.ref, None)
        made = list[Argument]()
        for given in arguments:
            if isinstance(given, Argument):
                made.append(given)
                continue
            type_, name = given
            new = Argument(type_, f"%{naming.quoted(self.unique_name(name))}", self, [])
            self.locals[new.ref] = new
            made.append(new)
        self._arguments = made
        self.touch_head()
        return made

    def drop_metadata(self, *kinds: str) -> None:
        """Take whatever is attached to instructions of some kinds away, without reading what nobody has read."""
        if self._blocks is not None:
            for one in self.instructions:
                for kind in kinds:
                    one.remove_metadata(kind)
            return
        if any(f", !{kind} " in self._body for kind in kinds):
            self._body = patterns.attached(kinds).sub("", self._body)
            self.touch()

    def drop_debug_information(self) -> None:
        """Take away where the code comes from and what tells the debugger of variables, likewise."""
        self.remove_metadata("dbg")
        self.drop_metadata("dbg")
        if self._blocks is not None:
            for one in self.instructions:
                for note in list(one.notes or ()):
                    if isinstance(note, Instruction):
                        note.drop()
        elif "#dbg_" in self._body:
            self._body = patterns.DEBUG_RECORDS.sub("", self._body)
            self.touch()

    def drop_calls(self, start: str) -> None:
        """Take the calls away of functions whose names begin so, if they give nothing, likewise."""
        if not self.mentions(start):
            return
        if self._blocks is None:
            self._body = patterns.calls_without_result(start).sub("", self._body)
            self.touch()
            return
        for call in self.calls:
            if call.callee.startswith(start) and call.opcode == "call" and not call.has_result:
                call.erase()

    def redirect_calls(self, kind: str, target: Callable[[str, str], Value | None]) -> None:
        """Let calls call other functions to which a node of some kind is attached, which goes, likewise.

        `target` gets the name that is called and the node, and returns what is called now, or None to leave a call as it is.
        """
        mark = f", !{kind} "
        if not self.mentions(mark):
            return
        if self._blocks is not None:
            for call in self.calls:
                node = call.metadata.get(kind, "") if call.callee else ""
                new = target(call.callee, node) if node else None
                if new is not None:
                    call.set_callee(new)
                    call.remove_metadata(kind)
            return
        body, parts, done = self._body, list[str](), 0
        at = body.find(mark)
        while at >= 0:
            start, end = body.rfind("\n", 0, at) + 1, body.find("\n", at)
            line = body[start:end]
            found, given = patterns.CALLEE.match(line), patterns.attached((kind,)).search(line)
            if found is None or given is None:
                new = None
            else:
                new = target(naming.bare(found[1]), given[0][len(mark) :])
            if found and given and new is not None:
                line = line.replace(given[0], "", 1)
                line = f"{line[: found.start(1)]}{new.ref}{line[found.end(1) :]}"
                parts += body[done:start], line
                done = end
            at = body.find(mark, end)
        if parts:
            self._body = "".join([*parts, body[done:]])
            self.touch()

    def define_as(self, text: str) -> None:
        """Be defined by text, written as `define ...`, in place of being declared; who uses it need not be read."""
        found = patterns.TOP.match(text)
        assert self.is_declaration
        assert found is not None
        assert naming.bare(found[2]) == self.name
        own = f"{text[: found.start(2)]}{self.ref}{text[found.end(2) :]}"
        self._head, self._body = _cut(own)
        self._parts = self._arguments = self._blocks = None
        self._is_head_new = False
        self.locals.clear()
        self.touch(is_shape=True)

    def rewrite(self, old: str, change: Rewriting) -> None:
        """Change what the text says where it has a name: see `Module.rename`."""
        if self._blocks is None and not self.is_edited and self._parts is None:
            self._text = change(self._text)
            self._head, self._body = _cut(self._text)
            return
        super().rewrite(old, change)
        self._body = change(self._body)
        for one in self.instructions if self._blocks else ():
            one.rewrite(old, change)

    # -- text ----------------------------------------------------------------------------------------

    @property
    def text(self) -> str:
        """The function as LLVM prints it, a line's end at its end."""
        if not self.is_edited:
            return self._text
        from enzyme_py.llvm.printer import function_text

        return function_text(self)

    @property
    def trail(self) -> str:
        """What stands behind the last instruction."""
        return self._trail

    def constant(self, type_: str, value: int | str) -> Constant:
        """Return a constant."""
        return self.module.constant(type_, str(value))


def _cut(text: str) -> tuple[str, str]:
    """Return head and body of a function's text."""
    head, _, body = text.partition("\n")
    if text.startswith("define") and not head.endswith("{"):  # all in one line
        place = head.rfind("{")
        if place < 0:
            raise LLVMSyntaxError(f"no function as LLVM prints it: {head}")
        head, body = head[: place + 1], f"  {head[place + 1 : -1].strip()}\n}}\n"
    return head, body.removesuffix("}\n").removesuffix("}")


_CALLS = frozenset(("call", "invoke", "callbr"))
