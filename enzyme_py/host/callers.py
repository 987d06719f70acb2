"""From a place deep in a library back to the line of the user's kernel that leads there.

Enzyme names a line of Numba's own code where that is what it stumbled over. The module before Enzyme
still has every function apart, with debug locations: this walks from the function in question up its callers, until
it comes to one that was written in the kernel's file. What was inlined already is followed along the locations at
which that happened. Only functions that name what is looked for are read.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath

from enzyme_py.llvm import Call, Function, Module


@dataclass(frozen=True)
class _Location:
    """A place in the source; `at` is where it was inlined."""

    line: int
    scope: str
    at: str | None


class CallSites:
    """The calls of one module."""

    def __init__(self, code: Module) -> None:
        self._code = code
        self._known: dict[str, _Location | None] = {}
        self._marks: dict[Function, set[str | None]] = {}
        self._calls: dict[Function, defaultdict[str, list[str | None]]] = {}

    def lines_that_lead_to(self, callee: str, file: str) -> list[int]:
        """Lines in `file` from which the function `callee` is reached, nearest callers only."""
        return self._walk({callee}, PurePath(file).name)

    def lines_that_lead_to_line(self, place: str, line: int, file: str) -> list[int]:
        """Lines in `file` from which line `line` of the file `place` is reached."""
        own, words = PurePath(file).name, f"line: {line},"
        inlined = {
            self._line_in(own, ref)
            for ref, node in self._code.metadata.items()
            if words in node.text and self._is_at(ref, place, line)
        } - {0}
        if inlined:
            return sorted(inlined)
        starts = {
            one.name
            for one in self._code.functions
            if self._file_of(one.metadata.get("dbg")) == PurePath(place).name
            and self._has_line(one, place, line)
        }
        return self._walk(starts, own)

    def _has_line(self, function: Function, place: str, line: int) -> bool:
        if function not in self._marks:
            self._marks[function] = {one.location for one in function.instructions}
        return any(self._is_at(mark, place, line) for mark in self._marks[function])

    def _is_at(self, ref: str | None, place: str, line: int) -> bool:
        found = self._location(ref)
        return (
            found is not None
            and found.line == line
            and self._file_of(found.scope) == PurePath(place).name
        )

    def _line_in(self, file: str, ref: str | None) -> int:
        """The line of a file at which code was inlined, directly or not, that is at a location."""
        while (found := self._location(ref)) is not None:
            if self._file_of(found.scope) == file:
                return found.line
            ref = found.at
        return 0

    def _walk(self, starts: set[str], file: str) -> list[int]:
        found, seen, waiting = set[int](), set(starts), list(starts)
        while waiting:
            callee = waiting.pop()
            for caller in self._naming.get(callee, ()):
                for location in self._calls_in(caller)[callee]:
                    if line := self._line_in(file, location):
                        found.add(line)
                    elif caller.name not in seen:
                        seen.add(caller.name)
                        waiting.append(caller.name)
        return sorted(found)

    def _calls_in(self, caller: Function) -> defaultdict[str, list[str | None]]:
        """The locations of a function's calls, by callee."""
        if caller not in self._calls:
            found = self._calls[caller] = defaultdict(list)
            for call in caller.instructions:
                if isinstance(call, Call):
                    found[call.callee].append(call.location)
        return self._calls[caller]

    @cached_property
    def _naming(self) -> dict[str, list[Function]]:
        """The functions that name another one."""
        found: defaultdict[str, list[Function]] = defaultdict(list)
        for one in self._code.functions:
            for name in one.global_names():
                found[name].append(one)
        return found

    def _location(self, ref: str | None) -> _Location | None:
        if ref is None:
            return None
        if ref not in self._known:
            node = self._code.metadata.get(ref)
            fields = node.fields if node is not None and node.kind == "DILocation" else {}
            self._known[ref] = (
                _Location(int(fields["line"]), fields["scope"], fields.get("inlinedAt"))
                if "line" in fields
                else None
            )
        return self._known[ref]

    def _file_of(self, scope: str | None) -> str:
        """The name of the file in which a function was written."""
        program = self._code.metadata.get(scope or "")
        if program is None or program.kind != "DISubprogram":
            return ""
        file = self._code.metadata.get(program.fields.get("file", ""))
        name = file.fields.get("filename", "") if file is not None else ""
        return PurePath(name.strip('"')).name
