"""The noun at the end of the trip: machine code with a name that @njit code can call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from enzyme_py.passes.checks.lost import Lost


@dataclass(frozen=True)
class Profile:
    """Where the time of one compilation went, in seconds; 0 for what did not happen."""

    host: float = 0.0  # in the Enzyme pass
    native: float = 0.0  # optimising and generating code
    load: float = 0.0
    object_bytes: int = 0
    object_hash: str = ""
    is_from_cache: bool = False


@dataclass(frozen=True)
class NativeFunction:
    """Loaded machine code; `addresses` by the entry names of the DiffModule.

    `symbols` are the names under which the same entries were given to LLVM, so that code compiled by
    Numba can call them: of code that other processes find as well they are the same there. `keep_alive`
    owns the code's memory: when it is dropped, the code is unloaded.
    """

    addresses: Mapping[str, int]
    symbols: Mapping[str, str]
    keep_alive: object
    profile: Profile = Profile()
    lost: tuple[Lost, ...] = ()  # as in ObjectCode
    doubts: tuple[str, ...] = ()  # as in ObjectCode
    rules: tuple[str, ...] = ()  # the symbols of the rules that it calls (native/rule_code.py)
    key: str = ""  # its name in the disk cache; none where another process could not use it
