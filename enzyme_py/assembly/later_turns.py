"""Reads of what another turn of a loop writes, in reverse mode.

    for i in range(n - 1):
        u[i] = u[i] * u[i + 1]

The reverse sweep needs u[i + 1] as it was, and the next turn has written over it. Whether memory that was read is
written before the reverse sweep, the pass asks LLVM's alias analysis. That compares two addresses as they are at one moment: u[i] is
never u[i + 1]. So the pass read the new numbers: wrong gradients without a word, of this loop and of every one that
updates an array in place, or two rows in turn, `a[1 - k] = a[k] * a[k]` (MEASURED; kept slopes of sin and its
like hid it from most tests, and from the fuzzer).

    for i in range(2, n):
        u[i] = u[i] * u[i - 2]
    u *= u

Here an earlier turn has written what is read. Nothing is lost by that, until u is written over behind the loop. Then the pass keeps
what was read, and asks in the same way whether the loop writes it: if not, it copied all of it in front of the loop (which
is switched off, entry.py), or takes what an earlier loop has read (MEASURED: wrong gradients without a word, found by the fuzzer in a nest of two loops).

Such reads are found, and get an offset of zero of which LLVM does not know that it is zero, one for each function:

    %far = call i64 @enzyme_py_inactive.left_i64(i64 0)
    %q = getelementptr i8, ptr %p, i64 %far

Then it can say nothing, and the pass keeps what was read. To keep everything would cost the memory of each turn also where
turns write only what no earlier one has read (`u[t + 1] = f(u[t])`). A read stays as it is if

* no write of a loop around it goes to the same memory, or
* alias analysis cannot tell their addresses apart: then the pass looks at all turns itself, or
* the addresses step with the turns so that no later write meets the read, whatever inner loops do, and
  nothing else may write it behind (written_behind.py), or no earlier write meets it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import gcd

from enzyme_py.assembly.addresses import FILL, Address, Addresses, Sum
from enzyme_py.assembly.control_flow import NAME, Body, rewritten, with_inserted
from enzyme_py.assembly.far_exits import nested
from enzyme_py.assembly.graphs import graphs
from enzyme_py.assembly.ir_text import values_in
from enzyme_py.assembly.left_values import declared, left
from enzyme_py.assembly.requests import has_reverse
from enzyme_py.assembly.written_behind import WrittenBehind, alone

_FAR = '%"enzyme_py.far"'
_LOAD = re.compile(rf"^  {NAME} = load (?:atomic |volatile )*([^,]+), ptr ({NAME})(?=,|$)")
_STORE = re.compile(rf"^  store (?:atomic |volatile )*(\S+|<[^>]*>) .*?, ptr ({NAME})(?=,|$)")
_COMPARED = re.compile(rf"= icmp (?:samesign )?\w+ \S+ ({NAME}|-?\d+), ({NAME}|-?\d+)")
_BITS = {"double": 8, "i64": 8, "ptr": 8, "float": 4, "i32": 4, "i16": 2, "i8": 1, "i1": 1}
_UNKNOWN = 1 << 60  # bytes
# What alias analysis knows nothing about by itself.
_GIVEN = ("load", "call")
_NEAR = 5  # steps back from a value, in which its relation to another one is looked for


def may_write_later(ir: str) -> bool:
    """Tell, before O2, whether anything under reverse mode stands in a loop."""
    if not has_reverse(ir):
        return False
    return any(next(nested(set(graph), graph), None) is not None for _, graph in graphs(ir))


def with_far_reads(ir: str) -> str:
    """Return the text in which alias analysis knows nothing of reads that another turn writes over."""
    if not has_reverse(ir):
        return ir
    single = alone(ir)
    text = rewritten(ir, lambda head, text: _changed(head, text, single))
    return declared(text) if text != ir else ir


def _changed(head: str, text: str, single: Collection[str] | None) -> str:
    if " load " not in text or (" store " not in text and FILL.search(text) is None):
        return text
    lines = text.split("\n")
    body = Body.of(head, list(lines))
    found = sorted(_Turns(head, body, single).overwritten()) if body is not None else []
    if body is None or not found:
        return text
    made = dict[int, list[str]]()
    if _FAR not in text:
        made[next(iter(body.blocks.values())).body] = [f"  {_FAR} = {left('i64', '0')}"]
    for number in found:
        load = _LOAD.match(lines[number])
        if load is not None:
            own = f'%"enzyme_py.far.{number}.{len(lines)}"'
            offset = f"  {own} = getelementptr i8, ptr {load[2]}, i64 {_FAR}"
            made.setdefault(number, []).append(offset)
            lines[number] = f"{lines[number][: load.start(2)]}{own}{lines[number][load.end(2) :]}"
    return with_inserted(lines, made)


@dataclass(frozen=True)
class _Access:
    """One read or write: its line, its address, and how many bytes it has, at least and at most."""

    line: int
    pointer: str
    least: int
    most: int


class _Turns:
    """The reads and writes in the loops of one function."""

    def __init__(self, head: str, body: Body, single: Collection[str] | None) -> None:
        self._body = body
        graph = {label: set(block.successors) for label, block in body.blocks.items()}
        self._loops = sorted(nested(set(graph), graph), key=len)
        self._addresses = Addresses(body)
        self._behind = WrittenBehind(head, body, self._addresses, single)
        self._compared = set[frozenset[str]]()
        self._closures: dict[str, frozenset[str]] = {}
        self._chosen: dict[str, list[Sum]] = {}
        for line in body.lines if self._loops else ():
            if found := _COMPARED.search(line):
                self._compared.add(frozenset(found.groups()))

    def overwritten(self) -> Iterator[int]:
        """Yield the lines of loads of which a write in another turn may be missed."""
        writes = defaultdict[str, list[_Access]](list)
        for write in self._accesses(_STORE, FILL):
            writes[self._addresses.of(write.pointer).base].append(write)
        for read in self._accesses(_LOAD):
            base = self._addresses.of(read.pointer).base
            others = writes.get(base, ())
            if any(self._is_missed(read, write, later=True) for write in others):
                yield read.line
            elif any(self._is_missed(read, write, later=False) for write in others):
                apart = {write.line for write in others if self._is_kept_apart(read, write)}
                if self._behind.may(read.line, base, apart):
                    yield read.line

    def _accesses(self, *patterns: re.Pattern[str]) -> Iterator[_Access]:
        for number, opcode in self._body.opcodes.items() if self._loops else ():
            if opcode not in ("load", "store", "call"):
                continue
            for pattern in patterns:
                if found := pattern.search(self._body.lines[number]):
                    kind, pointer = found.groups() if pattern is not FILL else ("", found[1])
                    least, most = (_BITS[kind],) * 2 if kind in _BITS else (1, _UNKNOWN)
                    yield _Access(number, pointer, least, most)

    def _around(self, *lines: int) -> list[set[str]]:
        """Return the loops around all of some lines, inner ones first."""
        blocks = {self._body.block_at[line].label for line in lines}
        return [loop for loop in self._loops if blocks <= loop]

    def _is_kept_apart(self, read: _Access, write: _Access) -> bool:
        """Tell whether two addresses in a loop are always so many bytes apart that they do not meet in one turn."""
        one, other = (self._addresses.of(access.pointer) for access in (read, write))
        if one.offset is None or other.offset is None or not self._around(read.line, write.line):
            return False
        apart = other.offset.plus(one.offset, -1)
        return not apart.parts and abs(apart.number) >= max(read.most, write.most)

    def _is_missed(self, read: _Access, write: _Access, *, later: bool) -> bool:
        """Tell whether LLVM may know the addresses for different ones that are not in all later, or earlier, turns."""
        around = self._around(read.line, write.line)
        one, other = (self._addresses.of(access.pointer) for access in (read, write))
        if not around or one.base != other.base:
            return False
        if one.offset is None or other.offset is None:
            return self._varies(one, around[-1]) or self._varies(other, around[-1])
        size = min(read.least, write.least), max(read.most, write.most)
        # What is chosen here may be known where LLVM, or the pass, has taken the loop apart.
        return any(
            self._is_known_apart(where, whereto, size, around, later=later)
            for where in self._alternatives(read.pointer, one.offset)
            for whereto in self._alternatives(write.pointer, other.offset)
        )

    def _alternatives(self, pointer: str, offset: Sum) -> list[Sum]:
        if pointer not in self._chosen:
            self._chosen[pointer] = self._addresses.alternatives(offset)
        return self._chosen[pointer]

    def _is_known_apart(
        self,
        one: Sum,
        other: Sum,
        size: tuple[int, int],
        around: Sequence[set[str]],
        *,
        later: bool,
    ) -> bool:
        moving = {part for part in (*one.parts, *other.parts) if self._is_in(part, around[-1])}
        if not moving:
            return False
        apart = other.plus(one, -1)
        least, most = size
        if most == _UNKNOWN and (not apart.parts or self._may_differ(list(apart.parts))):
            return True
        if not apart.parts:
            is_told = abs(apart.number) >= least
            away = (
                apart.number if later else -apart.number
            )  # backwards is forwards, all signs changed
            return is_told and self._meets(one.parts, away, most, around, moving)
        step = gcd(*apart.parts.values())
        rest = apart.number % step
        if min(rest, step - rest) >= least:  # apart whatever the values are, but for those in both
            both = (part for part in moving if part not in apart.parts)
            return any(one.parts[part] % step for part in both)
        return self._may_differ(list(apart.parts))

    def _varies(self, address: Address, loop: set[str]) -> bool:
        parts = () if address.offset is None else address.offset.parts
        return address.offset is None or any(self._is_in(one, loop) for one in parts)

    def _is_in(self, value: str, loop: set[str]) -> bool:
        place = self._body.definitions.get(value)
        return place is not None and self._body.block_at[place].label in loop

    def _meets(
        self,
        parts: Mapping[str, int],
        apart: int,
        size: int,
        around: Sequence[set[str]],
        moving: set[str],
    ) -> bool:
        """Tell whether a later turn may write where was read, if in one turn they are so many bytes apart."""
        steps = self._addresses.steps
        if any(one not in steps for one in moving):
            return True
        inner = 0
        for loop in around:
            moved = sum(
                parts[one] * steps[one][1] for one in moving if self._is_of(steps[one][0], loop)
            )
            if inner == 0:
                ahead = {1, -apart // moved, -(apart // moved)} if moved else {1}
                if any(abs(moved * one + apart) < size for one in ahead if one >= 1):
                    return True
            else:
                step = gcd(inner, moved)
                rest = apart % step
                if min(rest, step - rest) < size:
                    return True
            inner = gcd(inner, moved)
        # What steps with no loop around both is the same for both only by chance.
        known = {one for one in moving if any(self._is_of(steps[one][0], loop) for loop in around)}
        return known != moving

    def _is_of(self, header: str, loop: set[str]) -> bool:
        """Tell whether a block is the header of a loop."""
        return next((one for one in self._loops if header in one), None) == loop

    def _may_differ(self, values: Sequence[str]) -> bool:
        """Tell whether LLVM might know that what is left of two addresses is not zero."""
        if len(values) == 1:
            return self._opcode(values[0]) not in ("", *_GIVEN) or any(
                values[0] in pair for pair in self._compared
            )
        if len(values) > 2:
            return False
        one, other = values
        if frozenset(values) in self._compared:
            return True
        if self._opcode(one) == self._opcode(other) == "mul":
            return False
        places = [self._body.definitions.get(value) for value in values]
        if self._opcode(one) == self._opcode(other) == "phi":
            blocks = [self._body.block_at[place].label for place in places if place is not None]
            return blocks[0] == blocks[-1]
        return not self._closure(one).isdisjoint(self._closure(other))

    def _opcode(self, value: str) -> str:
        place = self._body.definitions.get(value)
        return "" if place is None else self._body.opcodes[place]

    def _closure(self, value: str) -> frozenset[str]:
        """Return a value and what it is made from, a few steps back."""
        if value not in self._closures:
            seen, pending = set[str](), {value}
            for _ in range(_NEAR):
                seen |= pending
                pending = {
                    given
                    for one in pending
                    if self._opcode(one) not in ("", "phi", *_GIVEN)
                    for given in values_in(
                        self._body.lines[self._body.definitions[one]].split(" = ", 1)[1]
                    )
                } - seen
            self._closures[value] = frozenset(seen)
        return self._closures[value]
