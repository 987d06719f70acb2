"""Who heated the plate? A heat equation whose rows lie on several processes, and the gradient through all of them.

    python examples/heat_with_mpi.py
    mpiexec -n 4 python -m mpi4py examples/heat_with_mpi.py

A plate is warmed by an unknown source; what is known is its temperature at the end. Each process has a block of rows, and
exchanges the rows at its rims with its neighbours in every step. The loss is summed over all of them, and one gradient by the
source is what all ranks compute together. With it the source is found by steps downhill: on any number of processes the same.
"""

import numba
import numba_mpi as mpi
import numpy as np
from mpi4py import MPI

import enzyme_py as enzyme

NOBODY = MPI.PROC_NULL
ROWS, COLUMNS, STEPS = 24, 16, 20


@numba.njit
def exchange(u):
    """Get the neighbours' rows next to this block; rims of the plate keep their zeros."""
    above = mpi.rank() - 1 if mpi.rank() > 0 else NOBODY
    below = mpi.rank() + 1 if mpi.rank() + 1 < mpi.size() else NOBODY
    _, from_above = mpi.irecv(u[0], source=above, tag=2)
    _, from_below = mpi.irecv(u[-1], source=below, tag=1)
    _, upwards = mpi.isend(u[1], above, tag=1)
    _, downwards = mpi.isend(u[-2], below, tag=2)
    mpi.waitall((from_above, from_below, upwards, downwards))


@numba.njit
def warmed(source):
    """Return the temperatures of this block at the end."""
    u = np.zeros((source.shape[0] + 2, source.shape[1] + 2))
    for _ in range(STEPS):
        exchange(u)
        new = u.copy()
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                around = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
                new[i, j] = u[i, j] + 0.2 * (around - 4 * u[i, j]) + 0.1 * source[i - 1, j - 1]
        u = new
    return u[1:-1, 1:-1].copy()


@numba.njit
def loss(source, measured):
    mine, total = np.zeros(1), np.zeros(1)
    mine[0] = np.sum((warmed(source) - measured) ** 2)
    mpi.allreduce(mine, total)
    return total[0] / mpi.size()  # a gradient is that of the sum of all ranks' results


def main():
    rank, size = mpi.rank(), mpi.size()
    if ROWS % size:
        raise SystemExit(f"{ROWS} rows cannot be cut into {size} equal blocks")
    height = ROWS // size
    whole = np.zeros((ROWS, COLUMNS))
    whole[9:12, 4:7] = 1.0  # what is to be found
    hidden = whole[rank * height : (rank + 1) * height].copy()
    measured = warmed(hidden)

    source = np.zeros_like(hidden)
    slope = enzyme.value_and_grad(loss)
    if rank == 0:
        enzyme.precompile(slope, source, measured)  # the others find it in the cache
    MPI.COMM_WORLD.barrier()
    first = None
    for _ in range(60):
        value, gradient = slope(source, measured)
        value *= size
        first = first or value
        source -= 0.25 * gradient
    hottest = MPI.COMM_WORLD.gather(source)
    if rank == 0:
        place = np.unravel_index(np.argmax(np.concatenate(hottest)), whole.shape)
        print(f"{size} ranks: loss {first:.6f} at first, {value:.6f} after 60 steps; hottest at {place[0]}, {place[1]}")


if __name__ == "__main__":
    main()
