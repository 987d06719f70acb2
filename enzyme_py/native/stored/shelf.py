"""Files of the cache folder, of every kind: found and kept by name, listed, thrown out when they are too many.

A `Shelf` is one kind of file, in a folder of its own. A file is

    a head line, SHA-256 of its name and of the rest, a line of JSON, and bytes

The head names the kind and the format. The hash is over the name too, so that no file answers under another's. Of the
JSON `about` is for people: which kernel, which derivative, which types, made by what. Files are written aside and
renamed, so a reader sees a whole file or none, however many processes write; a damaged one is removed and made anew.

Their content is run: they are read as foundations/files/trusted_files.py says. What the own folder does not have is looked for in
`settings.shared_caches`, of which nothing is ever written, touched or removed. The least recently used files of all kinds
go first when the sum of all passes `settings.cache_limit`.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from enzyme_py.foundations.files.trusted_files import (
    ASIDE,
    read_trusted,
    remedy_of,
    warn_once,
    write_whole,
)
from enzyme_py.settings import settings

KINDS = {"derivatives": ".derivative", "entries": ".entry"}  # folders, and how the names of their files end
DIGEST_SIZE = hashlib.sha256().digest_size
_STALE_SECONDS = 3600.0
_WRITES_PER_LOOK = 50
_MOST_OF_A_HEAD = 2**20
_DAMAGED = "have its owner remove it: `python -m enzyme_py cache prune --damaged` there"


@dataclass(frozen=True)
class Shelf:
    """One kind of file: the folder that they lie in, and their head line."""

    name: str
    head: bytes

    @property
    def folder(self) -> Path:
        """Where the user's own lie; it follows `settings.cache_dir`."""
        return settings.cache_dir / self.name

    def find(self, name: str) -> tuple[dict[str, Any], bytes] | None:
        """Return the facts and the bytes that are kept under a name, or None. A damaged file is removed."""
        path = self.folder / self.file_name(name)
        content = read_trusted(path)
        if content is not None:
            found = self.decoded(name, content)
            with contextlib.suppress(OSError):  # a cache that cannot be written is still worth reading
                if found is None:
                    path.unlink()
                else:
                    os.utime(path)
            if found is not None:
                return found
        return self._shared(name)

    def _shared(self, name: str) -> tuple[dict[str, Any], bytes] | None:
        for root in settings.shared_caches:
            path = root / self.name / self.file_name(name)
            if not root.is_dir():
                warn_once("read", root / self.name, f"there is no folder {root}", "see ENZYME_PY_CACHE_SHARED")
                continue
            content = read_trusted(path, root)
            if content is None:
                continue
            found = self.decoded(name, content)
            if found is not None:
                return found
            warn_once("use", path, f"{path.name} is damaged", _DAMAGED)
        return None

    def keep(self, name: str, facts: Mapping[str, Any], content: bytes) -> bool:
        """Put something under a name. A cache that cannot be written costs one warning, and False is returned."""
        path = self.folder / self.file_name(name)
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            whole = self.encoded(name, facts, content)
            write_whole(path, whole)
            budget.spend(len(whole))
        except OSError as error:
            warn_once("write", path, str(error), remedy_of(error))
            return False
        return True

    def file_name(self, name: str) -> str:
        return name + KINDS[self.name]

    def encoded(self, name: str, facts: Mapping[str, Any], content: bytes) -> bytes:
        """Return the whole file."""
        body = json.dumps(facts).encode() + b"\n" + content
        return self.head + _digest(name, body) + body

    def decoded(self, name: str, content: bytes) -> tuple[dict[str, Any], bytes] | None:
        """Return the facts and the bytes of a file; None if it is damaged, or of another format."""
        if not content.startswith(self.head) or not is_whole(name, content):
            return None
        facts, _, rest = content[len(self.head) + DIGEST_SIZE :].partition(b"\n")
        return json.loads(facts), rest


def _digest(name: str, body: bytes) -> bytes:
    return hashlib.sha256(name.encode() + b"\n" + body).digest()


def is_whole(name: str, content: bytes) -> bool:
    """Tell whether a file of any kind and format is as it was written, under this name."""
    _, line, rest = content.partition(b"\n")
    return bool(line) and _digest(name, rest[DIGEST_SIZE:]) == rest[:DIGEST_SIZE]


# -- all files


@dataclass(frozen=True)
class File:
    """One file of the cache, also one that is being written."""

    path: Path
    size: int
    used: float  # when it was, in seconds since 1970; a clock that was set back leaves times to come
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """The folder that it lies in."""
        return self.path.parent.name

    @property
    def name(self) -> str:
        """The name under which it is found."""
        return self.path.stem

    @property
    def is_aside(self) -> bool:
        """Whether it was never finished."""
        return self.path.name.endswith(ASIDE)

    @property
    def is_being_written(self) -> bool:
        """Whether another process may be at it; what a killed one left grows old."""
        return self.is_aside and abs(time.time() - self.used) < _STALE_SECONDS


def files(root: Path | None = None, *, with_facts: bool = False) -> Iterator[File]:
    """Yield the files of a cache folder, the own one if none is named; some may vanish meanwhile."""
    for kind, suffix in KINDS.items():
        try:
            listed = list(os.scandir((root or settings.cache_dir) / kind))
        except OSError:
            continue
        for item in listed:
            if not item.name.endswith((suffix, ASIDE)):
                continue
            with contextlib.suppress(OSError):
                status = item.stat(follow_symlinks=False)
                path = Path(item.path)
                is_read = with_facts and stat.S_ISREG(status.st_mode) and item.name.endswith(suffix)
                yield File(path, status.st_size, status.st_mtime, _about(path) if is_read else {})


def _about(path: Path) -> Mapping[str, Any]:
    """Return what a file says of itself; nothing if it cannot be read, or says nothing."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            file.readline(_MOST_OF_A_HEAD)
            file.read(DIGEST_SIZE)
            about: Mapping[str, Any] = json.loads(file.readline(_MOST_OF_A_HEAD)).get("about", {})
            return about
    return {}


def remove(file: File) -> bool:
    """Remove a file; tells whether it was there to be removed."""
    with contextlib.suppress(OSError):
        file.path.unlink()
        return True
    return False


# -- the limit


def evict(limit: int) -> list[File]:
    """Remove the least recently used until the rest fits; returns what went."""
    latest = time.time() + _STALE_SECONDS  # what was used later than now was used nobody knows when: it goes first
    listed = sorted(files(), key=lambda file: file.used if file.used < latest else 0.0)
    total = sum(file.size for file in listed)
    gone = []
    for file in listed:
        if total <= limit:
            break
        if not file.is_being_written:
            remove(file)
            gone.append(file)
            total -= file.size
    return gone


class Budget:
    """Looks through the folders only now and then: others write too, but a look takes time."""

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._used = 0
        self._writes = 0

    def spend(self, size: int) -> None:
        """Count what was written, and throw out what passes the limit."""
        if self._folder != settings.cache_dir or self._writes % _WRITES_PER_LOOK == 0:
            self._folder, self._used = settings.cache_dir, _total()
        else:
            self._used += size
        self._writes += 1
        if self._used > settings.cache_limit:
            evict(settings.cache_limit * 9 // 10)
            self._used = _total()


def _total() -> int:
    return sum(file.size for file in files())


budget = Budget()
