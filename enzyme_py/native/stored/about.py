"""What a file of the cache says of itself, for people: which kernel, which derivative, made when, by what and for what."""

from __future__ import annotations

import platform
import time
from typing import Any

import numba

from enzyme_py.errors import Where
from enzyme_py.foundations.files.own_files import fingerprint
from enzyme_py.foundations.versions import VERSION
from enzyme_py.native.machine import host_cpu, llvm_identity


def about(where: Where, derivative: str, types: str) -> dict[str, Any]:
    """Return the facts about something that is made now."""
    return {
        "kernel": where.kernel or "",
        "place": f"{where.file}:{where.line}" if where.file else "",
        "derivative": derivative,
        "types": types,
        "made": int(time.time()),
        "by": made_by(),
        "processor": processor(),
    }


def made_by() -> str:
    """Return the versions that decide what is made; where one differs, what is kept is never found."""
    versions = f"enzyme_py {VERSION} {fingerprint()[:8]}, Numba {numba.__version__}, {llvm_identity()}"
    return f"{versions}, Python {platform.python_version()}"


def processor() -> str:
    """Return what code is made for."""
    cpu = host_cpu()
    return f"{cpu.triple.partition('-')[0]} {cpu.name}"
