"""The heat equation on a square, cut into blocks of rows: the gradient on all ranks is that of the serial program.

heat.py halo=sendrecv|requests
"""

from __future__ import annotations

import sys

import numba
import numba_mpi as mpi
import numpy as np
from mpi4py import MPI
from together import RANK, SIZE, claim, compiled, on_one_rank, rng

import enzyme_py as enzyme

NOBODY = MPI.PROC_NULL
ROWS, COLUMNS, STEPS = 8, 5, 4


@numba.njit
def by_sendrecv(u, above, below):
    mpi.sendrecv(u[1], above, u[-1], source=below, sendtag=1, recvtag=1)
    mpi.sendrecv(u[-2], below, u[0], source=above, sendtag=2, recvtag=2)


@numba.njit
def by_requests(u, above, below):
    _, first = mpi.irecv(u[0], source=above, tag=2)
    _, second = mpi.irecv(u[-1], source=below, tag=1)
    _, third = mpi.isend(u[1], above, tag=1)
    _, fourth = mpi.isend(u[-2], below, tag=2)
    mpi.waitall((first, second, third, fourth))


exchange = by_requests if "halo=requests" in sys.argv else by_sendrecv


@numba.njit
def step(u, k):
    new = u.copy()
    for i in range(1, u.shape[0] - 1):
        for j in range(1, u.shape[1] - 1):
            around = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
            new[i, j] = u[i, j] + k[i - 1, j] * (around - 4 * u[i, j])
    return new


@numba.njit
def error(block, k, wanted):
    """The squared error over all ranks, on every rank."""
    above = mpi.rank() - 1 if mpi.rank() > 0 else NOBODY
    below = mpi.rank() + 1 if mpi.rank() + 1 < mpi.size() else NOBODY
    u = np.zeros((block.shape[0] + 2, block.shape[1]))
    u[1:-1] = block
    for _ in range(STEPS):
        exchange(u, above, below)
        u = step(u, k)
    mine, total = np.zeros(1), np.zeros(1)
    mine[0] = np.sum((u[1:-1] - wanted) ** 2)
    mpi.allreduce(mine, total)
    return total[0]


@numba.njit
def loss(block, k, wanted):
    return error(block, k, wanted) / mpi.size()  # the ranks' results are added up in a gradient


@numba.njit
def serial(start, k, wanted):
    u = np.zeros((start.shape[0] + 2, start.shape[1]))
    u[1:-1] = start
    for _ in range(STEPS):
        u = step(u, k)
    return np.sum((u[1:-1] - wanted) ** 2)


def rows(whole):
    """This rank's block of rows, in memory of its own."""
    size = ROWS // SIZE
    return whole[RANK * size : (RANK + 1) * size].copy()


if __name__ == "__main__":
    numbers = rng(3)
    start, k, wanted = (numbers.uniform(0.0, 0.2, (ROWS, COLUMNS)) for _ in range(3))
    given = rows(start), rows(k), rows(wanted)
    by_start, by_k = compiled(enzyme.grad(loss, argnums=(0, 1)), *given)(*given)
    alone = start, k, wanted
    whole = on_one_rank(lambda: enzyme.grad(serial, argnums=(0, 1))(*alone))
    claim("by the first state", by_start, rows(whole[0]))
    claim("by the conductivity", by_k, rows(whole[1]))
