"""What is known of the derivatives that are loaded: for the C runtime's last words, and for errors.

Each is told to csrc/crash.c when it is loaded, with all that is to be said if it dies: nothing can be
looked up then. Its IR is kept packed, about a sixth of its size.
"""

from __future__ import annotations

import functools
import gzip
import hashlib
import platform
import sys
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np

from enzyme_py.errors import Where
from enzyme_py.foundations.versions import VERSION
from enzyme_py.host.crash_files import crash_folder
from enzyme_py.native.faults.layouts import Layout
from enzyme_py.native.machine import llvm_identity
from enzyme_py.native.runtime import crash_library

PACKED_SUFFIX = ".ll.gz"


@dataclass(frozen=True)
class Origin:
    """What code was made of: the derivative's name, its kernel, and the module before Enzyme, plain or packed."""

    name: str
    where: Where
    ir: str = ""
    packed: bytes = b""

    def packed_ir(self) -> bytes:
        """Return the module, packed."""
        encoded = self.ir.encode(errors="surrogateescape")
        return self.packed or gzip.compress(encoded, compresslevel=1, mtime=0)


@dataclass(frozen=True)
class Watched:
    """One loaded derivative."""

    name: str
    where: Where
    begin: int
    layout: Layout
    packed: bytes
    record: Any  # of crash.c

    @property
    def ir(self) -> str:
        """The module that it was made of."""
        return gzip.decompress(self.packed).decode(errors="surrogateescape")

    def place_of(self, address: int) -> Where:
        """Return the line of the request for memory that returns to an address, else the kernel's."""
        return self.line_of(address) or self.where

    def line_of(self, address: int) -> Where | None:
        """Return the line of the request for memory that returns to an address, if that is known."""
        for site in self.layout.sites:
            if self.begin + site.offset == address:
                return Where(self.where.kernel, site.file, site.line)
        return None


_all: dict[int, Watched] = {}  # by the beginning of the code


def watch(origin: Origin, entry: int, layout: Layout) -> int:
    """Take note of code whose first entry has an address; returns what `forget` wants."""
    _offer_once()
    begin = entry + layout.begin
    packed = origin.packed_ir()
    folder = crash_folder()
    name = hashlib.sha256(packed).hexdigest()[:16] + PACKED_SUFFIX
    record = crash_library().enzyme_py_crash_watch(
        begin,
        layout.size,
        _line(origin).encode(errors="replace"),
        _report(origin).encode(errors="replace"),
        packed,
        len(packed),
        bytes(folder.parent),
        bytes(folder),
        name.encode(),
    )
    _all[begin] = Watched(origin.name, origin.where, begin, layout, packed, record)
    return begin


def forget(begin: int) -> None:
    """The code is about to be unloaded."""
    watched = _all.pop(begin, None)
    if watched is not None:
        crash_library().enzyme_py_crash_forget(watched.record)


def watched_at(address: int) -> Watched | None:
    """Return the loaded derivative whose code an address lies in."""
    for one in list(_all.values()):
        if one.begin <= address < one.begin + one.layout.size:
            return one
    return None


@functools.cache
def _offer_once() -> None:
    from enzyme_py.host.last_crash import offer

    offer()


def _line(origin: Origin) -> str:
    where = origin.where
    place = f" ({where.file}:{where.line})" if where.file and where.line else ""
    return f"`{origin.name}`{place}"


def _report(origin: Origin) -> str:
    where = origin.where
    facts = {
        "derivative": origin.name,
        "kernel": where.kernel or "",
        "place": f"{where.file}:{where.line}" if where.file and where.line else "",
        "versions": _versions(),
        "program": " ".join(sys.argv)[:1000],
    }
    return "".join(f"{name}: {' '.join(text.split())}\n" for name, text in facts.items())


@functools.cache
def _versions() -> str:
    names = [f"enzyme_py {VERSION}", f"python {platform.python_version()}"]
    names += [f"numba {numba.__version__}", f"numpy {np.__version__}", llvm_identity()]
    return ", ".join(names)
