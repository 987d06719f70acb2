"""Reading textual LLVM IR: functions, and in them which value is made from which.

What is read here is code after some simplification, as LLVM prints it: one instruction a line. Nothing
is understood that is not asked for; what a reader does not know, it must take for the worst.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

_NAME = r'(?:"[^"]*"|[-a-zA-Z$._0-9]+)'
_DEFINE = re.compile(rf"^define\b[^@]*@({_NAME})\((.*)\)[^()]*\{{$")
_ASSIGNED = re.compile(rf"^ *(%{_NAME}) = (.*)$")
_VALUE = re.compile(rf"%{_NAME}")
_CALL = re.compile(rf"\bcall\b[^@]*?@({_NAME})\((.*)\)")
_LAST_WORD = re.compile(rf"([%@]{_NAME}|[^ ]+)$")
_METADATA = re.compile(r"^!(\d+) = ")
_STRING = re.compile(r'"[^"]*"')


def split_operands(text: str) -> list[str]:
    """Split at the commas that stand in no bracket and no string."""
    parts, depth, start, quoted = [], 0, 0, False
    for place, letter in enumerate(text):
        if letter == '"':
            quoted = not quoted
        elif quoted:
            continue
        elif letter in "([{<":
            depth += 1
        elif letter in ")]}>":
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append(text[start:place].strip())
            start = place + 1
    last = text[start:].strip()
    return [*parts, last] if last else parts


def value_of(operand: str) -> str:
    """Return the value at the end of `type attributes value`."""
    found = _LAST_WORD.search(operand)
    return found.group(1) if found else operand


def values_in(text: str) -> list[str]:
    """List the local values that a text speaks of."""
    return _VALUE.findall(text)


def plain_name(name: str) -> str:
    """Return a name without its sign and quotes."""
    return name[1:].strip('"')


def name_behind(value: str, ending: object) -> str:
    """Return the name of a value that is made of another: that one's, a point and an ending."""
    return f'%"{plain_name(value)}.{ending}"'


def free_metadata_number(lines: list[str]) -> int:
    """Return the first number that no metadata of a module has."""
    numbers = [int(match.group(1)) for line in lines if (match := _METADATA.match(line))]
    return max(numbers, default=-1) + 1


@dataclass(frozen=True)
class Call:
    """One call of a function by name: operands as written, types and attributes included."""

    callee: str
    operands: tuple[str, ...]

    @cached_property
    def values(self) -> list[str]:
        """The operands without types and attributes."""
        return [value_of(operand) for operand in self.operands]


def call_in(instruction: str) -> Call | None:
    """Return the direct call that an instruction makes, if it makes one."""
    found = _CALL.search(instruction)
    if found is None:
        return None
    return Call(found.group(1).strip('"'), tuple(split_operands(balanced(found.group(2)))))


def balanced(text: str) -> str:
    """Cut the text at the bracket that closes more than was opened."""
    depth, quoted = 0, False
    for place, letter in enumerate(text):
        if letter == '"':
            quoted = not quoted
        elif not quoted and letter in "()[]{}":
            depth += 1 if letter in "([{" else -1
            if depth < 0:
                return text[:place]
    return text


class Function:
    """One defined function."""

    def __init__(self, name: str, parameters: str, lines: list[str]) -> None:
        self.name = name
        self.declared = split_operands(parameters)
        self.parameters = [value_of(one) for one in self.declared]
        self.lines = lines

    @cached_property
    def definitions(self) -> dict[str, str]:
        """The instruction behind each local value."""
        found = (_ASSIGNED.match(line) for line in self.lines)
        return {match.group(1): match.group(2) for match in found if match}

    @cached_property
    def calls(self) -> list[tuple[str, Call]]:
        """Every direct call, with its line."""
        given = ((line, call_in(line)) for line in self.lines if "call " in line)
        return [(line, call) for line, call in given if call is not None]


def functions_in(ir: str) -> Iterator[Function]:
    """Yield the functions that a module defines."""
    name, parameters, lines = "", "", list[str]()
    for line in ir.split("\n"):
        if line.startswith("define "):
            found = _DEFINE.match(line)
            name, parameters = (found.group(1).strip('"'), found.group(2)) if found else ("", "")
            parameters = balanced(parameters)
            lines = []
        elif line == "}":
            if name:
                yield Function(name, parameters, lines)
            name = ""
        elif name and line.startswith(" ") and not line.startswith("    #dbg"):
            lines.append(line)


def bare(definition: str) -> str:
    """Return an instruction without its metadata."""
    return definition.split(", !", 1)[0]
