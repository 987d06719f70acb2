"""Code with lines: a line program written by hand, byte for byte, and real code whose lines are those of its source."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from numba import typeof

from enzyme_py.frontend.functions.kernels import as_kernel
from enzyme_py.inspect.stages import _differentiated
from enzyme_py.native.lined import emitting
from enzyme_py.native.lined.code import lined
from enzyme_py.native.lined.places import PlaceBook
from enzyme_py.native.lined.table import LineTable, _rows, line_table
from enzyme_py.transforms.derivatives.gradient import Gradient
from tests.inspect.report_kernels import heat


def program(body: bytes) -> bytes:
    """A unit of DWARF 4 with a line base of -5, a range of 14, and 13 as its first special opcode."""
    lengths = bytes([0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1])
    head = bytes([1, 1, 1]) + struct.pack("b", -5) + bytes([14, 13]) + lengths + b"\0\0"
    rest = struct.pack("<H", 4) + struct.pack("<I", len(head)) + head + body
    return struct.pack("<I", len(rest)) + rest


SET_ADDRESS = bytes([0, 9, 2]) + bytes(8)
END = bytes([0, 1, 1])


def rows_of(body: bytes) -> list[tuple[int, int]]:
    data = program(SET_ADDRESS + body + END)
    place = data.index(SET_ADDRESS) + 3
    return list(_rows(data, {place: (7, 16)}, 7))


def test_each_kind_of_opcode_moves_as_the_standard_says() -> None:
    advance_line = bytes([3, 0x7E])  # by -2, in signed LEB128
    advance_address = bytes([2, 0x80, 0x01])  # by 128
    special = bytes([13 + 5 + 3 + 14 * 4])  # 4 bytes and 3 lines
    fixed, constant = bytes([9, 0x34, 0x12]), bytes([8])  # by 0x1234, and by (255 - 13) / 14 = 17
    column, negate, copy = bytes([5, 9]), bytes([6]), bytes([1])
    body = bytes([3, 41]) + copy + special + advance_line + advance_address + column + negate + copy + fixed + constant + copy
    assert rows_of(body) == [(16, 42), (20, 45), (148, 43), (148 + 0x1234 + 17, 43), (148 + 0x1234 + 17, 0)]


def test_a_sequence_of_another_section_is_not_ours() -> None:
    data = program(SET_ADDRESS + bytes([1]) + END)
    assert list(_rows(data, {data.index(SET_ADDRESS) + 3: (8, 0)}, 7)) == []


def test_what_stands_at_an_offset() -> None:
    table = LineTable((0, 4, 10), (3, 0, 5))
    assert [table.at(one) for one in (0, 3, 4, 9, 10, 99)] == [3, 3, 0, 0, 5, 5]
    assert table.has_line(12) == bytes([1] * 4 + [0] * 6 + [1] * 2)
    assert line_table(b"MZ, no ELF", "f") == LineTable()


@pytest.fixture(scope="module")
def heated():
    kinds = [typeof(np.ones(4)), typeof(3)]
    book = PlaceBook()
    return lined(_differentiated(Gradient(as_kernel(heat)).bind(kinds)), book), book


def test_the_table_has_the_numbers_of_the_assembly(heated) -> None:
    """Two opinions: the table of the object, and the directives of the text."""
    code, book = heated
    said = {int(line.split()[2]) for line in code.assembly.splitlines() if line.strip().startswith(".loc")}
    assert set(code.table.numbers) == said
    first = heat.__code__.co_firstlineno
    assert {book.places[number][1] for number in said} - {0} <= set(range(first, first + 8))
    assert list(code.table.offsets) == sorted(code.table.offsets)
    assert code.table.offsets[-1] <= code.code.layout.size


def test_what_llvm_cannot_write_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emitting, "_PROGRAM", "import os; os.abort()")
    with pytest.raises(emitting.NotEmitted, match="no code with lines"):
        emitting.emitted("")
