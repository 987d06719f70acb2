"""Printing: what was not edited as it was read, what was edited in LLVM's own format."""

from __future__ import annotations

from collections.abc import Iterator

from enzyme_py.llvm.functions import Function
from enzyme_py.llvm.instructions import Instruction
from enzyme_py.llvm.values import Value


def function_text(function: Function) -> str:
    """Return the text of a function that was edited."""
    if function.is_declaration or not function.is_read:
        return f"{function.head}\n" + (
            "" if function.is_declaration else function.body_text + "}\n"
        )
    _number(function)
    lines = [function.head]
    for place, block in enumerate(function.blocks):
        label = block.label_line(is_first=not place)
        if place:
            lines += block.lead or ([""] if block.line is None else [])
        elif block.line is not None:
            lines += block.lead
        if label is not None:
            lines.append(label)
        for one in block.instructions:
            for note in one.notes or ():
                lines.append(note if isinstance(note, str) else note.line)
            lines.append(one.line)
    lines.append(function.trail + "}\n")
    return "\n".join(lines)


def _number(function: Function) -> None:
    """Give a name to each value whose number does not follow those in front of it.

    LLVM reads numbers that leave some out, but not ones that go back.
    """
    entry = function.blocks[0]
    if entry.line is None and entry.is_numbered and entry.ref != function.entry_ref():
        function.rename(entry, "entry")
    last = -1
    for value in _in_order(function):
        if value.is_numbered:
            number = int(value.ref[1:])
            if number > last:
                last = number
            else:
                function.rename(value, f"v{number}")


def _in_order(function: Function) -> Iterator[Value]:
    yield from list(function.arguments)
    for block in list(function.blocks):
        yield block
        yield from (one for one in block.instructions if isinstance(one, Instruction) and one.ref)
