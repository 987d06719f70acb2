"""What goes wrong on some ranks, inside of a derivative.

failing.py collective | deadlock | sizes | raises

Several may be asked, one after the other; all but the first end the program.
"""

from __future__ import annotations

import contextlib
import sys

import numba
import numba_mpi as mpi
import numpy as np
from together import RANK, claim, compiled, on_one_rank, say

import enzyme_py as enzyme

NONE = -9


@numba.njit
def exchanged(x, count, wants, fails):
    """Rank 0 sends to rank 1, which waits for a message of `count` numbers from rank `wants`; then all meet."""
    if fails:
        raise ZeroDivisionError("this rank fails")
    y = np.zeros(count)
    if wants == 0 and mpi.rank() == 0:
        mpi.send(x, 1, tag=3)
    if wants != NONE and mpi.rank() == 1:
        mpi.recv(y, source=wants, tag=3)
    total = np.zeros(x.size)
    mpi.allreduce(x, total)
    return np.sum(y) + np.sum(total)


def raised(call, *arguments):
    try:
        call(*arguments)
    except ValueError as error:
        return str(error)
    return "nothing"


if __name__ == "__main__":
    x = np.ones(3)
    slope = compiled(enzyme.grad(exchanged), x, 3, 0, False)
    with contextlib.suppress(ZeroDivisionError):
        slope(x, 3, 0, True)
    on_one_rank(lambda: None)  # each has its code before the first message: none waits for another to load it
    for what in sys.argv[1:]:
        if what == "deadlock":
            slope(x, 3, 1, False)  # rank 1 waits for itself, rank 0 for all
        if what == "sizes":
            slope(x, 4, 0, False)
        if what == "raises":
            slope(x, 3, 0, RANK == 1)
        if what == "collective":
            told = raised(slope, np.ones(3 + RANK), 3, NONE, False)
            say("different sizes" in told, told)
        claim(f"what comes behind {what}", slope(x, 3, 0, False), np.full(3, 3.0 if RANK == 0 else 2.0))
