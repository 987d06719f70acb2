"""Basic blocks: instructions in a row, of which the last says where it goes on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from enzyme_py.llvm.instructions.base import Instruction, unlink
from enzyme_py.llvm.values import Value

if TYPE_CHECKING:
    from enzyme_py.llvm.functions import Function
    from enzyme_py.llvm.instructions import Phi

_COMMENT = 50  # the column in which LLVM tells of the predecessors


class Block(Value):
    """One basic block of a function. As a value its type is `label`, its users are terminators and phis."""

    __slots__ = ("function", "instructions", "lead", "line")

    def __init__(self, ref: str, function: Function | None = None) -> None:
        super().__init__("label", ref)
        self.function = function
        self.instructions: list[Instruction] = []
        self.lead = [""]  # lines in front of the label
        self.line: str | None = None  # the label's line as read; None if it has none

    def __repr__(self) -> str:
        return f"<Block {self.ref}, {len(self.instructions)} instructions>"

    def __iter__(self) -> Iterator[Instruction]:
        return iter(self.instructions)

    def __len__(self) -> int:
        return len(self.instructions)

    @property
    def label(self) -> str:
        """The name as it stands in front of the colon."""
        return self.ref[1:]

    @property
    def terminator(self) -> Instruction:
        """The last instruction."""
        return self.instructions[-1]

    @property
    def is_complete(self) -> bool:
        """Whether the block ends in a terminator."""
        return bool(self.instructions) and self.instructions[-1].is_terminator

    @property
    def phis(self) -> list[Phi]:
        """The phis at the block's beginning."""
        found = list["Phi"]()
        for one in self.instructions:
            if one.opcode != "phi":
                break
            found.append(one)  # type: ignore[arg-type]
        return found

    @property
    def first(self) -> Instruction:
        """The first instruction behind phis and landing pads: where new code may stand."""
        return next(one for one in self.instructions if one.opcode not in _HEADS)

    @property
    def body(self) -> list[Instruction]:
        """The instructions behind the phis, but for the terminator."""
        return [one for one in self.instructions if one.opcode != "phi" and not one.is_terminator]

    @property
    def successors(self) -> list[Block]:
        """The blocks where it may go on, one as often as there are edges."""
        return self.terminator.successors if self.instructions else []

    @property
    def predecessors(self) -> list[Block]:
        """The blocks that may go on here, each once, in the order of the function."""
        ending = {id(one.block) for one in self._users if one.is_terminator}
        if len(ending) < 2:
            return list(
                {id(one.block): one.home for one in self._users if one.is_terminator}.values()
            )
        blocks = self.function.blocks if self.function is not None else []
        return [block for block in blocks if id(block) in ending]

    @property
    def is_entry(self) -> bool:
        """Whether the function begins here."""
        return self.function is not None and self.function.blocks[0] is self

    # -- changes -------------------------------------------------------------------------------------

    def place_of(self, instruction: Instruction) -> int:
        """Return which of the block's instructions one is."""
        guess, own = instruction._place, self.instructions
        if guess < len(own) and own[guess] is instruction:
            return guess
        for place, one in enumerate(own):
            one._place = place
        guess = instruction._place
        assert own[guess] is instruction
        return guess

    def insert(self, place: int, instruction: Instruction) -> None:
        """Put an instruction that stands nowhere in front of the one at a place."""
        assert instruction.block is None
        self.instructions.insert(place, instruction)
        instruction.block = self
        if self.function is not None:
            self.function.admit(instruction)
        instruction.touch()

    def append(self, instruction: Instruction) -> None:
        """Put an instruction at the end."""
        self.insert(len(self.instructions), instruction)

    def remove(self, instruction: Instruction) -> None:
        """Take an instruction out; what is noted in front of it stays where it was."""
        place = self.place_of(instruction)
        instruction.touch()
        del self.instructions[place]
        if instruction.notes and place < len(self.instructions):
            behind = self.instructions[place]
            behind.notes = [*instruction.notes, *(behind.notes or ())]
            instruction.notes = None
        if self.function is not None:
            self.function.dismiss(instruction)
        instruction.block = None

    def drop_note(self, note: Instruction) -> None:
        """Forget a note for the debugger."""
        for one in self.instructions:
            if one.notes and note in one.notes:
                one.notes = [other for other in one.notes if other is not note] or None
                one.touch()
                return

    def split(self, before: Instruction, name: str = "") -> Block:
        """Split the block in front of an instruction: the new block behind it gets the rest.

        This one goes there by a branch; phis of the successors come from the new block.
        """
        from enzyme_py.llvm.editing.builder import Builder

        assert self.function is not None
        place = self.place_of(before)
        new = self.function.add_block(name or f"{self.name}.split", after=self)
        rest = self.instructions[place:]
        del self.instructions[place:]
        for one in rest:
            one.block = new
        new.instructions = rest
        for target in dict.fromkeys(new.successors):
            for phi in target.phis:
                phi.replace_incoming_block(self, new)
        Builder.at_end(self).branch(new)
        return new

    def split_edge(self, target: Block, name: str = "", *, count: int = 0) -> Block:
        """Put a new block on the edges from this one to another one, at most `count` of them if given.

        Phis there have one edge from the new block, with the value that came by the old ones.
        """
        from enzyme_py.llvm.editing.builder import Builder

        assert self.function is not None
        new = self.function.add_block(name or f"{self.name}.{target.name}", before=target)
        done = self.terminator.replace_successor(target, new, count)
        assert done, f"no edge from {self.ref} to {target.ref}"
        for phi in target.phis:
            value = phi.value_from(self)
            phi.remove_incoming(self, done)
            phi.add_incoming(value, new)
        Builder.at_end(new).branch(target)
        return new

    def retarget(self, old: Block, new: Block) -> None:
        """Lead all edges from here to one block to another one; the old one's phis lose theirs."""
        self.terminator.replace_successor(old, new)
        for phi in old.phis:
            phi.remove_incoming(self)

    def erase(self) -> None:
        """Take the block out of its function: nothing may go there, or use outside what it computes."""
        assert self.function is not None
        for target in dict.fromkeys(self.successors):
            if target is not self:
                for phi in target.phis:
                    phi.remove_incoming(self)
        for one in self.instructions:
            for operand in one.operands:
                unlink(operand, one)
            one.operands = ()
        for one in self.instructions:
            assert not one.is_used, f"still used: {one.ref}"
            for record in list(one._records or ()):
                record.drop()
            self.function.dismiss(one)
        assert not self.is_used, f"still gone to: {self.ref}"
        self.function.remove_block(self)

    def move_after(self, other: Block) -> None:
        """Let the block stand behind another one."""
        assert self.function is not None
        blocks = self.function.blocks
        blocks.remove(self)
        blocks.insert(blocks.index(other) + 1, self)
        self.function.touch(is_shape=True)

    def rename(self, name: str) -> None:
        """Give the block a name, or one that begins so if that is taken."""
        assert self.function is not None
        self.function.rename(self, name)

    # -- text ----------------------------------------------------------------------------------------

    def label_line(self, *, is_first: bool) -> str | None:
        """Return the line of the label, with a comment on the predecessors as LLVM prints it."""
        if self.line is None and is_first and self.is_numbered:
            return None
        if self.line is not None and self.function is not None and not self.function.shape:
            return self.line
        edges = [one.home for one in self._users if one.is_terminator]
        before = [block for block in self.predecessors for _ in range(edges.count(block))]
        told = ", ".join(one.ref for one in before)
        if self.line is not None and self.line.startswith(f"{self.label}:"):
            _, comment, known = self.line.partition("; preds = ")
            if (comment and sorted(known.split(", ")) == sorted(one.ref for one in before)) or (
                not comment and not before
            ):
                return self.line
        return f"{self.label + ':':<{_COMMENT}}; preds = {told}" if told else f"{self.label}:"


_HEADS = frozenset(("phi", "landingpad", "catchpad", "cleanuppad", "catchswitch"))
