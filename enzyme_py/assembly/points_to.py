"""Where each pointer of one function can lead, what is written there, and which memory gets away.

Memory is an allocation, a stack slot or what a parameter points to: all turns and all bytes of one are
taken together. A pointer that is loaded leads to all that was ever stored in the memory it is loaded from. Memory
gets away where somebody else may come to know it: whoever is given its pointer and is not known
here, and whatever holds that pointer and gets away. Of such memory nothing is said.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from enzyme_py.assembly.buffers import COPIER
from enzyme_py.assembly.control_flow import NAME
from enzyme_py.assembly.ir_text import Call, call_in, value_of, values_in
from enzyme_py.frontend.calling_convention import RAISE
from enzyme_py.frontend.type_hints import HINT
from enzyme_py.rules import copies
from enzyme_py.rules.blas import SUFFIX

_MADE = re.compile(r"alloca\b|(?:tail )?call\b[^@]*@(?:malloc|calloc)\(")
_OFFSET = re.compile(rf"getelementptr .*?, ptr ({NAME})(?:,|$)")
_PHI = re.compile(r"phi (\S+) ")
_INCOMING = re.compile(rf"\[ ([^,\]]+), {NAME} \]")
_CHOSEN = re.compile(r"select i1 [^,]+, (\S+) ([^,]+), \S+ ([^,]+)")
_LOADED = re.compile(rf"load (\S+), ptr ({NAME})(?:,|$)")
_STORED = re.compile(rf"store ([^,]+?) (\S+), ptr ({NAME}|@\S+?)(?:,|$)")
_UNREADABLE = re.compile(r"(?:atomicrmw|cmpxchg|fence|invoke|callbr|va_arg|inttoptr)\b")
_INTEGER = re.compile(r"i\d{1,2}$")
_NUMBERS = ("double", "float")
_NOBODY = frozenset(("null", "undef", "poison"))
_SILENT = (HINT, RAISE, "llvm.lifetime.", "llvm.experimental.noalias.scope.decl")
_MOVES = ("llvm.memcpy.", "llvm.memmove.")
_FILLS = ("llvm.memset.", COPIER)
_UNKNOWN = "?"


class PointsTo:
    """The memory of a function, given as its lines, the first with its head."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = [
            (place, line.strip())
            for place, line in enumerate(lines)
            if line.startswith("  ") and not line.lstrip().startswith("#dbg")
        ]
        parameters = set(values_in(lines[0]))
        # What a line makes leads nowhere until that line has been read.
        self._targets = {name: set[str]() for _, text in self._lines if (name := _made_by(text))}
        self._targets |= {one: {one} for one in parameters}
        self._bits: dict[str, set[str]] = {}  # what integers may hold that were loaded
        self._contents: defaultdict[str, set[str]] = defaultdict(set)
        self._escaped = parameters | {_UNKNOWN}
        self._is_readable = all(_is_readable(text) for _, text in self._lines)
        size = -1
        while size != (size := self._size()):
            for _, text in self._lines:
                self._read(text)
            self._spread()
        self._writes = [
            (place, pointer) for place, text in self._lines for pointer in _written(text)
        ]

    def targets(self, pointer: str) -> set[str]:
        """Return the memory that a pointer can lead to."""
        if pointer in _NOBODY:
            return set()
        return self._targets.get(pointer, {_UNKNOWN})

    def is_private(self, memory: str) -> bool:
        """Tell whether only lines of the function can read and write an allocation."""
        return self._is_readable and memory not in self._escaped

    def writes(self, memory: str) -> Iterator[tuple[int, str]]:
        """Yield the lines that may write to private memory, or free it, and by which pointer."""
        for place, pointer in self._writes:
            if memory in self.targets(pointer):
                yield place, pointer

    def _size(self) -> int:
        parts = (self._targets, self._bits, self._contents)
        held = sum(len(one) + sum(map(len, one.values())) for one in parts)
        return held + len(self._escaped)

    def _read(self, text: str) -> None:
        name = _made_by(text)
        made = text.removeprefix(f"{name} = ")
        if name and _MADE.match(made):
            self._targets[name] = {name}
        elif match := _OFFSET.match(made):
            self._add(name, "ptr", self.targets(match.group(1)))
        elif match := _PHI.match(made):
            self._merge(name, match.group(1), _INCOMING.findall(made))
        elif match := _CHOSEN.match(made):
            self._merge(name, match.group(1), match.groups()[1:])
        elif match := _LOADED.match(made):
            self._load(name, *match.groups())
        elif match := _STORED.match(made):
            self._store(*match.groups())
        elif (call := call_in(made)) is not None:
            self._call(call)
            self._targets[name] = {_UNKNOWN}
        elif not made.startswith("icmp "):
            self._lose(made)
            self._targets[name] = {_UNKNOWN}

    def _add(self, name: str, kind: str, targets: set[str]) -> None:
        known = self._targets if kind == "ptr" else self._bits
        known.setdefault(name, set()).update(targets)

    def _merge(self, name: str, kind: str, given: Sequence[str]) -> None:
        if kind == "ptr":
            self._add(name, kind, set[str]().union(*map(self.targets, given)))
        elif _INTEGER.match(kind):
            held = (self._bits.get(one, set()) for one in given)
            self._add(name, kind, set[str]().union(*held))
        else:
            self._lose(" ".join(given))
            self._targets[name] = {_UNKNOWN}

    def _load(self, name: str, kind: str, place: str) -> None:
        held = set[str]().union(*(self._contents[one] for one in self.targets(place)))
        if kind == "ptr" or _INTEGER.match(kind):
            self._add(name, kind, held)
        elif kind not in _NUMBERS:
            self._escaped |= held

    def _store(self, kind: str, value: str, place: str) -> None:
        if kind == "ptr":
            self._keep(place, self.targets(value))
        elif _INTEGER.match(kind):
            self._keep(place, self._bits.get(value, set()))

    def _keep(self, place: str, pointers: set[str]) -> None:
        for one in self.targets(place):
            self._contents[one] |= pointers

    def _call(self, call: Call) -> None:
        if call.callee.startswith(_MOVES):
            to, source = _pointers(call)[:2]
            held = (self._contents[one] for one in self.targets(source))
            self._keep(to, set[str]().union(*held))
        elif not _is_known(call):
            self._lose(" ".join(call.values))

    def _lose(self, text: str) -> None:
        """Take it that whatever a text speaks of gets away."""
        for value in values_in(text):
            self._escaped |= self._targets.get(value, set())

    def _spread(self) -> None:
        pending = list(self._escaped)
        while pending:
            held = self._contents[pending.pop()]
            held.add(_UNKNOWN)
            pending.extend(held - self._escaped)
            self._escaped |= held


def _made_by(text: str) -> str:
    """Return the value that an instruction makes, or nothing."""
    name, equals, _ = text.partition(" = ")
    return name if equals and name.startswith("%") else ""


def _is_readable(text: str) -> bool:
    is_unknown_store = text.startswith("store ") and _STORED.match(text) is None
    return not is_unknown_store and not _UNREADABLE.search(text)


def _pointers(call: Call) -> list[str]:
    return [value_of(one) for one in call.operands if one.startswith("ptr ")]


def _is_known(call: Call) -> bool:
    """Tell whether a call keeps no pointer, and writes no more than `_written` says."""
    is_known = call.callee.startswith((*_SILENT, *_FILLS)) or call.callee.endswith(SUFFIX)
    return is_known or call.callee == "free" or copies.is_body(call.callee)


def _written(text: str) -> Iterator[str]:
    """Yield the pointers through which an instruction writes, or whose memory it frees."""
    if stored := _STORED.match(text):
        yield stored.group(3)
        return
    call = call_in(text)
    if call is None:
        return
    if call.callee.startswith((*_MOVES, *_FILLS)) or copies.is_body(call.callee):
        yield _pointers(call)[0]
    elif call.callee.endswith(SUFFIX):
        yield _pointers(call)[-1]
    elif call.callee == "free":
        yield from _pointers(call)
