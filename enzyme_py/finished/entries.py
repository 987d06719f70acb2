"""Entries: what a finished derivative needs to run, as a file of the cache folder.

An entry holds the machine code that Python calls, what it calls by name, the constants that it looks up, and the names of
the derivatives behind it, which lie in the cache of derivatives with those of others.

A file has the form of all files of the cache (native/stored/shelf.py). It is trusted as they are: its code is run, so
its constants may be unpickled too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from enzyme_py.finished.behind import Behind
from enzyme_py.native.code import ObjectCode
from enzyme_py.native.stored.shelf import Shelf

SHELF = Shelf("entries", b"enzyme_py entry 5\n")


@dataclass(frozen=True)
class Entry:
    """The code of one runner for arguments of some types."""

    code: ObjectCode
    wrapper: str  # the symbol that Python calls
    environment: str  # that of the constants which the wrapper looks up
    environments: Mapping[str, bytes]  # pickled constants, by symbol
    behind: tuple[Behind, ...]
    content: str = ""  # of the modules behind it, see comparing.py
    returns_trees: bool = False  # as tuples: the dispatcher makes dicts, lists and dataclasses of them


def find(name: str) -> Entry | None:
    """Return the entry of a name, or None."""
    found = SHELF.find(name)
    if found is None:
        return None
    facts, rest = found
    place = 0

    def take(size: int) -> bytes:
        nonlocal place
        place += size
        return rest[place - size : place]

    code = ObjectCode(take(facts["code"]), tuple(facts["entries"]), tuple(facts["symbols"]))
    return Entry(
        code=code,
        wrapper=facts["wrapper"],
        environment=facts["environment"],
        environments={symbol: take(size) for symbol, size in facts["environments"]},
        behind=tuple(
            Behind(key, one, take(size), tuple((symbol, name) for symbol, name in rules))
            for key, one, size, rules in facts["behind"]
        ),
        content=facts["content"],
        returns_trees=facts["returns_trees"],
    )


def keep(name: str, entry: Entry, about: Mapping[str, Any] | None = None) -> bool:
    """Write an entry, with what people may want to know of it (native/stored/about.py); tells whether that was done."""
    pieces: list[bytes] = []

    def put(piece: bytes) -> int:
        pieces.append(piece)
        return len(piece)

    facts: dict[str, Any] = {
        "about": about or {},
        "content": entry.content,
        "returns_trees": entry.returns_trees,
        "entries": entry.code.entries,
        "symbols": entry.code.symbols,
        "wrapper": entry.wrapper,
        "environment": entry.environment,
        "code": put(entry.code.binary),
        "environments": [(symbol, put(one)) for symbol, one in entry.environments.items()],
        "behind": [(one.key, one.name, put(one.packed), one.rules) for one in entry.behind],
    }
    return SHELF.keep(name, facts, b"".join(pieces))
