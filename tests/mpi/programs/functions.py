"""Every function of numba-mpi, in forward and reverse mode, against gradients by hand.

The kernel of a row computes a number on each rank, of x (the rank's own row of X) and weights w. Its `total` is the sum of these
numbers over all ranks in NumPy, and `slope` the gradient of that by X, by hand. Reverse mode gives each rank its row of the
slope; in forward mode the tangents of all ranks sum to <slope, T>.

    functions.py [names]            first orders of these rows, of all without a name
    functions.py second [names]     second orders
    functions.py all                one kernel of all rows, first orders

communicators.py has the same rows with mpi4py's methods.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

import numba
import numba_mpi as mpi
import numpy as np
from together import RANK, SIZE, WORLD, claim, compiled, rng

import enzyme_py as enzyme

N = 3


@dataclass(frozen=True)
class Row:
    """A kernel and its sum over all ranks, with the gradient of that by hand."""

    kernel: Callable
    total: Callable
    slope: Callable
    second: Callable  # the Hessian by X, times T


def send_recv(x, w):
    y = np.zeros(x.size)
    if mpi.rank() % 2 == 0:
        if mpi.rank() + 1 < mpi.size():
            mpi.send(x * x, mpi.rank() + 1, tag=5)
        return 0.0
    mpi.recv(y, source=mpi.rank() - 1, tag=5)
    return np.sum(y * y * w)


def _pairs(X, W):
    """The weights of the odd rank, at the even rank that sends to it."""
    found = np.zeros_like(X)
    found[0 : SIZE - 1 : 2] = W[1::2]
    return found


def ring(x, w):
    left, right = (mpi.rank() - 1) % mpi.size(), (mpi.rank() + 1) % mpi.size()
    y = np.empty(x.size)
    _, receiving = mpi.irecv(y, source=left)
    _, sending = mpi.isend(x, right, tag=9)
    mpi.waitall((receiving, sending))
    return np.sum(y * y * x)


def _left(X):
    return np.roll(X, 1, axis=0)


def _right(X):
    return np.roll(X, -1, axis=0)


def exchange(x, w):
    """As ring, with sendrecv, a two-dimensional array and an end that has no neighbour."""
    left = mpi.rank() - 1 if mpi.rank() > 0 else NOBODY
    right = mpi.rank() + 1 if mpi.rank() + 1 < mpi.size() else NOBODY
    y = np.ones((1, x.size))
    mpi.sendrecv(x.reshape((1, x.size)), right, y, source=left, sendtag=1, recvtag=1)
    return np.sum(y[0] * x * w)


def _moved(X, first):
    return np.concatenate([np.full((1, N), first), X[:-1]])


def allreduce(x, w):
    total = np.zeros(x.size)
    mpi.allreduce(x * x, total)
    one = np.zeros(1)
    mpi.allreduce(x[0] * x[1], one, operator=mpi.Operator.SUM)
    return np.sum(total * w) + one[0] * (mpi.rank() + 1)


RANKS = SIZE * (SIZE + 1) / 2  # the sum of rank + 1


def _allreduce_slope(X, W):
    found = 2 * X * W.sum(0)
    found[:, 0] += RANKS * X[:, 1]
    found[:, 1] += RANKS * X[:, 0]
    return found


def _allreduce_second(X, W, T):
    return _allreduce_slope(T, W)  # it is linear in X


def reduce(x, w):
    total = np.zeros(x.size)
    mpi.reduce(x * x, total, mpi.Operator.SUM, mpi.size() - 1)
    return np.sum(total * w)


def bcast(x, w):
    y = x * x
    mpi.bcast(y, 0)
    return np.sum(y * w)


def _only(X, rank):
    found = np.zeros_like(X)
    found[rank] = X[rank]
    return found


def gather(x, w):
    found = np.zeros(x.size * mpi.size())
    mpi.gather(x, found, x.size, 0)
    total = 0.0
    for i in range(1, found.size):
        total += found[i] * found[i - 1]
    return total


def _chain(X):
    """The gradient of the sum of products of neighbours."""
    flat = X.ravel()
    found = np.zeros_like(flat)
    found[1:] += flat[:-1]
    found[:-1] += flat[1:]
    return found.reshape(X.shape)


def allgather(x, w):
    found = np.zeros(x.size * mpi.size())
    mpi.allgather(x, found, x.size)
    total = 0.0
    for i in range(1, found.size):
        total += found[i] * found[i - 1]
    return total * (mpi.rank() + 1)


def scatter(x, w):
    every = np.zeros(x.size * mpi.size())
    for i in range(every.size):
        every[i] = x[i % x.size] * (i + 1)
    mine = np.zeros(x.size)
    mpi.barrier()
    mpi.scatter(every, mine, x.size, 0)
    return np.sum(mine * mine)


def _scatter_factors():
    return (np.arange(SIZE * N) + 1.0).reshape(SIZE, N)


def _scatter_slope(X, W):
    found = np.zeros_like(X)
    found[0] = 2 * X[0] * (_scatter_factors() ** 2).sum(0)
    return found


def least_and_most(x, w):
    least, most = np.zeros(x.size), np.zeros(x.size)
    mpi.allreduce(x, least, operator=mpi.Operator.MIN)
    mpi.reduce(x, most, mpi.Operator.MAX, 0)
    return np.sum(least**2 * w) + np.sum(most**2)


def _at(X, places):
    found = np.zeros_like(X)
    for column, row in enumerate(places):
        found[row, column] = X[row, column]
    return found


def _extremes_total(X, W):
    return (X.min(0) ** 2 * W.sum(0)).sum() + (X.max(0) ** 2).sum()


def _extremes_slope(X, W):
    return 2 * _at(X, X.argmin(0)) * W.sum(0) + 2 * _at(X, X.argmax(0))


def _extremes_second(X, W, T):
    return 2 * _at(T, X.argmin(0)) * W.sum(0) + 2 * _at(T, X.argmax(0))


from mpi4py import MPI  # noqa: E402

NOBODY = MPI.PROC_NULL

ROWS = {
    "send_recv": Row(
        send_recv,
        lambda X, W: (X**4 * _pairs(X, W)).sum(),
        lambda X, W: 4 * X**3 * _pairs(X, W),
        lambda X, W, T: 12 * X**2 * _pairs(X, W) * T,
    ),
    "ring": Row(
        ring,
        lambda X, W: (_left(X) ** 2 * X).sum(),
        lambda X, W: _left(X) ** 2 + 2 * X * _right(X),
        lambda X, W, T: 2 * _left(X) * _left(T) + 2 * T * _right(X) + 2 * X * _right(T),
    ),
    "exchange": Row(
        exchange,
        lambda X, W: (_moved(X, 1.0) * X * W).sum(),
        lambda X, W: _moved(X, 1.0) * W + np.concatenate([(X * W)[1:], np.zeros((1, N))]),
        lambda X, W, T: _moved(T, 0.0) * W + np.concatenate([(T * W)[1:], np.zeros((1, N))]),
    ),
    "allreduce": Row(
        allreduce,
        lambda X, W: ((X * X).sum(0) * W.sum(0)).sum() + (X[:, 0] * X[:, 1]).sum() * RANKS,
        _allreduce_slope,
        _allreduce_second,
    ),
    "reduce": Row(
        reduce,
        lambda X, W: ((X * X).sum(0) * W[-1]).sum(),
        lambda X, W: 2 * X * W[-1],
        lambda X, W, T: 2 * T * W[-1],
    ),
    "bcast": Row(
        bcast,
        lambda X, W: (X[0] ** 2 * W.sum(0)).sum(),
        lambda X, W: 2 * _only(X, 0) * W.sum(0),
        lambda X, W, T: 2 * _only(T, 0) * W.sum(0),
    ),
    "gather": Row(
        gather,
        lambda X, W: (X.ravel()[1:] * X.ravel()[:-1]).sum(),
        lambda X, W: _chain(X),
        lambda X, W, T: _chain(T),
    ),
    "allgather": Row(
        allgather,
        lambda X, W: (X.ravel()[1:] * X.ravel()[:-1]).sum() * RANKS,
        lambda X, W: _chain(X) * RANKS,
        lambda X, W, T: _chain(T) * RANKS,
    ),
    "scatter": Row(
        scatter,
        lambda X, W: ((X[0] * _scatter_factors()) ** 2).sum(),
        _scatter_slope,
        lambda X, W, T: _scatter_slope(T, W),
    ),
    "extremes": Row(least_and_most, _extremes_total, _extremes_slope, _extremes_second),
}

JITTED = [numba.njit(row.kernel) for row in ROWS.values()]
(
    SEND_RECV, RING, EXCHANGE, ALLREDUCE, REDUCE, BCAST, GATHER, ALLGATHER, SCATTER, EXTREMES
) = JITTED  # fmt: skip


def everything(x, w):
    total = SEND_RECV(x, w) + RING(x, w) + EXCHANGE(x, w) + ALLREDUCE(x, w) + REDUCE(x, w)
    total += BCAST(x, w) + GATHER(x, w) + ALLGATHER(x, w) + SCATTER(x, w) + EXTREMES(x, w)
    return total


def sum_of_all(kernel):
    """Return a row of a kernel that is the sum of all others."""
    return Row(
        kernel,
        lambda X, W: sum(row.total(X, W) for row in ROWS.values()),
        lambda X, W: sum(row.slope(X, W) for row in ROWS.values()),
        lambda X, W, T: sum(row.second(X, W, T) for row in ROWS.values()),
    )


ALL = sum_of_all(everything)


def inputs():
    numbers = rng(7)
    return tuple(numbers.normal(size=(SIZE, N)) for _ in range(3))


def first_orders(name, row):
    X, W, T = inputs()
    x, w, t = X[RANK], W[RANK], T[RANK]
    kernel = numba.njit(row.kernel)
    both = compiled(enzyme.value_and_grad(kernel), x, w)
    value, slope = both(x, w)
    claim(f"{name} value", WORLD.allreduce(value), row.total(X, W))
    claim(f"{name} reverse", slope, row.slope(X, W)[RANK])

    def push(x, w, t):
        return enzyme.jvp(kernel, (x, w), (t, np.zeros(w.size)))[1]

    tangent = compiled(numba.njit(push), x, w, t)(x, w, t)
    claim(f"{name} forward", WORLD.allreduce(tangent), (row.slope(X, W) * T).sum())


def second_orders(name, row):
    X, W, T = inputs()
    x, w, t = X[RANK], W[RANK], T[RANK]
    kernel = numba.njit(row.kernel)

    def forward_over_reverse(x, w, t):
        return enzyme.jvp(enzyme.grad(kernel), (x, w), (t, np.zeros(w.size)))[1]

    @numba.njit
    def inner(x, w, t):
        return np.sum(enzyme.grad(kernel)(x, w) * t)

    def reverse_over_reverse(x, w, t):
        return enzyme.grad(inner)(x, w, t)

    @numba.njit
    def push(x, w, t):
        return enzyme.jvp(kernel, (x, w), (t, np.zeros(w.size)))[1]

    def reverse_over_forward(x, w, t):
        return enzyme.grad(push)(x, w, t)

    for one in (forward_over_reverse, reverse_over_reverse, reverse_over_forward):
        found = compiled(numba.njit(one), x, w, t)(x, w, t)
        claim(f"{name} {one.__name__}", found, row.second(X, W, T)[RANK])


if __name__ == "__main__":
    names = sys.argv[1:]
    orders = first_orders
    if names[:1] == ["second"]:
        orders, names = second_orders, names[1:]
    for one in names or ROWS:
        orders(one, ALL if one == "all" else ROWS[one])
