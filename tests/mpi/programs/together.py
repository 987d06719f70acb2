"""What programs of several ranks share: one rank compiles, the others wait without a busy loop; claims are printed."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from mpi4py import MPI

import enzyme_py as enzyme

WORLD = MPI.COMM_WORLD
RANK, SIZE = WORLD.rank, WORLD.size


def compiled(transform: Any, *arguments: Any) -> Any:
    """Return the transform, compiled by one rank and found in the cache by the others."""
    on_one_rank(lambda: enzyme.precompile(transform, *arguments))
    return transform


def on_one_rank(call: Callable[[], Any]) -> Any:
    """Return on all ranks what rank 0 computes."""
    found = call() if WORLD.rank == 0 else None
    arrived = WORLD.Ibarrier()
    while not arrived.Test():
        time.sleep(0.02)
    return WORLD.bcast(found)


def claim(name: str, got: Any, expected: Any, tolerance: float = 1e-10) -> None:
    """Print whether what this rank got is what was expected."""
    error = float(np.max(np.abs(np.asarray(got) - np.asarray(expected)), initial=0.0))
    is_right = np.shape(got) == np.shape(expected) and error <= tolerance
    say(is_right, f"{name}: {got} for {expected}")


def say(is_right: bool, text: str) -> None:
    """Print a line in one piece, since the lines of all ranks go to one place."""
    line = " ".join(f"{'good' if is_right else 'WRONG'} {RANK} {text}".split())
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def told(call: Callable[..., Any], *arguments: Any) -> str:
    """Return what a call raises."""
    try:
        return f"nothing, but {call(*arguments)}"
    except Exception as error:
        return str(error)


def rng(seed: int) -> np.random.Generator:
    """Return the same numbers on all ranks."""
    return np.random.default_rng(seed)
