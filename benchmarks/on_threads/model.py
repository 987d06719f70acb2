"""A model of the cost on more cores than there are here, from what was measured. A model, not a measurement.

    T(n) = (1 - s) * T1 / n  +  s * T1  +  forks * (fork + step * log2 n)  +  copies * n * bytes / bandwidth

T1 is the gradient on one thread as compiled for threads. s, the part that does not get faster, is what two threads took
beyond T1 / 2, forks and copies: at least 0. Copies of what parts share, and the sum of their shadows, are one for each
part, and pass through one memory. A fork is taken as measured on two threads, with `step` more for each doubling: what it
takes to wake a thread and to wait for it.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from statistics import median
from typing import Any

import numba
import numpy as np
from numba import prange

import enzyme_py as enzyme
from enzyme_py.native.threads.counts import fork_count

CORES = (2, 16, 64)
# How many bytes each further part reads and writes of what is shared: the copy, its shadow's zeros, and their sum.
PASSES = 6


@dataclass(frozen=True)
class Costs:
    """What one machine takes, in milliseconds and milliseconds for each byte."""

    fork: float
    byte: float


def measured_costs() -> Costs:
    """Return the cost of a fork and of a byte of memory, on this machine."""
    return Costs(_fork(), _byte())


def _median_of(call: Any, rounds: int) -> float:
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        call()
        times.append(1000 * (time.perf_counter() - begin))
    return median(times)


def _fork() -> float:
    """Return what each fork of a gradient with 2 * 200 of them adds on two threads, beside one."""

    @numba.njit(parallel=True)
    def many(x):
        total = 0.0
        for _ in range(200):
            for i in prange(2):
                total += x[i] * x[i]
        return total

    gradient, x = enzyme.grad(many), np.ones(2)
    with enzyme.config(threads=2):
        gradient(x)
        before = fork_count()
        gradient(x)
        forks = fork_count() - before
        several = _median_of(lambda: gradient(x), 51)
    with enzyme.config(threads=1, parts=2):
        single = _median_of(lambda: gradient(x), 51)
    return max(several - single, 0.0) / forks


def _byte() -> float:
    """Return what one core takes to read or write a byte of memory that no cache holds."""
    source = np.ones(1 << 24)
    target = np.zeros_like(source)
    return _median_of(lambda: np.copyto(target, source), 9) / (2 * source.nbytes)


def predicted(one: float, two: float, forks: int, shared: int, costs: Costs, cores: int) -> float:
    """Return the milliseconds of a gradient on so many cores; `shared`: the bytes of which each part has a copy."""

    def beside(n: int) -> float:
        return forks * costs.fork * (1.0 + math.log2(n / 2)) + PASSES * shared * n * costs.byte

    serial = max(0.0, two - one / 2 - beside(2)) * 2  # of T1, as s * T1 / 2 is over T1 / 2
    serial = min(serial, one)
    return serial + (one - serial) / cores + beside(cores)
