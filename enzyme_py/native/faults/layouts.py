"""Where machine code lies in memory, and at which of its places it asks for memory: see sites.py."""

from __future__ import annotations

from dataclasses import dataclass

ALLOCATORS = ("malloc", "calloc", "realloc", "aligned_alloc")
RENAMED = ".line."

Line = tuple[str, int]  # a file, and the number in it


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
    return symbol if index_in(symbol) is None else symbol.partition(RENAMED)[0]


def index_in(symbol: str) -> int | None:
    """Return the number of the line in a renamed symbol."""
    name, _, index = symbol.partition(RENAMED)
    return int(index) if name in ALLOCATORS and index.isdecimal() else None
