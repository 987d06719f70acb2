"""mpi4py's communicators in kernels: the rows of functions.py with its methods, on groups of ranks of the world.

Ranks of even and of odd number make a group each, with numbers of their own, so what is meant for a rank of the group must not
reach that of the world. The answers by hand are those of functions.py, for the ranks of the group.

    communicators.py [names]            the kernel itself, and first orders, of these rows; of all without a name
    communicators.py reverse [names]    the same without forward mode, whose rules are those of functions.py
    communicators.py second [names]     second orders
    communicators.py all                one kernel of all rows: itself, and reverse mode
"""

from __future__ import annotations

import sys

import numba
import numpy as np
import together
from mpi4py import MPI
from together import claim, compiled, on_one_rank

import enzyme_py as enzyme

WORLD = together.WORLD
GROUP = WORLD.Split(WORLD.rank % 2, WORLD.rank)
together.RANK, together.SIZE = GROUP.rank, GROUP.size  # what functions.py takes for all ranks

import functions  # noqa: E402


def send_recv(x, w, comm):
    y = np.zeros(x.size)
    if comm.rank % 2 == 0:
        if comm.rank + 1 < comm.size:
            comm.Send(x * x, comm.rank + 1, tag=5)
        return 0.0
    comm.Recv(y, source=comm.rank - 1, tag=5)
    return np.sum(y * y * w)


def ring(x, w, comm):
    left, right = (comm.rank - 1) % comm.size, (comm.rank + 1) % comm.size
    y = np.empty(x.size)
    receiving = comm.Irecv(y, source=left)
    sending = comm.Isend(x, dest=right, tag=9)
    receiving.Wait()
    sending.wait()
    return np.sum(y * y * x)


def exchange(x, w, comm):
    left = comm.Get_rank() - 1 if comm.Get_rank() > 0 else MPI.PROC_NULL
    right = comm.Get_rank() + 1 if comm.Get_rank() + 1 < comm.Get_size() else MPI.PROC_NULL
    y = np.ones((1, x.size))
    comm.Sendrecv(x.reshape((1, x.size)), right, sendtag=1, recvbuf=y, source=left, recvtag=1)
    return np.sum(y[0] * x * w)


def allreduce(x, w, comm):
    total = x * x
    comm.Allreduce(MPI.IN_PLACE, total)
    one = comm.allreduce(x[0] * x[1])
    return np.sum(total * w) + one * (comm.rank + 1)


def reduce(x, w, comm):
    total = np.zeros(x.size)
    if comm.rank == comm.size - 1:
        comm.Reduce(x * x, total, root=comm.size - 1)
    else:
        comm.Reduce(x * x, None, op=MPI.SUM, root=comm.size - 1)
    return np.sum(total * w)


def bcast(x, w, comm):
    y = x * x
    comm.Bcast(y[:2])
    y[2] = comm.bcast(y[2], root=0)
    return np.sum(y * w)


def gather(x, w, comm):
    found = np.zeros(x.size * comm.size if comm.rank == 0 else 0)
    comm.Gather(x, found)
    total = 0.0
    for i in range(1, found.size):
        total += found[i] * found[i - 1]
    return total


def allgather(x, w, comm):
    found = np.zeros((comm.size, x.size))
    comm.Allgather(x, found)
    flat = found.ravel()
    total = 0.0
    for i in range(1, flat.size):
        total += flat[i] * flat[i - 1]
    return total * (comm.rank + 1)


def scatter(x, w, comm):
    """Scatter, of which each rank keeps its block; then each gives its block's sum of products to all."""
    every = np.zeros(x.size * comm.size)
    for i in range(every.size):
        every[i] = x[i % x.size] * (i + 1)
    mine = np.zeros(x.size)
    comm.Barrier()
    if comm.rank == 0:
        comm.Scatter(every, mine)
    else:
        comm.Scatter(None, mine)
    return np.sum(mine * mine)


def least_and_most(x, w, comm):
    least, most = np.zeros(x.size), np.zeros(x.size)
    comm.Allreduce(x, least, op=MPI.MIN)
    comm.Reduce(x, most, op=MPI.MAX)
    return np.sum(least**2 * w) + np.sum(most**2)


KERNELS = {
    "send_recv": send_recv,
    "ring": ring,
    "exchange": exchange,
    "allreduce": allreduce,
    "reduce": reduce,
    "bcast": bcast,
    "gather": gather,
    "allgather": allgather,
    "scatter": scatter,
    "extremes": least_and_most,
}

JITTED = [numba.njit(one) for one in KERNELS.values()]
(
    SEND_RECV, RING, EXCHANGE, ALLREDUCE, REDUCE, BCAST, GATHER, ALLGATHER, SCATTER, EXTREMES
) = JITTED  # fmt: skip


def everything(x, w, comm):
    total = SEND_RECV(x, w, comm) + RING(x, w, comm) + EXCHANGE(x, w, comm) + ALLREDUCE(x, w, comm) + REDUCE(x, w, comm)
    total += BCAST(x, w, comm) + GATHER(x, w, comm) + ALLGATHER(x, w, comm) + SCATTER(x, w, comm) + EXTREMES(x, w, comm)
    return total


def inputs():
    numbers = together.rng(7 + WORLD.rank % 2)
    return tuple(numbers.normal(size=(GROUP.size, functions.N)) for _ in range(3))


def first_orders(name, kernel, row):
    X, W, T = inputs()
    x, w, t = X[GROUP.rank], W[GROUP.rank], T[GROUP.rank]
    kernel = numba.njit(cache=True)(kernel)
    on_one_rank(lambda: kernel.compile(tuple(map(numba.typeof, (x, w, GROUP)))) and None)  # others find it in Numba's cache
    claim(f"{name} itself", GROUP.allreduce(kernel(x, w, GROUP)), row.total(X, W))
    both = compiled(enzyme.value_and_grad(kernel), x, w, GROUP)
    value, slope = both(x, w, GROUP)
    claim(f"{name} value", GROUP.allreduce(value), row.total(X, W))
    claim(f"{name} reverse", slope, row.slope(X, W)[GROUP.rank])
    if name == "all" or sys.argv[1:2] == ["reverse"]:  # the rules are those of functions.py, which asks for it
        return

    def push(x, w, t, comm):
        return enzyme.jvp(kernel, (x, w, comm), (t, np.zeros(w.size), None))[1]

    tangent = compiled(numba.njit(push), x, w, t, GROUP)(x, w, t, GROUP)
    claim(f"{name} forward", GROUP.allreduce(tangent), (row.slope(X, W) * T).sum())


def second_orders(name, kernel, row):
    X, W, T = inputs()
    x, w, t = X[GROUP.rank], W[GROUP.rank], T[GROUP.rank]
    kernel = numba.njit(kernel)

    def forward_over_reverse(x, w, t, comm):
        return enzyme.jvp(enzyme.grad(kernel), (x, w, comm), (t, np.zeros(w.size), None))[1]

    @numba.njit
    def inner(x, w, t, comm):
        return np.sum(enzyme.grad(kernel)(x, w, comm) * t)

    def reverse_over_reverse(x, w, t, comm):
        return enzyme.grad(inner)(x, w, t, comm)

    @numba.njit
    def push(x, w, t, comm):
        return enzyme.jvp(kernel, (x, w, comm), (t, np.zeros(w.size), None))[1]

    def reverse_over_forward(x, w, t, comm):
        return enzyme.grad(push)(x, w, t, comm)

    for one in (forward_over_reverse, reverse_over_reverse, reverse_over_forward):
        found = compiled(numba.njit(one), x, w, t, GROUP)(x, w, t, GROUP)
        claim(f"{name} {one.__name__}", found, row.second(X, W, T)[GROUP.rank])


if __name__ == "__main__":
    names = sys.argv[1:]
    orders = first_orders
    if names[:1] == ["second"]:
        orders, names = second_orders, names[1:]
    elif names[:1] == ["reverse"]:
        names = names[1:]
    for one in names or KERNELS:
        if one == "all":
            orders(one, everything, functions.sum_of_all(everything))
        else:
            orders(one, KERNELS[one], functions.ROWS[one])
