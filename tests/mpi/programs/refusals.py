"""What has no derivative is refused by its name, on one rank; and what a kernel on one rank gives.

Of the refusals each other one, with `all` all of them.
"""

from __future__ import annotations

import sys
import warnings

import numba
import numba_mpi as mpi
import numpy as np
from mpi4py import MPI
from together import claim, say, told

import enzyme_py as enzyme

ANYBODY, LEAST = MPI.ANY_SOURCE, mpi.Operator.MIN
X = np.arange(1.0, 4.0)


def no_source(x):
    y = np.zeros(3)
    mpi.recv(y)
    return np.sum(y)


def any_source(x):
    y = np.zeros(3)
    mpi.recv(y, source=ANYBODY)
    return np.sum(y)


def integers(x):
    y = np.zeros(3, np.int64)
    mpi.bcast(y, 0)
    return np.sum(x)


def operator(x):
    y = np.zeros(3)
    mpi.allreduce(x, y, operator=LEAST)
    return np.sum(y)


def asks(x):
    _, request = mpi.isend(x, 0)
    mpi.test(request)
    return np.sum(x)


def requests(x):
    _, first = mpi.isend(x, 0)
    mpi.waitall([first])
    return np.sum(x)


def clock(x):
    return np.sum(x) * mpi.wtime()


def number(x):
    mpi.send(x[0], 0)
    return np.sum(x)


def nobody(x):
    mpi.send(x, 7)
    return np.sum(x)


def sizes(x):
    y = np.zeros(4)
    mpi.allreduce(x, y)
    return np.sum(y)


ROWS = (
    (no_source, "name the rank: numba_mpi.recv(data, source=0)"),
    (any_source, "standard error says why"),
    (integers, "numba_mpi.bcast of int64 has no derivative"),
    (operator, "operator=numba_mpi.Operator.MIN"),
    (asks, "numba_mpi.test is not differentiated"),
    (requests, "numba_mpi.waitall((first, second))"),
    (clock, "take the time outside of the kernel"),
    (number, "np.array([value])"),
    (nobody, "standard error says why"),
    (sizes, "differ in size"),
)


def complexes(x):
    y = np.zeros(x.size, np.complex128)
    mpi.allreduce(x * (1 + 2j), y)
    return np.sum(y.real**2 + y.imag**2)


def singles(x):
    y = np.zeros(x.size, np.float32)
    mpi.allreduce(x, y)
    mpi.bcast(y, 0)
    return np.sum(y * y)


def strided(x):
    y = np.zeros(2 * x.size)
    mpi.gather(x, y[::2], x.size, 0)
    return np.sum(y * y)


@numba.njit(parallel=True)
def parallel(x):
    y = np.zeros(x.size)
    mpi.allreduce(x, y)
    total = 0.0
    for i in numba.prange(x.size):
        total += y[i] ** 2
    return total


if __name__ == "__main__":
    for kernel, word in ROWS if sys.argv[1:] else ROWS[::2]:
        text = told(enzyme.grad(kernel), X)
        say(word in text, f"{kernel.__name__}: {text}")
    claim("an array with steps is filled", enzyme.grad(strided)(X), 2 * X)
    claim("complex", enzyme.grad(complexes)(X), 10 * X)
    claim("float32", enzyme.grad(singles)(X.astype(np.float32)), 2 * X)
    with enzyme.config(threads=2):
        claim("threads", enzyme.grad(parallel)(X), 2 * X)
        (loop,) = enzyme.inspect.loops(parallel, X)
        say("calls MPI" in loop.why_serial, loop.why_serial)
    with enzyme.config(check=True), warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        claim("not compared", enzyme.grad(lambda x: 2 * complexes(x))(X), 20 * X)
    said = " ".join(str(one.message) for one in seen)
    say("the kernel calls MPI" in said, said)
