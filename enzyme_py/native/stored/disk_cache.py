"""Finished derivatives on disk, found by everything that affects them.

A key is a hash over the module before Enzyme (IR, entries, options), the identity of the host,
the versions of llvmlite and LLVM, the processor, the C runtime's functions, and the version of this
format. Under it lies one file: a head line, a hash, and the rest (JSON, then the object). The hash
is over the key and the rest, so that no file answers under another's name. Files are written aside and renamed, so a reader sees a whole file or none, however many
processes write; a file that is damaged is removed and made anew. Nothing is unpickled. Because the
content is run, only files of this user (or root) that nobody else can write are read. The least
recently used go first when the sum of all passes `settings.cache_limit`.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import stat
import tempfile
import time
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numba
import numpy as np
import scipy

from enzyme_py.assembly.module import DiffModule
from enzyme_py.errors import CacheWarning
from enzyme_py.llvm.reading.constants import fixed_addresses
from enzyme_py.native.code import ObjectCode
from enzyme_py.native.faults.sites import Layout, Site
from enzyme_py.native.machine import host_cpu, llvm_identity
from enzyme_py.native.runtime import DECLARATIONS
from enzyme_py.passes.checks.lost import Lost
from enzyme_py.settings import settings

FORMAT = 7  # raise it with every change to this file's layout or to how code is generated
HEAD = b"enzyme_py derivative %d\n" % FORMAT
SUFFIX = ".derivative"
_DIGEST_SIZE = hashlib.sha256().digest_size
_ASIDE = ".part"
_STALE_SECONDS = 3600.0
_WRITES_PER_LOOK = 50

_NO_ADDRESS = 10_000  # smaller numbers mean something else where a pointer is expected


@dataclass(frozen=True)
class Summary:
    """What the cache holds."""

    folder: Path
    files: int
    bytes: int
    limit: int


def folder() -> Path:
    """Where the files lie; it follows `settings.cache_dir`."""
    return settings.cache_dir / "derivatives"


def is_cacheable(module: DiffModule) -> bool:
    """Whether another process could use the result, and the cache is on."""
    return settings.cache and is_portable(module)


def is_portable(module: DiffModule) -> bool:
    """Whether another process could use the result: an address of this one means nothing to it."""
    return all(abs(one) < _NO_ADDRESS for one in fixed_addresses(module.ir))


def options_of(module: DiffModule) -> list[str]:
    """Return all that decides beside the IR what Enzyme makes of it."""
    return [*module.options, str((module.is_fast, module.keeps_slopes))]


def key(module: DiffModule, host_identity: str) -> str:
    """The name under which the result of a module is kept."""
    cpu = host_cpu()
    options = options_of(module)
    parts = [module.ir, *module.entries, "", *options, "", host_identity]
    parts += [llvm_identity(), cpu.triple, cpu.name, cpu.features, str(FORMAT), DECLARATIONS]
    parts += [module.style, _own_fingerprint()]
    return digest_of(parts)


def own_key(*parts: str) -> str:
    """The name under which code is kept that this package alone decides, with the processor and the libraries."""
    cpu = host_cpu()
    libraries = [f"{one.__name__} {one.__version__}" for one in (numba, np, scipy)]
    decided = [llvm_identity(), cpu.triple, cpu.name, cpu.features, str(FORMAT), DECLARATIONS]
    return digest_of([*parts, "", *libraries, *decided, _own_fingerprint()])


def digest_of(parts: Iterable[str]) -> str:
    """Return the name of what a list of texts decides."""
    digest = hashlib.sha256()
    for part in parts:
        encoded = part.encode()
        digest.update(len(encoded).to_bytes(8, "little"))  # so that no two lists read the same
        digest.update(encoded)
    return digest.hexdigest()


@functools.cache
def _own_fingerprint() -> str:
    """Stand for this package's own code: another version may make other code of the same module."""
    root = Path(__file__).parent.parent.parent
    files = sorted(root.rglob("*.py"))
    stamps = [(str(file.relative_to(root)), file.stat()) for file in files]
    return repr([(name, stat.st_size, stat.st_mtime_ns) for name, stat in stamps])


def find(name: str) -> ObjectCode | None:
    """The code kept under a key, or None. A damaged file is removed."""
    path = folder() / (name + SUFFIX)
    try:
        content = _read_trusted(path)
    except OSError as error:
        _warn_once("read", path, str(error))
        return None
    if content is None:
        return None
    code = _decoded(name, content)
    with contextlib.suppress(OSError):  # a cache that cannot be written is still worth reading
        if code is None:
            path.unlink()
        else:
            os.utime(path)
    return code


def keep(name: str, code: ObjectCode) -> None:
    """Put code under a key. A cache that cannot be written costs one warning and nothing else."""
    path = folder() / (name + SUFFIX)
    try:
        folder().mkdir(mode=0o700, parents=True, exist_ok=True)
        content = _encoded(name, code)
        write_whole(path, content)
        _budget.spend(len(content))
    except OSError as error:
        _warn_once("write", path, str(error))


def summary() -> Summary:
    """Count what is there."""
    sizes = [entry.size for entry in _entries()]
    return Summary(folder(), len(sizes), sum(sizes), settings.cache_limit)


def clear() -> int:
    """Remove everything but what is being written now; returns the number of files removed."""
    removed = 0
    for entry in list(_entries()):
        if entry.is_being_written:
            continue
        with contextlib.suppress(OSError):
            entry.path.unlink()
            removed += 1
    return removed


# -- files


def _encoded(name: str, code: ObjectCode) -> bytes:
    facts: dict[str, object] = {"entries": code.entries, "symbols": code.symbols, "lost": code.lost}
    sites = [(one.offset, one.file, one.line) for one in code.layout.sites]
    facts["layout"] = (code.layout.begin, code.layout.size, sites)
    body = json.dumps(facts).encode() + b"\n" + code.binary
    return HEAD + _digest(name, body) + body


def _decoded(name: str, content: bytes) -> ObjectCode | None:
    start = len(HEAD) + _DIGEST_SIZE
    body = content[start:]
    if not content.startswith(HEAD) or _digest(name, body) != content[len(HEAD) : start]:
        return None
    facts, _, binary = body.partition(b"\n")
    read = json.loads(facts)
    lost = tuple(Lost(*one) for one in read["lost"])
    begin, size, sites = read["layout"]
    layout = Layout(begin, size, tuple(Site(*one) for one in sites))
    return ObjectCode(binary, tuple(read["entries"]), tuple(read["symbols"]), lost, layout)


def _digest(name: str, body: bytes) -> bytes:
    return hashlib.sha256(name.encode() + b"\n" + body).digest()


def _read_trusted(path: Path) -> bytes | None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    try:
        status = os.fstat(descriptor)  # of what is read, whatever the name means by then
        if not stat.S_ISREG(status.st_mode) or not all(
            map(_is_private, (status, path.parent.stat()))
        ):
            _warn_once("trust", path, "others own it or can write to it, and its content is run")
            return None
        with open(descriptor, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(descriptor)


def _is_private(status: os.stat_result) -> bool:
    is_ours = status.st_uid in (os.geteuid(), 0)
    return is_ours and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file aside and rename it, so that a reader sees all of it or none."""
    descriptor, aside = tempfile.mkstemp(dir=path.parent, suffix=_ASIDE)  # readable by us alone
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        os.replace(aside, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(aside)
        raise


_warned: set[tuple[str, Path]] = set()


def _warn_once(verb: str, path: Path, reason: str) -> None:
    if (verb, path.parent) in _warned:
        return
    _warned.add((verb, path.parent))
    message = f"enzyme_py cannot {verb} its cache in {path.parent}: {reason}. It goes on without."
    warnings.warn(message, CacheWarning, stacklevel=4)


# -- the limit


@dataclass(frozen=True)
class _Entry:
    path: Path
    size: int
    used: float

    @property
    def is_being_written(self) -> bool:
        """Whether another process may be at it; what a killed one left grows old."""
        return self.path.name.endswith(_ASIDE) and time.time() - self.used < _STALE_SECONDS


def _entries() -> Iterator[_Entry]:
    """Every file of ours; some may vanish meanwhile, removed by another process."""
    try:
        listed = list(os.scandir(folder()))
    except OSError:
        return
    for item in listed:
        if item.name.endswith((SUFFIX, _ASIDE)):
            with contextlib.suppress(OSError):
                status = item.stat(follow_symlinks=False)
                yield _Entry(Path(item.path), status.st_size, status.st_mtime)


class _Budget:
    """Looks through the folder only now and then: others write too, but a look takes time."""

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._used = 0
        self._writes = 0

    def spend(self, size: int) -> None:
        if self._folder != folder() or self._writes % _WRITES_PER_LOOK == 0:
            self._folder, self._used = folder(), sum(entry.size for entry in _entries())
        else:
            self._used += size
        self._writes += 1
        if self._used > settings.cache_limit:
            self._used = _evict(settings.cache_limit * 9 // 10)


def _evict(limit: int) -> int:
    """Remove the least recently used until the rest fits."""
    entries = sorted(_entries(), key=lambda entry: entry.used)
    total = sum(entry.size for entry in entries)
    for entry in entries:
        if total <= limit:
            break
        if not entry.is_being_written:
            with contextlib.suppress(OSError):
                entry.path.unlink()
            total -= entry.size
    return total


_budget = _Budget()
