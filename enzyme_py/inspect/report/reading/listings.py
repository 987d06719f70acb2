"""Code as the page shows it: rows of text, each with the line of the user's that it comes from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from enzyme_py.llvm import Function, Instruction, Module
from enzyme_py.llvm.reading.printed import printed
from enzyme_py.native.lined.code import LinedCode
from enzyme_py.native.lined.places import LineReader

MOST_ROWS = 12_000  # of one listing
_REVERSE = ("invert", "reverse_invert")  # how Enzyme names the blocks of the reverse sweep
_NOT_SHOWN = (".cfi_", ".loc", ".file", ".section", ".ident", ".size", ".type", ".p2align", ".globl", ".addrsig", ".Ltmp", ".Lfunc_")


class Row(NamedTuple):
    """A row: the number of its line, 0 if it has none; whether it is of the reverse sweep; the text."""

    number: int
    is_reverse: bool
    text: str


def of_module(code: Module, reader: LineReader) -> list[Row]:
    """Return the functions of a module that have lines, those with the most first."""
    listed = []
    for function in code.functions:
        numbered = reader.numbers(function)
        if any(number for _, number in numbered):
            listed.append((len(numbered), function, numbered))
    rows = list[Row]()
    for _, function, numbered in sorted(listed, key=lambda one: -one[0]):
        rows += _function(function, numbered)
    return rows[:MOST_ROWS]


def _function(function: Function, numbered: list[tuple[Instruction, int]]) -> Iterator[Row]:
    numbers = dict(numbered)
    head = printed(function.head.partition(" !dbg")[0])
    yield Row(0, False, f"{head.code.rstrip('{ ')} {{")
    for block in function.blocks:
        is_reverse = block.label.startswith(_REVERSE)
        yield Row(0, is_reverse, f"{block.label}:")
        for one in block.instructions:
            for line in printed(one.text).code.splitlines():
                yield Row(numbers.get(one, 0), is_reverse, f"  {line}")
    yield Row(0, False, "}")


def of_assembly(code: LinedCode) -> list[Row]:
    """Return machine code, whose lines its directives tell."""
    rows, number = list[Row](), 0
    for line in code.assembly.splitlines():
        text = line.strip()
        if text.startswith(".loc"):
            number = int(text.split()[2])
        if not text or text.startswith(_NOT_SHOWN) or text.startswith("#"):
            continue
        if text.startswith((".section", ".Ldebug", ".Lline")) or len(rows) >= MOST_ROWS:
            break
        if text.endswith(":"):
            rows.append(Row(0, False, text))
        elif not text.startswith("."):
            rows.append(Row(number, False, "  " + text.replace("\t", " ")))
    return rows


def vectors_of(code: LinedCode) -> dict[int, Counter[str]]:
    """Return the vectors of floating point numbers that each line's operations became, behind O3."""
    found: dict[int, Counter[str]] = {}
    for one, number in code.numbered:
        kind = one.operands[0].type if one.opcode == "store" else one.type
        if number and kind.startswith("<") and kind.endswith(("double>", "float>", "half>")):
            found.setdefault(number, Counter())[kind] += 1
    return found
