"""The noun at the end of the trip: machine code with a name that @njit code can call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class NativeFunction:
    """Loaded machine code; `addresses` by the entry names of the DiffModule.

    `symbols` are the process-wide unique names under which the same entries were given to LLVM,
    so that code compiled by Numba can call them. `keep_alive` owns the code's memory.
    """

    addresses: Mapping[str, int]
    symbols: Mapping[str, str]
    keep_alive: object
