"""What a kernel cannot ask of mpi4py is refused with what to do instead, on one rank; and arrays of other layouts."""

from __future__ import annotations

import numba
import numpy as np
from mpi4py import MPI
from together import claim, say, told

import enzyme_py as enzyme

WORLD, SELF = MPI.COMM_WORLD, MPI.COMM_SELF
X = np.arange(1.0, 4.0)


def moves(x, comm):
    comm.Shift(0, 1)
    return np.sum(x)


def pickles(x, comm):
    comm.send(x, 0)
    return np.sum(x)


def named(x, comm):
    return np.sum(x) * len(comm.name)


def product(x, comm):
    y = np.zeros(3)
    comm.Allreduce(x, y, op=MPI.PROD)
    return np.sum(y)


def clock(x, comm):
    return np.sum(x) * MPI.Wtime()


def all_at_once(x, comm):
    request = comm.Isend(x, 0)
    MPI.Request.Waitall([request])
    return np.sum(x)


def no_source(x, comm):
    y = np.zeros(3)
    comm.Recv(y)
    return np.sum(y)


def integer(x, comm):
    return np.sum(x) * comm.allreduce(3)


def sizes(x, comm):
    y = np.zeros(4)
    comm.Allreduce(x, y)
    return np.sum(y)


def nothing_at_the_root(x, comm):
    comm.Reduce(x, None)
    return np.sum(x)


ROWS = (
    (moves, "call it outside of the kernel, and pass what it returns"),
    (pickles, "comm.Send(x, dest)"),
    (named, "comm.name is not among"),
    (product, "SUM, MIN and MAX"),
    (clock, "Wtime of mpi4py"),
    (all_at_once, "docs/mpi.md"),
    (no_source, "comm.Recv(x, source=0)"),
    (integer, "float(n)"),
    (sizes, "differ in size"),
    (nothing_at_the_root, "the root gives no array"),
)


def of_the_world(x):
    """A global variable is handed over in each call, whatever communicator it is."""
    return np.sum(x * x) * WORLD.Get_size() * SELF.size


def in_fortrans_order(x, comm):
    """As mpi4py does, in the order of memory: z is x[0], x[1]; x[2], 2 x[0]; 2 x[1], 2 x[2]."""
    y, z = np.zeros((2, 3)).T, np.zeros((3, 2))
    for i in range(3):
        for j in range(2):
            y[i, j] = x[i] * (j + 1)
    request = comm.Isend(y, 0)
    comm.Recv(z, source=0)
    request.Wait()
    return z[0, 1] * z[1, 0]


def strided(x, comm):
    y = np.zeros(2 * x.size)
    comm.Gather(x, y[::2])
    return np.sum(y * y)


@numba.njit(parallel=True)
def parallel(x, comm):
    total = 0.0
    for i in numba.prange(x.size):
        total += x[i] ** 2
    return comm.allreduce(total)


if __name__ == "__main__":
    for kernel, word in ROWS:
        text = told(enzyme.grad(kernel), X, WORLD)
        say(word in text, f"{kernel.__name__}: {text}")
    text = told(numba.njit(of_the_world), X)
    say("pass it as an argument" in text, text)
    jitted = numba.njit(strided)
    claim("strided", enzyme.grad(jitted)(X, WORLD), 2 * X)
    claim("strided, itself", jitted(X, WORLD), np.sum(X * X))
    text = told(jitted, X, MPI.COMM_NULL)  # where another communicator was right before
    say("the communicator of no ranks" in text, text)
    claim("global variables", enzyme.grad(of_the_world)(X), 2 * X)
    claim("Fortran's order", enzyme.grad(in_fortrans_order)(X, WORLD), np.array([0.0, X[2], X[1]]))
    with enzyme.config(threads=2):
        claim("threads", enzyme.grad(parallel)(X, WORLD), 2 * X)
        (loop,) = enzyme.inspect.loops(parallel, X, WORLD)
        say("calls MPI" in loop.why_serial, loop.why_serial)
