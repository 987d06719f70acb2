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
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numba

_ALLOCATORS = "malloc|calloc|realloc|aligned_alloc"
_KIND = "!enzyme_py.line"
_CALL = re.compile(rf"^([^\n]*\bcall [^\n]*@(?:{_ALLOCATORS})\([^\n]*?), !dbg (!\d+)", re.MULTILINE)
_MARKED = re.compile(
    rf"^([^\n]*\bcall [^\n]*@)({_ALLOCATORS})(\([^\n]*?), {re.escape(_KIND)} (!\d+)", re.MULTILINE
)
_NODE = re.compile(r"^(!\d+) = (?:distinct )?(!\w*[({].*)$", re.MULTILINE)
_INDEX = re.compile(r"^!\{i32 (\d+)\}")
_DECLARED = re.compile(rf"^declare [^\n]*@({_ALLOCATORS})\([^\n]*\n", re.MULTILINE)
_RENAMED = re.compile(rf"^({_ALLOCATORS})\.line\.(\d+)$")
_ESCAPED = re.compile(rb"\\([0-9A-F]{2})")
# Files of these hold the code that Numba puts in the place of NumPy's: not the user's.
_NOT_THE_USERS = tuple(
    str(folder) + os.sep for folder in (Path(__file__).parent.parent, Path(numba.__file__).parent)
)


@dataclass(frozen=True)
class Site:
    """A request for memory: where it returns to, from the code's beginning, and its line."""

    offset: int
    file: str
    line: int


@dataclass(frozen=True)
class Layout:
    """Where code lies, from its first entry on, and the requests in it; of no size where unknown."""

    begin: int = 0
    size: int = 0
    sites: tuple[Site, ...] = ()


UNKNOWN = Layout()


def allocator_of(symbol: str) -> str:
    """Return the allocator behind a renamed symbol, and any other symbol as it is."""
    found = _RENAMED.match(symbol)
    return found.group(1) if found else symbol


# -- before LLVM's pipeline, and behind it


def with_marked_calls(text: str) -> tuple[str, list[tuple[str, int]]]:
    """Return a module whose calls of allocators carry their lines, and the file and line of each."""
    if _CALL.search(text) is None:
        return text, []
    nodes = dict(_NODE.findall(text))
    first = 1 + max(int(name[1:]) for name in nodes)
    places: list[tuple[str, int]] = []

    def marked(found: re.Match[str]) -> str:
        place = _place(nodes, found.group(2))
        if place is None:
            return found.group(0)
        if place not in places:
            places.append(place)
        return f"{found.group(1)}, {_KIND} !{first + places.index(place)}"

    text = _CALL.sub(marked, text)
    added = "".join(f"!{first + i} = !{{i32 {i}}}\n" for i in range(len(places)))
    return f"{text}\n{added}", places


def with_renamed_calls(text: str) -> str:
    """Return the module behind the pipeline with a name of its own for each line's allocator."""
    if _MARKED.search(text) is None:
        return text
    nodes = dict(_NODE.findall(text))
    names: dict[str, str] = {}

    def renamed(found: re.Match[str]) -> str:
        index = _INDEX.match(nodes.get(found.group(4), ""))
        if index is None:
            return found.group(0)
        name = f"{found.group(2)}.line.{index.group(1)}"
        names[name] = found.group(2)
        return found.group(1) + name + found.group(3)

    text = _MARKED.sub(renamed, text)
    declared = {found.group(1): found.group(0) for found in _DECLARED.finditer(text)}
    added = (declared[old].replace(f"@{old}(", f"@{new}(") for new, old in names.items())
    return text + "\n" + "".join(added)


def _place(nodes: dict[str, str], location: str | None) -> tuple[str, int] | None:
    """Return the innermost line of the user's own that a location lies in."""
    seen: set[str] = set()
    while location is not None and location not in seen:
        seen.add(location)
        node = nodes.get(location, "")
        line = re.search(r"\bline: (\d+)", node)
        file = _file(nodes, _operand(node, "scope"))
        if line and file is not None and not file.startswith(_NOT_THE_USERS):
            return file, int(line.group(1))
        location = _operand(node, "inlinedAt")
    return None


def _operand(node: str, name: str) -> str | None:
    found = re.search(rf"\b{name}: (!\d+)", node)
    return found.group(1) if found else None


def _file(nodes: dict[str, str], scope: str | None) -> str | None:
    found = _operand(nodes.get(scope or "", ""), "file")
    parts = re.search(r'filename: "([^"]*)", directory: "([^"]*)"', nodes.get(found or "", ""))
    if parts is None:
        return None
    name, folder = (_unescaped(part) for part in parts.groups())
    return os.path.join(folder, name)


def _unescaped(text: str) -> str:
    raw = _ESCAPED.sub(lambda found: bytes([int(found.group(1), 16)]), text.encode())
    return raw.decode(errors="replace")


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


def layout(binary: bytes, entry: str, places: list[tuple[str, int]]) -> Layout:
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
            found = _RENAMED.match(symbols[information >> 32][0])
            if found and (machine, information & 0xFFFFFFFF) in _CALLS:
                sites.append(Site(offset + _CALL_BYTES, *places[int(found.group(2))]))
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
