"""The clock: two calls in turn, medians, and the resident memory of the process."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
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


def in_turn(first: Call, second: Call, rounds: int = 15) -> tuple[float, float]:
    """Median seconds per call of two calls, timed alternately in one process."""
    counts = [calls_within(call, 0.02) for call in (first, second)]
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for call, count, kept in zip((first, second), counts, times, strict=True):
            kept.append(seconds_per_call(call, count))
    return median(times[0]), median(times[1])


def resident_bytes() -> int:
    """The resident memory now; its peak where the system does not tell."""
    status = Path("/proc/self/statm")
    if status.exists():
        return int(status.read_text().split()[1]) * resource.getpagesize()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
