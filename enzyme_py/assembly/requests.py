"""The requests that stand in a module's text: who asks for the derivative of whom, and how nested.

Read from code after O2, where a request is a call of `__enzyme_autodiff` or one of its kin, whose first
operand is the function to differentiate.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from enzyme_py.assembly.ir_text import functions_in

_REQUEST = re.compile(r"@__enzyme_(\w+?)(?:[.\d]\w*)?\(ptr[^@,]*@([^,\s)]+)")
_WIDTH_LOAD = re.compile(r"^ *(%\S+) = load i32, ptr @enzyme_width\b", re.MULTILINE)
_REVERSE = ("autodiff", "reverse", "augmentfwd")
_ANY_REVERSE = re.compile(rf"@__enzyme_(?:{'|'.join(_REVERSE)})")


@dataclass(frozen=True)
class Requested:
    """One request: its direction, how many shadows it has in a lane, and of which function."""

    is_reverse: bool
    width: int
    target: str


class Requests:
    """All requests of a module."""

    def __init__(self, ir: str) -> None:
        functions = list(functions_in(ir))
        self._calls = {f.name: {call.callee for _, call in f.calls} for f in functions}
        self._made = {f.name: _requests("\n".join(f.lines)) for f in functions}

    def all(self) -> set[Requested]:
        """Return every request of the module."""
        return set().union(*self._made.values())

    def inside(self, outer: Requested) -> set[Requested]:
        """Return the requests that another one differentiates."""
        return set().union(*(self._made[name] for name in self.reached(outer.target)))

    def under_reverse(self) -> set[Requested]:
        """Return the requests that any reverse mode differentiates."""
        return set().union(*(self.inside(one) for one in self.all() if one.is_reverse))

    def reached(self, start: str) -> set[str]:
        """Return the functions that a function calls or differentiates, and itself."""
        seen: set[str] = set()
        pending = [start]
        while pending:
            name = pending.pop()
            if name not in seen and name in self._calls:
                seen.add(name)
                pending.extend(self._calls[name])
                pending.extend(one.target for one in self._made[name])
        return seen


def _requests(text: str) -> set[Requested]:
    widths = _WIDTH_LOAD.findall(text)
    return {
        Requested(found.group(1) in _REVERSE, _width(line, widths), found.group(2).strip('"'))
        for line in text.split("\n")
        if (found := _REQUEST.search(line))
    }


def _width(line: str, markers: list[str]) -> int:
    for marker in markers:
        if found := re.search(rf"i32 {re.escape(marker)}, i32 (\d+)", line):
            return int(found.group(1))
    return 1


def has_reverse(ir: str) -> bool:
    """Tell whether a module asks for reverse mode of anything, in one piece or in halves."""
    return _ANY_REVERSE.search(ir) is not None
