"""The noun between optimising and loading: machine code that is not yet anywhere in memory."""

from __future__ import annotations

from dataclasses import dataclass

from enzyme_py.native.faults.layouts import UNKNOWN, Layout
from enzyme_py.passes.checks.lost import Lost


@dataclass(frozen=True)
class ObjectCode:
    """A relocatable object; `symbols` are the outside names that it needs.

    `lost` are the Const arguments that the kernel writes something active to: see
    passes/checks/lost_writes.py. `layout` tells where the code asks for memory.
    """

    binary: bytes
    entries: tuple[str, ...]
    symbols: tuple[str, ...]
    lost: tuple[Lost, ...] = ()
    layout: Layout = UNKNOWN
    doubts: tuple[str, ...] = ()  # as in DifferentiatedModule
