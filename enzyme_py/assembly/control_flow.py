"""One function of optimised IR as text: blocks, edges, dominance, and where values are used.

LLVM prints one instruction a line, but for a switch. What cannot be read so (exceptions of C++,
jumps to computed addresses) is not read at all: `Body.of` gives None.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

NAME = r'%(?:"[^"]*"|[-a-zA-Z$._0-9]+)'
_FUNCTION = re.compile(r"^(define\b.*)\n((?:(?!\}$).*\n)*)", re.MULTILINE)
_LABEL = re.compile(r'^("[^"]*"|[-a-zA-Z$._0-9]+):')
_VALUES = re.compile(NAME)
_INSTRUCTION = re.compile(rf"^  (?:({NAME}) = )?(?:tail |musttail |notail )?([a-z]+)")
_TARGETS = re.compile(rf"\blabel ({NAME})")
_INCOMING = re.compile(rf"\[ ([^\[\]]+), ({NAME}) \]")
_UNNAMED = re.compile(r"%\d+(?![-a-zA-Z$._0-9])")
_TERMINATORS = frozenset(("br", "switch", "ret", "unreachable"))
_UNREADABLE = re.compile(
    r"^  (?:\S+ = )?(?:invoke|callbr|indirectbr|resume|musttail|catch|cleanup)", re.MULTILINE
)


@dataclass
class Block:
    """Lines `start` to `end`; `body` is the first behind the phis, `exit` the terminator."""

    label: str
    start: int
    body: int = 0
    exit: int = -1
    successors: tuple[str, ...] = ()
    predecessors: list[str] = field(default_factory=list)


class Body:
    """The blocks of one function, the entry first; `lines` are those behind the head."""

    def __init__(self, head: str, lines: list[str]) -> None:
        self.lines = lines
        self.blocks: dict[str, Block] = {}
        self.uses: Mapping[str, list[int]] = {}
        self.definitions: dict[str, int] = {}
        self.opcodes: dict[int, str] = {}
        self.block_at: dict[int, Block] = {}
        self._read(_entry_label(head))

    @classmethod
    def of(cls, head: str, lines: list[str]) -> Body | None:
        """Read a function, or give None for one that is not understood."""
        if _UNREADABLE.search("\n".join(lines)):
            return None
        body = cls(head, lines)
        known = all(
            block.exit >= 0 and all(target in body.blocks for target in block.successors)
            for block in body.blocks.values()
        )
        return body if known and len(body.order) == len(body.blocks) else None

    def _read(self, entry: str) -> None:
        uses: defaultdict[str, list[int]] = defaultdict(list)
        block: Block | None = None
        for number, line in enumerate(self.lines):
            if line.startswith("  "):
                block = block or self._open(entry, number)
                self._read_instruction(block, number, line, uses)
            elif found := _LABEL.match(line):
                block = self._open(f"%{found.group(1)}", number + 1)
        self.uses = uses
        for block in self.blocks.values():
            for target in dict.fromkeys(block.successors):
                if target in self.blocks:
                    self.blocks[target].predecessors.append(block.label)

    def _open(self, label: str, number: int) -> Block:
        return self.blocks.setdefault(label, Block(label, number, body=number))

    def _read_instruction(
        self, block: Block, number: int, line: str, uses: defaultdict[str, list[int]]
    ) -> None:
        if line.startswith("   "):  # a note for the debugger, or a switch's further lines
            if not line.lstrip().startswith("#"):
                block.successors += tuple(_TARGETS.findall(line))
            return
        found = _INSTRUCTION.match(line)
        if found is None:
            return
        result, opcode = found.groups()
        self.opcodes[number] = opcode
        self.block_at[number] = block
        if opcode == "phi":
            block.body = number + 1
        if opcode in _TERMINATORS:
            block.exit = number
            block.successors += tuple(_TARGETS.findall(line))
        for value in set(_VALUES.findall(line, found.end())):
            uses[value].append(number)
        if result is not None:
            self.definitions[result] = number

    def incoming(self, number: int) -> list[tuple[str, str]]:
        """Return (value, block) for each edge into the phi in a line."""
        return _INCOMING.findall(self.lines[number])

    def carried(self, number: int) -> list[str]:
        """Return what goes into the next turn by the phi in a line: nothing, if it heads no loop."""
        header = self.block_at[number].label
        return [value for value, way in self.incoming(number) if self.dominates(header, way)]

    @cached_property
    def order(self) -> list[str]:
        """The blocks that can be reached, each before its successors but for loops."""
        entry = next(iter(self.blocks))
        seen, done = {entry}, list[str]()
        stack = [(entry, iter(self.blocks[entry].successors))]
        while stack:
            label, rest = stack[-1]
            following = next((one for one in rest if one not in seen), None)
            if following is None:
                done.append(label)
                stack.pop()
            else:
                seen.add(following)
                stack.append((following, iter(self.blocks[following].successors)))
        return done[::-1]

    @cached_property
    def _place(self) -> dict[str, int]:
        return {label: place for place, label in enumerate(self.order)}

    @cached_property
    def _dominators(self) -> list[int]:
        """The immediate dominator of each block, by places in `order`."""
        place, above = self._place, [-1] * len(self.order)
        above[0] = 0
        changed = True
        while changed:
            changed = False
            for own, label in enumerate(self.order[1:], 1):
                known = (place[one] for one in self.blocks[label].predecessors)
                new = _common(above, [one for one in known if above[one] >= 0])
                changed = changed or above[own] != new
                above[own] = new
        return above

    def dominates(self, above: str, below: str) -> bool:
        """Tell whether every way to `below` leads through `above`."""
        wanted, at = self._place[above], self._place[below]
        while at > wanted:
            at = self._dominators[at]
        return at == wanted

    def above(self, one: str, other: str) -> str:
        """Return the nearest block through which every way to both leads."""
        return self.order[_common(self._dominators, [self._place[one], self._place[other]])]

    def depth(self, label: str) -> int:
        """Return the number of blocks through which every way to a block leads."""
        at, count = self._place[label], 0
        while at:
            at, count = self._dominators[at], count + 1
        return count

    @cached_property
    def returning(self) -> set[str]:
        """The blocks from which the function can return; from others it only raises."""
        seen = set[str]()
        pending = [one.label for one in self.blocks.values() if self.opcodes[one.exit] == "ret"]
        while pending:
            label = pending.pop()
            if label not in seen:
                seen.add(label)
                pending += self.blocks[label].predecessors
        return seen


def _common(above: list[int], blocks: list[int]) -> int:
    """Return the nearest block that dominates all the given ones."""
    common, *others = blocks
    while others:
        common, other = sorted((common, others.pop()))
        if common != other:
            others.append(above[other])
    return common


def _entry_label(head: str) -> str:
    """Return the name of an entry block without label: the number behind the parameters'."""
    return f"%{len(_UNNAMED.findall(head))}"


def rewritten(ir: str, change: Callable[[str, str], str]) -> str:
    """Return the module's text with what stands in each function changed, which is given with its head."""
    return _FUNCTION.sub(lambda found: f"{found[1]}\n{change(found[1], found[2])}", ir)


def with_inserted(lines: list[str], made: Mapping[int, Sequence[str]]) -> str:
    """Return the text of lines, with new ones in front of some."""
    for place in sorted(made, reverse=True):
        lines[place:place] = made[place]
    return "\n".join(lines)
