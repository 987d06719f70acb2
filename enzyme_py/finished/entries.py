"""Entries: what a finished derivative needs to run, as a file of the cache folder.

An entry holds the machine code that Python calls, what it calls by name, the constants that it looks up, and the names of
the derivatives behind it, which lie in the cache of derivatives with those of others.

A file is a head line, the hash of its name and of the rest, a line of JSON, and bytes. It is trusted as one of that
cache is: its code is run, so its constants may be unpickled too.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from enzyme_py.native.code import ObjectCode
from enzyme_py.native.stored.disk_cache import read_trusted, write_whole
from enzyme_py.settings import settings

HEAD = b"enzyme_py entry 1\n"
SUFFIX = ".entry"
_DIGEST_SIZE = hashlib.sha256().digest_size


@dataclass(frozen=True)
class Behind:
    """A derivative that an entry calls: its name in the cache, and what is told if it dies (native/faults/watched.py)."""

    key: str
    name: str
    packed: bytes


@dataclass(frozen=True)
class Entry:
    """The code of one runner for arguments of some types."""

    code: ObjectCode
    wrapper: str  # the symbol that Python calls
    environment: str  # that of the constants which the wrapper looks up
    environments: Mapping[str, bytes]  # pickled constants, by symbol
    behind: tuple[Behind, ...]
    kernel: str
    content: str = ""  # of the modules behind it, see comparing.py


def folder() -> Path:
    """Where entries lie; it follows `settings.cache_dir`."""
    return settings.cache_dir / "entries"


def find(name: str) -> Entry | None:
    """Return the entry of a name, or None. A damaged file is removed."""
    path = folder() / (name + SUFFIX)
    content = read_trusted(path)
    if content is None:
        return None
    entry = _decoded(name, content)
    with contextlib.suppress(OSError):  # a folder that cannot be written is still worth reading
        if entry is None:
            path.unlink()
        else:
            os.utime(path)
    return entry


def keep(name: str, entry: Entry) -> None:
    """Write an entry; raises OSError where that cannot be done."""
    folder().mkdir(mode=0o700, parents=True, exist_ok=True)
    write_whole(folder() / (name + SUFFIX), _encoded(name, entry))


def _encoded(name: str, entry: Entry) -> bytes:
    pieces: list[bytes] = []

    def put(piece: bytes) -> int:
        pieces.append(piece)
        return len(piece)

    facts: dict[str, Any] = {
        "kernel": entry.kernel,
        "content": entry.content,
        "entries": entry.code.entries,
        "symbols": entry.code.symbols,
        "wrapper": entry.wrapper,
        "environment": entry.environment,
        "code": put(entry.code.binary),
        "environments": [(symbol, put(one)) for symbol, one in entry.environments.items()],
        "behind": [(one.key, one.name, put(one.packed)) for one in entry.behind],
    }
    body = json.dumps(facts).encode() + b"\n" + b"".join(pieces)
    return HEAD + _digest(name, body) + body


def _decoded(name: str, content: bytes) -> Entry | None:
    start = len(HEAD) + _DIGEST_SIZE
    body = content[start:]
    if not content.startswith(HEAD) or _digest(name, body) != content[len(HEAD) : start]:
        return None
    text, _, rest = body.partition(b"\n")
    facts = json.loads(text)
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
        behind=tuple(Behind(key, one, take(size)) for key, one, size in facts["behind"]),
        kernel=facts["kernel"],
        content=facts["content"],
    )


def _digest(name: str, body: bytes) -> bytes:
    return hashlib.sha256(name.encode() + b"\n" + body).digest()
