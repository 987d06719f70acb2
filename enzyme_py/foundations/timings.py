"""Where the time of compiling went: one record per derivative and stage."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass


@dataclass(frozen=True)
class Timing:
    """Seconds that one stage took for one derivative, without those of stages inside of it.

    The stages, in the order in which they come; those of one first call add up to the time that it took:

    "imports"     of what compiling takes, once in a process
    "typing"      Numba's types and lowering of the kernel, and of what it calls
    "assembling"  the kernel, its shims and its requests in one module
    "passes"      our own rewriting of that module, before Enzyme and behind it
    "host"        Enzyme, and LLVM's O2 before it, in their process
    "optimising"  O3 and machine code
    "loading"     of that code
    "cache"       looking in the disk cache, and keeping what was made
    "entry"       what Numba compiles for calls from Python, and all else
    "checking"    comparing with differences, under config(check=True)
    """

    kernel: str
    stage: str
    seconds: float


_records: deque[Timing] = deque(maxlen=10_000)


def record(kernel: str, stage: str, seconds: float) -> None:
    """Keep one record."""
    _records.append(Timing(kernel, stage, seconds))


def timings() -> list[Timing]:
    """Return the records of this process, in order; of very many, the last.

    Examples:
        >>> {one.stage for one in enzyme.inspect.timings()} <= {
        ...     "imports", "typing", "assembling", "passes", "host",
        ...     "optimising", "loading", "cache", "entry", "checking"}
        True
    """
    return list(_records)
