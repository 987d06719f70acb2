"""The natural loops of one function in IR text, and what is known in front of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from enzyme_py.assembly.control_flow import Block, Body


@dataclass(frozen=True)
class Loop:
    """A natural loop with one latch, entered from one block, which goes nowhere else in simple form."""

    header: str
    latch: str
    preheader: str
    blocks: frozenset[str]


class Flow:
    """Blocks, loops and definitions of one function, given as its lines, the first with its head."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._body = Body.of(lines[0], list(lines[1:]))

    @property
    def blocks(self) -> dict[str, Block]:
        """The blocks by label; none if the function is not understood."""
        return {} if self._body is None else self._body.blocks

    def block_of(self, line: int) -> str | None:
        """Return the label of the block in which an instruction stands."""
        block = None if self._body is None else self._body.block_at.get(line - 1)
        return None if block is None else block.label

    def defined_in(self, value: str) -> str | None:
        """Return the block that defines a value, None for a constant or a parameter."""
        line = None if self._body is None else self._body.definitions.get(value)
        return None if line is None else self.block_of(line + 1)

    def terminator(self, label: str) -> int:
        """Return the line of a block's last instruction."""
        return self.blocks[label].exit + 1

    def start(self, label: str) -> int:
        """Return the line of a block's first instruction."""
        return self.blocks[label].start + 1

    def dominates(self, first: str, second: str) -> bool:
        """Tell whether every way to the second block leads through the first."""
        return self._body is not None and self._body.dominates(first, second)

    def is_available(self, value: str, block: str) -> bool:
        """Tell whether an operand has its value at the end of a block."""
        place = self.defined_in(value)
        return place is None or self.dominates(place, block)

    def is_repeated(self, line: int) -> bool:
        """Tell whether a line can run more than once."""
        own = self.block_of(line)
        pending = list(self.blocks[own].successors) if own is not None else []
        seen: set[str] = set()
        while pending:
            label = pending.pop()
            if label not in seen:
                seen.add(label)
                pending.extend(self.blocks[label].successors)
        return own in seen

    def loops(self, *, are_simple: bool = True) -> list[Loop]:
        """Return the loops in simple form, or also those that their entry may pass by, inner ones first."""
        found = []
        for label, block in self.blocks.items():
            latches = self._latches(label)
            outside = [one for one in block.predecessors if one not in latches]
            if len(latches) == 1 and len(outside) == 1:
                leads_to = set(self.blocks[outside[0]].successors)
                if leads_to == {label} or not are_simple:
                    body = self._blocks_between(label, latches)
                    found.append(Loop(label, latches[0], outside[0], body))
        return sorted(found, key=lambda loop: len(loop.blocks))

    def turn_of(self, line: int) -> frozenset[str]:
        """Return the blocks of the innermost loop around a line, of whatever form; none outside of loops."""
        own = self.block_of(line)
        headers = [label for label in self.blocks if own is not None and self.dominates(label, own)]
        loops = [
            self._blocks_between(label, latches)
            for label in headers
            if (latches := self._latches(label))
        ]
        around = [blocks for blocks in loops if own in blocks]
        return min(around, key=len, default=frozenset())

    def turns(self) -> dict[str, frozenset[str]]:
        """Return, for each block in a loop of whatever form, the blocks of the innermost one around it."""
        found = dict[str, frozenset[str]]()
        headers = ((label, self._latches(label)) for label in self.blocks)
        loops = [self._blocks_between(label, latches) for label, latches in headers if latches]
        for blocks in sorted(loops, key=len, reverse=True):
            found.update(dict.fromkeys(blocks, blocks))
        return found

    def runs_in_each_turn(self, line: int) -> bool:
        """Tell whether no turn of the innermost loop around a line does without it.

        The loop need not be in simple form. A line that can never run twice is in no loop.
        """
        own = self.block_of(line)
        found = [
            (len(body), latches)
            for label in self.blocks
            if (latches := self._latches(label))
            and own in (body := self._blocks_between(label, latches))
        ]
        if own is None or not found:
            return not self.is_repeated(line)  # a loop that is entered at several places
        return all(self.dominates(own, latch) for latch in min(found)[1])

    def _latches(self, header: str) -> list[str]:
        return [one for one in self.blocks[header].predecessors if self.dominates(header, one)]

    def _blocks_between(self, header: str, latches: Sequence[str]) -> frozenset[str]:
        body, pending = {header}, list(latches)
        while pending:
            label = pending.pop()
            if label not in body:
                body.add(label)
                pending.extend(self.blocks[label].predecessors)
        return frozenset(body)
