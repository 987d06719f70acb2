"""The noun between optimising and loading: machine code that is not yet anywhere in memory."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ObjectCode:
    """A relocatable object; `symbols` are the outside names that it needs.

    `lost` are the (kernel, argument) pairs whose derivative the kernel overwrites: see
    assembly/lost_writes.py.
    """

    binary: bytes
    entries: tuple[str, ...]
    symbols: tuple[str, ...]
    lost: tuple[tuple[str, str], ...] = ()
