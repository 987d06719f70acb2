"""Places in memory that pointers are put into and taken from, where that can be followed.

What LLVM could not put into registers stays in memory: Numba gives the address of an array's shape
to the function that reshapes it, so the whole record of the array, its pointer included, lies on the
stack, and with it the header of the array, in which the pointer stands too. A variable is followed if
all that is done with it is loading, storing, and calls that are known not to look for pointers in it; so is
an allocation whose own address is at most put where nobody takes it from. What is loaded may then be
anything that was stored at that place.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from enzyme_py.assembly.control_flow import NAME, Body

# Reads and writes sizes and strides, beside which the pointer lies.
_RESHAPES = "@numba_attempt_nocopy_reshape("
_NO_READ = re.compile(r"\bcall void @llvm\.(?:lifetime\.start|lifetime\.end|memset)\.")
_STEP = re.compile(rf"= getelementptr (?:\w+ )*i8, ptr {NAME}, i64 (\d+)(?:,|$)")
_LOADED = re.compile(r"= load (?:volatile )?(ptr|i64|double|float|i32|i16|i8|i1), ptr ")
_STORED = re.compile(rf"^  store (?:volatile )?\S+ .*, ptr ({NAME})(?:,|$)")
_SIZES = {"ptr": 8, "i64": 8, "double": 8, "float": 4, "i32": 4}
_POINTER = 8


@dataclass
class _Variable:
    """One such variable: the offsets of its addresses, and its loads with offsets and sizes."""

    offsets: dict[str, int]
    loads: list[tuple[int, int, str]] = field(default_factory=list)


class Slots:
    """The variables of one function that can be followed, among them some of its allocations."""

    def __init__(self, body: Body, allocations: set[str]) -> None:
        self._body = body
        self._places: dict[str, tuple[_Variable, int]] = {}
        local = (_name(body.lines[line]) for line, code in body.opcodes.items() if code == "alloca")
        for name in (*local, *allocations):
            variable = self._followed(name)
            if variable is not None:
                for address, offset in variable.offsets.items():
                    self._places[address] = (variable, offset)

    def loads_of(self, store: int) -> list[str] | None:
        """Return what may load the pointer that a line stores, or None where that is not known.

        All of them must come behind the store whatever way is taken: then what they load was not
        stored in an earlier turn of a loop.
        """
        loads = self._loads_at(self._body.lines[store])
        is_ahead = loads is not None and all(self._comes_before(store, name) for name in loads)
        return loads if is_ahead else None

    def _loads_at(self, store: str) -> list[str] | None:
        found = _STORED.match(store)
        if found is None or found.group(1) not in self._places:
            return None
        variable, place = self._places[found.group(1)]
        return [
            name for at, size, name in variable.loads if at < place + _POINTER and place < at + size
        ]

    def _comes_before(self, store: int, load: str) -> bool:
        line = self._body.definitions[load]
        blocks = self._body.block_at[store].label, self._body.block_at[line].label
        return store < line if blocks[0] == blocks[1] else self._body.dominates(*blocks)

    def _followed(self, name: str) -> _Variable | None:
        variable = _Variable({name: 0})
        pending = [name]
        while pending:
            address = pending.pop()
            for line in self._body.uses.get(address, ()):
                derived = self._use(variable, address, self._body.lines[line])
                if derived is None:
                    return None
                for one in derived:
                    variable.offsets[one] = variable.offsets[address] + self._step(one)
                    pending.append(one)
        return variable

    def _use(self, variable: _Variable, address: str, text: str) -> list[str] | None:
        """Note what a line does with an address; return addresses made of it, None for the worst."""
        if _STEP.search(text):
            return [_name(text)]
        if loaded := _LOADED.search(text):
            size = _SIZES.get(loaded.group(1), 1)
            variable.loads.append((variable.offsets[address], size, _name(text)))
            return []
        if _STORED.match(text):
            is_target = f" {address}, ptr " not in text
            return [] if is_target or self._loads_at(text) == [] else None
        is_known = _RESHAPES in text or _NO_READ.search(text) is not None
        return [] if is_known else None

    def _step(self, address: str) -> int:
        found = _STEP.search(self._body.lines[self._body.definitions[address]])
        return int(found.group(1)) if found else 0


def _name(line: str) -> str:
    return line.split(" = ", 1)[0].strip()
