"""Memory over many gradients on threads: what this library holds, and what the process has.

Arrays in the body, copies, exceptions of one part, other numbers of threads in turn: whatever takes memory on a thread.
"""

from __future__ import annotations

import contextlib
import resource
from pathlib import Path

import numba
import numpy as np
from numba import prange

import enzyme_py as enzyme


@numba.njit(parallel=True)
def kernel(x, limit):
    total = 0.0
    for i in prange(x.size - 1):
        row = np.sin(x[i] * x[: i % 7 + 1])
        if x[i] > limit:
            raise ValueError("too large")
        total += (row * row).sum() * x[i + 1]
    return total


def flat_over(count: int, *, tell: bool = False) -> tuple[float, int]:
    """Return how many MiB the process has grown by over so many gradients, and what the library holds more (bytes)."""
    gradient, x = enzyme.grad(kernel), np.linspace(0.1, 1.0, 64)

    def one(number: int) -> None:
        with enzyme.config(threads=2 + number % 3), contextlib.suppress(ValueError):
            gradient(x, 0.5 if number % 10 == 0 else 2.0)

    for number in range(300):
        one(number)
    before, held = resident(), enzyme.inspect.memory().held
    for number in range(count):
        one(number)
        if tell and (number + 1) % (count // 10) == 0:
            print(f"{number + 1} gradients: {resident() - before:+.2f} MiB, {enzyme.inspect.memory().held - held} bytes held")
    return resident() - before, enzyme.inspect.memory().held - held


def resident() -> float:
    """Return the MiB that this process has."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / (1 << 20)
