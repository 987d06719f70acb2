"""The clock: two calls in turn, medians, and the resident memory of the process."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

Call = Callable[[], object]


def seconds_per_call(call: Call, calls: int) -> float:
    begin = time.perf_counter()
    for _ in range(calls):
        call()
    return (time.perf_counter() - begin) / calls


def calls_within(call: Call, seconds: float) -> int:
    """How often a warm call fits into a time; at least once."""
    call()
    return max(1, int(seconds / max(seconds_per_call(call, 3), 1e-9)))


@dataclass(frozen=True)
class Compared:
    """Medians over the rounds: seconds per call of the first, and what the second is beside it."""

    seconds: float
    ratio: float
    more: float  # seconds per call


def in_turn(first: Call, second: Call, rounds: int = 41) -> Compared:
    """Time two calls alternately in one process, and compare them round by round."""
    counts = [calls_within(call, 0.02) for call in (first, second)]
    pairs = [
        (seconds_per_call(first, counts[0]), seconds_per_call(second, counts[1]))
        for _ in range(rounds)
    ]
    return Compared(
        median(a for a, _ in pairs),
        median(b / a for a, b in pairs),
        median(b - a for a, b in pairs),
    )


def resident_bytes() -> int:
    """The resident memory now; its peak where the system does not tell."""
    status = Path("/proc/self/statm")
    if status.exists():
        return int(status.read_text().split()[1]) * resource.getpagesize()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
