"""Instructions: an opcode, operands in the order of the text, and the text between them.

That text (`pieces`, one more than operands) is all there is: types, flags, attributes and metadata are read
from it when asked for and written into it when changed. So nothing is lost of an instruction that
nobody here knows, and an edited one is printed by joining the pieces.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from enzyme_py.llvm.naming import quoted
from enzyme_py.llvm.reading import patterns
from enzyme_py.llvm.toplevel import Rewriting
from enzyme_py.llvm.values import Constant, Value

if TYPE_CHECKING:
    from enzyme_py.llvm.blocks import Block
    from enzyme_py.llvm.functions import Function
    from enzyme_py.llvm.module import Module

TERMINATORS = frozenset(
    "br switch ret unreachable invoke callbr indirectbr resume catchswitch catchret cleanupret".split()
)
_ALIGN = re.compile(r", align (\d+)")


class Instruction(Value):
    """One instruction. What no subclass knows is one of these, with the values it names as operands."""

    __slots__ = ("_count", "_line", "_place", "block", "notes", "opcode", "operands", "pieces")

    def __init__(
        self, opcode: str, type_: str, pieces: Sequence[str], operands: Sequence[Value]
    ) -> None:
        super().__init__(type_, "")
        self.opcode = opcode
        self.operands = tuple(operands)
        self.notes: list[str | Instruction] | None = (
            None  # lines in front: for the debugger, comments
        )
        self.block: Block | None = None  # None while it stands nowhere
        self.pieces = list(pieces)
        self._line: str | None = None  # as read, until it is edited
        self._count = 0  # of a call's arguments
        self._place = 0

    # -- text ----------------------------------------------------------------------------------------

    @property
    def text(self) -> str:
        """The instruction as LLVM prints it, without the line's indentation."""
        return self.line.strip()

    @property
    def line(self) -> str:
        """The line, or the lines, of the instruction."""
        if self._line is None:
            pieces, parts = self.pieces, [f"  {self.ref} = " if self.ref else "  "]
            for piece, operand in zip(pieces, self.operands, strict=False):
                parts.append(piece)
                parts.append(operand.ref)
            parts.append(pieces[-1])
            self._line = "".join(parts)
        return self._line

    def __str__(self) -> str:
        return self.ref or self.text

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.text}>"

    def touch(self, *, keeps_edges: bool = False) -> None:
        """Say that the instruction has changed."""
        self._line = None
        if self.block is not None and self.block.function is not None:
            self.block.function.touch(is_shape=self.is_terminator and not keeps_edges)

    # -- where it stands -----------------------------------------------------------------------------

    @property
    def function(self) -> Function:
        """The function in which the instruction stands."""
        assert self.block is not None
        assert self.block.function is not None
        return self.block.function

    @property
    def module(self) -> Module:
        """The module in which the instruction stands."""
        return self.function.module

    @property
    def home(self) -> Block:
        """The block in which the instruction stands: `block`, where it is known to stand in one."""
        assert self.block is not None
        return self.block

    @property
    def next(self) -> Instruction | None:
        """The instruction behind this one in its block."""
        place = self.home.place_of(self) + 1
        return self.home.instructions[place] if place < len(self.home.instructions) else None

    @property
    def previous(self) -> Instruction | None:
        """The instruction in front of this one in its block."""
        place = self.home.place_of(self)
        return self.home.instructions[place - 1] if place else None

    def comes_before(self, other: Instruction) -> bool:
        """Tell whether the instruction stands in front of another one of its block."""
        return self.home.place_of(self) < self.home.place_of(other)

    @property
    def is_terminator(self) -> bool:
        """Whether the instruction ends its block."""
        return self.opcode in TERMINATORS

    @property
    def successors(self) -> list[Block]:
        """The blocks that it may go to, one as often as there are edges."""
        if self.opcode not in TERMINATORS:
            return []
        return [one for one in self.operands if one.type == "label"]  # type: ignore[misc]

    @property
    def has_result(self) -> bool:
        """Whether the instruction makes a value."""
        return bool(self.ref)

    # -- operands ------------------------------------------------------------------------------------

    def set_operand(self, index: int, value: Value) -> None:
        """Put another value in the place of an operand."""
        old = self.operands[index]
        unlink(old, self)
        link(value, self)
        self.operands = (*self.operands[:index], value, *self.operands[index + 1 :])
        self.touch()

    def replace_operand(self, old: Value, new: Value) -> None:
        """Put a value in place of another one wherever that is an operand."""
        for index, operand in enumerate(self.operands):
            if operand is old:
                self.set_operand(index, new)

    def replace_successor(self, old: Block, new: Block, count: int = 0) -> int:
        """Lead the edges to one block to another one, at most `count` of them if given; returns how many.

        Phis are left as they are: see `Block.retarget` for both.
        """
        done = 0
        for index, operand in enumerate(self.operands):
            if operand is old and (not count or done < count):
                self.set_operand(index, new)
                done += 1
        return done

    # -- changes of place ----------------------------------------------------------------------------

    def erase(self) -> None:
        """Take the instruction out of its block, and its operands' lists of users; nobody may use it."""
        assert not self._users, f"still used: {self.text}"
        self.detach()
        for operand in self.operands:
            unlink(operand, self)
        self.operands = ()
        for record in list(self._records or ()):
            record.drop()

    def drop(self) -> None:
        """Forget a note for the debugger."""
        if self.block is not None:
            self.block.drop_note(self)
        for operand in self.operands:
            unlink(operand, self)
        self.operands = ()

    def detach(self) -> None:
        """Take the instruction out of its block, to be put elsewhere; what is noted in front of it stays."""
        if self.block is not None:
            self.block.remove(self)

    def move_before(self, other: Instruction) -> None:
        """Move the instruction in front of another one."""
        self.detach()
        other.home.insert(other.home.place_of(other), self)

    def move_after(self, other: Instruction) -> None:
        """Move the instruction behind another one."""
        self.detach()
        other.home.insert(other.home.place_of(other) + 1, self)

    def replace_with(self, new: Value) -> None:
        """Put another value in place of this one everywhere, and erase this one."""
        self.replace_all_uses_with(new)
        self.erase()

    def replace_under_its_name(self, new: Instruction) -> None:
        """Put another instruction in place of this one everywhere, which takes its name if it has one, and erase this one."""
        name = "" if self.is_numbered else self.name
        self.replace_with(new)
        if name:
            new.rename(name)

    def rename(self, name: str) -> None:
        """Give the value a name, or one that begins so if that is taken."""
        self.function.rename(self, name)

    def clone(self) -> Instruction:
        """Return an instruction like this one with the same operands, which stands nowhere and has no name."""
        new = type(self)(self.opcode, self.type, self.pieces, self.operands)
        new._count = self._count
        for operand in new.operands:
            link(operand, new)
        return new

    def clone_with(self, operands: Sequence[Value]) -> Instruction:
        """Return such an instruction with these operands."""
        new = self.clone()
        for slot, operand in enumerate(operands):
            new.set_operand(slot, operand)
        return new

    # -- flags, metadata -----------------------------------------------------------------------------

    @property
    def flags(self) -> list[str]:
        """The words behind the opcode: `nsw`, `fast`, `inbounds`, `volatile`, ... (`eq` of `icmp eq`)."""
        return self.pieces[0][: self._type_at()].split()[1:]

    def set_flags(self, flags: Iterable[str]) -> None:
        """Write other words behind the opcode, in the order that LLVM wants."""
        place = self._type_at()
        self.pieces[0] = " ".join([self.opcode, *flags, self.pieces[0][place:]])
        self.touch()

    def _type_at(self) -> int:
        """Return where the first type begins in the first piece."""
        words = _FLAGS.match(self.pieces[0])
        return words.end() if words else len(self.pieces[0])

    @property
    def metadata(self) -> dict[str, str]:
        """What is attached, by kind: `{"dbg": "!5"}`."""
        return dict(patterns.ATTACHED.findall(self.pieces[-1]))

    def has_metadata(self, kind: str) -> bool:
        """Tell whether something of a kind is attached."""
        return f", !{kind} " in self.pieces[-1]

    def set_metadata(self, kind: str, node: object) -> None:
        """Attach a node (`!5` or a MetadataNode), in place of another one of that kind."""
        self.remove_metadata(kind)
        self.pieces[-1] += f", !{kind} {node}"
        self.touch(keeps_edges=True)

    def remove_metadata(self, kind: str) -> None:
        """Take a node away, if one of that kind is attached."""
        if not self.has_metadata(kind):
            return
        last = self.pieces[-1]
        self.pieces[-1] = patterns.ATTACHED.sub(lambda one: "" if one[1] == kind else one[0], last)
        if self.pieces[-1] != last:
            self.touch(keeps_edges=True)

    @property
    def location(self) -> str | None:
        """The node of the place in the source, which `!dbg` names."""
        return self.metadata.get("dbg") if "!dbg" in self.pieces[-1] else None

    @property
    def alignment(self) -> int | None:
        """The alignment that the instruction claims."""
        found = _ALIGN.search(self.pieces[-1])
        return int(found[1]) if found else None

    def set_alignment(self, bytes_: int) -> None:
        """Claim another alignment."""
        bare = _ALIGN.sub("", self.pieces[-1])
        place = bare.find(", !")
        place = len(bare) if place < 0 else place
        self.pieces[-1] = f"{bare[:place]}, align {bytes_}{bare[place:]}"
        self.touch()

    def rewrite(self, old: str, change: Rewriting) -> None:
        """Change what the text says where it has a name, also in constants: see `Module.rename`."""
        if old in self.line:
            self.pieces = [change(piece) for piece in self.pieces]
            self.operands = tuple(
                Constant(one.type, change(one.ref)) if isinstance(one, Constant) else one
                for one in self.operands
            )
            self.touch()

    # -- what it does --------------------------------------------------------------------------------

    @property
    def may_read(self) -> bool:
        """Whether the instruction itself may read memory: of a call, see `CallEffects`."""
        return self.opcode in _READS

    @property
    def may_write(self) -> bool:
        """Whether the instruction itself may write memory: of a call, see `CallEffects`."""
        return self.opcode in _WRITES


# Words behind an opcode that are no types.
_FLAGS = re.compile(
    r"[a-z_]+(?: (?!ptr\b|i\d|double\b|float\b|half\b|bfloat\b|fp128\b|x86_|ppc_|token\b|void\b|label\b"
    r"|metadata\b|target\()[a-z_]\w*(?:\([^()]*\))?)* ?"
)
_READS = frozenset("load atomicrmw cmpxchg call invoke callbr va_arg fence".split())
_WRITES = frozenset("store atomicrmw cmpxchg call invoke callbr va_arg fence".split())


def link(value: Value, user: Instruction) -> None:
    """Note a user of a value."""
    if isinstance(value, Constant):
        return
    if user.opcode.startswith("#"):
        value._records = value._records or []
        value._records.append(user)
    else:
        value._users.append(user)


def unlink(value: Value, user: Instruction) -> None:
    """Forget one use of a value."""
    if isinstance(value, Constant):
        return
    held = value._records if user.opcode.startswith("#") else value._users
    if held is not None:
        for place, one in enumerate(held):
            if one is user:
                del held[place]
                return


def set_result(instruction: Instruction, name: str) -> None:
    """Name what a new instruction makes."""
    instruction.ref = f"%{quoted(name)}"


class DebugRecord(Instruction):
    """A line that tells the debugger of a variable (`#dbg_value(...)`): a note in front of an instruction."""

    __slots__ = ()

    @property
    def line(self) -> str:
        """The line of the record."""
        if self._line is None:
            parts = [
                part
                for pair in zip(self.pieces, (one.ref for one in self.operands), strict=False)
                for part in pair
            ]
            self._line = "".join(["    ", *parts, self.pieces[-1]])
        return self._line
