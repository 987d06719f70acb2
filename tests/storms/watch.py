"""What this process and its descendants hold, read from /proc."""

from __future__ import annotations

import ctypes
import gc
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

MARK = "ENZYME_PY_STORM"  # in the environment of every process that a storm starts


@dataclass(frozen=True)
class Holding:
    """What this process holds now."""

    resident_kib: int
    descriptors: int
    mappings: int

    def __str__(self) -> str:
        resident = f"{self.resident_kib / 1024:.1f} MiB resident"
        return f"{resident}, {self.descriptors} descriptors, {self.mappings} mappings"


def holding() -> Holding:
    """Measure, after collecting what is garbage."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    mappings = Path("/proc/self/maps").read_bytes().count(b"\n")
    page_kib = os.sysconf("SC_PAGESIZE") // 1024
    return Holding(pages * page_kib, len(os.listdir("/proc/self/fd")), mappings)


def mark_descendants() -> bytes:
    """Mark the environment, so that `marked` finds every process that is started from now on."""
    os.environ[MARK] = secrets.token_hex(16)
    return f"{MARK}={os.environ[MARK]}".encode()


def marked(mark: bytes) -> list[int]:
    """Living processes that were started with the mark, whoever is their parent by now."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            environment = (folder / "environ").read_bytes()  # empty for a zombie
        except OSError:
            continue
        if mark in environment.split(b"\0"):
            found.append(int(folder.name))
    return found
