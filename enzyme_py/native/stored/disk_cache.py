"""Finished derivatives on disk, found by everything that affects them.

A key is a hash over the module before Enzyme (IR, entries, options), the identity of the host,
the versions of llvmlite and LLVM, the processor, the C runtime's functions, and the version of this
format. Under it lies one file, of the form that shelf.py says: its bytes are the object. Nothing is unpickled.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from enzyme_py.foundations.files.own_files import fingerprint
from enzyme_py.foundations.versions import version_of
from enzyme_py.native.code import ObjectCode
from enzyme_py.native.faults.layouts import Layout, Site
from enzyme_py.native.machine import host_cpu, llvm_identity
from enzyme_py.native.runtime import DECLARATIONS
from enzyme_py.native.stored.shelf import KINDS, Shelf, files, remove
from enzyme_py.passes.checks.lost import Lost
from enzyme_py.settings import settings

if TYPE_CHECKING:
    from enzyme_py.assembly.module import DiffModule

FORMAT = 9  # raise it with every change to this file's layout or to how code is generated
SHELF = Shelf("derivatives", b"enzyme_py derivative %d\n" % FORMAT)
SUFFIX = KINDS[SHELF.name]

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
    return SHELF.folder


def is_cacheable(module: DiffModule) -> bool:
    """Whether another process could use the result, and the cache is on."""
    return settings.cache and is_portable(module)


def is_portable(module: DiffModule) -> bool:
    """Whether another process could use the result: an address of this one means nothing to it."""
    return not holds_addresses(module.ir)


def holds_addresses(text: str) -> bool:
    """Whether an address of this process stands in the text of a module."""
    from enzyme_py.llvm.reading.constants import fixed_addresses  # who only loads code reads none

    return any(abs(one) >= _NO_ADDRESS for one in fixed_addresses(text))


def options_of(module: DiffModule) -> list[str]:
    """Return all that decides beside the IR what Enzyme makes of it."""
    return [*module.options, str((module.fast_math, module.keeps_slopes))]


def key(module: DiffModule, host_identity: str) -> str:
    """The name under which the result of a module is kept."""
    parts = [module.ir, *module.entries, "", *options_of(module), "", host_identity, *_of_machine()]
    return digest_of([*parts, module.style, fingerprint()])


def own_key(*parts: str) -> str:
    """The name under which code is kept that this package alone decides, with the processor and the libraries."""
    libraries = [f"{one} {version_of(one)}" for one in ("numba", "numpy", "scipy")]
    return digest_of([*parts, "", *libraries, *_of_machine(), fingerprint()])


def _of_machine() -> list[str]:
    """Return what decides which code is made, whatever it is made of."""
    cpu = host_cpu()
    return [llvm_identity(), cpu.triple, cpu.name, cpu.features, str(FORMAT), DECLARATIONS]


def digest_of(parts: Iterable[str]) -> str:
    """Return the name of what a list of texts decides."""
    digest = hashlib.sha256()
    for part in parts:
        encoded = part.encode()
        digest.update(len(encoded).to_bytes(8, "little"))  # so that no two lists read the same
        digest.update(encoded)
    return digest.hexdigest()


def find(name: str) -> ObjectCode | None:
    """The code kept under a key, or None."""
    found = SHELF.find(name)
    if found is None:
        return None
    facts, binary = found
    lost = tuple(Lost(*one) for one in facts["lost"])
    begin, size, sites = facts["layout"]
    layout = Layout(begin, size, tuple(Site(*one) for one in sites))
    doubts = tuple(facts["doubts"])
    return ObjectCode(binary, tuple(facts["entries"]), tuple(facts["symbols"]), lost, layout, doubts)


def keep(name: str, code: ObjectCode, about: Mapping[str, Any] | None = None) -> None:
    """Put code under a key, with what people may want to know of it (about.py)."""
    sites = [(one.offset, one.file, one.line) for one in code.layout.sites]
    facts = {
        "about": about or {},
        "entries": code.entries,
        "symbols": code.symbols,
        "lost": code.lost,
        "doubts": code.doubts,
        "layout": (code.layout.begin, code.layout.size, sites),
    }
    SHELF.keep(name, facts, code.binary)


def summary() -> Summary:
    """Count what is there, of every kind."""
    sizes = [file.size for file in files()]
    return Summary(settings.cache_dir, len(sizes), sum(sizes), settings.cache_limit)


def clear() -> int:
    """Remove everything but what is being written now; returns the number of files removed."""
    return sum(remove(file) for file in list(files()) if not file.is_being_written)
