"""Which line of the user's asks for memory: kept beside the machine code, for when there is none left.

Machine code is generated without debug information (optimise.py says why). So each call of an
allocator is given the line that it comes from as metadata of its own, which costs nothing and stays
on the call through LLVM's pipeline. Behind the pipeline the call is renamed: `malloc.line.3`. The
loader binds that name to the same allocator as `malloc`, and the object's table of relocations tells
where in the code the call stands. What it returns to is what the C runtime notes of a request that
fails. So a request that succeeds costs nothing at all.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from pathlib import Path

import numba

from enzyme_py.llvm import (
    Call,
    Function,
    GetElementPtr,
    Instruction,
    MetadataNode,
    Module,
    Phi,
    Store,
    Value,
    clone_function,
)
from enzyme_py.llvm.naming import unescaped
from enzyme_py.native.faults.layouts import (
    ALLOCATORS,
    RENAMED,
    UNKNOWN,
    Layout,
    Line,
    Site,
    index_in,
)

_KIND = "enzyme_py.line"
_CACHE = "enzyme_cache_alloc"  # as Enzyme marks the memory of its caches
_MOST_VALUES = 32  # that are followed from one
# Files of these hold the code that Numba puts in the place of NumPy's: not the user's.
_NOT_THE_USERS = tuple(
    str(folder) + os.sep for folder in (Path(__file__).parent.parent.parent, Path(numba.__file__).parent)
)


# -- before LLVM's pipeline, and behind it


def mark_calls(code: Module) -> list[Line]:
    """Let the calls of allocators carry their lines as metadata; return the lines by their numbers."""
    marks = dict[Line, MetadataNode]()
    known = dict[str, Line | None]()
    for function in code.functions:
        for call in _allocations(function) if function.mentions("!dbg ") else ():
            line = _line_of(code, call, known)
            if line is not None:
                mark = marks[line] = marks.get(line) or code.add_node(f"!{{i32 {len(marks)}}}")
                call.set_metadata(_KIND, mark)
    return list(marks)


def rename_calls(code: Module) -> None:
    """Call the allocator by a name of its own for each line, in the module behind the pipeline."""

    def renamed(name: str, mark: str) -> Value | None:
        old, node = code.get(name), code.metadata.get(mark)
        if name not in ALLOCATORS or not isinstance(old, Function) or node is None:
            return None
        own = f"{name}{RENAMED}{node.operands[0].removeprefix('i32 ')}"
        return code.get(own) or clone_function(old, own)

    for function in code.functions:
        function.redirect_calls(_KIND, renamed)


def _allocations(function: Function) -> list[Call]:
    if not any(function.mentions(f"@{name}(") for name in ALLOCATORS):
        return []
    return [one for one in function.calls_of(*ALLOCATORS) if one.opcode == "call"]


def _line_of(code: Module, call: Call, known: dict[str, Line | None]) -> Line | None:
    """Return the first line of the user's own that a request may come from."""
    for location in _locations_of(call):
        if location not in known:
            known[location] = _line_at(code, location)
        if known[location] is not None:
            return known[location]
    return None


def _locations_of(call: Call) -> Iterator[str]:
    """Yield where in the source a request may come from; of a cache of Enzyme's first where what is kept is computed."""
    if call.location is not None and _CACHE not in call.metadata:
        yield call.location
    pending: list[Value] = [call]
    for pointer in pending:
        for user in pointer.users:
            if isinstance(user, GetElementPtr) and len(pending) < _MOST_VALUES:
                pending.append(user)
            elif isinstance(user, Call) and user.location is not None:
                yield user.location  # of what is copied into it
            if isinstance(user, Store) and user.value is not pointer:
                yield from _locations_around(user.value)
                if user.location is not None:
                    yield user.location
    if call.location is not None:
        yield call.location


def _locations_around(value: Value) -> Iterator[str]:
    """Yield the places of a number, of what comes into it around a loop, and of what it serves: code of ours has none."""
    pending = [value]
    for one in pending:
        if isinstance(one, Instruction) and one.location is not None:
            yield one.location
        if len(pending) < _MOST_VALUES:
            pending.extend(one.operands if isinstance(one, Phi) else ())
            pending.extend(user for user in one.users if user.type != "void")


def _line_at(code: Module, location: str | None) -> Line | None:
    """Return the innermost line of the user's own that a location lies in."""
    seen: set[str] = set()
    while location is not None and location not in seen:
        seen.add(location)
        node = _fields(code, location)
        file = _file_of(code, node.get("scope"))
        if "line" in node and file is not None and not file.startswith(_NOT_THE_USERS):
            return file, int(node["line"])
        location = node.get("inlinedAt")
    return None


def _file_of(code: Module, scope: str | None) -> str | None:
    """Return the file in which a piece of the source stands."""
    file = _fields(code, _fields(code, scope).get("file"))
    if "filename" not in file or "directory" not in file:
        return None
    return os.path.join(*(unescaped(file[part][1:-1]) for part in ("directory", "filename")))


def _fields(code: Module, ref: str | None) -> dict[str, str]:
    node = code.metadata.get(ref or "")
    return {} if node is None else node.fields


# -- in the finished object

_HEAD = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QQq")
_ELF64 = b"\x7fELF\x02\x01"  # of 64 bits, least significant byte first
_RELOCATIONS = 4  # kinds of sections
_SYMBOLS = 2
# (machine, kind of relocation): calls whose operand is the last four bytes of the instruction.
_CALLS = {(62, 4), (62, 2), (183, 283)}
_CALL_BYTES = 4


def layout(binary: bytes, entry: str, lines: list[Line]) -> Layout:
    """Return where the code of an object lies, and its requests; nothing for other formats than ELF."""
    if not binary.startswith(_ELF64):
        return UNKNOWN
    head = _HEAD.unpack_from(binary)
    machine, at, count = head[2], head[6], head[12]
    sections = [_SECTION.unpack_from(binary, at + i * _SECTION.size) for i in range(count)]
    symbols = list(_symbols(binary, sections))
    home = next((one for one in symbols if one[0] == entry), None)
    if home is None:
        return UNKNOWN
    _, code, start = home
    sites = []
    for section in sections:
        if section[1] != _RELOCATIONS or section[7] != code:
            continue
        for offset, information, _ in _RELOCATION.iter_unpack(_content(binary, section)):
            index = index_in(symbols[information >> 32][0])
            if index is not None and (machine, information & 0xFFFFFFFF) in _CALLS:
                sites.append(Site(offset + _CALL_BYTES, *lines[index]))
    return Layout(-start, sections[code][5], tuple(sites))


def _symbols(binary: bytes, sections: list[tuple[int, ...]]) -> Iterator[tuple[str, int, int]]:
    """Give the name of each symbol, its section, and its place there."""
    for section in sections:
        if section[1] == _SYMBOLS:
            names = _content(binary, sections[section[6]])
            for name, _, _, home, value, _ in _SYMBOL.iter_unpack(_content(binary, section)):
                yield names[name : names.index(b"\0", name)].decode(errors="replace"), home, value


def _content(binary: bytes, section: tuple[int, ...]) -> bytes:
    return binary[section[4] : section[4] + section[5]]
