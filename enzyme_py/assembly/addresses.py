"""Addresses of one function as sums: where they begin, so many bytes for each value that moves them, and a number of bytes.

What a value is made from is followed through additions and products with numbers; whatever else there is, is a
value by itself. A variable that each turn of a loop moves by the same number is one that steps.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from enzyme_py.assembly.control_flow import NAME, Body

# Calls that write blocks, and where. Block copies (rules/copies.py) have bodies, which O2 may put in their place.
FILL = re.compile(
    r"call void @(?:llvm\.mem(?:set|cpy|move)|enzyme_py_(?:copy|clear|walk|move_back|into_buffer))"
    rf"[^(]*\(ptr [^%]*({NAME}),"
)
_BYTES = {"i8": 1, "i1": 1, "i16": 2, "i32": 4, "float": 4, "i64": 8, "double": 8, "ptr": 8}
_OPERAND = rf"({NAME}|-?\d+)"
_GEP = re.compile(rf"= getelementptr (?:[a-z]+ )*(\w+), ptr ({NAME}|@\S+?), i64 {_OPERAND}(?:,|$)")
_ANY_GEP = re.compile(rf"= getelementptr .*?, ptr ({NAME}|@[^\s,]+)")
_BINARY = re.compile(rf"= (add|sub|mul|shl|or) ([a-z ]*)i64 {_OPERAND}, {_OPERAND}(?:,|$)")
_PHI = re.compile(r"= phi (?:i64|ptr) ")
_SELECT = re.compile(rf"= select i1 \S+, i64 {_OPERAND}, i64 {_OPERAND}(?:,|$)")
_DEEPEST = 40
_MOST = 12  # alternatives of one sum


@dataclass(frozen=True)
class Sum:
    """So many times each value, and a number."""

    parts: Mapping[str, int] = field(default_factory=dict)
    number: int = 0

    def plus(self, other: Sum, times: int = 1) -> Sum:
        """Return this sum with a multiple of another one added."""
        parts = dict(self.parts)
        for value, count in other.parts.items():
            parts[value] = parts.get(value, 0) + count * times
        kept = {value: count for value, count in parts.items() if count}
        return Sum(kept, self.number + other.number * times)


@dataclass(frozen=True)
class Address:
    """Where a pointer begins, and how far from there it lies; None where that is not known."""

    base: str
    offset: Sum | None


class Addresses:
    """The addresses of one function, and the variables that step."""

    def __init__(self, body: Body) -> None:
        self._body = body
        self.steps: dict[str, tuple[str, int]] = {}  # the header of the loop, and by how much
        self._sums: dict[str, Sum] = {}
        self._addresses: dict[str, Address] = {}

    def of(self, pointer: str) -> Address:
        """Return the address that a pointer holds."""
        if pointer not in self._addresses:
            self._addresses[pointer] = Address(pointer, Sum())  # for whoever comes back here
            self._addresses[pointer] = self._address(pointer)
        return self._addresses[pointer]

    def _address(self, pointer: str) -> Address:
        line = self._line(pointer)
        if found := _GEP.search(line):
            kind, base, index = found.groups()
            below = self.of(base)
            if kind in _BYTES and below.offset is not None:
                return Address(below.base, below.offset.plus(self.sum_of(index), _BYTES[kind]))
            return Address(below.base, None)
        if found := _ANY_GEP.search(line):
            return Address(self.of(found.group(1)).base, None)
        if _PHI.search(line) and (walk := self._walk(pointer)):
            start, step = walk
            below = self.of(start)
            if below.offset is not None:
                self._note(pointer, step)
                return Address(below.base, below.offset.plus(Sum({pointer: 1})))
        return Address(pointer, Sum())

    def _walk(self, pointer: str) -> tuple[str, int] | None:
        """Return where a pointer begins that moves by so many bytes in each turn of its loop."""
        starts, steps = set[str](), set[int]()
        header = self._body.block_at[self._body.definitions[pointer]].label
        for given, way in self._body.incoming(self._body.definitions[pointer]):
            if not self._body.dominates(header, way):
                starts.add(given)
                continue
            moved, value = 0, given
            while value != pointer:
                found = _GEP.search(self._line(value))
                if found is None or found[1] not in _BYTES or not found[3].lstrip("-").isdigit():
                    return None
                moved += int(found[3]) * _BYTES[found[1]]
                value = found[2]
            steps.add(moved)
        return (starts.pop(), steps.pop()) if len(starts) == len(steps) == 1 else None

    def _note(self, variable: str, step: int) -> None:
        place = self._body.definitions[variable]
        self.steps[variable] = self._body.block_at[place].label, step

    def sum_of(self, value: str, depth: int = 0) -> Sum:
        """Return an integer as a sum."""
        if value.lstrip("-").isdigit():
            return Sum(number=int(value))
        if value not in self._sums:
            self._sums[value] = Sum({value: 1})  # for whoever comes back here
            self._sums[value] = self._sum(value, depth)
        return self._sums[value]

    def _sum(self, value: str, depth: int) -> Sum:
        line = self._line(value)
        found = _BINARY.search(line) if depth < _DEEPEST else None
        if found is not None:
            code, flags, *operands = found.groups()
            one, other = (self.sum_of(operand, depth + 1) for operand in operands)
            if code in ("add", "sub") or (code == "or" and "disjoint" in flags):
                return one.plus(other, -1 if code == "sub" else 1)
            if code == "mul" and not (one.parts and other.parts):
                factor, factored = (one, other) if other.parts else (other, one)
                return Sum().plus(factored, factor.number)
            if code == "shl" and not other.parts and 0 <= other.number < 64:
                return Sum().plus(one, 1 << other.number)
        elif _PHI.search(line):
            self._note_variable(value)
        return Sum({value: 1})

    def alternatives(self, total: Sum) -> list[Sum]:
        """Return what a sum comes to for each value that is chosen (not by the turn of a loop), itself the first.

        Where a number or something that moves is chosen, the number is left out: `0 if n == 1 else i` in broadcasting.
        """
        found, done = [total], 0
        while done < len(found) <= _MOST:
            here = found[done]
            done += 1
            for value, count in here.parts.items():
                rest = here.plus(Sum({value: count}), -1)
                for arm in self._arms(value):
                    other = rest.plus(self.sum_of(arm), count)
                    if other not in found:
                        found.append(other)
        return found

    def _arms(self, value: str) -> list[str]:
        line = self._line(value)
        if found := _SELECT.search(line):
            arms = list(found.groups())
            return [one for one in arms if one.startswith("%")] or arms
        if value not in self.steps and _PHI.search(line):
            number = self._body.definitions[value]
            if not self._body.carried(number):
                return [given for given, _ in self._body.incoming(number)]
        return []

    def _note_variable(self, variable: str) -> None:
        """Note an integer that steps by a number."""
        number = self._body.definitions[variable]
        steps = set[int]()
        for value in self._body.carried(number):
            moved = self.sum_of(value)
            if moved.parts != {variable: 1}:
                return
            steps.add(moved.number)
        if len(steps) == 1:
            self._note(variable, steps.pop())

    def _line(self, value: str) -> str:
        place = self._body.definitions.get(value)
        return "" if place is None else self._body.lines[place]
