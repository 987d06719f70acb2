"""From a place deep in a library back to the line of the user's kernel that leads there.

The pass names a line of Numba's own code where that is what it stumbled over. The module before the
pass still has every function apart, with debug locations: this walks from the function in question
up its callers, until it comes to one that was written in the kernel's file. What was inlined
already is followed along the locations at which that happened.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import PurePath

_DEFINE = re.compile(r'^define [^@]*@(?P<name>"[^"]+"|[\w.$]+)\(.*?(?:!dbg !(?P<scope>\d+) )?\{$')
_CALL = re.compile(r'\b(?:call|invoke)\b[^@]*@(?P<name>"[^"]+"|[\w.$]+)\(')
_AT = re.compile(r"!dbg !(\d+)")
_LOCATION = re.compile(
    r"^!(\d+) = (?:distinct )?!DILocation\(line: (\d+)"
    r".*?scope: !(\d+)(?:, inlinedAt: !(\d+))?"
)
_PROGRAM = re.compile(r"^!(\d+) = (?:distinct )?!DISubprogram\(.*?\bfile: !(\d+)")
_FILE = re.compile(r'^!(\d+) = (?:distinct )?!DIFile\(filename: "([^"]*)"')


@dataclass
class _Function:
    """What is known of one function: its file, where its code comes from, and whom it calls."""

    scope: str | None
    marks: set[str] = field(default_factory=set)  # locations, by number
    calls: list[tuple[str, str | None]] = field(default_factory=list)  # callee, location


class CallSites:
    """The calls of one module in textual IR."""

    def __init__(self, ir: str) -> None:
        self._functions: dict[str, _Function] = {}
        self._lines: dict[str, tuple[int, str, str | None]] = {}  # line, scope, inlined at
        self._program_files: dict[str, str] = {}
        self._file_names: dict[str, str] = {}
        self._read(ir)
        self._callers: dict[str, list[tuple[str, str | None]]] = defaultdict(list)
        for name, function in self._functions.items():
            for callee, location in function.calls:
                self._callers[callee].append((name, location))

    def lines_that_lead_to(self, callee: str, file: str) -> list[int]:
        """Lines in `file` from which the function `callee` is reached, nearest callers only."""
        return self._walk({callee}, PurePath(file).name)

    def lines_that_lead_to_line(self, place: str, line: int, file: str) -> list[int]:
        """Lines in `file` from which line `line` of the file `place` is reached."""
        starts = {
            name
            for name, function in self._functions.items()
            if self._file_of(function.scope) == PurePath(place).name
            and any(self._is_at(mark, place, line) for mark in function.marks)
        }
        inlined = {
            self._line_in(PurePath(file).name, location)
            for location in self._lines
            if self._is_at(location, place, line)
        }
        return sorted(inlined - {0}) or self._walk(starts, PurePath(file).name)

    def _is_at(self, location: str, place: str, line: int) -> bool:
        found = self._lines.get(location)
        return (
            found is not None
            and found[0] == line
            and self._file_of(found[1]) == PurePath(place).name
        )

    def _line_in(self, file: str, location: str | None) -> int:
        """The line of a file at which code was inlined, directly or not, that is at a location."""
        while location in self._lines:
            line, scope, location = self._lines[location]
            if self._file_of(scope) == file:
                return line
        return 0

    def _walk(self, starts: set[str], file: str) -> list[int]:
        found, seen, waiting = set(), set(starts), list(starts)
        while waiting:
            for caller, location in self._callers[waiting.pop()]:
                line = self._line_in(file, location)
                if line:
                    found.add(line)
                elif caller not in seen:
                    seen.add(caller)
                    waiting.append(caller)
        return sorted(found)

    def _file_of(self, scope: str | None) -> str:
        number = self._program_files.get(scope or "", "")
        return PurePath(self._file_names.get(number, "")).name

    def _read(self, ir: str) -> None:
        current: _Function | None = None
        for line in ir.splitlines():
            if line.startswith("define "):
                current = self._begin(line)
            elif line.startswith("}"):
                current = None
            elif line.startswith("!"):
                self._read_metadata(line)
            elif current is not None:
                _read_instruction(current, line)

    def _begin(self, line: str) -> _Function | None:
        match = _DEFINE.match(line)
        if match is None:
            return None
        return self._functions.setdefault(match["name"].strip('"'), _Function(match["scope"]))

    def _read_metadata(self, line: str) -> None:
        if match := _LOCATION.match(line):
            self._lines[match[1]] = (int(match[2]), match[3], match[4])
        elif match := _PROGRAM.match(line):
            self._program_files[match[1]] = match[2]
        elif match := _FILE.match(line):
            self._file_names[match[1]] = match[2]


def _read_instruction(function: _Function, line: str) -> None:
    at = _AT.search(line)
    if at is not None:
        function.marks.add(at[1])
    call = _CALL.search(line)
    if call is not None:
        function.calls.append((call["name"].strip('"'), at[1] if at else None))
