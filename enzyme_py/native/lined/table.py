"""The table of lines in an object: DWARF 4's line program, as far as addresses and line numbers go.

The program is a list of rows (address, line), packed: special opcodes move both at once. Its file and column registers are
passed over: all lines are of one "file" (places.py). Facts: DWARF 4, section 6.2.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

_HEAD = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QQq")
_ELF64 = b"\x7fELF\x02\x01"
_SYMBOLS, _RELOCATIONS = 2, 4  # kinds of sections


@dataclass(frozen=True)
class LineTable:
    """Which number the code has from each offset on, in the section of the first entry."""

    offsets: tuple[int, ...] = ()
    numbers: tuple[int, ...] = ()

    def at(self, offset: int) -> int:
        """Return the number of the instruction at, or over, an offset."""
        place = bisect_right(self.offsets, offset) - 1
        return self.numbers[place] if place >= 0 else 0

    def has_line(self, size: int) -> bytes:
        """Return a byte for each of so many offsets: 1 where there is a number."""
        found = bytearray(size)
        ends = (*self.offsets[1:], size)
        for start, end, number in zip(self.offsets, ends, self.numbers, strict=True):
            found[start:end] = bytes([number != 0]) * (min(end, size) - start)
        return bytes(found)


def line_table(binary: bytes, entry: str) -> LineTable:
    """Return the table of the section in which an entry lies; an empty one for other formats than ELF."""
    if not binary.startswith(_ELF64):
        return LineTable()
    head = _HEAD.unpack_from(binary)
    sections = [_SECTION.unpack_from(binary, head[6] + i * _SECTION.size) for i in range(head[12])]
    names = _content(binary, sections[head[13]])
    by_name = {_text(names, one[0]): place for place, one in enumerate(sections)}
    place = by_name.get(".debug_line")
    if place is None:
        return LineTable()
    symbols = list(_symbols(binary, sections))
    home = next((section for name, section, _ in symbols if name == entry), None)
    moved = {
        offset: (symbols[information >> 32][1], symbols[information >> 32][2] + addend)
        for section in sections
        if section[1] == _RELOCATIONS and section[7] == place
        for offset, information, addend in _RELOCATION.iter_unpack(_content(binary, section))
    }
    rows = sorted(_rows(_content(binary, sections[place]), moved, home), key=lambda row: row[0])
    return LineTable(tuple(row[0] for row in rows), tuple(row[1] for row in rows))


def _symbols(binary: bytes, sections: list[tuple[int, ...]]) -> Iterator[tuple[str, int, int]]:
    for section in sections:
        if section[1] == _SYMBOLS:
            names = _content(binary, sections[section[6]])
            for name, _, _, home, value, _ in _SYMBOL.iter_unpack(_content(binary, section)):
                yield _text(names, name), home, value


def _text(names: bytes, at: int) -> str:
    return names[at : names.index(b"\0", at)].decode(errors="replace")


def _content(binary: bytes, section: tuple[int, ...]) -> bytes:
    return binary[section[4] : section[4] + section[5]]


class _Reader:
    """Numbers one after the other."""

    def __init__(self, data: bytes, at: int) -> None:
        self.data, self.at = data, at

    def fixed(self, size: int, *, signed: bool = False) -> int:
        self.at += size
        return int.from_bytes(self.data[self.at - size : self.at], "little", signed=signed)

    def leb(self, *, signed: bool = False) -> int:
        value = shift = 0
        while True:
            byte = self.fixed(1)
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value - (1 << shift) if signed and byte & 0x40 else value


def _rows(data: bytes, moved: dict[int, tuple[int, int]], home: int | None) -> Iterator[tuple[int, int]]:
    """Yield offset and number of all rows of sequences that lie in a section."""
    at = 0
    while at + 4 < len(data):
        reader = _Reader(data, at)
        end = at + 4 + reader.fixed(4)
        if reader.fixed(2) != 4:
            return
        start = reader.fixed(4) + reader.at
        step, _, _ = reader.fixed(1), reader.fixed(1), reader.fixed(1)
        base, span, first = reader.fixed(1, signed=True), reader.fixed(1), reader.fixed(1)
        lengths = [0] + [reader.fixed(1) for _ in range(first - 1)]
        reader.at = start
        yield from _Program(reader, end, (step, base, span, first), lengths).rows(moved, home)
        at = end


class _Program:
    """One line program."""

    def __init__(self, reader: _Reader, end: int, facts: tuple[int, int, int, int], lengths: list[int]) -> None:
        self._reader, self._end, self._lengths = reader, end, lengths
        self._step, self._base, self._span, self._first = facts
        self._begin()

    def _begin(self) -> None:
        self._address, self._line = 0, 1
        self._section: int | None = None

    def rows(self, moved: dict[int, tuple[int, int]], home: int | None) -> Iterator[tuple[int, int]]:
        """Run the program."""
        reader = self._reader
        while reader.at < self._end:
            opcode = reader.fixed(1)
            shows = opcode == 1
            if opcode >= self._first:
                shows = True
                moves = opcode - self._first
                self._address += moves // self._span * self._step
                self._line += self._base + moves % self._span
            elif opcode == 0:
                shows = self._extended(moved)
            else:
                self._standard(opcode)
            if shows and self._section == home:
                yield self._address, self._line
            if shows and opcode == 0:
                self._begin()

    def _extended(self, moved: dict[int, tuple[int, int]]) -> bool:
        """Run an extended opcode; tells whether it ends the sequence."""
        reader = self._reader
        size = reader.leb()
        behind = reader.at + size
        opcode = reader.fixed(1)
        if opcode == 2:  # the address is set
            self._section, offset = moved.get(reader.at, (None, 0))
            self._address = offset
        if opcode == 1:
            self._line = 0
        reader.at = behind
        return opcode == 1

    def _standard(self, opcode: int) -> None:
        reader = self._reader
        if opcode == 2:
            self._address += reader.leb() * self._step
        elif opcode == 3:
            self._line += reader.leb(signed=True)
        elif opcode == 8:
            self._address += (255 - self._first) // self._span * self._step
        elif opcode == 9:
            self._address += reader.fixed(2)
        else:
            for _ in range(self._lengths[opcode]):
                reader.leb()
